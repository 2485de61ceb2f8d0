import Platform
import StoreShell
import Testing

@testable import ShellDoor

/// The programs that statements run belong to the client that gives them.
@Suite struct ClientProgramTests {
  private static func run(
    _ house: House, runsPrograms: Bool = true, _ commands: String...
  ) throws -> (status: Int32, text: String) {
    let said = Said()
    var options = AttachedShell.Options()
    options.runsPrograms = runsPrograms
    let shell = AttachedShell(try DoorClient(at: house.door.address), console: said.console, options: options)
    let status = shell.run(commands: commands)
    return (status, said.text)
  }

  // MARK: A real host

  /// Its own programs need no right, and other rights give nobody those of the host.
  @Test func programsRunAtTheClientWhateverItsRights() throws {
    for rights in [[Right.read], [.all], [.read, .dispatch()]] {
      let house = try House(rights)
      #expect(try Self.run(house, "run echo hi").text == "hi\n")
      #expect(try Self.run(house, "run --in / --timeout 1min --stdin a cat").text == "a")
      #expect(try Self.run(house, "= run('echo', 'hi').text").text == "\"hi\"\n")
      // A client that runs none gets none.
      let raw = try house.client()
      for line in ["run echo hi", "= run('echo').text"] {
        #expect(try raw.ask("{\"run\":\"\(line)\"}").contains("not-allowed"), "\(line)")
      }
      let forbidden = try Self.run(house, runsPrograms: false, "run echo hi")
      #expect(forbidden.status == 1)
      #expect(forbidden.text.contains("error[not-allowed]: programs may not be run here (--no-exec)"))
    }
  }

