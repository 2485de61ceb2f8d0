import TerminalSupport
import Testing

/// Generated inputs of every kind that the shell reads. `scripts/abuse` runs more of them.
@Suite("Fuzzed input")
struct FuzzTests {
  private static let count = 40
  private static let seeds = AbuseTests.seeds(usually: 1)

  /// Runs commands that may all fail, and expects an end in order and a place with every error.
  private func run(_ shell: Shell, _ commands: [String], seed: UInt64, errorsNames names: Bool = false) throws {
    let arguments = ["--keep-going", "--no-exec", "--clock", "virtual", "--timeout", "60s"]
    let outcome = try shell.run(arguments + commands.flatMap { ["-c", $0] })
    if (0...3).contains(outcome.status) || outcome.status == 4 {
      for line in outcome.errors.split(separator: "\n") where line.contains("error[") && !line.hasPrefix(" ") {
        #expect(line.firstMatch(of: /^-c:\d+(:\d+)?: error\[[a-z-]+\]: ./) != nil, "seed \(seed): \(line)")
        guard names, line.contains("error[") else { continue }
        // The place within the file: its line, or the path of the value at fault.
        #expect(line.firstMatch(of: /f\d+[^ ]*:\d+|'[^']+'|"[^"]+"|expected/) != nil, "seed \(seed): \(line)")
      }
    } else {
      Issue.record("seed \(seed): status \(outcome.status)\n\(outcome.errors.suffix(500))")
    }
  }

  private func text(_ bytes: [UInt8]) -> String {
    // A command line of the system holds no NUL.
    String(decoding: bytes.map { $0 == 0 ? 1 : $0 }, as: UTF8.self)
  }

  @Test(arguments: Self.seeds) func commands(seed: UInt64) throws {
    var fodder = Fodder(seed: seed)
    let commands = (0..<Self.count).map { _ in
      let statement = fodder.statement()
      return text(fodder.damaged(statement))
    }
    try run(Shell(), commands, seed: seed)
  }

  /// The same on standard input, where a statement that is never closed takes in those after it, and bytes may be no text.
  @Test(arguments: Self.seeds) func scripts(seed: UInt64) throws {
    var fodder = Fodder(seed: seed)
    var script: [UInt8] = []
    for _ in 0..<Self.count {
      let statement = fodder.statement()
      script += fodder.damaged(statement) + [0x0A]
    }
    let outcome = try Shell().run(
      ["--keep-going", "--no-exec", "--clock", "virtual", "--timeout", "60s"], input: script)
    #expect((0...4).contains(outcome.status), "seed \(seed): status \(outcome.status)\n\(outcome.errors.suffix(500))")
    for line in outcome.errors.split(separator: "\n") where line.contains(": error[") && !line.hasPrefix(" ") {
      #expect(line.firstMatch(of: /^stdin:\d+(:\d+)?: error\[/) != nil, "seed \(seed): \(line)")
    }
  }

  @Test(arguments: Self.seeds) func paths(seed: UInt64) throws {
    var fodder = Fodder(seed: seed)
    let commands = (0..<Self.count).map { index in
      let path = fodder.path()
      return "\(["show", "watch", "why", "describe", "log --changed"][index % 5]) " + text(fodder.damaged(path))
    }
    try run(Shell(), ["dispatch tasks.add title=one"] + commands, seed: seed)
  }

  @Test(arguments: Self.seeds) func documentsOfJSON(seed: UInt64) throws {
    let shell = try Shell()
    var fodder = Fodder(seed: seed)
    let commands = try (0..<Self.count / 2).flatMap { index in
      let state = #"{"counter":{"value":\#(fodder.json()),"step":1},"tasks":{"nextId":2,"items":[\#(fodder.json())]}}"#
      try shell.folder.write("f\(index).json", fodder.damaged(state))
      let records = (0..<3).map { _ in #"{"title":\#(fodder.json(depth: 1))}"# }.joined(separator: "\n")
      try shell.folder.write("f\(index).jsonl", fodder.damaged(records))
      return [
        "import state f\(index).json", "ingest f\(index).jsonl --as tasks.add",
        "dispatch tasks.add title=\(fodder.json(depth: 1))",
      ]
    }
    try run(shell, commands, seed: seed, errorsNames: true)
  }

  /// Only a session without actions reads a recording: those that cannot be read leave it so.
  @Test(arguments: Self.seeds) func recordings(seed: UInt64) throws {
    let shell = try Shell()
    var fodder = Fodder(seed: seed)
    let commands = try (0..<Self.count / 4).map { index in
      try shell.folder.write("f\(index).run", fodder.damaged(Self.recording + fodder.json()))
      return "replay f\(index).run"
    }
    try run(shell, commands, seed: seed)
  }

  private static let recording = #"""
    {"format":"stsh-recording","version":2,"schema":"7318aceb21d6eda1","actions":1,"start":0,"plugins":[],"loaded":[],"state":{"counter":{"value":0,"step":1},"tasks":{"nextId":1,"items":[]}}}
    {"id":1,"at":0.003,"action":"counter.increment","args":{"by":null},"source":{"kind":"batch","file":"-c","line":1},"changes":[],"hash":{}}

    """#

  @Test(arguments: Self.seeds, ["csv", "tsv"]) func tables(seed: UInt64, format: String) throws {
    let shell = try Shell()
    var fodder = Fodder(seed: seed)
    let separator = format == "csv" ? "," : "\t"
    let commands = try (0..<Self.count).map { index in
      var rows = [fodder.random.pick(["title", "title\(separator)more", "\"title\"", "\u{FEFF}title"])]
      for _ in 0..<3 {
        let cells = (0..<fodder.random.number(1...2)).map { _ in
          let cell = fodder.text()
          return fodder.random.number(0...1) == 0 ? cell : "\"\(cell.replacing("\"", with: "\"\""))\""
        }
        rows.append(cells.joined(separator: separator))
      }
      try shell.folder.write("f\(index).\(format)", fodder.damaged(rows.joined(separator: "\n")))
      return "ingest f\(index).\(format) --as tasks.add" + (index % 2 == 0 ? " --keep-going" : "")
    }
    try run(shell, commands, seed: seed, errorsNames: true)
  }

  @Test(arguments: Self.seeds) func manifests(seed: UInt64) throws {
    let shell = try Shell()
    var fodder = Fodder(seed: seed)
    let commands = try (0..<Self.count / 4).flatMap { index in
      let name = "f\(index)"
      var manifest =
        #"{ "name": "\#(name)", "version": "0.1.0", "api": 1, "permissions": ["timers", "dispatch:tasks.add"] }"#
      switch fodder.random.number(0...2) {
      case 0: manifest = manifest.replacing("1, ", with: "1, \"\(fodder.name())\": \(fodder.json()), ")
      case 1: manifest = manifest.replacing("\"timers\"", with: fodder.json())
      default: break
      }
      try shell.folder.write("\(name)/plugin.json", fodder.damaged(manifest))
      try shell.folder.write("\(name)/init.lua", fodder.damaged("return plugin { actions = { { name = \"go\" } } }"))
      return ["plugin check ./\(name)", "plugin load ./\(name)", "plugin info ./\(name)", "plugin unload \(name)"]
    }
    try run(shell, commands, seed: seed)
  }
}
