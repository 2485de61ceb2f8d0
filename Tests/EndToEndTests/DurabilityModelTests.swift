import Glibc
import StoreCore
import TerminalSupport
import Testing

/// Random statements of every kind, by each way that a person or a program has, and `kill -9` right behind an answer: whatever was
/// answered is there when the store is opened again, once and in order. A session that is never killed says what is expected.
///
/// `STSH_DURABILITY_ROUNDS` is the number of kills of each way and durability, `STSH_DURABILITY_SEED` the first seed;
/// `scripts/torture --model` runs 2,000 kills with a release build.
@Suite("A model of durability")
struct DurabilityModelTests {
  private static func variable(_ name: String) -> Int? {
    getenv("STSH_DURABILITY_\(name)").flatMap { Int(String(cString: $0)) }
  }
  private static let rounds = variable("ROUNDS") ?? 4
  private static let seed = UInt64(variable("SEED") ?? 1)
  /// So many kills happen to one file.
  private static let killsOfAFile = 5

  enum Way: String, CaseIterable { case prompt, script, door }

  @Test(arguments: Way.allCases, ["full", "normal", "off"])
  func nothingThatWasAnsweredIsMissing(way: Way, durability: String) throws {
    var random = SeededGenerator(seed: Self.seed &* 31 &+ UInt64(way.rawValue.utf8.count * 3 + durability.utf8.count))
    var life: Life?
    for round in 0..<Self.rounds {
      if round.isMultiple(of: Self.killsOfAFile) { life = try Life(durability) }
      try life?.round(way, &random)
    }
  }

  /// What a program's own code was told by `host.store` is kept, too.
  @Test func whatTheOwnersCodeWasAnsweredIsKept() throws {
    var random = SeededGenerator(seed: Self.seed)
    let shell = try Shell()
    var apples = 0
    for _ in 0..<Self.rounds {
      let pipes = try Pipes()
      // Its lines come as they are written.
      let running = try shell.start([], descriptors: pipes.descriptors + [(2, pipes.theirs.output)], program: "Shop")
      pipes.closeTheirs()
      let count = random.number(1...5)
      for _ in 0..<count { try pipes.send("receive apple 1\n") }
      for _ in 0..<count { _ = try pipes.read(until: "done\n") }
      // One more may be kept or not.
      let isAsked = random.number(0...2) == 0
      if isAsked { try pipes.send("receive apple 1\n") }
      kill(running.process, SIGKILL)
      #expect(try running.waitForEnd() == 128 + SIGKILL)
      apples += count
      let found = try shell.run(program: "Shop", input: "reserve apple 1000000\n").output
      let kept = try #require(found.firstMatch(of: /only (\d+) of apple are free/).flatMap { Int($0.1) }, "\(found)")
      #expect(kept == apples || (isAsked && kept == apples + 1), "\(kept) of \(apples)")
      apples = max(apples, kept)
    }
  }
}

/// The store file of some processes, one after the other, and what must be in it.
private struct Life {
  private let shell: Shell
  private let durability: String
  /// The statements that were answered, in order.
  private var statements: [String] = []
  private var substates = 0
  private var isLoaded = false

