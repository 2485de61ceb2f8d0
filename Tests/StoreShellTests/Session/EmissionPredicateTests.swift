import Testing

@testable import StoreShell

/// `set emit 'EXPR'`: watchers are told of the states for which an expression holds (R10).
@Suite struct EmissionPredicateTests {
  @Test func watchersAreToldWhereItHolds() throws {
    let shell = try Shell()
    #expect(
      try shell.type("set emit 'state.counter.value % 2 == 0'", "watch counter.value").output
        == "#1 shell.set name=\"emit\" value=\"state.counter.value % 2 == 0\"\nwatch 1: counter.value = 0\n")
    let told = try (1...4).map { _ in try shell.type("dispatch counter.increment --quiet").errors }
    #expect(
      told == [
        "", "[watch 1] counter.value  0 -> 2  (#3 counter.increment)\n", "",
        "[watch 1] counter.value  2 -> 4  (#5 counter.increment)\n",
      ])
    // The state is committed all the same.
    #expect(
      try shell.type("undo --quiet", "show counter.value", "set emit").output
        == "3\n\"state.counter.value % 2 == 0\"\n")
    #expect(try shell.type("set emit always", "dispatch counter.reset --quiet").errors.contains("[watch 1]"))
  }

  /// The state that an action began with is `before`.
  @Test func itMayCompareTwoStates() throws {
    let shell = try Shell()
    _ = try shell.type("set emit 'state.counter.value - before.counter.value > 1'", "watch counter.value")
    #expect(try shell.type("dispatch counter.increment --quiet").errors == "")
    #expect(
      try shell.type("dispatch counter.increment by=3 --quiet").errors
        == "[watch 1] counter.value  0 -> 4  (#3 counter.increment)\n")
    let grows = "#before.tasks.items < #state.tasks.items and before.tasks.nextId > 1"
    _ = try shell.type("set emit '\(grows)'", "watch tasks.nextId")
    #expect(try shell.type("dispatch tasks.add a --quiet").errors == "")
    #expect(try shell.type("dispatch tasks.add b --quiet").errors.contains("[watch 2] tasks.nextId"))
  }

  @Test func itComesBackWithTheStore() throws {
    let writer = try Shell()
    let store = "\(writer.folder)/a.db"
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("set emit '#state.tasks.items > 1'").status == 0)
    #expect(writer.outcome { writer.session.endJournal() } == .init())
    let reader = try Shell()
    #expect(reader.openStore(store) == .init())
    #expect(
      reader.run("watch tasks.summary", "dispatch tasks.add a --quiet", "dispatch tasks.add b --quiet").errors
        == "[watch 1] tasks.summary  \"0 of 0 done\" -> \"0 of 2 done\"  (#3 tasks.add)\n")
  }

  /// One that comes to fail tells watchers, and says so.
  @Test func oneThatFailsLaterIsAFault() throws {
    let shell = try Shell()
    _ = try shell.type("dispatch tasks.add a --quiet", "set emit 'state.tasks.items[1].done'", "watch tasks.summary")
    let outcome = try shell.type("dispatch tasks.remove 1 --quiet")
    #expect(outcome.errors.contains("[watch 1] tasks.summary"))
    #expect(
      outcome.errors.contains("error[lua-error]: the setting emit, state.tasks.items[1].done: "), "\(outcome.errors)")
    #expect(outcome.errors.contains("hint: set emit whenDifferent"), "\(outcome.errors)")
  }

  @Test(arguments: [
    ("set emit allways", "did you mean always?"), ("set emit 'state.'", "error[lua-syntax]"),
    ("set emit 'state.counter.valu > 1'", "counter has no field 'valu'"), ("set emit 'dispatch(1)'", "error["),
    ("set emit 'before.counter.valu > 1'", "before.counter\"] has no field 'valu'"),
    ("set emit 'before.conter.value > 1'", "conter"), ("set emit 'state.nothing.x > 1'", "emit: state has no module"),
    ("set emit ''", "expected an expression"), ("set emit 5", "emit is an expression over state and before, got '5'"),
    ("set emit '1 < 2'", "it is one of always, whenDifferent, never otherwise"),
    ("set emit 'state.counter.value > 1, true'", "expected one expression"),
  ])
  func whatMeansNothingIsRefused(line: String, message: String) throws {
    let shell = try Shell()
    let outcome = try shell.type(line)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(try shell.type("set emit").output == "\"whenDifferent\"\n")
  }
}