  @Test func programsOfSourcedFilesRun() throws {
    let (house, folder) = (try House([.read]), try Folder())
    try folder.write("inner.stsh", "run echo in $1\nlua function twice(x) return run('echo', x, x).text end\n")
    let script = try folder.write("outer.stsh", "source \(folder.path)/inner.stsh deep\n= twice('a')\n")
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: house.door.address), console: said.console)
    #expect(shell.run(file: script, arguments: []) == 0)
    #expect(said.text == "in deep\n\"a a\"\n", "\(said.text)")
    // A function may be called by later texts.
    #expect(shell.run(commands: ["= twice('b')"]) == 0)
    #expect(said.text.hasSuffix("\"b b\"\n"), "\(said.text)")
  }

  /// What the store's end computes is an argument, and neither a program nor an option nor code.
  @Test func whatTheHostComputesIsData() throws {
    let house = try House()
    #expect(try Self.run(house, "run echo $(state.counter.value)").text == "0\n")
    #expect(try Self.run(house, "let n = 2", "run printf '%s|' --n=$n $n \"$n y\"").text == "--n=2|2|2 y|")
    #expect(try Self.run(house, "let n = 2", "run sh -c 'echo $1' sh $n").text == "2\n")
    for lines in [
      ["let p = 'echo'", "run $p hi"], ["let t = 'echo hi'", "run sh -c $t"], ["let o = '-n'", "run echo $o"],
      ["lua local p = 'echo' run(p, 'hi')"], ["let f = '/'", "run --in $f pwd"],
    ] {
      let said = Said()
      let shell = AttachedShell(try DoorClient(at: house.door.address), console: said.console)
      #expect(shell.run(commands: lines) == 1, "\(lines)")
      #expect(said.text.contains("error[not-allowed]: no statement that was given here runs"), "\(said.text)")
    }
  }

  /// While programs run, others find the threads of the door free.
  @Test func aSlowProgramHoldsNoThreadOfTheDoor() throws {
    var limits = DoorLimits()
    limits.threads = 2
    let house = try House(limits: limits)
    var slow: [Client] = []
    for _ in 0..<8 {
      let client = try house.client()
      client.send(#"{"id":1,"run":"run sleep 1000","files":true}"#)
      #expect(try client.line().contains(#""open":"sleep","for":"run","words":["1000"]"#))
      client.send(#"{"file":1}"#)
      #expect(try client.line().contains(#""finish":true"#))
      slow.append(client)
    }
    let other = try house.client()
    #expect(try other.ask(#"{"run":"dispatch counter.increment --quiet"}"#).contains("\"status\":0"))
    for client in slow {
      client.send(#"{"file":1,"status":0}"#)
      #expect(try client.line() == #"{"id":1,"status":0}"#)
    }
  }

  /// A client that answers with rubbish ends its own statement alone.
  @Test func aHostileClientEndsItsOwnStatement() throws {
    let house = try House()
    for answer in [
      #"{"file":1,"data":"%%%%"}"#, #"{"file":1}"#, #"{"file":1,"data":7}"#, #"{"file":1,"errors":null}"#,
      #"{"file":1,"data":"\#(String(repeating: "AAAA", count: 30_000))"}"#, #"{"file":1,"error":{"number":5}}"#,
      #"{"file":1,"timedOut":true}"#, #"{"file":1 x"#,
    ] {
      let client = try house.client()
      client.send(#"{"id":1,"run":"lua local r = run('x')","files":true}"#)
      #expect(try client.line().contains(#""open":"x""#))
      client.send(#"{"file":1}"#)
      #expect(try client.line().contains(#""finish":true"#))
      client.send(#"{"file":1}"#)
      #expect(try client.line().contains(#""output":true"#))
      client.send(answer)
      let lines = try client.lines(until: "\"status\":")
      #expect(lines.last?.contains("\"status\":0") == false, "\(answer.prefix(60)): \(lines)")
      #expect(try client.ask(#"{"id":2,"run":"show counter.value"}"#).contains("0"))
    }
  }

  /// An answer that comes behind an interruption is neither a request nor an answer to something else.
  @Test func aLateAnswerIsDropped() throws {
    let house = try House()
    let client = try house.client()
    for number in 1...12 {
      client.send("{\"id\":\(number),\"run\":\"ingest a.jsonl --as tasks.add\",\"files\":true}")
      #expect(try client.line().contains("\"file\":\(number),\"open\":\"a.jsonl\""))
      client.send(#"{"id":0,"interrupt":true}"#)
      let lines = try client.lines(until: #"{"id":0"#)
      #expect(lines.contains { $0.contains("\"id\":\(number)") && $0.contains("130") }, "\(lines)")
      client.send("{\"file\":\(number),\"error\":{\"number\":4,\"message\":\"late\"}}")
      // Numbers go on, also behind a request that serves no files.
      #expect(try client.ask(#"{"id":"on","run":"show counter.value"}"#).contains("0"))
    }
    // Once only.
    #expect(try client.ask(#"{"file":12,"path":"a"}"#).contains("a request has one of"))
  }

  // MARK: A hostile host

  /// No program runs that the statements do not hold, whatever they run.
  @Test(arguments: [
    "show counter", "run echo hi", "run touch other", "echo run touch MADE", "# run touch MADE",
    "let a = 'run touch MADE'", "lua print(\"run('touch', 'MADE')\")", "lua -- run('touch', 'MADE')",
    "lua io.run('touch', 'MADE')", "run $x MADE", "lua run(x, 'MADE')", "run sh -c $x", "lua run('sh', '-c', x)",
    "run sh $x", "run env $x", "run sh -c 'echo $1' sh $x", "lua run { 'sh', '-c', x }", "run --in $x touch MADE",
    "lua run { 'touch', 'MADE', cwd = x }", "show counter | cat", "show counter | touch other", "run touch",
    "run touch MADE MADE", "step 'touch MADE' run true", "dispatch tasks.add 'touch MADE'", "run find . $x $y $z",
    "run sh -c \"$x\"", "lua run('sh', '-c', 'echo' .. x)", "run bash -c $x$y", "lua run(table.unpack(x))", "run $x",
    "retry 2 every 1s run true", "alias t = run touch other", "lua command('run touch other')", "! touch other",
  ])
  func aHostileHostRunsNoProgramThatIsNotHeld(_ statement: String) throws {
    let folder = try Folder()
    let made = "\(folder.path)/made"
    func program(_ words: String..., more: String = "") -> String {
      let rest = words.dropFirst().map { "\"\($0)\"" }.joined(separator: ",")
      return #"{"event":"file","file":1,"open":"\#(words[0])","for":"run","words":[\#(rest)]\#(more)}"#
    }
    let given = statement.replacing("MADE", with: "\(made)s")
    let events = [
      program("touch", made), program("/bin/touch", made), program("touch", "\(made)s", more: #","in":"/""#),
      program("sh", "-c", "touch \(made)"), program("sh", "\(made)"), program("sh"),
      program("bash", "-c", "touch \(made)"),
      program("env", "touch", made), program("find", ".", "-exec", "touch", made), program("touch \(made)"),
      program("sh", "-c", "echo $1; touch \(made)", "sh", "x"), program("sh", "-c", "echo", "sh", "-c"),
      #"{"event":"file","file":1,"open":"touch \#(made)","for":"shell"}"#,
      #"{"event":"file","file":1,"open":"touch \#(made)","for":"pipe"}"#,
      #"{"event":"file","file":1,"open":"","for":"run","words":[]}"#, #"{"event":"file","file":1,"finish":true}"#,
      #"{"event":"file","file":1,"output":true}"#, #"{"event":"file","file":1,"data":"AAAA"}"#,
    ]
    let host = try HostileHost(events)
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(host.path)), console: said.console)
    _ = shell.run(commands: [given])
    #expect(host.answers.count == events.count)
    for (event, answer) in zip(events, host.answers) {
      #expect(answer.contains(#""error":{"number":"#), "\(event): \(answer)")
    }
    #expect(folder.contents("made") == nil && folder.contents("mades") == nil)
  }

  /// It runs the one that is held, with values in the places of data, and reads it as far as it asks.
  @Test func aHostRunsTheProgramThatIsHeld() throws {
    let call = #"{"event":"file","file":1,"open":"printf","for":"run","words":["%s","a7"]}"#
    let host = try HostileHost([
      call, #"{"event":"file","file":1,"finish":true}"#, #"{"event":"file","file":1,"output":true}"#,
      #"{"event":"file","file":1,"output":true}"#, #"{"event":"file","file":1,"output":true}"#,
      #"{"event":"file","file":2,"open":"printf","for":"run","words":["%s","b7"]}"#,
    ])
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(host.path)), console: said.console)
    #expect(shell.run(commands: ["run printf '%s' a$n", "echo on"]) == 0)
    try #require(host.answers.count == 12)
    #expect(host.answers[0] == #"{"file":1}"#)
    #expect(host.answers[1] == #"{"file":1}"#)
    #expect(host.answers[2] == #"{"file":1,"data":"YTc="}"#)
    #expect(host.answers[3] == #"{"file":1,"status":0}"#)
    // Neither behind its end, nor with other words, nor behind the statement.
    #expect(host.answers[4...].allSatisfy { $0.contains("error") }, "\(host.answers)")
  }

  /// A shell without a text of its own runs no text that the host makes up.
  @Test(arguments: ["run sh", "run --stdin 'true' sh", "run --stdin $x sh", "lua run { 'sh', stdin = x }"])
  func aHostileHostGivesAShellNothingToRun(_ statement: String) throws {
    let folder = try Folder()
    let text = DoorMessage.text(of: "touch \(folder.path)/made\n".utf8)
    let host = try HostileHost([
      #"{"event":"file","file":1,"open":"sh","for":"run","words":[]}"#,
      #"{"event":"file","file":1,"data":"\#(text)"}"#, #"{"event":"file","file":1,"finish":true}"#,
    ])
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(host.path)), console: said.console)
    _ = shell.run(commands: [statement])
    #expect(host.answers.last?.contains("error") == true, "\(host.answers)")
    #expect(folder.contents("made") == nil)
  }

  /// A script that the host has written holds nothing.
  @Test func aScriptOfTheHostHoldsNoProgram() throws {
    let folder = try Folder()
    let script = "\(folder.path)/x.stsh"
    let text = DoorMessage.text(of: "run touch \(folder.path)/made\n".utf8)
    let host = try HostileHost([
      #"{"event":"file","file":1,"open":"\#(script)","for":"write"}"#, #"{"event":"file","file":1,"data":"\#(text)"}"#,
      #"{"event":"file","file":1,"finish":true}"#, #"{"event":"file","file":2,"open":"\#(script)","for":"read"}"#,
      #"{"event":"file","file":2,"next":true}"#, #"{"event":"file","file":2,"next":true}"#,
      #"{"event":"file","file":3,"open":"touch","for":"run","words":["\#(folder.path)/made"]}"#,
    ])
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(host.path)), console: said.console)
    _ = shell.run(commands: ["show counter > \(script)\nsource \(script)"])
    #expect(host.answers.count == 7 && host.answers[5] == #"{"file":2,"data":""}"#, "\(host.answers)")
    #expect(host.answers.last?.contains("error") == true, "\(host.answers)")
  }

  /// A program ends with the conversation, although nobody asks for its output.
  @Test func aProgramEndsWithItsStatement() throws {
    let folder = try Folder()
    let host = try HostileHost([
      #"{"event":"file","file":1,"open":"sh","for":"run","words":["-c","echo $$ > \#(folder.path)/process; exec sleep 1000"]}"#,
      #"{"event":"file","file":1,"finish":true}"#,
    ])
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(host.path)), console: said.console)
    #expect(shell.run(commands: ["run sh -c 'echo $$ > \(folder.path)/process; exec sleep 1000'"]) == 0)
    let process = folder.contents("process").flatMap { Int32($0.dropLast()) }
    if let process { #expect(kill(process, 0) != 0) }
  }
}