  init(_ durability: String) throws {
    shell = try Shell()
    self.durability = durability
    try shell.folder.write("p/plugin.json", #"{"name":"p","version":"1.0.0","api":1,"permissions":["timers"]}"#)
    try shell.folder.write(
      "p/init.lua",
      """
      return plugin {
        state = { field("n", int()), field("held", map(record("Hold", { field("due", number()) }))) },
        actions = { { name = "add" }, { name = "hold", args = { field("id", text()) } } },
        reducers = {
          add = function(s) s.n = s.n + 1 end,
          hold = function(s, a) s.held[a.id] = { due = 1e8 } end,
        },
        middleware = { {
          name = "expiry",
          supervise = { over = "held", at = "due", task = function(task, id) task:dispatch("add") end },
        } },
      }
      """)
    try shell.folder.write("records.jsonl", String(repeating: "{\"by\":2}\n", count: 30))
    try shell.folder.write("inner.stsh", "dispatch counter.increment\ndispatch tasks.add inner --quiet\n")
  }

  /// Some statements that stand together, such as an action and what takes it back.
  private mutating func next(_ random: inout SeededGenerator) -> [String] {
    let number = random.number(1...99)
    switch random.number(0...22) {
    case 0: return ["dispatch counter.increment by=\(number)"]
    case 1: return ["dispatch counter.increment by=\(number) --quiet"]
    case 2: return ["dispatch tasks.add \"t \(number)\" --quiet"]
    case 3: return ["lua for i = 1, \(number) do dispatch('counter.increment') end"]
    case 4: return ["lua command('dispatch tasks.add l --quiet')"]
    case 5: return ["dispatch counter.increment --quiet", "undo --quiet"]
    case 6: return ["dispatch counter.increment --quiet", "undo --quiet", "redo --quiet"]
    case 7: return ["retry 2 every 1ms dispatch counter.increment --quiet"]
    case 8: return ["try dispatch nothing.there"]
    case 9: return ["step \"s\" dispatch counter.increment --quiet"]
    case 10: return ["middleware on logger", "middleware off logger"]
    case 11: return ["set runaway \(1000 + number)"]
    case 12:
      substates += 1
      return ["substate add s\(substates) --value \(number)"]
    case 13: return ["ingest records.jsonl --as counter.increment"]
    case 14: return ["source inner.stsh"]
    case 15: return ["dispatch counter.reset --quiet", "wait 1ms"]
    case 16: return ["export state s.json", "dispatch counter.increment --quiet", "import state s.json"]
    case 17: return ["dispatch counter.increment --quiet", "undo --to 0 --quiet", "redo --quiet"]
    case 18: return ["dispatch tasks.add u\(number) --quiet", "undo --any --quiet"]
    case 19: return ["effects cancel all", "set emit always", "set emit whenDifferent"]
    case 20: return ["time dispatch counter.increment --quiet", "assert true"]
    default:
      if isLoaded {
        return [
          random.pick([
            "dispatch p.add", "plugin reload p", "plugin disable p", "plugin enable p", "dispatch p.hold h\(number)",
            "dispatch p.hold k\(number)",
          ])
        ]
      }
      isLoaded = true
      return ["plugin load ./p"]
    }
  }

  /// Runs a process, kills it behind an answer, and compares what is there with what was answered.
  mutating func round(_ way: DurabilityModelTests.Way, _ random: inout SeededGenerator) throws {
    let program: any Answering =
      switch way {
      case .prompt: try PromptProgram(shell, arguments)
      case .script: try ScriptProgram(shell, arguments)
      case .door: try DoorProgram(shell, arguments)
      }
    for _ in 0..<random.number(1...3) {
      for statement in next(&random) {
        try program.answer(statement)
        statements.append(statement)
      }
    }
    let isAsked = random.number(0...2) == 0
    let last = "dispatch counter.increment by=1000 --quiet"
    if isAsked { try program.ask(last) }
    try program.kill()
    // A copy is opened to be written, so that its tasks run.
    for name in ["kept.db", "kept.db-wal"] {
      _ = try shell.run(program: "/bin/cp", shell.folder.path + "/" + name, shell.folder.path + "/copy" + name)
    }
    let found = try contents(["--store", "copykept.db"])
    _ = try shell.run(program: "/bin/rm", "-f", "copykept.db", "copykept.db-wal", "copykept.db-shm")
    let expected = try contents([], statements)
    if found == expected { return }
    if isAsked, found == (try contents([], statements + [last])) { return statements.append(last) }
    Issue.record(
      "\(way) \(durability): of \(statements)\nfound    \(found.suffix(600))\nexpected \(expected.suffix(600))")
  }

  private var arguments: [String] { ["--store", "kept.db", "--durability", durability, "--grant", "p"] }

  /// The state, and the names of all actions.
  private func contents(_ options: [String], _ statements: [String] = []) throws -> String {
    let looks = [
      "show --as json", "show shell.middleware --columns name,gate --as csv", "set runaway",
      "show shell.effects --columns id --as csv", "log --all --json",
    ]
    // Quiet lines may print, and the looks stand behind them.
    let mark = "these are the looks"
    let script = (statements + ["echo \(mark)"] + looks).joined(separator: "\n") + "\n"
    let outcome = try shell.run(
      options + ["--grant", "p", "--keep-going"], input: Array(script.utf8), program: program)
    let text = outcome.output.split(separator: mark, maxSplits: 1).last.map(String.init) ?? outcome.output
    var parts = text.split(separator: "\n").map(String.init)
    if let log = parts.popLast() {
      parts.append(log.matches(of: /"id":(\d+)|"action":"([^"]+)"/).map { "\($0.0)" }.joined(separator: " "))
    }
    return parts.joined(separator: "\n")
  }
}

/// The program under test: the one that was built with the tests, or another one.
private let program = getenv("STSH_DURABILITY_PROGRAM").map { String(cString: $0) } ?? "stsh"

/// A running program that answers statements.
private protocol Answering {
  /// Gives a statement, and does not wait.
  func ask(_ statement: String) throws
  /// Gives a statement, and waits for its answer.
  func answer(_ statement: String) throws
  /// Ends it by SIGKILL.
  func kill() throws
}

/// A person at a prompt, who reads the next prompt as the answer.
private struct PromptProgram: Answering {
  private let terminal: Terminal

