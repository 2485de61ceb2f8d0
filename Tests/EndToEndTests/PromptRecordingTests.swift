import Glibc
import TerminalSupport
import Testing

/// A session at the prompt, with a step or more for each part of what the prompt does. The screens of each step stand in
/// `Recorded`, cell by cell; with `STSH_RECORD` set they are written anew.
@Suite("Recorded prompts")
struct PromptRecordingTests {
  private static let isRecording = getenv("STSH_RECORD") != nil

  /// What happens in a step.
  private enum Step {
    case keys(String)
    case another(String)
    case resize(Int)

    var name: String {
      switch self {
      case .keys(let keys):
        keys.unicodeScalars.map { $0.value < 0x20 ? "^\(Character(Unicode.Scalar(UInt8($0.value + 64))))" : "\($0)" }
          .joined()
      case .another(let line): "another: \(line)"
      case .resize(let columns): "\(columns) columns"
      }
    }
  }

  private static func steps(_ columns: Int, _ milk: String) -> [Step] {
    [
      // While typing.
      .keys("dispatch tasks.add "), .keys("\u{15}dispatch tasks.ad \"x"), .keys("\u{15}= (1 + 2)\u{2}"),
      .keys("\u{5}\u{15}dispatch tasks.add \"Buy \(milk)\" --quiet\r"), .keys("dispatch tasks.a"), .keys("\u{1B}f"),
      .keys("\u{6}"), .keys("\u{15}dispatch tasks.add \"Write \(milk) report\" --quiet\r"),
      // Completion.
      .keys("pl\t"), .keys("\u{15}dispatch tasks.complete \t"), .keys("\u{15}show tasks.items[title=\"B\t"),
      // Narrowing, undo, help.
      .keys("\u{15}show tasks.items where not done and id < 9 --columns id,title\r"), .keys("undo\r"),
      .keys("lua for i = 1, 3 do dispatch('counter.increment') end\r"), .keys("undo\r"), .keys("undo 2\r"),
      .keys("redo\r"), .keys("help not-skipped\r"), .keys("help alias\r"), .keys("describe tasks.add\r"),
      .keys("wait until fals\r"), .keys("watch\r"), .keys("history --last 2\r"), .keys("!2\r"),
      .keys("\u{15}use tasks\r"), .keys("show nextId\r"), .keys("use root\r"),
      // Words.
      .keys("dispatch tasks.add \"Buy a very long list of \(milk) and of other things\" bogus\r"),
      // Several lines, a search, lines that arrive above, other widths.
      .keys("lua for i = 1, 2 do\r"), .keys("print(i) end\r"), .keys("\u{12}Buy"), .keys("\u{7}"),
      .keys("watch counter.value\r"), .keys("echo \"\(milk) ("), .another("dispatch counter.increment --quiet"),
      .resize(columns - 25), .resize(columns), .keys(" more"),
    ]
  }

  @Test(arguments: [60, 120, 200], [true, false]) func theScreensAreAsRecorded(columns: Int, isUTF8: Bool) throws {
    let file = #filePath.replacing(
      "PromptRecordingTests.swift", with: "Recorded/prompt-\(columns)\(isUTF8 ? "" : "-ascii").txt")
    let recorded = Self.isRecording ? [] : try Self.read(file)
    let shell = try Shell()
    let door = shell.folder.path + "/door"
    let terminal = try shell.prompt(
      ["--listen", door], environment: isUTF8 ? [:] : ["LANG": "C", "LC_ALL": "C"], columns: columns)
    var text = ""
    for (index, step) in Self.steps(columns, isUTF8 ? "牛乳" : "milk").enumerated() {
      let first = terminal.screen.row
      switch step {
      case .keys(let keys): terminal.type(keys)
      case .another(let line): #expect(try shell.run("--attach", door, "-c", line).status == 0)
      case .resize(let columns): terminal.resize(columns: columns)
      }
      func rows(_ screen: TerminalScreen) -> String {
        // Another width moves the rows.
        let isOther = if case .resize = step { true } else { false }
        let rows = isOther ? screen.picture.suffix(4) : screen.picture[min(first, screen.rows.count)...]
        return rows.map {
          "\($0.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/, with: "YYYY-MM-DD HH:MM"))\n"
        }
        .joined()
      }
      if Self.isRecording {
        terminal.lookOn(milliseconds: 900)
        text += "== \(step.name)\n\(rows(terminal.screen))"
      } else {
        let (name, expected) = try #require(index < recorded.count ? recorded[index] : nil)
        #expect(name == step.name)
        try terminal.wait(for: "step \(index) (\(name)):\n\(expected)in place of\n\(rows(terminal.screen))") {
          rows($0) == expected
        }
      }
    }
    guard Self.isRecording else { return }
    let output = try #require(fopen(file, "w"))
    defer { fclose(output) }
    fputs(text, output)
  }

  private static func read(_ file: String) throws -> [(name: String, rows: String)] {
    let text = try #require(contents(ofFile: file))
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().reduce(into: []) { steps, line in
      if line.hasPrefix("== ") {
        steps.append((String(line.dropFirst(3)), ""))
      } else if !steps.isEmpty {
        steps[steps.count - 1].rows += "\(line)\n"
      }
    }
  }
}
