import Platform
import Testing

@testable import StoreShell

/// The plugins that ship.
@Suite struct ShippedPluginTests {
  static let names = Files.names(in: "\(Shell.package)/plugins").filter {
    Files.exists("\(Shell.package)/plugins/\($0)/plugin.json")
  }

  @Test func theyAreThere() {
    for name in ["autosort", "catalog", "guard", "journalist", "ledger", "pomodoro"] {
      #expect(Self.names.contains(name))
    }
  }

  @Test(arguments: names)
  func theirTestsPassAndTheirReducersArePure(name: String) throws {
    let shell = try Shell { $0.grants = [name] }
    let outcome = shell.run("plugin test \(name) --pure")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains(" passed, 0 failed\n"), "\(outcome.output)")
    #expect(outcome.output.contains("ok   pure: "))
    #expect(outcome.errors == "")
  }

  @Test(arguments: names)
  func theyHaveNoMistakes(name: String) throws {
    let outcome = try Shell().run("plugin check \(name)")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.split(separator: "\n").allSatisfy { $0.hasPrefix("ok    ") })
    #expect(outcome.output.contains("ok    tests: tests/\(name)_test.lua\n"))
  }

  @Test(arguments: names)
  func theGuideListsThem(name: String) throws {
    let guide = String(decoding: try Files.read("\(Shell.package)/plugins/README.md"), as: UTF8.self)
    #expect(guide.contains("| `\(name)` |"))
  }

  @Test func theGuardCountsWhatWaitsAlready() throws {
    let shell = try Shell { $0.grants = ["guard", "burst"] }
    let folder = try shell.plugin(
      "burst",
      """
      return plugin {
        actions = { { name = "go" } },
        middleware = { { name = "m", after = function(_, ctx)
          for n = 1, 5 do ctx:dispatch("tasks.add", { title = "task " .. n }) end
        end } },
      }
      """, permissions: #"["dispatch:tasks.add"]"#)
    let load = ["plugin load guard", "plugin load \(folder)", "dispatch guard.budget tasks.add 7 --quiet"]
    for command in load + ["dispatch guard.limit tasks.add 3 --quiet"] { _ = try shell.type(command) }
    _ = try shell.type("dispatch burst.go --quiet")
    #expect(try shell.type("= #state.tasks.items", "show guard.dropped").output == "3\n2\n")
    _ = try shell.type("wait 60s", "dispatch burst.go --quiet", "wait 60s", "dispatch burst.go --quiet")
    #expect(try shell.type("= #state.tasks.items", "= state.guard.budgets['tasks.add'].spent").output == "7\n7.0\n")
  }

  /// Whoever dispatched it: a task is answered by nobody.
  @Test func aDroppedActionOfATaskIsTold() throws {
    let shell = try Shell { $0.grants = ["guard", "inventory"] }
    for command in [
      "plugin load guard", "plugin load inventory", "dispatch inventory.openWarehouse w",
      "dispatch inventory.addItem s Thing", "dispatch inventory.move w s quantity=9",
      "dispatch guard.limit inventory.expire 1 seconds=10",
      "dispatch inventory.hold id=a warehouse=w sku=s quantity=1",
      "dispatch inventory.hold id=b warehouse=w sku=s quantity=1",
    ] {
      #expect(try shell.type(command).status == 0, "\(command)")
    }
    #expect(try shell.type("wait 1h") == .init(errors: "note: inventory.expire was dropped by guard.rules\n"))
  }

  @Test func aStepWhoseActionsWereDroppedIsNotDone() throws {
    let shell = try Shell { $0.grants = ["guard"] }
    let file = try shell.write("list.jsonl", "{\"title\":\"a\"}\n{\"title\":\"b\"}\n")
    _ = try shell.type("plugin load guard", "dispatch guard.limit tasks.add 0")
    for command in ["ingest \(file) --as tasks.add", "lua dispatch('tasks.add', { title = 'a' })"] {
      let outcome = try shell.type("step one \(command)")
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("FAIL one\n"), "\(outcome)")
      #expect(outcome.errors.contains("dropped by guard.rules"), "\(outcome)")
    }
    let counted = try shell.type(
      "lua local ok, why, data = command('ingest \(file) --as tasks.add') print(ok, why.code, data.dropped)")
    #expect(counted.output.hasSuffix("false\trefused\t2\n"), "\(counted)")
  }

  /// An undo takes back what the drop was counted with, and no task.
  @Test func undoAfterADropTakesBackTheDropAlone() throws {
    let shell = try Shell { $0.grants = ["guard"] }
    let limit = ["plugin load guard", "dispatch guard.limit tasks.add 1"]
    for command in limit + ["dispatch tasks.add a", "dispatch tasks.add b", "undo"] {
      #expect(try shell.type(command).status == 0)
    }
    #expect(try shell.type("show tasks.items[*].title --json").output == #"["a"]"# + "\n")
    #expect(try shell.type("show guard.dropped").output == "0\n")
    #expect(try shell.type("undo > /dev/null", "redo > /dev/null", "redo > /dev/null").status == 0)
    #expect(try shell.type("show guard.dropped").output == "1\n")
  }

  /// Times begin anew with each session: what a limit let through in another one is no reason to wait for ever.
  @Test func theGuardOfAReopenedStoreDoesNotWaitForTheTimeOfTheSessionBefore() throws {
    let shell = try Shell { $0.grants = ["guard"] }
    let store = "\(shell.folder)/g.db"
    #expect(shell.openStore(store) == .init())
    let limit = ["plugin load guard", "dispatch guard.limit tasks.add 2 seconds=10", "wait 1h"]
    for command in limit + ["dispatch tasks.add a", "dispatch tasks.add b"] {
      #expect(try shell.type(command).status == 0)
    }
    _ = shell.outcome { shell.session.endJournal() }
    let next = try Shell { $0.grants = ["guard"] }
    #expect(next.openStore(store) == .init())
    _ = try next.type("wait 30min", "dispatch tasks.add c", "dispatch tasks.add d", "dispatch tasks.add e")
    #expect(try next.type("show tasks.items[*].title --json").output == #"["a","b","c","d"]"# + "\n")
    #expect(try next.type("show guard.dropped").output == "1\n")
    _ = next.outcome { next.session.endJournal() }
  }

  /// However long the session before was, and the limit is: it is not told by the time alone that it is another one.
  @Test func theGuardOfAReopenedStoreCountsWhatThisSessionLetThrough() throws {
    let shell = try Shell { $0.grants = ["guard"] }
    let store = "\(shell.folder)/g.db"
    #expect(shell.openStore(store) == .init())
    for command in ["plugin load guard", "dispatch guard.limit tasks.add 2 seconds=86400", "wait 5s"] {
      #expect(try shell.type(command).status == 0)
    }
    // It is no other session after a reload.
    for title in ["a", "b"] { _ = try shell.type("dispatch tasks.add \(title)", "plugin reload guard") }
    _ = try shell.type("dispatch tasks.add no")
    #expect(try shell.type("show tasks.items[*].title --json").output == #"["a","b"]"# + "\n")
    _ = shell.outcome { shell.session.endJournal() }
    let next = try Shell { $0.grants = ["guard"] }
    #expect(next.openStore(store) == .init())
    for command in ["wait 6s", "dispatch tasks.add c", "wait 10h", "dispatch tasks.add d", "plugin reload guard"] {
      #expect(try next.type(command).status == 0)
    }
    _ = try next.type("dispatch tasks.add no")
    #expect(try next.type("show tasks.items[*].title --json").output == #"["a","b","c","d"]"# + "\n")
    #expect(try next.type("show guard.dropped").output == "2\n")
    _ = next.outcome { next.session.endJournal() }
  }

  /// The time of a store goes on where it was opened again, and so does what the guard counts.
  @Test func theGuardThatIsReloadedFirstCountsNothingOfWhatIsYetToCome() throws {
    let shell = try Shell { $0.grants = ["guard"] }
    let store = "\(shell.folder)/g.db"
    #expect(shell.openStore(store) == .init())
    for command in [
      "plugin load guard", "wait 500s", "dispatch guard.limit tasks.add 1 seconds=60", "dispatch tasks.add a",
    ] {
      #expect(try shell.type(command).status == 0)
    }
    _ = shell.outcome { shell.session.endJournal() }
    let next = try Shell { $0.grants = ["guard"] }
    #expect(next.openStore(store) == .init())
    for command in ["plugin reload guard", "dispatch tasks.add b", "wait 500s", "dispatch tasks.add c"] {
      #expect(try next.type(command).status == 0)
    }
    #expect(try next.type("show tasks.items[*].title --json").output == #"["a","c"]"# + "\n")
    _ = next.outcome { next.session.endJournal() }
  }

  /// What the end of a runaway takes with it of the guard's counting is counted by the next action.
  @Test func aRunawayTakesNothingOfWhatTheGuardCounted() throws {
    let shell = try Shell { $0.grants = ["guard", "burst"] }
    let folder = try shell.plugin(
      "burst",
      """
      return plugin { actions = { { name = "go" } }, middleware = { { name = "m", after = function(_, ctx)
        for i = 1, 19 do ctx:dispatch("tasks.add", { title = "t" .. i }) end
      end } } }
      """, permissions: #"["dispatch:tasks.add"]"#)
    let load = ["plugin load guard", "plugin load \(folder)", "set runaway 20", "dispatch guard.budget tasks.add 12"]
    for command in load + ["dispatch guard.limit tasks.add 10"] { #expect(try shell.type(command).status == 0) }
    for _ in 1...2 {
      #expect(try shell.type("dispatch burst.go").errors.contains("error[runaway]"))
      #expect(try shell.type("= #state.tasks.items").output == "10\n")
    }
    _ = try shell.type("dispatch tasks.add no")
    #expect(
      try shell.type("= #state.tasks.items", "= state.guard.budgets['tasks.add'].spent").output == "10\n10.0\n")
  }

  @Test func theJournalistShortensAFeedThatCameFromElsewhere() throws {
    let shell = try Shell { $0.grants = ["journalist"] }
    _ = try shell.type("plugin load journalist")
    let lines = (1...5000).map { "{\"at\":\($0),\"action\":\"x\",\"text\":\"line \($0)\"}" }.joined(separator: ",")
    let state = try shell.type("show --json").output.replacing("\"feed\":[]", with: "\"feed\":[\(lines)]")
    let file = try shell.write("state.json", state)
    #expect(try shell.type("import state \(file)").status == 0)
    #expect(try shell.type("dispatch counter.increment").status == 0)
    #expect(try shell.type("= #state.journalist.feed", "show journalist.feed[1].text").output == "100\n\"line 4902\"\n")
  }

  @Test func noBalanceRunsOver() throws {
    let shell = try Shell()
    for command in ["plugin load ledger", "dispatch ledger.open a asset", "dispatch ledger.open b asset"] {
      _ = try shell.type(command)
    }
    let state = try shell.type("show --json").output.replacing(
      #""a":{"kind":"asset","balance":0.00}"#, with: #""a":{"kind":"asset","balance":92233720368547758.05}"#)
    let file = try shell.write("state.json", state)
    #expect(try shell.type("import state \(file)").status == 0)
    #expect(
      try shell.type("dispatch ledger.transfer b a 0.05").errors.contains(
        "the result of 92233720368547758.05 + 0.05 does not fit a decimal"))
    #expect(try shell.type("show ledger.accounts.a.balance").output == "92233720368547758.05\n")
  }

  /// What an argument is made of can be learnt from the shell.
  @Test func typesWithinArgumentsAreDescribed() throws {
    let shell = try Shell()
    let line = "\n  Line{account: String, amount: Decimal(2)}\n"
    let outcome = try shell.type("plugin load ledger", "describe ledger")
    #expect(outcome.output.contains("\ntypes\(line)"), "\(outcome)")
    #expect(try shell.type("help ledger.post").output.contains("\ntypes\(line)describe ledger shows"))
    #expect(try shell.type("describe tasks", "help tasks.add").output.contains("types\n") == false)
  }
}
