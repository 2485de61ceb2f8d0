import Glibc
import StoreCore
import StoreHistory
import Testing

@testable import StoreShell

/// A recording holds the code that it needs, and is verified across reloads and from a point on.
@Suite struct RecordedCodeTests {
  private let shell: Shell
  private var file: String { "\(shell.folder)/r.jsonl" }

  init() throws {
    shell = try Shell()
    try write("int()", by: "s.n + 1")
  }

  private func write(_ type: String, by next: String, migrate: String = "") throws {
    try shell.write("p/plugin.json", #"{"name":"p","version":"1.0.0","api":1}"#)
    try shell.write(
      "p/init.lua",
      """
      return plugin {
        state = { field("n", \(type)) }, actions = { { name = "add" } }, \(migrate)
        reducers = { add = function(s) s.n = \(next) end },
      }
      """)
  }

  /// Loads, acts, reloads to text and acts.
  private func record(_ export: String = "export journal") throws {
    #expect(shell.run("plugin load \(shell.folder)/p", "dispatch p.add", "dispatch p.add").status == 0)
    try write("text()", by: "s.n .. 'x'", migrate: "migrate = function(o) return { n = 'v' .. o.n } end,")
    let outcome = shell.run("plugin reload p", "dispatch p.add", "\(export) \(file)")
    #expect(outcome.status == 0, "\(outcome)")
  }

  private func replay(_ command: String) throws -> Shell.Outcome {
    try Shell().run("replay \(file)\(command)", "show p.n")
  }

  @Test func acrossAReloadToAnotherType() throws {
    try record()
    #expect(try replay(" --verify").output == "replayed 5 actions, every state matches\n\"v2x\"\n")
    #expect(try replay(" --to 3").output == "replayed 3 actions\n2\n")
  }

  /// The slice before it has no value for the field: nothing is compared with it.
  @Test func acrossAReloadThatAddsAField() throws {
    #expect(shell.run("plugin load \(shell.folder)/p", "dispatch p.add").status == 0)
    try write("int()), field(\"m\", int()", by: "s.n + 100")
    #expect(shell.run("plugin reload p", "dispatch p.add", "export journal \(file)").status == 0)
    #expect(try replay(" --verify").output == "replayed 4 actions, every state matches\n101\n")
  }

  /// The folder may be gone: all versions are in the recording.
  @Test func withoutTheFolder() throws {
    try record()
    #expect(rename("\(shell.folder)/p", "\(shell.folder)/q") == 0)
    #expect(try replay(" --verify").output == "replayed 5 actions, every state matches\n\"v2x\"\n")
  }

  /// An edit since is met where it is one of the latest version alone, as `replay --verify` is for.
  @Test func anEditOfTheLatestVersionIsMet() throws {
    try record()
    try write("text()", by: "s.n .. 'y'", migrate: "migrate = function(o) return { n = 'v' .. o.n } end,")
    let outcome = try replay(" --verify")
    #expect(outcome.errors.contains("error[replay-diverged]"), "\(outcome)")
    #expect(outcome.errors.contains("hint: p has changed since the recording"))
  }

  @Test func fromAPointOn() throws {
    try record("export journal --from 3")
    let text = try #require(Shell.contents(file))
    #expect(text.split(separator: "\n").count == 4)
    #expect(try replay(" --verify").output == "replayed 3 actions, every state matches\n\"v2x\"\n")
    for (first, message) in [("6", "out-of-range"), ("0", "type-mismatch"), ("x", "type-mismatch")] {
      let errors = shell.run("export journal \(file) --from \(first)").errors
      #expect(errors.contains("error["), "\(message): \(errors)")
    }
    #expect(shell.run("export state \(file) --from 1").errors.contains("only a journal as jsonl takes --from"))
  }

  /// What returns to a point before cannot be replayed, and is refused with the number that can.
  @Test func aReturnBeforeThePoint() throws {
    let made = shell.run(
      "dispatch counter.increment", "dispatch counter.increment", "undo --to 1", "dispatch counter.increment",
      "export journal \(file) --from 3")
    #expect(made.errors.contains("#3 returns to #1, which is before the first action"), "\(made)")
    for first in [2, 4] {
      let outcome = shell.run("export journal \(file) --from \(first)")
      #expect(outcome.errors == "", "\(outcome)")
      #expect(try replay(" --verify").output.contains("every state matches"))
    }
  }

  /// The numbers that the refusal names can be replayed, whatever else returned to where.
  @Test(arguments: 0..<30) func theHintOfAReturnHolds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var lines: [String] = []
    for number in 0..<14 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where number > 1: lines.append("try undo --to \(Int.random(in: 0..<number, using: &random)) --quiet")
      case 1 where number > 1: lines.append("try undo --quiet")
      default: lines.append("dispatch counter.increment by=\(number) --quiet")
      }
    }
    #expect(shell.outcome { shell.session.run(commands: lines) }.status == 0)
    for first in 2...14 {
      let refused = shell.run("export journal \(file) --from \(first)").errors
      for hinted in refused.matches(of: /begin with (#\d+)(?: or (#\d+))?/).flatMap({ [$0.1, $0.2].compactMap(\.self) })
      {
        let outcome = shell.run("export journal \(file) --from \(hinted.dropFirst())")
        #expect(outcome.errors == "", "\(hinted) of \(first): \(outcome)")
      }
    }
  }

  /// What is nowhere is said before anything runs, all of it.
  @Test func whatIsMissingIsSaidFirst() throws {
    try record()
    let lines = try #require(Shell.contents(file)).split(separator: "\n", omittingEmptySubsequences: false)
    let header = try #require(lines.first).replacing(/"code":.*,"state":/, with: "\"state\":")
    try shell.write("r.jsonl", ([header] + lines.dropFirst()).joined(separator: "\n"))
    #expect(rename("\(shell.folder)/p", "\(shell.folder)/q") == 0)
    let outcome = try replay("")
    #expect(outcome.errors.contains("the recording needs plugins that are nowhere: p 1.0.0 ("), "\(outcome)")
  }

  /// Files that are no text are kept too, and code that does not fit its digest is not run.
  @Test func theHeaderIsReadAsItIsWritten() throws {
    let code = RecordingHeader.Code(
      digest: "0123456789abcdef",
      files: [.init(path: "init.lua", bytes: Array("-- ä".utf8)), .init(path: "lib/x.lua", bytes: [0xFF, 0x00, 0x0A])])
    let header = RecordingHeader(
      schema: 1, count: 0, start: 0, plugins: [], loaded: [], code: [code], state: .members([]))
    var bytes: [UInt8] = []
    header.append(to: &bytes)
    #expect(!bytes.contains(0x0A))
    let read = try bytes.withUnsafeBufferPointer { try RecordingHeader(of: $0) }
    #expect(read.code == header.code)
  }

  @Test func codeThatWasChangedInTheRecordingIsNotRun() throws {
    try record()
    let text = try #require(Shell.contents(file)).replacing("s.n + 1 end", with: "s.n + 7 end")
    try shell.write("r.jsonl", text)
    #expect(try !replay(" --verify").output.contains("every state matches"))
  }
}
