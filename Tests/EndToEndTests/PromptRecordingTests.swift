import Glibc
import TerminalSupport
import Testing

/// Sessions at the prompt, with a step or more for each part of what the prompt does. The screens of each step stand in
/// `Recorded`, cell by cell; with `STSH_RECORD` set they are written anew.
@Suite("Recorded prompts")
struct PromptRecordingTests {
  private static let isRecording = getenv("STSH_RECORD") != nil

  /// What happens in a step.
  fileprivate enum Step {
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

  /// A session to record.
  enum Session: String, CaseIterable {
    case prompt, lists, words, vi, keys, plain

    /// The lines of the user's inputrc.
    fileprivate var inputrc: String {
      switch self {
      case .vi: "set editing-mode vi\nset show-mode-in-prompt on\n"
      case .keys:
        "\"\\t\": menu-complete\nset completion-ignore-case on\n\"\\e[A\": history-search-backward\n"
          + "\"\\e[B\": history-search-forward\n$if stsh\n\"\\C-t\": \"dispatch \"\n$endif\n"
      default: ""
      }
    }

    fileprivate var firstPrompt: String { self == .vi ? "(ins)stsh>" : "stsh>" }

    fileprivate func steps(_ columns: Int, _ milk: String) -> [Step] {
      switch self {
      case .prompt: PromptRecordingTests.prompt(columns, milk)
      case .lists: PromptRecordingTests.lists(milk)
      case .words: PromptRecordingTests.words
      case .vi: PromptRecordingTests.vi
      case .keys: PromptRecordingTests.keys
      case .plain: PromptRecordingTests.plain(columns, milk)
      }
    }
  }

  private static func prompt(_ columns: Int, _ milk: String) -> [Step] {
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

  /// Long lists: what Tab shows of them, and narrowing.
  private static func lists(_ milk: String) -> [Step] {
    [
      .keys("lua for i = 1, 1300 do dispatch('tasks.add', { title = 'Buy ' .. i .. ' \(milk)' }) end\r"),
      .keys("dispatch tasks.complete \t"), .keys("id=10\t"), .keys("\u{15}dispatch tasks.complete id=130\t"),
      .keys("\u{15}show tasks.items[title=\"Buy 130\t"), .keys("0\t"),
      .keys("\u{15}show tasks.items where title:find(\"99\") and id > 300 --sort -id --limit 2 --columns id,title\r"),
      .keys("show tasks.items where it.id > 1298 --as csv > \(milk).csv\r"),
      .keys("echo hi | cat - \(milk).csv\r"),
      .keys("show tasks.items where id == 7 > 7.txt\r"), .keys("echo hi | cat - 7.txt\r"),
      .keys("watch tasks.items where done\r"), .keys("dispatch tasks.complete 7 --quiet\r"),
      .keys("export tasks.items done.jsonl where done\r"),
      .keys("show tasks.items[done=false]\r"), .keys("show tasks.items where id > 2000\r"),
      .keys("show tasks.items where bogus\r"), .keys("log 2\r"), .keys("undo\r"), .keys("undo --quiet\r"),
      .keys("show tasks.items\r"), .keys("log\r"),
    ]
  }

  /// Messages and help texts.
  private static let words: [Step] = [
    .keys("undo '#1'\r"), .keys("log -n 5\r"), .keys("dispatch tasks.add Buy milk\r"), .keys("show tasks;\r"),
    .keys("= state.tasks.items[9].title\r"), .keys("= 1 | cat\r"),
    .keys("wait until state.counter.value > 3 --timeout 100ms\r"), .keys("dispatch counter.increment by=x\r"),
    .keys("dispatch counter.setStep to=0\r"), .keys("dispatch counter.increment\r"), .keys("skip #1\r"),
    .keys("why tasks\r"), .keys("goto head\r"), .keys("show #tasks.items\r"), .keys("export #x\r"), .keys("log #x\r"),
    .keys("show --help\r"), .keys("help tasks\r"), .keys("alias up = dispatch counter.increment\r"),
    .keys("help up\r"), .keys("alias --remove up\r"), .keys("help plugin load\r"), .keys("help keys\r"),
    .keys("help use\r"), .keys("help substate\r"), .keys("help time\r"), .keys("alias\r"), .keys("pin\r"),
    .keys("tasks\r"), .keys("plugin list\r"), .keys("log\r"), .keys("= _\r"),
  ]

  /// The keys of vi.
  private static let vi: [Step] = [
    .keys("dispatch tasks.ad \"x"), .keys("\u{1B}"), .keys("0cwshow"), .keys("\u{1B}"), .keys("dditasks\u{15}dis\t"),
    .keys("tasks.add milk --quiet\r"), .keys("show counter.value\r"), .keys("dispatch"), .keys("\u{1B}"), .keys("k"),
    .keys("k"), .keys("/counter"), .keys("\r"), .keys("A (1"), .keys("\u{1B}"), .keys("ddi"), .keys("set hints off\r"),
    .keys("dispatch tasks.add "), .keys("\u{15}set highlight off\r"), .keys("dispatch tasks.ad \"x"),
    .keys("\u{15}set hints on\r"), .keys("dispatch tasks.a"), .keys("\u{6}"),
  ]

  /// The keys of a user's own.
  private static let keys: [Step] = [
    .keys("dispatch tasks.add milk --quiet\r"), .keys("echo a\r"), .keys("DISPATCH tasks.\t"), .keys("\t"), .keys("\t"),
    .keys("\u{15}dispatch counter.\u{1B}?"), .keys("\u{1B}*"), .keys("\u{15}dis\u{1B}[A"), .keys("\u{15}\u{14}"),
  ]

  /// Without hints and colours.
  private static func plain(_ columns: Int, _ milk: String) -> [Step] {
    [
      .keys("dispatch tasks.add \"Buy \(milk)\"\r"), .keys("dispatch tasks.a"), .keys("\u{15}dispatch tasks.ad \"x"),
      .keys("\u{15}pl\t"), .keys("\u{15}= (1 + 2)\u{2}"), .keys("\u{5}\r"), .keys("lua for i = 1, 2 do\r"),
      .keys("print(i) end\r"), .keys("\u{12}Buy"), .keys("\u{7}"), .keys("show tasks.items\r"),
      .keys("watch counter.value\r"), .keys("echo \"\(milk) ("), .another("dispatch counter.increment --quiet"),
      .resize(columns - 25), .resize(columns), .keys(" more"),
    ]
  }

  static let places: [Place] = [60, 120, 200].flatMap {
    [Place(columns: $0, isUTF8: true), Place(columns: $0, isUTF8: false)]
  }

  /// Where a session is recorded.
  struct Place {
    let columns: Int
    let isUTF8: Bool
  }

  @Test(arguments: Session.allCases, places) func theScreensAreAsRecorded(session: Session, place: Place) throws {
    let (columns, isUTF8) = (place.columns, place.isUTF8)
    let file = #filePath.replacing(
      "PromptRecordingTests.swift", with: "Recorded/\(session)-\(columns)\(isUTF8 ? "" : "-ascii").txt")
    let recorded = Self.isRecording ? [] : try Self.read(file)
    let shell = try Shell()
    let door = shell.folder.path + "/door"
    try shell.folder.write("inputrc", session.inputrc)
    var environment = ["INPUTRC": shell.folder.path + "/inputrc"]
    if !isUTF8 { environment.merge(["LANG": "C", "LC_ALL": "C"]) { $1 } }
    if session == .plain { environment["NO_COLOR"] = "1" }
    let terminal = try shell.prompt(
      ["--listen", door, "--clock", "virtual"], prompt: session.firstPrompt, environment: environment,
      columns: columns)
    var text = ""
    for (index, step) in session.steps(columns, isUTF8 ? "牛乳" : "milk").enumerated() {
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
        var count = -1
        // A command that runs leaves the cursor on an empty row.
        while count != terminal.output.count || terminal.screen.cursorLine.isEmpty {
          count = terminal.output.count
          terminal.lookOn(milliseconds: 700)
        }
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
