import Glibc
import StorePlugins
import Testing

@testable import StoreShell

/// `plugin grant`, `revoke`, `info` and `audit`.
@Suite struct PermissionTests {
  private static let lua = """
    return plugin {
      actions = { { name = "go" } },
      middleware = { { name = "m", after = function(_, ctx)
        local n = #ctx.state.tasks.items
        ctx:dispatch("tasks.add", { title = "task " .. n })
      end } },
    }
    """
  private static let permissions = "[\"read:tasks\",\"dispatch:tasks.*\",\"dispatch:counter.reset\",\"timers\"]"

  private let place: Shell
  private let folder: String

  init() throws {
    place = try Shell()
    folder = try place.plugin("asks", Self.lua, permissions: Self.permissions)
  }

  /// A session whose grants are kept in a folder that does not exist yet.
  private func session() throws -> Shell {
    let file = "\(place.folder)/state/stsh/grants.json"
    return try Shell { $0.grantsFile = file }
  }

  private func load() throws -> Shell.Outcome { try session().run("plugin load \(folder)") }

  @Test func whatIsGrantedIsKeptUntilItIsRevoked() throws {
    #expect(try load().status == 4)
    #expect(
      try session().run("plugin grant \(folder)").output
        == "granted to asks: read:tasks, dispatch:tasks.*, dispatch:counter.reset, timers\n")
    #expect(try load().status == 0)
    let kept = try #require(place.contents("state/stsh/grants.json"))
    #expect(
      kept == """
        {"asks":{"folder":"\(folder)","permissions":["read:tasks","dispatch:tasks.*","dispatch:counter.reset","timers"]}}

        """)
    var status = stat()
    #expect(stat("\(place.folder)/state/stsh/grants.json", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(try session().run("plugin revoke asks").output == "revoked the permissions of asks\n")
    #expect(try session().run("plugin revoke asks").output == "nothing was granted to asks\n")
    #expect(try load().status == 4)
  }

  @Test func whatIsGrantedToAFolderIsRevokedByIt() throws {
    #expect(try session().run("plugin grant \(folder)").status == 0)
    let other = "\(place.folder)/other"
    try place.write("other/init.lua", "return plugin {}")
    try place.write("other/plugin.json", #"{"name":"asks","version":"1","api":1,"permissions":["timers"]}"#)
    #expect(try session().run("plugin revoke \(other)").output == "nothing was granted to \(other)\n")
    #expect(try load().status == 0)
    #expect(try session().run("plugin revoke \(folder)").output == "revoked the permissions of asks\n")
    #expect(try session().run("plugin revoke \(folder)").output == "nothing was granted to \(folder)\n")
    #expect(try load().status == 4)
  }

  @Test(arguments: [true, false])
  func whatTheOptionGrantsIsRevokedBothByNameAndByFolder(isByName: Bool) throws {
    let shell = try session()
    shell.session.options.grants = [isByName ? folder : "asks"]
    #expect(try shell.type("plugin load \(folder)", "plugin revoke \(isByName ? "asks" : folder)").status == 0)
    #expect(try shell.type("plugin unload asks", "plugin load \(folder)").status == 4)
  }

  @Test func theHintAndTheOptionTakeThePluginsFolder() throws {
    #expect(try load().errors.hasSuffix("  hint: plugin grant \(folder), or run with --grant asks\n"))
    let named = try Shell { $0.pluginFolders = [folder] }
    let hint = named.outcome { named.session.loadPlugins() }.errors
    #expect(hint.hasSuffix("  hint: plugin grant \(folder), or run with --grant asks\n"), "later there is no -p")
    let command = named.run("plugin grant \(folder)", "plugin load \(folder)", "asks")
    #expect(command.errors.contains("asks adds no commands\n"))
    let granted = try Shell { $0.grants = ["\(folder)/"] }
    #expect(granted.run("plugin load \(folder)").status == 0)
    let other = try Shell { $0.grants = [place.folder] }
    #expect(other.run("plugin load \(folder)").status == 4)
  }

  @Test func aShorterListNeedsNothingALongerOneOnlyWhatIsNew() throws {
    _ = try session().run("plugin grant \(folder)")
    _ = try place.plugin("asks", "return plugin {}", permissions: "[\"timers\"]")
    #expect(try load().status == 0)
    _ = try place.plugin("asks", "return plugin {}", permissions: "[\"timers\",\"intercept\",\"read:counter\"]")
    let outcome = try load()
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("error[plugin-grant]: asks asks for intercept, read:counter; not granted\n"))
  }

  @Test func aGrantIsForTheFolderOnly() throws {
    _ = try session().run("plugin grant \(folder)")
    let twin = try Shell()
    let other = try twin.plugin("asks", Self.lua, permissions: Self.permissions)
    #expect(try session().run("plugin load \(other)").status == 4)
  }

  @Test func yesIsForWhatWasAskedInThisSession() throws {
    let shell = try session()
    shell.session.ask = { _ in "y" }
    #expect(try shell.type("plugin load \(folder)", "plugin unload asks").status == 0)
    shell.session.ask = { _ in nil }
    #expect(try shell.type("plugin load \(folder)", "plugin unload asks").status == 0)
    _ = try place.plugin("asks", "return plugin {}", permissions: "[\"timers\",\"intercept\"]")
    #expect(try shell.type("plugin load \(folder)").status == 4)
    #expect(place.contents("state/stsh/grants.json") == nil)
  }

  /// What was asked for is granted for good, and no more.
  @Test func alwaysIsForWhatWasAsked() throws {
    let shell = try session()
    shell.session.ask = { _ in "y" }
    #expect(try shell.type("plugin load \(folder)", "plugin unload asks").status == 0)
    _ = try place.plugin("asks", "return plugin {}", permissions: "[\"timers\",\"intercept\"]")
    shell.session.ask = { question in question.contains("timers") ? nil : "a" }
    #expect(try shell.type("plugin load \(folder)").status == 0)
    #expect(try load().errors.contains("asks asks for timers; not granted\n"))
    _ = try place.plugin("asks", "return plugin {}", permissions: "[\"timers\",\"intercept\",\"read:counter\"]")
    shell.session.ask = { _ in "always" }
    #expect(try shell.type("plugin unload asks", "plugin load \(folder)").status == 0)
    #expect(try load().errors.contains("asks asks for timers; not granted\n"))
  }

  @Test func revokingALoadedPluginSaysThatItStays() throws {
    let shell = try session()
    _ = try shell.type("plugin grant \(folder)", "plugin load \(folder)")
    #expect(
      try shell.type("plugin revoke asks")
        == .init(
          output: "revoked the permissions of asks\n",
          errors: "note: asks stays loaded with its permissions; plugin unload asks\n"))
    #expect(try shell.type("plugin info asks --json").output.contains(#""granted":"until unload""#))
    #expect(try shell.type("plugin unload asks", "plugin load \(folder)").status == 4)
  }

  @Test func aDamagedFileIsLeftAlone() throws {
    try place.write("state/stsh/grants.json", "{ half")
    let outcome = try session().run("plugin grant \(folder)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("/state/stsh/grants.json is not a JSON object"))
    #expect(place.contents("state/stsh/grants.json") == "{ half")
    let load = try load()
    #expect(load.status == 4)
    #expect(
      load.errors.hasPrefix(
        "note: \(place.folder)/state/stsh/grants.json is not a JSON object, so its permissions are ignored; mend it or remove it\n"
      ), "\(load.errors)")
  }

  /// A pipe or a folder at the place of the grants is waited for by no command, and stays.
  @Test(arguments: [S_IFIFO, S_IFDIR]) func anotherKindOfFileIsLeftAlone(kind: mode_t) throws {
    try place.write("state/stsh/x", "")
    let file = "\(place.folder)/state/stsh/grants.json"
    #expect((kind == S_IFIFO ? mkfifo(file, 0o600) : mkdir(file, 0o700)) == 0)
    let outcome = try session().run("plugin grant \(folder)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("/state/stsh/grants.json is not a JSON object"), "\(outcome)")
    #expect(try load().status == 4)
    var status = stat()
    #expect(lstat(file, &status) == 0 && status.st_mode & S_IFMT == kind)
  }

  @Test func aMisspeltGrantIsSaid() throws {
    let shell = try Shell { $0.grants = ["aks", "elsewhere", "catalog", "./somewhere"] }
    #expect(shell.run("echo done").errors == "")
    #expect(
      shell.run("try plugin load \(folder)").errors.hasSuffix(
        "note: --grant aks: no plugin of that name was loaded (did you mean --grant asks?)\n"))
  }

  @Test func infoSaysWhatAPluginIsAndMayDo() throws {
    let shell = try session()
    #expect(
      try shell.type("plugin info \(folder)").output == """
        name          asks
        version       1.2.3
        summary       -
        folder        \(folder)
        digest        \(try PluginSource(folder: folder).digest)
        state         not loaded
        failedAt      -
        adds          -
        instructions  200000
        memory        4194304
        tasks         4
        log_lines     100
        actions       10000
        permissions   4 items
          permission              granted  meaning
          read:tasks              no       read the tasks module
          dispatch:tasks.*        no       run any action of tasks
          dispatch:counter.reset  no       run that action
          timers                  no       start delayed work

        """)
    _ = try shell.type("plugin grant \(folder)", "plugin load \(folder)")
    let info = try shell.type("plugin info asks --json").output
    #expect(info.contains(#""state":"on","failedAt":null,"adds":"1 action, 1 middleware""#))
    #expect(info.contains(#"{"permission":"timers","granted":"always","meaning":"start delayed work"}"#))
  }

  @Test func auditCountsWhatWasUsedAndProposesLess() throws {
    let shell = try session()
    _ = try shell.type("plugin grant \(folder)", "plugin load \(folder)")
    _ = try shell.type("dispatch asks.go --quiet", "dispatch asks.go --quiet")
    #expect(
      try shell.type("plugin audit asks").output == """
        plugin  permission              uses  required  needed
        asks    read:tasks              2     false     read:tasks
        asks    dispatch:tasks.*        2     false     dispatch:tasks.add
        asks    dispatch:counter.reset  0     false     -
        asks    timers                  0     false     -
        asks needed only "permissions": ["read:tasks", "dispatch:tasks.add"]

        """)
    #expect(try shell.type("show shell.permissions[2].needed --as raw").output == "dispatch:tasks.add\n")
    let used = try shell.type("plugin audit asks --as csv")
    _ = try shell.type("plugin reload asks")
    #expect(try shell.type("plugin audit asks --as csv") == used, "a version goes on where the one before was")
    _ = try shell.type("plugin load catalog")
    #expect(try shell.type("plugin audit").output.hasSuffix("\"dispatch:tasks.add\"]\ncatalog asks for nothing\n"))
    #expect(try shell.type("plugin audit catalog").output == "catalog asks for nothing\n")
    #expect(try shell.type("plugin audit nope").errors.contains("error[unknown-plugin]: no plugin 'nope' is loaded"))
  }

  @Test func theSourceIsTheCodeThatRuns() throws {
    let shell = try session()
    _ = try shell.type("plugin grant \(folder)", "plugin load \(folder)")
    _ = try place.plugin("asks", "return plugin {}", permissions: Self.permissions)
    let source = try shell.type("plugin source asks")
    #expect(source.output.hasPrefix("==> \(folder)/plugin.json <==\n{"))
    #expect(source.output.contains("\n==> \(folder)/init.lua <==\n\(Self.lua)"))
    #expect(
      try shell.type("plugin source asks --json").output.contains(#"/init.lua","text":"return plugin {\n  actions"#))
    #expect(try shell.type("plugin source nope").errors.contains("error[unknown-plugin]"))
  }

  @Test func aTaskThatFindsNoRoomIsListed() throws {
    let folder = try place.plugin(
      "late",
      """
      return plugin {
        actions = { { name = "go", args = { field("key", text()) } } },
        middleware = { { name = "clock", on = { "go" }, after = function(action, ctx)
          ctx:task(action.args.key, function(task) task:sleep(3600) end)
        end } },
      }
      """, permissions: #"["timers"]"#)
    let shell = try session()
    _ = try shell.type("plugin grant \(folder)", "plugin load \(folder)")
    for key in 1...4 { _ = try shell.type("dispatch late.go key=k\(key)") }
    #expect(try shell.type("show shell.faults --json").output == "[]\n")
    _ = try shell.type("dispatch late.go key=k5")
    #expect(
      try shell.type("show shell.faults --json").output == """
        [{"action":6,"plugin":"late","unit":"clock","effect":"late/clock/k5","code":"plugin-budget",\
        "message":"late: more than 4 tasks"}]

        """)
  }

  @Test func whatTheProposalAsksForIsEnough() throws {
    let shell = try session()
    let before = try place.plugin("asks", Self.lua, permissions: "[\"read:tasks\",\"dispatch:tasks.add\"]")
    _ = try shell.type("plugin grant \(before)", "plugin load \(before)")
    #expect(try shell.type("dispatch asks.go").errors == "")
    #expect(try shell.type("plugin audit asks").output.hasSuffix("\nasks needs all that it asks for\n"))
  }

  @Test func whoeverHasAllOfAModuleNeedsNoNewGrantForOneAction() throws {
    _ = try session().run("plugin grant \(folder)")
    _ = try place.plugin("asks", Self.lua, permissions: #"["read:tasks","dispatch:tasks.add"]"#)
    #expect(try load().status == 0)
    _ = try place.plugin("asks", Self.lua, permissions: #"["read:tasks","dispatch:counter.*"]"#)
    #expect(try load().errors.contains("asks asks for dispatch:counter.*; not granted\n"))
  }

  @Test func aCommandProjectsWhatThePluginMayRead() throws {
    func answers(_ permissions: String) throws -> Shell.Outcome {
      let folder = try place.plugin(
        "peek",
        """
        return plugin {
          state = { field("n", int { default = 4 }) },
          commands = {
            { name = "own", run = function(_, cmd) return cmd:project("peek.n") end },
            { name = "other", run = function(_, cmd) return #cmd:project("tasks.items") end },
          },
        }
        """, permissions: permissions)
      let shell = try Shell { $0.grants = ["peek"] }
      _ = try shell.type("plugin load \(folder)", "project secret = state.tasks", "dispatch tasks.add a --quiet")
      return try shell.type("peek own", "peek other", "plugin audit peek")
    }
    let refused = try answers("[]")
    #expect(refused.output == "4\npeek asks for nothing\n")
    #expect(refused.errors.contains("may not read 'tasks' (add \"read:tasks\" to permissions in plugin.json)"))
    let allowed = try answers(#"["read:tasks"]"#)
    #expect(allowed.errors == "")
    #expect(allowed.output.hasPrefix("4\n1\n"))
    #expect(allowed.output.hasSuffix("peek needs all that it asks for\n"))
  }

  /// A projection of the prompt may show anything.
  @Test func whatThePromptCallsThingsIsNotForPlugins() throws {
    let folder = try place.plugin(
      "peek",
      "return plugin { commands = { { name = 'go', run = function(_, cmd) return cmd:project('secret') end } } }")
    let shell = try Shell()
    let outcome = try shell.type(
      "plugin load \(folder)", "dispatch tasks.add hidden --quiet", "project secret = state.tasks.items[1].title",
      "peek go")
    #expect(outcome.status == 1)
    #expect(!outcome.output.contains("hidden\n"))
  }

  /// What is wrong with a path would tell how long a list is, and which ids are there.
  @Test func whatMayNotBeReadIsNotLookedAt() throws {
    let paths = ["tasks.items[9999]", "tasks.items[id=77]", "tasks.items[id=1]", "tasks.open[50]"]
    let folder = try place.plugin(
      "peek",
      """
      return plugin { commands = { { name = "go", args = { field("path", text()) },
        run = function(args, cmd) return select(2, pcall(cmd.project, cmd, args.path)) end } } }
      """)
    let shell = try Shell()
    _ = try shell.type("plugin load \(folder)", "dispatch tasks.add a --quiet", "dispatch tasks.add b --quiet")
    for path in paths {
      #expect(try shell.type("peek go '\(path)'").output.contains("may not read 'tasks'"), "\(path)")
    }
  }

  @Test func whatIsDispatchedAfterLoadingHasToBeAllowed() throws {
    func load(_ permissions: String) throws -> Shell.Outcome {
      let folder = try place.plugin(
        "resets", "return plugin { on_load = \"counter.reset\" }", permissions: permissions)
      let shell = try Shell { $0.grants = ["resets"] }
      return try shell.type(
        "dispatch counter.increment --quiet", "plugin load \(folder)", "show counter.value", "plugin audit")
    }
    for permissions in ["[]", #"["read:counter"]"#] {
      let refused = try load(permissions)
      #expect(refused.errors.hasPrefix("error[plugin-schema]: resets: on_load: may not dispatch 'counter.reset'\n"))
      #expect(refused.errors.contains("hint: add \"dispatch:counter.reset\" to permissions in plugin.json\n"))
      #expect(refused.output.hasPrefix("1\n"))
    }
    let allowed = try load(#"["dispatch:counter.*"]"#)
    #expect(allowed.errors == "")
    #expect(allowed.output.contains("\n0\n"))
    #expect(allowed.output.contains("resets needed only \"permissions\": [\"dispatch:counter.reset\"]\n"))
  }

  /// What the shell lists tells of what others did.
  @Test func theShellsListingsNeedAPermissionToo() throws {
    let shell = try Shell { $0.grants = ["spy"] }
    let lua =
      "return plugin { commands = { { name = 'log', run = function(_, cmd) return #cmd:project('shell.log') end } } }"
    let folder = try shell.plugin("spy", lua)
    _ = try shell.type("plugin load \(folder)")
    #expect(
      try shell.type("spy log").errors.contains(
        "may not read 'shell' (add \"read:shell\" to permissions in plugin.json)"))
    _ = try shell.plugin("spy", lua, permissions: #"["read:shell"]"#)
    #expect(try shell.type("plugin reload spy", "spy log").output.hasSuffix("\n2\n"))
  }
}
