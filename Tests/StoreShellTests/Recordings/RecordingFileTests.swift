import Glibc
import Platform
import Testing

@testable import StoreShell

/// Files that are no recordings, or only parts of one: the first fault is named by file and line, and nothing changes.
@Suite struct RecordingFileTests {
  private func recording() throws -> (Shell, [String]) {
    let shell = try Shell { $0.isQuiet = true }
    let outcome = shell.run(
      "dispatch tasks.add milk", "dispatch counter.increment by=4", "dispatch tasks.complete 1",
      "export journal \(shell.folder)/run.jsonl")
    #expect(outcome.status == 0)
    return (shell, try #require(shell.contents("run.jsonl")).split(separator: "\n").map(String.init))
  }

  private func fault(_ shell: Shell, _ lines: [String], ending: String = "\n") throws -> String {
    try shell.write("bad.jsonl", lines.joined(separator: "\n") + ending)
    let other = try Shell()
    let outcome = other.run("replay \(shell.folder)/bad.jsonl")
    #expect(outcome.status == 1)
    #expect(other.run("log", "show counter.value").output == "(no actions)\n0\n")
    let prefix = "-c:1:1: error[bad-recording]: \(shell.folder)/"
    #expect(outcome.errors.hasPrefix(prefix), "\(outcome.errors)")
    return String(outcome.errors.dropFirst(prefix.count).prefix { $0 != "\n" })
  }

  @Test func theFaultyLineIsNamed() throws {
    let (shell, lines) = try recording()
    #expect(lines.count == 4)
    func with(_ index: Int, _ line: String) -> [String] {
      var lines = lines
      lines[index] = line
      return lines
    }
    #expect(try fault(shell, []) == "bad.jsonl:1: this is no recording: its first line would be a header")
    #expect(
      try fault(shell, Array(lines.dropFirst()))
        == "bad.jsonl:1: this is no recording: its first line would be a header")
    #expect(
      try fault(shell, with(0, lines[0].replacing(#""version":2"#, with: #""version":1"#)))
        == """
        bad.jsonl:1: written by another stsh (format 1); this one reads format 2; with that stsh: replay the file, \
        then export journal FILE.stsh --as stsh
        """)
    #expect(
      try fault(shell, with(0, lines[0].replacing(#""value":0"#, with: #""value":"none""#)))
        == "bad.jsonl:1: state: 'counter.value' must be Int, got string \"none\"")
    #expect(
      try fault(shell, with(2, lines[2].replacing(#""by":4"#, with: #""by":"four""#)))
        == "bad.jsonl:3: counter.increment: 'by' must be Int, got string \"four\"")
    #expect(
      try fault(shell, with(2, lines[2].replacing("counter.increment", with: "counter.incremnt")))
        == "bad.jsonl:3: unknown action 'counter.incremnt'")
    #expect(
      try fault(
        shell, with(3, lines[3].replacing(#"items[id=1].done","from":false"#, with: #"items[id=1].done","from":0"#)))
        == "bad.jsonl:4: changes[1]: 'tasks.items[id=1].done' must be Bool, got number 0")
    #expect(try fault(shell, [lines[0], lines[2], lines[1]]) == "bad.jsonl:3: #1 cannot come behind #2")
    #expect(try fault(shell, Array(lines.dropLast())) == "bad.jsonl:3: the file ends after 2 of 3 actions")
    #expect(try fault(shell, with(3, String(lines[3].prefix(20))), ending: "").hasPrefix("bad.jsonl:4: "))
  }

  /// Versions to come read what this one wrote, and what others made of it.
  @Test func aRecordingIsReadHoweverItIsSpaced() throws {
    let shell = try Shell()
    let spaced = Self.written.split(separator: "\n").map {
      $0.replacing(/^{("id":\d+),("at":[\d.]+),("action":"[a-z.]+"),/) { "{ \($0.3) , \($0.2),\t\($0.1), " }
        .replacing(#""B\u{FC}y milk""#, with: #""B\\u00fcy\\u0020milk""#)
    }
    for text in [Self.written, spaced.joined(separator: "\n")] {
      let file = try shell.write("written.jsonl", text)
      let outcome = try Shell().run("replay \(file) --verify", "show counter.value", "why tasks.items")
      #expect(outcome.status == 0)
      let start = "replayed 6 actions, every state matches\n4\n#6 tasks.remove id=1"
      #expect(outcome.output.hasPrefix(start), "\(outcome)")
    }
  }

  private static let written = #"""
    {"format":"stsh-recording","version":2,"schema":"7318aceb21d6eda1","actions":6,"start":0,"plugins":[],"loade\#
    d":[],"state":{"counter":{"value":0,"step":1},"tasks":{"nextId":1,"items":[]}}}
    {"id":1,"at":0.00411751,"action":"tasks.add","args":{"title":"Büy milk"},"source":{"kind":"batch","file":"r.\#
    stsh","function":"dispatch","line":1},"changes":[{"op":"replace","path":"tasks.nextId","from":1,"to":2},{"op\#
    ":"add","path":"tasks.items[id=1]","to":{"id":1,"title":"Büy milk","done":false},"positions":[0]}],"hash":{"\#
    tasks":"01710b5b3f8cedf7"}}
    {"id":2,"at":0.004906454,"action":"counter.increment","args":{"by":4},"source":{"kind":"batch","file":"r.sts\#
    h","function":"dispatch","line":2},"changes":[{"op":"replace","path":"counter.value","from":0,"to":4}],"hash\#
    ":{"counter":"2a3f639920e2787b"}}
    {"id":3,"at":0.005162498,"action":"tasks.complete","args":{"id":1},"source":{"kind":"batch","file":"r.stsh",\#
    "function":"dispatch","line":3},"changes":[{"op":"replace","path":"tasks.items[id=1].done","from":false,"to"\#
    :true,"positions":[0]}],"hash":{"tasks":"35d1a05f6435e5ec"}}
    {"id":4,"at":0.005431572,"action":"counter.increment","args":{"by":null},"source":{"kind":"batch","file":"r.\#
    stsh","function":"dispatch","line":4},"changes":[{"op":"replace","path":"counter.value","from":4,"to":5}],"h\#
    ash":{"counter":"0c6ac842369395fe"}}
    {"id":5,"at":0.006073615,"action":"shell.restore","args":{"to":3,"without":null},"source":{"kind":"batch","f\#
    ile":"r.stsh","function":"undo","line":5},"changes":[{"op":"replace","path":"counter.value","from":5,"to":4}\#
    ],"hash":{"counter":"77564b7f812e5c7f"}}
    {"id":6,"at":0.006454747,"action":"tasks.remove","args":{"id":1},"source":{"kind":"batch","file":"r.stsh","f\#
    unction":"dispatch","line":6},"changes":[{"op":"remove","path":"tasks.items[id=1]","from":{"id":1,"title":"B\#
    üy milk","done":true},"positions":[0]}],"hash":{"tasks":"c8b91de8812b6e86"}}
    """#

  @Test func numbersPastTheEndsAreRefused() throws {
    let (shell, lines) = try recording()
    func with(_ index: Int, _ old: String, _ new: String) throws -> String {
      var lines = lines
      #expect(lines[index].contains(old))
      lines[index] = lines[index].replacing(old, with: new)
      return try fault(shell, lines)
    }
    #expect(
      try with(3, #""id":3"#, #""id":9007199254740992"#)
        == "bad.jsonl:4: 'id' must be in 1...9007199254740991, got 9007199254740992")
    #expect(
      try with(1, #""id":1"#, #""id":-9223372036854775808"#)
        == "bad.jsonl:2: 'id' must be in 1...9007199254740991, got -9223372036854775808")
    #expect(
      try with(0, #""start":0"#, #""start":-9223372036854775808"#)
        == "bad.jsonl:1: 'header.start' must be in 0...9007199254740991, got -9223372036854775808")
    #expect(
      try with(0, #""actions":3"#, #""actions":9223372036854775807"#)
        == "bad.jsonl:1: 'header.actions' must be in 0...9007199254740991, got 9223372036854775807")
    let time = try #require(lines[3].firstMatch(of: /"at":([0-9.]+)/))
    #expect(
      try with(3, String(time.0), #""at":9223372037"#) == "bad.jsonl:4: 'at' must be seconds, got '9223372037'")
  }

  @Test func whatAGapLeadsToIsReturnedTo() throws {
    let (shell, lines) = try recording()
    var leaping = lines
    leaping[0] = leaping[0].replacing(#""actions":3"#, with: #""actions":4"#)
    leaping[3] = leaping[3].replacing(#""id":3"#, with: #""id":9007199254740000"#)
    leaping.append(
      leaping[1].replacing(#""id":1"#, with: #""id":9007199254740990"#)
        .replacing(/"action":.*$/) { _ in
          #""action":"shell.restore","args":{"to":1000000},"source":{"kind":"repl","file":"repl","function":"undo","#
            + #""line":1},"changes":[{"op":"replace","path":"tasks.items[id=1].done","from":true,"to":false}]}"#
        })
    try shell.write("leaping.jsonl", leaping.joined(separator: "\n"))
    let other = try Shell()
    let outcome = other.run("replay \(shell.folder)/leaping.jsonl", "show tasks.items[1].done")
    #expect(outcome == .init(output: "replayed 4 actions\nfalse\n"))
    #expect(try other.type("dispatch counter.reset").output.hasPrefix("#9007199254740991 counter.reset"))
  }

  @Test func aLineThatWasChangedByHandDiverges() throws {
    let (shell, lines) = try recording()
    var edited = lines
    edited[2] = lines[2].replacing(#""from":0,"to":4"#, with: #""from":0,"to":5"#)
    try shell.write("bad.jsonl", edited.joined(separator: "\n"))
    let outcome = try Shell().run("replay \(shell.folder)/bad.jsonl --verify")
    #expect(outcome.errors.contains("  recorded  counter.value  0 -> 5\n  now       counter.value  0 -> 4\n"))
    // Without a comparison what was recorded of the outcome does not matter.
    #expect(try Shell().run("replay \(shell.folder)/bad.jsonl").output == "replayed 3 actions\n")
  }

  @Test func emptyLinesAndLineEndsOfOtherSystemsAreRead() throws {
    let (shell, lines) = try recording()
    try shell.write("dos.jsonl", "\u{FEFF}" + lines.joined(separator: "\r\n\r\n"))
    #expect(
      try Shell().run("replay \(shell.folder)/dos.jsonl --verify").output == "replayed 3 actions, every state matches\n"
    )
  }

  @Test func aFileIsReplacedAsAWhole() throws {
    let shell = try Shell()
    try shell.write("old.jsonl", "precious\n")
    let failed = shell.run("export journal \(shell.folder)/missing/x.jsonl", "show counter.value")
    #expect(failed.errors.contains("missing/x.jsonl: No such file or directory"))
    #expect(shell.run("export state /dev/full").errors.contains("/dev/full: No space left on device"))
    #expect(shell.contents("old.jsonl") == "precious\n")
    #expect(shell.run("export state \(shell.folder)/old.jsonl").errors == "")
    #expect(shell.contents("old.jsonl") == #"{"counter":{"value":0,"step":1},"tasks":{"nextId":1,"items":[]}}"# + "\n")
    #expect(Files.names(in: shell.folder) == ["old.jsonl"])
  }

  @Test func aFileThatIsNotYetWholeHasNoName() throws {
    let shell = try Shell()
    let file = try ReplacingFile("\(shell.folder)/new.json")
    file.bytes = [UInt8](repeating: 0x20, count: 1 << 17)
    try file.passOn()
    // What a process that is killed now leaves behind.
    #expect(Files.names(in: shell.folder) == [])
    try file.finish()
    #expect(Files.names(in: shell.folder) == ["new.json"])
    #expect(shell.contents("new.json")?.utf8.count == 1 << 17)
  }

  /// What is told is kept first, whichever way the file comes to its place.
  @Test(arguments: [false, true], [false, true]) func nothingIsSeenBeforeItIsKept(appends: Bool, isThere: Bool) throws {
    let shell = try Shell()
    if isThere { try shell.write("a.txt", "before\n") }
    var seen: [String?] = []
    let file = try ReplacingFile("\(shell.folder)/a.txt", appends: appends) { seen.append(shell.contents("a.txt")) }
    file.bytes = [UInt8](repeating: 0x20, count: 1 << 17)
    try file.passOn()
    try file.finish()
    #expect(seen.first == (isThere ? "before\n" : appends ? "" : String?.none))
  }

  @Test func aFileThatIsReplacedStaysWhatItWas() throws {
    let shell = try Shell()
    try shell.write("private.json", "old\n")
    #expect(chmod("\(shell.folder)/private.json", 0o600) == 0)
    #expect(symlink("later.json", "\(shell.folder)/link.json") == 0)
    _ = try shell.type("export state \(shell.folder)/private.json", "export state \(shell.folder)/link.json")
    var status = stat()
    #expect(stat("\(shell.folder)/private.json", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(lstat("\(shell.folder)/link.json", &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
    #expect(shell.contents("later.json") == shell.contents("private.json"))
  }

  @Test func aFileThatAResultReplacesStaysWhatItWas() throws {
    let shell = try Shell()
    try shell.write("old.txt", "precious\n")
    #expect(chmod("\(shell.folder)/old.txt", 0o640) == 0)
    #expect(symlink("old.txt", "\(shell.folder)/link.txt") == 0)
    #expect(shell.run("echo new > \(shell.folder)/link.txt") == .init())
    #expect(shell.contents("old.txt") == "new\n")
    var status = stat()
    #expect(stat("\(shell.folder)/old.txt", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(shell.run("echo more >> \(shell.folder)/link.txt") == .init())
    #expect(shell.contents("old.txt") == "new\nmore\n")
    #expect(shell.run("show nowhere >> \(shell.folder)/none.txt").status == 1)
    #expect(Files.names(in: shell.folder).sorted() == ["link.txt", "old.txt"])
  }

  @Test func misuseIsExplained() throws {
    let shell = try Shell()
    let bare = shell.run("export").errors
    #expect(bare.contains("export needs 'state', 'journal' or a path"))
    #expect(
      bare.hasSuffix(
        "export PATH FILE [where EXPR] [--as FORMAT] [--sort FIELD,…] [--limit N] [--columns FIELD,…]\n"))
    #expect(shell.run("export journal").errors.contains("export needs a file"))
    #expect(shell.run("export task x").errors.contains("did you mean 'tasks'?"))
    #expect(shell.run("export state x where id > 1").errors.contains("where"))
    #expect(shell.run("export state x --sort id").errors.contains("export state writes all of it and takes no --sort"))
    #expect(shell.run("export journal x --last 3").errors.contains("only --as redux-devtools takes --last"))
    #expect(
      shell.run("export journal x --as redux-devtools --last 0").errors.contains(
        "--last needs a number of actions, got '0'"))
    #expect(shell.run("export journal x --as csv").errors.contains("export journal has no form 'csv'"))
    #expect(shell.run("export state x --as stsh").errors.contains("export state has no form 'stsh'"))
    #expect(shell.run("import journal x").errors.contains("hint: run it again: replay FILE"))
    #expect(shell.run("replay x --to soon").errors.contains("--to needs the number of an action, got 'soon'"))
    #expect(try Shell().run("replay nowhere.jsonl").status == 2)
    #expect(Files.names(in: shell.folder) == [])
  }
}