  init(_ shell: Shell, _ arguments: [String]) throws {
    terminal = try shell.prompt(arguments, program: program, environment: [:])
  }

  func ask(_ statement: String) { terminal.type(statement + "\r") }
  func answer(_ statement: String) throws { try terminal.enter(statement) }
  func kill() throws {
    terminal.signal(SIGKILL)
    _ = try terminal.waitForEnd()
  }
}

/// A script on standard input, whose next line says that the one before is done.
private final class ScriptProgram: Answering {
  private let running: RunningProgram
  private let pipes: Pipes
  /// Its standard error.
  private let errors: UnsafeMutablePointer<FILE>
  private var count = 0

  init(_ shell: Shell, _ arguments: [String]) throws {
    pipes = try Pipes()
    guard let errors = tmpfile() else { throw ProgramFailure("no temporary file") }
    self.errors = errors
    // As the other ways do, it goes on behind a statement that is refused.
    running = try shell.start(
      arguments + ["--keep-going"], descriptors: pipes.descriptors + [(2, fileno(errors))], program: program)
    pipes.closeTheirs()
  }

  deinit { fclose(errors) }

  func ask(_ statement: String) throws { try pipes.send(statement + "\n") }

  func answer(_ statement: String) throws {
    count += 1
    do {
      try pipes.send("\(statement)\necho done-\(count)\n")
      _ = try pipes.read(until: "done-\(count)\n")
    } catch {
      let status = try running.waitForEnd()
      rewind(errors)
      let said = String(decoding: bytes(of: errors), as: UTF8.self)
      throw ProgramFailure("\(statement): \(error); it ended with \(status) and said: \(said)")
    }
  }

  func kill() throws {
    Glibc.kill(running.process, SIGKILL)
    _ = try running.waitForEnd()
  }
}

/// A client of a door.
private final class DoorProgram: Answering {
  private let server: Server
  private let client: DoorClient

  init(_ shell: Shell, _ arguments: [String]) throws {
    server = try Server(shell, arguments, program: program)
    client = try DoorClient(server.path)
    _ = try client.line()
  }

  func ask(_ statement: String) throws {
    try client.send("{\"run\":\"\(statement.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"}\n")
  }

  func answer(_ statement: String) throws {
    try ask(statement)
    while try !client.line().contains("\"status\":") {}
  }

  func kill() throws { _ = try server.end(by: SIGKILL) }
}
