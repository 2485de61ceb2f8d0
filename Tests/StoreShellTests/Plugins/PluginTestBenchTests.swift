import Testing

@testable import StoreShell

/// What the store of a test is, and for how long: `plugin test`.
@Suite struct PluginTestBenchTests {
  private let shell: Shell
  private let folder: String

  init() throws {
    shell = try Shell()
    folder = "\(shell.folder)/beans"
    _ = shell.run("plugin new \(folder)")
  }

  private func test(_ lua: String) throws -> Shell.Outcome {
    try shell.write("beans/tests/beans_test.lua", lua)
    var outcome = shell.run("plugin test \(folder)")
    outcome.output = outcome.output.replacing("\(folder)/", with: "")
    outcome.errors = outcome.errors.replacing("\(folder)/", with: "")
    return outcome
  }

  @Test func thePluginStaysHoweverMuchIsUndone() throws {
    #expect(
      try test(
        """
        test("undo", function(t)
          t:fails("nothing-to-undo", function() t:run("undo") end)
          t:fails("not-kept", function() t:run("undo --to 0") end)
          t:dispatch("add") t:run("undo")
          t:fails("nothing-to-undo", function() t:run("undo") end)
          t:dispatch("add")
          t:equals(t:get("beans.count"), 1)
        end)
        """
      ).output == "ok   undo\n1 passed, 0 failed\n")
  }

  @Test func whatSpeaksForATestDoesNotSpeakForTheNext() throws {
    #expect(
      try test(
        """
        local kept
        test("a", function(t) kept = t end)
        test("b", function(t) kept:dispatch("add") end)
        """
      ).output == """
        ok   a
        FAIL b
          tests/beans_test.lua:3: t:dispatch is only possible while its test runs
        1 passed, 1 failed

        """)
  }

  @Test(arguments: [
    #""\xff", "\xfe""#, #""\u{e9}", "e\u{301}""#, #"{ "\u{e9}" }, { "e\u{301}" }"#, #"{ "\xff" }, { "\xfe" }"#,
  ])
  func textsAreComparedByteByByte(texts: String) throws {
    #expect(try test("test('t', function(t) t:equals(\(texts)) end)").output.hasSuffix("0 passed, 1 failed\n"))
  }

  @Test func aFileThatIsNoFileOfTestsIsNamed() throws {
    try shell.write("beans/tests/test_more.lua", "test('never', function() error('no') end)")
    #expect(
      try test("test('t', function() end)")
        == .init(
          output: "ok   t\n1 passed, 0 failed\n",
          errors: "note: tests/test_more.lua is not run: a file of tests is tests/NAME_test.lua\n")
    )
  }
}
