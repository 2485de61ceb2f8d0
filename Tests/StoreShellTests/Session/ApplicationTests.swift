import ShellLanguage
import StoreCore
import StoreHost
import StoreSchema
import StoreUnits
import Testing

@testable import StoreShell

/// What an application brings beside its state and its reducer.
@Suite struct ApplicationTests {
  @Schema
  struct Blinking: Sendable {
    var times: Int
    var isSlow = false
  }

  @Schema
  enum Color: Hashable, Sendable { case amber, white }

  @Schema
  struct Glowing: Sendable {
    var color: Color
    var next: Color?
  }

  private struct Broken: Error, CustomStringConvertible {
    var description: String { "the bulb is broken" }
  }

  private func application(
    interceptors: [Interceptor<HouseAction, House>] = [], thunks: [ApplicationThunk<HouseAction, House>] = [],
    bindings: [ApplicationBinding] = [], commands: [ApplicationCommand<HouseAction, House>] = []
  ) -> Application<HouseAction, House> {
    let lamp = Reducer<LampAction, Lamp>("lamp") { _, lamp in lamp.isOn.toggle() }
    return Application(
      initial: House(), reducer: lamp.lift(action: \.lamp, state: \.lamp), interceptors: interceptors, thunks: thunks,
      bindings: bindings, commands: commands)
  }

  private func shell(_ application: Application<HouseAction, House>) throws -> Shell {
    try Shell(over: { try Session(application, options: $0, console: $1) })
  }

  // MARK: Interceptors (R5)

