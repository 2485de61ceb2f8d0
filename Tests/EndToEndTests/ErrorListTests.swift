import Testing

@Suite("The errors of the specification")
struct ErrorListTests {
  /// The list that the specification shortens: these lines are its own, the others fill it up.
  private static let list = """
    dispatch counter.incremnt
    dispatch counter.increment bye=2
    dispatch counter.increment by=two
    dispatch counter.increment by=1 2
    dispatch tasks.add
    dispatch
    show tasks.itmes
    show tsks
    show tasks.items[0]
    show tasks.items[id=7]
    echo $nosuch
    plugin load no/such/plugin
    show counter --jsn
    dispach counter.increment
    counter.increment by=2
    source no/such/file.stsh
    assert 1 == 2
    = nosuch.field
    middleware on loger
    show counter.value
    echo done
    """

  @Test func eachSaysWhereWhatAndWhatToTry() throws {
    let outcome = try Shell().run("--keep-going", input: Self.list + "\n")
    #expect(outcome.output == "0\ndone\n")
    #expect(outcome.status == 1)
    for expected in Self.expected { #expect(outcome.errors.contains(expected)) }
    #expect(outcome.errors.hasSuffix("\n19 of 21 commands failed\n"))
    let places = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("stdin:") }
    #expect(places.map { $0.split(separator: ":")[1] } == (1...19).map { "\($0)" })
    #expect(places.allSatisfy { $0.contains(": error[") })
  }

  private static let expected = [
    """
    stdin:2:28: error[unexpected-argument]: counter.increment has no argument 'bye'
      dispatch counter.increment bye=2
                                 ^~~
      hint: did you mean 'by'?

    """,
    """
    stdin:3:28: error[type-mismatch]: 'by' must be Int, got string "two"
      dispatch counter.increment by=two
                                 ^~~
      hint: usage: dispatch counter.increment by:Int?

    """,
    """
    stdin:5:10: error[missing-argument]: tasks.add needs 'title' (String)
      dispatch tasks.add
               ^~~~~~~~~
      hint: usage: dispatch tasks.add title:String

    """,
    """
    stdin:7:6: error[unknown-path]: 'tasks' has no field or projection 'itmes'
      show tasks.itmes
           ^~~~~~~~~~~
      hint: did you mean 'tasks.items'?

    """,
    """
    stdin:9:6: error[unknown-path]: 'tasks.items[0]': indices start at 1
      show tasks.items[0]
           ^~~~~~~~~~~~~~
      hint: did you mean 'tasks.items[1]'?

    """,
    """
    stdin:13:14: error[unknown-flag]: show has no flag --jsn
      show counter --jsn
                   ^~~~~
      hint: did you mean --json?

    """,
    """
    stdin:15:1: error[unknown-command]: 'counter.increment' is an action, not a command
      counter.increment by=2
      ^~~~~~~~~~~~~~~~~
      hint: run it with: dispatch counter.increment by=2

    """,
  ]
}
