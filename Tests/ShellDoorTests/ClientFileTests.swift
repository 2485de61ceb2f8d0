import Foundation
import Glibc
import ShellLanguage
import StoreSchema
import StoreShell
import Testing

@testable import ShellDoor

/// The files that statements name belong to the client that gives them.
@Suite struct ClientFileTests {
  private static func run(_ house: House, _ commands: String...) throws -> (status: Int32, text: String) {
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: house.door.address), console: said.console)
    let status = shell.run(commands: commands)
    return (status, said.text)
  }

  private static func records(_ count: Int) -> String {
    (1...count).map { "{\"title\":\"task \($0)\"}\n" }.joined()
  }

  // MARK: A real host

  @Test func aClientIngestsByTheRightToDispatch() throws {
    let (house, folder) = (try House([.dispatch("tasks.*")]), try Folder())
    // Of several pieces.
    let file = try folder.write("list.jsonl", Self.records(10_000))
    let done = try Self.run(house, "ingest \(file) --as tasks.add")
    #expect(done.status == 0, "\(done.text.suffix(400))")
    #expect(house.host.store.withState { $0.tasks.items.count } == 10_000)
    #expect(house.host.store.withState { $0.tasks.items.last?.title } == "task 10000")
    // Only actions that the door allows.
    let steps = try folder.write("steps.jsonl", "{\"to\":5}\n")
    let refused = try Self.run(house, "ingest \(steps) --as counter.setStep")
    #expect(refused.status != 0)
    #expect(refused.text.contains("this door does not allow dispatching counter.setStep"), "\(refused.text)")
  }

  @Test func aClientExportsByTheRightToRead() throws {
    let (house, folder) = (try House([.read]), try Folder())
    house.host.store.dispatch(.tasks(.add(title: "milk")))
    for line in [
      "export state \(folder.path)/state.json", "export tasks.items \(folder.path)/items.csv",
      "export journal \(folder.path)/run.jsonl", "show tasks.items --as csv > \(folder.path)/shown.csv",
      "show counter.value --as raw >> \(folder.path)/values.txt",
      "show counter.step --as raw >> \(folder.path)/values.txt",
    ] {
      let done = try Self.run(house, line)
      #expect(done.status == 0, "\(line): \(done.text)")
      if line.hasPrefix("export") { #expect(done.text.contains(" to \(folder.path)/"), "\(done.text)") }
    }
    #expect(folder.contents("state.json")?.contains("milk") == true)
    #expect(folder.contents("items.csv")?.contains("1,milk,false") == true)
    #expect(folder.contents("run.jsonl")?.contains("tasks.add") == true)
    #expect(folder.contents("shown.csv") == folder.contents("items.csv"))
    #expect(folder.contents("values.txt") == "0\n1\n")
    #expect(try Self.run(house, "dispatch counter.increment").status != 0)
  }

  @Test func aScriptOfTheClientReadsItsFiles() throws {
    let (house, folder) = (try House([.read, .dispatch()]), try Folder())
    let list = try folder.write("list.jsonl", Self.records(3))
    let inner = try folder.write(
      "inner.stsh", "ingest $1 --as tasks.add\nshow tasks.items --as raw > \(folder.path)/out\n")
    let script = try folder.write("outer.stsh", "source \(inner) $1\n")
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: house.door.address), console: said.console)
    #expect(shell.run(file: script, arguments: [list]) == 0, "\(said.text)")
    #expect(house.host.store.withState { $0.tasks.items.count } == 3)
    #expect(folder.contents("out")?.contains("task 3") == true)
  }

  @Test func rejectsGoToTheClient() throws {
    let (house, folder) = (try House([.dispatch("tasks.*")]), try Folder())
    let file = try folder.write("list.jsonl", "{\"title\":\"a\"}\n{\"titel\":\"b\"}\n")
    let done = try Self.run(house, "ingest \(file) --as tasks.add --rejects \(folder.path)/bad.jsonl")
    #expect(done.status == 0, "\(done.text)")
    #expect(folder.contents("bad.jsonl")?.contains("titel") == true)
  }

  @Test func whatIsMissingOrInUseIsTold() throws {
    let (house, folder) = (try House(), try Folder())
    let missing = try Self.run(house, "ingest \(folder.path)/none.jsonl --as tasks.add")
    #expect(missing.status != 0 && missing.text.contains("No such file or directory"), "\(missing.text)")
    let file = try folder.write("list.jsonl", Self.records(3))
    let same = try Self.run(house, "ingest \(file) --as tasks.add --rejects \(file)")
    #expect(same.status != 0 && same.text.contains("uses already"), "\(same.text)")
    #expect(folder.contents("list.jsonl") == Self.records(3))
    #expect(try Self.run(house, "export state /none/at/all").text.contains("No such file or directory"))
  }

  @Test func aCommandBehindABarRunsAtTheClient() throws {
    let (house, folder) = (try House([.read]), try Folder())
    house.host.store.dispatch(.tasks(.add(title: "milk")))
    let done = try Self.run(house, "show tasks.items[id=1].title --as raw | tr a-z A-Z > \(folder.path)/out; exit 3")
    #expect(done.status == 1 && done.text.contains("ended with status 3"), "\(done.text)")
    #expect(folder.contents("out") == "MILK\n")
    let script = try folder.write("s.stsh", "show counter.value | cat > $1\n")
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: house.door.address), console: said.console)
    #expect(shell.run(file: script, arguments: ["\(folder.path)/value"]) == 0, "\(said.text)")
    #expect(folder.contents("value") == "0\n")
    // Its output is the result in JSON.
    var options = AttachedShell.Options()
    options.isJSON = true
    let json = Said()
    let other = AttachedShell(try DoorClient(at: house.door.address), console: json.console, options: options)
    #expect(other.run(commands: ["show counter.value | sed s/0/none/"]) == 0)
    #expect(json.text.contains(#""data":"none""#), "\(json.text)")
    options.runsPrograms = false
    let forbidden = Said()
    let quiet = AttachedShell(try DoorClient(at: house.door.address), console: forbidden.console, options: options)
    #expect(quiet.run(commands: ["show counter.value | touch \(folder.path)/made"]) != 0)
    #expect(
      forbidden.text.contains(
        #""code":"not-allowed","message":"results may not be piped into commands here (--no-exec)""#)
        && folder.contents("made") == nil, "\(forbidden.text)")
  }

  /// A file of the host needs all rights, also by a name that is computed.
  @Test func aFileOfTheHostNeedsAllRights() throws {
    let folder = try Folder()
    let file = try folder.write("list.jsonl", Self.records(2))
    let all = try House()
    #expect(try Self.run(all, "ingest host:\(file) --as tasks.add").status == 0)
    #expect(all.host.store.withState { $0.tasks.items.count } == 2)
    let house = try House([.read, .dispatch()])
    for lines in [
      ["ingest host:\(file) --as tasks.add"], ["let f = 'host:\(file)'", "ingest $f --as tasks.add"],
      ["show counter > host:\(folder.path)/out"], ["export state host:\(folder.path)/out"], ["source host:\(file)"],
    ] {
      let said = Said()
      let shell = AttachedShell(try DoorClient(at: house.door.address), console: said.console)
      #expect(shell.run(commands: lines) != 0, "\(lines)")
      #expect(said.text.contains("right all") || said.text.contains("not-allowed"), "\(lines): \(said.text)")
    }
    #expect(house.host.store.withState { $0.tasks.items.isEmpty })
    #expect(folder.contents("out") == nil)
  }

  /// A name that the host computes is refused by the client, even where the host is honest.
  @Test func aComputedNameIsRefused() throws {
    let (house, folder) = (try House(), try Folder())
    let file = try folder.write("list.jsonl", Self.records(2))
    let done = try Self.run(house, "ingest $('\(file)') --as tasks.add")
    #expect(done.status != 0 && done.text.contains("no statement that was given here names this file"), "\(done.text)")
    #expect(house.host.store.withState { $0.tasks.items.isEmpty })
  }

  /// A client that serves no files names those of the host, which needs all rights.
  @Test func aClientWithoutFilesNamesThoseOfTheHost() throws {
    let folder = try Folder()
    let file = try folder.write("list.jsonl", Self.records(2))
    let house = try House([.read, .dispatch()])
    #expect(try house.client().ask("{\"run\":\"ingest \(file) --as tasks.add\"}").contains("not-allowed"))
    let all = try House()
    #expect(try all.client().ask("{\"run\":\"ingest \(file) --as tasks.add\"}").contains("\"status\":0"))
  }

  /// A client that answers an open file with rubbish, or goes away, ends its own statement alone.
  @Test func aHostileClientEndsItsOwnStatement() throws {
    let house = try House()
    for answer in [
      #"{"file":1,"data":"%%%%"}"#, #"{"file":1}"#, #"{"file":1,"data":7}"#,
      #"{"file":1,"data":"\#(String(repeating: "AAAA", count: 30_000))"}"#, #"{"file":1,"error":{"number":5}}"#,
      #"{"file":1 x"#,
    ] {
      let client = try house.client()
      client.send(#"{"id":1,"run":"ingest a.jsonl --as tasks.add","files":true}"#)
      #expect(try client.line().contains(#""open":"a.jsonl","for":"read""#))
      // An answer about another file is none.
      client.send(#"{"file":1,"path":"/a.jsonl"}"#)
      #expect(try client.line().contains(#""next":true"#))
      client.send(answer)
      let lines = try client.lines(until: "\"status\":")
      #expect(lines.last?.contains("\"status\":0") == false, "\(answer.prefix(60)): \(lines)")
      #expect(try client.ask(#"{"id":2,"run":"show counter.value"}"#).contains("0"))
    }
    // One that nobody asked for is no request.
    let client = try house.client()
    #expect(try client.ask(#"{"file":1,"data":""}"#).contains("a request has one of"))
    // The statement ends with its client.
    do {
      let leaving = try house.client()
      leaving.send(#"{"id":1,"run":"ingest a.jsonl --as tasks.add","files":true}"#)
      _ = try leaving.line()
    }
    #expect(try client.ask(#"{"run":"dispatch counter.increment --quiet"}"#).contains("\"status\":0"))
  }

  // MARK: A hostile host

  /// The host gets no byte of a file, and writes none, that the statements do not name for that.
  @Test(arguments: [
    "show counter", "ingest NAMED --as tasks.add", "dispatch tasks.add SECRET", "echo SECRET", "= 'SECRET'",
    "export state SECRET", "show counter > SECRET", "ingest $('SECRET') --as tasks.add", "ingest $x --as tasks.add",
    "# ingest SECRET --as tasks.add", "let a = SECRET",
    "lua local f = 'SECRET'; command('ingest ' .. f .. ' --as tasks.add')",
    "ingest NAMED --as SECRET", "ingest NAMED --as tasks.add --rejects SECRET", "run SECRET", "compact SECRET",
    "plugin load SECRET", "trace on --spans SECRET", "ingest host:SECRET --as tasks.add", "show counter | cat SECRET",
    "show counter | wc",
    "step SECRET show counter", "ingest 'NAMED' --as tasks.add where SECRET",
  ])
  func aHostileHostGetsNoFileThatIsNotNamed(_ statement: String) throws {
    let folder = try Folder()
    let secret = try folder.write("secret", "top-secret")
    let named = try folder.write("named", "{}\n")
    let events = [
      #"{"event":"file","file":1,"open":"\#(secret)","for":"read"}"#, #"{"event":"file","file":1,"next":true}"#,
      #"{"event":"file","file":2,"open":"\#(folder.path)/./secret","for":"read"}"#,
      #"{"event":"file","file":2,"next":true}"#,
      #"{"event":"file","file":3,"open":"\#(folder.path)/made","for":"write"}"#,
      #"{"event":"file","file":3,"data":"AAAA"}"#, #"{"event":"file","file":3,"finish":true}"#,
      #"{"event":"file","file":4,"open":"host:\#(secret)","for":"read"}"#, #"{"event":"file","file":4,"next":true}"#,
      #"{"event":"file","file":5,"cancel":true}"#, #"{"event":"file","file":6,"open":"\#(secret)","for":"both"}"#,
      #"{"event":"file","file":7,"open":"/etc/passwd","for":"read"}"#, #"{"event":"file","file":7,"next":true}"#,
      #"{"event":"file","file":8,"open":"touch \#(folder.path)/made","for":"pipe"}"#,
      #"{"event":"file","file":8,"data":"AAAA"}"#, #"{"event":"file","file":8,"finish":true}"#,
      #"{"event":"file","file":9,"open":"cat \#(secret)","for":"read"}"#,
    ]
    let host = try HostileHost(events)
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(host.path)), console: said.console)
    let line = statement.replacing("SECRET", with: secret).replacing("NAMED", with: named)
    _ = shell.run(commands: [line])
    #expect(host.answers.count == events.count - 1)
    for answer in host.answers {
      #expect(answer.contains(#""error":{"number":"#), "\(answer)")
      #expect(!answer.contains(DoorMessage.text(of: "top-secret".utf8)))
    }
    #expect(folder.contents("secret") == "top-secret")
    #expect(folder.contents("made") == nil)
  }

  /// It gets the one that is named, for what the statement does with it, and not again behind the statement.
  @Test func aHostGetsTheFileThatIsNamed() throws {
    let folder = try Folder()
    let named = try folder.write("named", "content")
    let host = try HostileHost([
      #"{"event":"file","file":1,"open":"\#(named)","for":"read"}"#, #"{"event":"file","file":1,"next":true}"#,
      #"{"event":"file","file":1,"next":true}"#, #"{"event":"file","file":2,"open":"\#(named)","for":"write"}"#,
    ])
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(host.path)), console: said.console)
    #expect(shell.run(commands: ["ingest \(named) --as tasks.add", "echo on"]) == 0)
    try #require(host.answers.count == 8)
    #expect(host.answers[0] == #"{"file":1,"path":"\#(named)","size":7}"#)
    #expect(host.answers[1] == #"{"file":1,"data":"Y29udGVudA=="}"#)
    #expect(host.answers[2] == #"{"file":1,"data":""}"#)
    #expect(host.answers[3...].allSatisfy { $0.contains("error") }, "\(host.answers)")
    #expect(folder.contents("named") == "content")
  }

  /// What is no exit status is a failure.
  @Test(arguments: [
    ("0", 0), ("7", 7), ("255", 255), ("256", 1), ("999", 1), ("-1", 1), ("1.5", 1), (#""0""#, 1), ("null", 1),
  ])
  func aStatusIsOne(given: String, status: Int32) throws {
    let host = try HostileHost([], status: given)
    let shell = AttachedShell(try DoorClient(at: .unix(host.path)), console: Said().console)
    #expect(shell.run(commands: ["echo on"]) == status)
  }

  @Test(arguments: ["99", "0", #""1""#]) func anotherProtocolIsRefused(version: String) throws {
    let host = try HostileHost([], greeting: #"{"door":\#(version),"prompt":"> "}"#)
    let error = #expect(throws: ShellError.self) { _ = try DoorClient(at: .unix(host.path)) }
    #expect(error?.status == 6 && error?.message.contains("of the protocol, and this program version 1") == true)
  }

  // MARK: Parts

  @Test func namesAreThoseThatStatementsWrite() {
    var named = NamedFiles()
    named.add(
      """
      try ingest a.csv --as x.y --rejects b.jsonl --map t=c
      ingest 'd e.csv' --as x.y
      ingest ~/f --as x.y
      ingest $1 --as x.y
      ingest out-$2.csv --as x.y
      ingest $name --as x.y
      export tasks.items g.csv where done
      export journal h.jsonl --as jsonl
      show counter >> i
      source j.stsh one $2
      import state k.json
      replay l.jsonl --verify
      lua command("ingest m.csv --as x.y"); command("ingest " .. name .. " --as x.y")
      lua function later() command("export state n.json") end
      """, arguments: ["first", "second"])
    #expect(
      Set(named.read.keys)
        == ["a.csv", "d e.csv", "~/f", "first", "out-second.csv", "j.stsh", "k.json", "l.jsonl", "m.csv"])
    #expect(Set(named.written.keys) == ["b.jsonl", "g.csv", "h.jsonl", "i", "n.json"])
    // A function may be called later.
    #expect(Set(NamedFiles(after: named).written.keys) == ["n.json"])
    #expect(named.scripts == ["j.stsh": ["one", "second"]])
    #expect(named.read["~/f"]?.hasSuffix("/f") == true && named.read["~/f"]?.hasPrefix("~") == false)
  }
}
