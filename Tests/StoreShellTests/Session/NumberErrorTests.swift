import Testing

@testable import StoreShell

/// Numbers that their types cannot hold.
@Suite struct NumberErrorTests {
  /// A number of any spelling that its argument cannot hold, by whichever way it comes.
  @Test(arguments: [
    ("9223372036854775808", "9.223372036854776e+18", "large"), ("-99999999999999999999", "-1e+20", "small"),
    ("1e19", "1e+19", "large"), ("1e400", "inf", "large"),
  ])
  func numbersThatNoIntHoldsAreNamedAsTyped(number: String, rounded: String, size: String) throws {
    let shell = try Shell()
    func told(_ spelling: String) -> String {
      "'by' must be Int, got number \(spelling), which is too \(size) for one\n"
    }
    #expect(shell.run("dispatch counter.increment by=\(number)").errors.contains(": " + told(number)))
    let table = try shell.write("a.csv", "by\n\(number)\n")
    #expect(shell.run("ingest \(table) --as counter.increment").errors.contains(":2: " + told(number)))
    let records = try shell.write("a.jsonl", "{\"n\":\(number)}\n")
    let problem = number == "1e400" ? "at column 6: the number 1e400 is too large\n" : told(number)
    #expect(shell.run("ingest \(records) --as counter.increment --map by=n").errors.contains(":1: " + problem))
    // Lua rounds it before anybody sees it.
    #expect(
      shell.run("lua dispatch('counter.increment', { by = \(number) })").errors
        .contains("counter.increment: " + told(rounded)))
  }

  @Test(arguments: ["1e1", "1.50"]) func aNumberIsNamedAsItIsSpelled(number: String) throws {
    let shell = try Shell()
    let told = "'by' must be Int, got number \(number)\n"
    #expect(shell.run("dispatch counter.increment by=\(number)").errors.contains(": \(told)"))
    let table = try shell.write("a.csv", "by\n\(number)\n")
    #expect(shell.run("ingest \(table) --as counter.increment").errors.contains(":2: \(told)"))
    let records = try shell.write("a.jsonl", "{\"n\":\(number)}\n")
    #expect(shell.run("ingest \(records) --as counter.increment --map by=n").errors.contains(":1: \(told)"))
  }

  @Test func aNumberThatNoDoubleHoldsIsNone() throws {
    let shell = try Shell()
    let plugin = try shell.plugin(
      "d", "return plugin { actions = { { name = 'put', args = { field('x', number()) } } } }")
    let outcome = shell.run("plugin load \(plugin)", "dispatch d.put x=inf", "dispatch d.put x=1e400")
    #expect(outcome.output.hasSuffix("d.put x=inf  (changed nothing)\n"))
    #expect(outcome.errors.contains(": error[type-mismatch]: 'x' must be Double, got number 1e400, which is too large"))
  }
}
