import Testing

@testable import StoreShell

/// Refusals say what is wrong and which limit was passed.
@Suite struct NamedLimitTests {
  @Test(arguments: [
    ("set runaway 9223372036854775808", "runaway is a number in 1...9223372036854775807, got '9223372036854775808'"),
    ("set runaway 0", "runaway is a number above 0, got '0'"),
    ("wait 99999999999h", "wait takes a duration of at most 292 years, got '99999999999h'"),
    ("wait 106752d", "wait takes a duration of at most 292 years, got '106752d'"),
    ("wait 1.2.3d", "wait takes a duration such as"),
    ("wait 5", "wait takes a duration such as 5s, got '5'"),
    ("wait idle --timeout 999999999999999s", "--timeout takes a duration of at most 292 years"),
  ])
  func numbersThatAreTooLargeAreToldTheLimit(line: String, message: String) throws {
    let outcome = try Shell().type(line)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  /// A session with a plugin whose middleware runs a line of Lua.
  private func fault(_ lua: String) throws -> String {
    let shell = try Shell { $0.grants = ["p"] }
    let folder = try shell.plugin(
      "p",
      """
      return plugin { state = { field("n", int()) }, actions = { { name = "go" } },
        commands = { { name = "c", run = function(_, cmd) cmd:wait(2000000000) end } },
        middleware = { { name = "m", on = { "go" }, after = function(_, ctx) \(lua) end } } }
      """, permissions: #"["timers"]"#)
    _ = try shell.type("plugin load \(folder)")
    return try shell.type("dispatch p.go --quiet").errors + shell.type("wait 1s", "p c").errors
  }

  @Test(arguments: [
    ("ctx:task({}, type)", "ctx:task needs a text, a number or a boolean as its key, got a table"),
    ("ctx:task('later', 3)", "ctx:task needs a function as its work, got number 3"),
    ("ctx:task(nil)", "as its key, got nil"),
    (
      "ctx:task(1, function(task) task:sleep(2e9) end)",
      "task:sleep: a wait has at most 1000000000 seconds, got number 2"
    ),
    (
      "ctx:task(true, function(task) task:wait_for('go', 2e9) end)",
      "task:wait_for: a time limit has at most 1000000000"
    ),
    ("ctx:task('x', function(task) task:sleep('x') end)", "task:sleep needs a number of seconds, got string \"x\""),
    ("", "cmd:wait: a wait has at most 1000000000 seconds, got number 2000000000"),
  ])
  func whatTasksAreGivenIsSaid(lua: String, message: String) throws {
    let errors = try fault(lua)
    #expect(errors.contains(message), "\(errors)")
  }

  @Test func theShellsOwnActionsAreNoneOfDispatch() throws {
    let shell = try Shell()
    let described = try shell.type("describe shell").output
    #expect(described.contains("actions that commands dispatch\n  shell.setGate"))
    #expect(!described.contains("\nactions\n"))
    for (line, verb) in [
      ("dispatch shell.setGate logger true", "middleware"), ("dispatch shell.set runaway 3", "set"),
      ("dispatch shell.restore 0", "undo"), ("dispatch shell.loadPlugin x", "plugin"),
      ("lua dispatch('shell.import', {})", "import"),
    ] {
      let outcome = try shell.type(line)
      #expect(
        outcome.errors.contains("' is an action of the shell itself: use the command \(verb)\n"),
        "\(outcome.errors)")
      #expect(outcome.errors.contains("hint: help \(verb)"), "\(outcome.errors)")
    }
    #expect(try shell.type("dispatch shell.nothing").errors.contains("unknown action 'shell.nothing'"))
  }
}