  @Test func anInterceptorMayTakeAnAction() throws {
    let shell = try shell(
      application(interceptors: [
        Interceptor("latch") { action, _, attachment, next in
          // A lamp that is on stays on.
          if !attachment.state().lamp.isOn { next(action) }
        }
      ]))
    let outcome = shell.run("dispatch lamp.toggle", "dispatch lamp.toggle", "show lamp.isOn")
    #expect(
      outcome.output == """
        #1 lamp.toggle
          lamp.isOn  false -> true
        #2 lamp.toggle  (dropped by latch)
        true

        """)
    #expect(outcome.status == 0)
  }

  @Test func anInterceptorMayDispatchAndSeesTheStateAfter() throws {
    let shell = try shell(
      application(interceptors: [
        Interceptor("twice") { action, context, attachment, next in
          next(action)
          if attachment.state().lamp.isOn, context.source.cause == nil {
            attachment.output(of: context).dispatch(DispatchedAction(.lamp(.toggle), source: context.source))
          }
        }
      ]))
    let outcome = shell.run("dispatch lamp.toggle --quiet", "show lamp.isOn", "log --json")
    #expect(outcome.output.hasPrefix("false\n"))
    #expect(outcome.output.contains("{\"id\":2,"))
  }

  @Test func anActionThatPassesIsTheOneThatCame() throws {
    let shell = try shell(application(interceptors: [Interceptor("door") { action, _, _, next in next(action) }]))
    let outcome = shell.run("dispatch lamp.toggle", "plugin list")
    #expect(outcome.output.hasPrefix("#1 lamp.toggle\n  lamp.isOn  false -> true\n"))
    #expect(!outcome.output.contains("dispatched as"))
  }

  // MARK: Thunks (R20)

  private func blink(_ blinking: Blinking) -> Thunk<HouseAction, House> {
    Thunk<LampAction, Lamp>("blink") { context in
      for _ in 0..<blinking.times {
        if blinking.isSlow { try? await context.sleep(for: .seconds(1)) }
        await context.dispatchAndWait(.toggle)
      }
    }.lift(action: \.lamp, state: \.lamp)
  }

  @Test func aThunkHasItsArguments() throws {
    let shell = try shell(
      application(thunks: [ApplicationThunk("blink", of: "lamp", taking: Blinking.self) { blink($0) }]))
    let outcome = shell.run(
      "thunk lamp.blink 3", "show lamp.isOn", "thunk blink", "thunk blink times=no", "thunk blink 1 again=1")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first == "#1 thunk:lamp.blink times=3 isSlow=false" && lines.last == "true")
    #expect(
      lines.filter { $0.hasPrefix("    ") }
        == ["false -> true", "true -> false", "false -> true"].map { "    lamp.isOn  \($0)" })
    #expect(outcome.errors.contains("error[missing-argument]: thunk lamp.blink needs 'times' (Int)"))
  }

  @Test func tabKnowsAThunkWithAndWithoutItsModule() throws {
    let shell = try shell(
      application(thunks: [ApplicationThunk("blink", of: "lamp", taking: Blinking.self) { blink($0) }]))
    func candidates(_ line: String) -> [String] {
      Completer(shell.session).complete(line: line, cursor: line.utf8.count, openLines: []).candidates
        .map { $0.text + $0.suffix }
    }
    #expect(candidates("thunk ") == ["lamp."])
    #expect(candidates("thunk la") == ["lamp."])
    #expect(candidates("thunk lamp.") == ["lamp.blink "])
    #expect(candidates("thunk bl") == ["blink "])
  }

  @Test func tabTellsTheCasesOfAnEnum() throws {
    let glow = ApplicationThunk<HouseAction, House>("glow", of: "lamp", taking: Glowing.self) { _ in
      Thunk("glow") { _ in }
    }
    let shell = try shell(application(thunks: [glow]))
    func complete(_ line: String) -> LineCompletion {
      Completer(shell.session).complete(line: line, cursor: line.utf8.count, openLines: [])
    }
    #expect(complete("thunk glow ").note == "lamp.glow color:Color next:Color?\n  Color{amber, white}")
    #expect(complete("thunk glow a").candidates.map(\.text) == ["amber"])
    #expect(complete("thunk glow amber w").candidates.map(\.text) == ["white"])
  }

  @Test func aThunkWaitsByTheClockAndCanBeCancelled() throws {
    let shell = try shell(
      application(thunks: [ApplicationThunk("blink", of: "lamp", taking: Blinking.self) { blink($0) }]))
    let outcome = shell.run(
      "thunk blink 5 isSlow=true --quiet", "show lamp.isOn", "wait 1s", "show lamp.isOn", "effects cancel all",
      "wait 9s", "show lamp.isOn")
    #expect(outcome.output == "false\ntrue\n#3 shell.cancelEffects  (1 task cancelled)\ntrue\n")
    #expect(outcome.errors == "")
  }

  @Test func aThunkWithoutArgumentsGoesByItsOwnName() throws {
    let thunk = Thunk<HouseAction, House>("toggleTwice") { context in
      context.dispatch(.lamp(.toggle))
      context.dispatch(.lamp(.toggle))
    }
    let shell = try shell(application(thunks: [ApplicationThunk(thunk, of: "lamp", summary: "Toggles it twice.")]))
    let outcome = shell.run("thunk", "thunk lamp.toggleTwice --quiet", "show lamp.isOn")
    #expect(
      outcome.output == """
        name              arguments  summary
        lamp.toggleTwice  -          Toggles it twice.
        false

        """)
  }

  // MARK: Bindings

  @Test func aBindingThatDoesNotFitIsAnErrorAtTheStart() throws {
    for binding in [
      ApplicationBinding("on", path: "lamp.isOn", action: "lamp.toggle"),
      ApplicationBinding("on", path: "lamp.isOff", action: "lamp.toggle"),
      ApplicationBinding("show", path: "lamp.isOn", action: "lamp.toggle"),
      ApplicationBinding("on", path: "lamp.isOn", action: "lamp.toogle"),
    ] {
      #expect(throws: (any Error).self) { try shell(application(bindings: [binding])) }
    }
  }

  // MARK: Commands

  @Test func aCommandFailsByWhatItThrows() throws {
    let shell = try shell(
      application(commands: [
        ApplicationCommand("fix", summary: "mends the lamp") { _ in throw Broken() },
        ApplicationCommand("blame", summary: "says who did it") { _ in
          throw ShellError(code: .refused, message: "nobody did it", hint: "ask again", status: 7)
        },
      ]))
    let outcome = shell.run("fix")
    #expect(outcome.errors.hasPrefix("-c:1:1: error[failed]: the bulb is broken\n"))
    #expect(outcome.status == 1)
    #expect(shell.run("blame").status == 7)
  }

  @Test func aCommandDispatchesPrintsAndGivesAValue() throws {
    let shell = try shell(
      application(commands: [
        ApplicationCommand("light", summary: "makes it light") { context in
          if !context.state.lamp.isOn { try context.dispatch(.lamp(.toggle)) }
          context.print("there is light")
          return context.state.lamp.isOn
        },
        ApplicationCommand("word", summary: "says a word") { _ in "fiat lux" },
      ]))
    let outcome = shell.run("light", "word", "word --json", "= _", "light extra")
    #expect(outcome.output == "there is light\ntrue\nfiat lux\n\"fiat lux\"\n\"fiat lux\"\n")
    #expect(outcome.errors.contains("error[unexpected-argument]: light takes no arguments"))
    #expect(shell.session.store.live.recent().last?.source.file == "-c")
  }

  @Test func aCommandSeesThePastThatIsShown() throws {
    let shell = try shell(
      application(commands: [ApplicationCommand("isLight", summary: "says whether it is") { $0.state.lamp.isOn }]))
    let outcome = shell.run("dispatch lamp.toggle --quiet", "isLight", "goto 0", "isLight")
    #expect(outcome.output == "true\nviewing #0 of 1 (read-only)\nfalse\n")
  }

  @Test(arguments: ["dispatch", "lamp", "shell", "two words", "=", ""])
  func aCommandTakesNoNameOfAnother(verb: String) throws {
    #expect(throws: ShellError.self) {
      try shell(application(commands: [ApplicationCommand(verb, summary: "does nothing") { _ in nil }]))
    }
  }

  @Test func helpAndQuitStandLast() throws {
    let shell = try shell(application(commands: [ApplicationCommand("fix", summary: "mends the lamp") { _ in nil }]))
    let verbs = shell.run("help commands").output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(shell.run("help").output.contains("\nmore     fix\n"))
    #expect(Array(verbs.suffix(4).dropLast()) == ["fix", "help", "quit"])
    #expect(shell.run("help fix").output.hasPrefix("usage: fix\nmends the lamp\n"))
  }

  // MARK: The prompt

  @Test func thePromptHasTheProgramsName() throws {
    let shell = try Shell({ $0.name = "house" }, over: { try Session(application(), options: $0, console: $1) })
    #expect(shell.session.prompt == "house> ")
    _ = shell.run("dispatch lamp.toggle", "goto 0")
    #expect(shell.session.prompt == "house @0/1> ")
  }
}
