import Glibc
import TerminalSupport
import Testing

/// Sessions at the prompt that nobody would wish for. `scripts/abuse` runs more of them.
@Suite("Abuse")
struct AbuseTests {
  /// The seeds from which sessions and inputs are generated: from STSH_ABUSE_SEED on, as many as STSH_ABUSE_SESSIONS says.
  static func seeds(usually count: UInt64) -> [UInt64] {
    func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
    let first = number("STSH_ABUSE_SEED") ?? 1
    return Array(first..<(first + (number("STSH_ABUSE_SESSIONS") ?? count)))
  }

  /// Keys, resizes and pastes while a task ticks: the program is there afterwards, at a prompt, with a state that its own
  /// journal leads to.
  @Test(arguments: seeds(usually: 5)) func aSessionSurvives(seed: UInt64) throws {
    let shell = try Shell()
    let terminal = try Self.start(shell)
    var mischief = Mischief(seed: seed)
    terminal.isWatched = false
    // Each fifth session has a million bytes pasted to it.
    let paste = seed % 5 == 0 ? Int(seed / 5 % 80) : -1
    // A program that takes no more keys is found out by `recover`.
    let limit = ContinuousClock.now + .seconds(120)
    for step in 0..<120 {
      for deed in step == paste ? mischief.pasteWhileResizing(bytes: 1_000_000) : [mischief.next()]
      where !terminal.isOver && ContinuousClock.now < limit {
        deed.perform(at: terminal)
      }
    }
    do {
      try Self.recover(terminal)
      try Self.checkState(shell, terminal)
      terminal.type("\u{4}")
      let status = try terminal.waitForEnd()
      #expect(status == 0, "seed \(seed): \(Self.crashes(shell))")
      #expect(terminal.isInUsualMode, "seed \(seed)")
      #expect(
        try shell.run("--no-init", "-c", "replay run.jsonl --verify").output.hasSuffix("every state matches\n"),
        "seed \(seed)")
    } catch {
      Issue.record(
        "seed \(seed): \(error)\n\(Self.crashes(shell))\n\(String(decoding: terminal.output.suffix(4000), as: UTF8.self))"
      )
    }
  }

  /// What the program wrote down of its own faults.
  private static func crashes(_ shell: Shell) -> String {
    let folder = shell.folder.path + "/home/.local/state/stsh/crashes"
    return names(inFolder: folder).compactMap { contents(ofFile: "\(folder)/\($0)") }.joined(separator: "\n")
  }

  private static func start(_ shell: Shell) throws -> Terminal {
    try shell.folder.write(
      "ticker/plugin.json",
      #"{ "name": "ticker", "version": "0.1.0", "api": 1, "permissions": ["timers", "dispatch:counter.increment"] }"#)
    try shell.folder.write(
      "ticker/init.lua",
      """
      return plugin { middleware = { { name = "m", supervise = function(state)
        return { x = function(task) while true do task:sleep(0.02) task:dispatch("counter.increment") end end }
      end } } }
      """)
    let terminal = try shell.prompt(
      ["--no-exec", "--grant", "ticker", "-p", "ticker"], environment: ["EDITOR": "true", "VISUAL": "true"])
    terminal.type("watch counter.value\r")
    try terminal.wait(for: "the first tick") { $0.lines.contains { $0.hasPrefix("[watch 1]") } }
    return terminal
  }

  /// What a person does who wants the prompt back: the terminal goes on, all that is half done is dropped.
  private static func recover(_ terminal: Terminal) throws {
    terminal.type("\u{11}")
    terminal.resize(columns: 200)
    let limit = ContinuousClock.now + .seconds(50)
    var number = 0
    while true {
      // The kernel hears no Ctrl-C behind keys that it has no room for; a signal from elsewhere does.
      if number > 1 { terminal.signal(SIGINT) }
      // Ends a search and an argument; a Ctrl-C that meets a running command cancels it, one at a line drops it.
      terminal.type("\u{7}\u{3}")
      terminal.lookOn(milliseconds: 100)
      terminal.type("\u{3}")
      terminal.lookOn(milliseconds: 100)
      number += 1
      terminal.clearScreen()
      terminal.type("echo alive-\(number)\r")
      for _ in 0..<10 where !terminal.screen.lines.contains("alive-\(number)") { terminal.lookOn(milliseconds: 50) }
      if terminal.screen.lines.contains("alive-\(number)") { break }
      if terminal.isOver { throw ProgramFailure("it ended with \(try terminal.waitForEnd())") }
      if ContinuousClock.now > limit { throw ProgramFailure("there is no prompt") }
    }
    try terminal.enter("effects cancel all")
    try terminal.enter("watch stop all")
  }

  private static func checkState(_ shell: Shell, _ terminal: Terminal) throws {
    try terminal.enter("use root")
    try terminal.enter("goto head")
    terminal.clearScreen()
    try terminal.enter("assert #state.tasks.items == state.tasks.nextId - 1 -- tasks and their numbers")
    try terminal.enter("assert state.counter.value >= 0 -- the ticks")
    try terminal.enter("export journal run.jsonl")
    let problems = terminal.screen.lines.filter { $0.contains("error[") }
    guard problems.isEmpty else { throw ProgramFailure("the state does not hold: \(problems)") }
    try terminal.wait(for: "the journal") { $0.lines.contains { $0.hasPrefix("wrote ") } }
  }
}
