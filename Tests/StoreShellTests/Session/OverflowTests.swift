import Testing

@Suite("Overflow")
struct OverflowTests {
  private static let top = "9223372036854775807"

  private func shell(value: String, step: String = "1", nextId: String = "1") throws -> Shell {
    let shell = try Shell()
    try shell.write(
      "ends.json",
      #"{"counter":{"value":\#(value),"step":\#(step)},"tasks":{"nextId":\#(nextId),"items":[]}}"#)
    #expect(shell.run("import state \(shell.folder)/ends.json").status == 0)
    return shell
  }

  @Test func isAnErrorOfTheActionAndIsRecordedSo() throws {
    let shell = try shell(value: Self.top)
    let outcome = try shell.type("dispatch counter.increment")
    #expect(
      outcome.errors.hasPrefix("error[out-of-range]: the result of \(Self.top) + 1 does not fit Int\n"), "\(outcome)")
    #expect(shell.run("log 1").output.contains("failed: out-of-range"))
    #expect(shell.run("show counter.value").output == "\(Self.top)\n")
    #expect(shell.run("dispatch counter.decrement --quiet", "show counter.value").output == "9223372036854775806\n")
  }

  @Test func failsAWholeBatchOfActionsWithoutATrace() throws {
    let shell = try shell(value: "0", nextId: Self.top)
    #expect(shell.run("lua for i = 1, 3 do dispatch('tasks.add', { title = 'x' }) end").status == 1)
    #expect(shell.run("show tasks.nextId", "show #tasks.items").output.hasPrefix("\(Self.top)\n"))
    #expect(shell.run("show tasks.items --json").output == "[]\n")
  }

  @Test func isReplayedAsTheFailureThatItWas() throws {
    let shell = try shell(value: Self.top)
    _ = try shell.type("dispatch counter.increment", "dispatch counter.reset")
    let file = "\(shell.folder)/run.jsonl"
    #expect(shell.run("export journal \(file)").errors == "")
    let again = try Shell()
    let outcome = again.run("replay \(file) --verify", "show counter.value")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.hasSuffix("\n0\n"))
  }

  @Test func leavesAnAliveStepAlone() throws {
    let shell = try shell(value: "-9223372036854775808", step: "-9223372036854775808")
    #expect(shell.run("dispatch counter.decrement --quiet", "show counter.value").output == "0\n")
    #expect(try shell.type("dispatch counter.decrement").errors.contains("0 - -9223372036854775808"))
  }
}
