import Glibc
import Platform
import StoreHost
import Testing

@testable import StoreShell

/// A store's file whose plugin runs other code than when it was written, with a state of the same type.
@Suite struct PluginCodeTests {
  private let writer: Shell
  private let store: String

  private static func code(
    _ step: Int = 1, arguments: String = "field('by', int { default = 1 })", state: String = "field('n', int())"
  ) -> String {
    """
    return plugin {
      state = { \(state) }, actions = { { name = 'add', args = { \(arguments) } } },
      reducers = { add = function(s, a) s.n = s.n + a.by * \(step) end },
    }
    """
  }

  init() throws {
    writer = try Shell {
      $0.isQuiet = true
      $0.grants = ["v"]
    }
    store = "\(writer.folder)/a.db"
    let folder = try writer.plugin("v", Self.code())
    #expect(writer.openStore(store) == .init())
    #expect(writer.run("plugin load \(folder)", "dispatch v.add by=3", "dispatch v.add by=4") == .init())
  }

  /// A session that is told where to look for plugins.
  private func opened(_ adjust: (inout SessionOptions) -> Void) throws -> (Shell, Shell.Outcome) {
    let shell = try Shell {
      $0.grants = ["v"]
      adjust(&$0)
    }
    return (shell, shell.openStore(store))
  }

  /// What comes will be made by other code, and no action says so until the plugin is reloaded.
  @Test func whoOpensTheFileIsToldThatAPluginWasEdited() throws {
    end(writer)
    try writer.write("v/init.lua", "-- edited\n" + Self.code())
    for _ in 1...2 {
      let (shell, opened) = try opened { _ in }
      #expect(opened == .init(errors: Self.note))
      end(shell)
    }
    let (shell, _) = try opened { _ in }
    #expect(shell.run("plugin reload v").status == 0)
    end(shell)
    #expect(try opened { _ in }.1 == .init())
  }

  @Test func aPluginThatWasMovedIsTakenFromWhereItIsSaidToBe() throws {
    end(writer)
    let (folder, moved) = ("\(writer.folder)/v", "\(writer.folder)/moved")
    #expect(rename(folder, moved) == 0)
    let (shell, opened) = try opened { $0.pluginFolders = [moved] }
    #expect(
      opened
        == .init(errors: "note: v is no longer in \(folder) but in \(moved); `plugin reload v` has the file say so\n"))
    #expect(shell.session.loadPlugins() == 0)
    #expect(shell.run("show v.n --at 2", "show v.n") == .init(output: "3\n7\n"))
    #expect(shell.run("plugin reload v").status == 0)
    end(shell)
    #expect(try reopened().run("show v.n --at 2", "show v.n") == .init(output: "3\n7\n"))
  }

  @Test func aPluginThatIsGoneIsTakenByItsNameWhereThatIsTheSameCode() throws {
    end(writer)
    try writer.dropCode(from: store)
    #expect(rename("\(writer.folder)/v", "\(writer.folder)/moved") == 0)
    try writer.write("installed/v/plugin.json", try #require(writer.contents("moved/plugin.json")))
    for (code, isSame) in [(Self.code(2), false), (Self.code(), true)] {
      try writer.write("installed/v/init.lua", code)
      let (shell, opened) = try opened { $0.pluginSearchPath = ["\(writer.folder)/installed"] }
      #expect((opened.status == 0) == isSame, "\(opened)")
      #expect(opened.errors.contains("in \(writer.folder)/installed/v; ") == isSame)
      #expect(shell.run("show counter.value").output == "0\n")
    }
  }

  @Test func codeThatIsDamagedInTheFileIsToldOf() throws {
    end(writer)
    try writer.alter(store, "UPDATE code SET text = text || ' '")
    let folder = "\(writer.folder)/v"
    #expect(rename(folder, "\(writer.folder)/moved") == 0)
    let refused = try opened { _ in }.1.errors
    #expect(
      refused.contains("'v': there is no plugin folder '\(folder)', and its code in the file is damaged\n"),
      "\(refused)")
  }

  /// Makes the plugin one that cannot be brought back.
  enum Loss: CaseIterable {
    case gone, broken, switchedOff, ungranted, misfit
  }

  @Test(arguments: Loss.allCases)
  func aFileIsShownWithoutAPluginThatCannotBeBroughtBack(_ loss: Loss) throws {
    #expect(writer.run("dispatch counter.increment") == .init())
    end(writer)
    switch loss {
    case .gone:
      try writer.dropCode(from: store)
      #expect(rename("\(writer.folder)/v", "\(writer.folder)/moved") == 0)
    case .broken: _ = try writer.plugin("v", "return plugin {")
    case .switchedOff: break
    case .ungranted: _ = try writer.plugin("v", Self.code(), permissions: #"["timers"]"#)
    case .misfit: _ = try writer.plugin("v", Self.code(state: "field('n', text())"))
    }
    func shell() throws -> Shell {
      try Shell {
        $0.grants = loss == .ungranted ? [] : ["v"]
        $0.allowsPlugins = loss != .switchedOff
      }
    }
    let refused = try shell().openStore(store)
    #expect(refused.status == (loss == .misfit ? 1 : 4))
    #expect(
      refused.errors.hasSuffix("; to look at it without the plugin: stsh --store \(store) --read-only\n"), "\(refused)")
    let shell = try shell()
    shell.session.options.journal = JournalPlan(path: store, opening: .readOnly())
    let opened = shell.outcome { shell.session.openJournal() }
    #expect(opened.status == 0)
    #expect(opened.errors.contains("note: v is not loaded: "), "\(opened)")
    #expect(opened.errors.hasSuffix("; its state is shown as it was recorded\n"))
    #expect(shell.run("diff 2 3").errors == "")
    #expect(shell.run("show v.n", "show v.n --at 2").output == "7\n3\n")
    #expect(shell.run("why v.n").output == "#3 v.add by=4  <- -c:3\n  v.n  3 -> 7\n")
    #expect(shell.run("goto 2", "show v.n", "goto head", "show v.n").output.hasSuffix("\n3\nat head (#4)\n7\n"))
    #expect(shell.run("plugin list", "describe").output.contains("v        lua     "))
    #expect(shell.run("dispatch counter.increment").output.hasPrefix("#5 counter.increment\n"))
    #expect(shell.run("dispatch v.add by=1").errors.contains("unknown action 'v.add'"))
    #expect(shell.run("undo", "show v.n").errors.contains("after #4 the plugin 'v' ran code that is no longer there"))
    #expect(shell.run("export journal \(shell.folder)/x.jsonl").output.hasPrefix("wrote 5 actions "))
  }

  private func end(_ shell: Shell) { #expect(shell.outcome { shell.session.endJournal() } == .init()) }

  private static let note =
    "note: the code of v has changed since; new actions run the new code; `plugin reload v` has the file say so\n"

  private func reopened() throws -> Shell {
    let shell = try Shell { $0.grants = ["v"] }
    #expect([.init(), .init(errors: Self.note)].contains(shell.openStore(store)))
    return shell
  }

  /// Opens the file after an edit and walks it.
  @Test(arguments: [
    "-- a comment\n" + code(), code(10), code(arguments: "field('by', int()), field('times', int { default = 2 })"),
    code(arguments: "field('by', text { default = 'x' })"), code(arguments: "field('other', int())"),
    code(arguments: ""), code(state: "field('n', int { default = 5 })"),
  ])
  func allPointsCanBeWalked(edited: String) throws {
    end(writer)
    _ = try writer.plugin("v", edited)
    try writer.write("v/plugin.json", #"{"name":"v","version":"2.0.0","api":1,"permissions":[]}"#)
    for _ in 1...2 {
      let shell = try reopened()
      #expect(shell.run("show v.n --at 2", "show v.n --at 1", "show v.n") == .init(output: "3\n0\n7\n"))
      #expect(shell.run("diff 1 3") == .init(output: "v.n  0 -> 7\n"))
      #expect(shell.run("why v.n").output == "#3 v.add by=4  <- -c:3\n  v.n  3 -> 7\n")
      #expect(shell.run("why #2").output == "#2 v.add by=3  <- -c:2\n  v.n  0 -> 3\n")
      #expect(shell.run("log --action v.*").output.contains(" v.add by=3 "))
      #expect(shell.run("bisect state.v.n > 0").output == "#2 v.add by=3  <- -c:2\n")
      #expect(
        shell.run("goto 2", "show v", "plugin list", "goto head").output
          .contains("\nn  3\nname  version  origin"))
      #expect(shell.run("export journal \(shell.folder)/x.jsonl").output.hasPrefix("wrote 3 actions "))
      end(shell)
    }
    #expect(!Files.names(in: writer.folder).contains { $0.contains("before") })
    let shell = try reopened()
    #expect(shell.run("plugin list", "undo", "show v.n").output.hasSuffix("  v.n  7 -> 3\n3\n"))
    #expect(shell.run("undo --to 1", "redo", "show v.n").output.hasSuffix("\n3\n"))
    end(shell)
    #expect(try reopened().run("show v.n --at 3", "show v.n", "diff 2 4").output == "7\n3\nno change\n")
  }

  @Test func whatRunsAgainRunsTheCodeThatRan() throws {
    end(writer)
    _ = try writer.plugin("v", Self.code(10))
    let shell = try reopened()
    #expect(shell.run("skip #2", "show v.n", "goto head").output.contains("\n4\n"))
    #expect(shell.run("dispatch v.add --quiet", "dispatch v.add by=2 --quiet", "show v.n").output == "37\n")
    #expect(shell.run("skip #4", "show v.n", "goto head").output.contains("\n27\n"))
    #expect(shell.run("skip #2", "show v.n", "goto head").output.contains("\n34\n"))
    end(shell)
    let next = try reopened()
    #expect(next.run("skip #2", "show v.n", "goto head").output.contains("\n34\n"))
    #expect(next.run("skip #4", "show v.n", "goto head").output.contains("\n27\n"))
    // An edit is no action that undo could take back.
    #expect(next.run("undo --to 2", "dispatch v.add --quiet", "show v.n").output.hasSuffix("\n13\n"))
    #expect(next.run("skip #7", "show v.n", "goto head").output.contains("\n3\n"))
    #expect(next.run("skip #4", "show v.n").output.hasSuffix("\n13\n"))
    end(next)
    _ = try writer.plugin("v", Self.code())
    let last = try reopened()
    #expect(last.run("goto 2", "show v.n").output.hasSuffix("\n3\n"))
    #expect(last.run("goto 5", "skip #3", "show v.n").output.hasSuffix("\n33\n"))
  }

  @Test func skipRunsWhatWasUnloaded() throws {
    #expect(
      writer.run(
        "dispatch counter.increment", "plugin unload v", "dispatch counter.increment by=2", "dispatch counter.reset",
        "undo", "dispatch counter.increment by=4") == .init())
    end(writer)
    _ = try writer.plugin("v", Self.code(10))
    let shell = try reopened()
    #expect(shell.run("skip #4", "show counter.value").output.hasSuffix("\n6\n"))
    #expect(shell.run("goto head", "skip #5", "show v.n", "show counter.value").output.hasSuffix("\n7\n7\n"))
    #expect(shell.run("goto head", "skip #6", "show counter.value").output.hasSuffix("\n5\n"))
    #expect(shell.run("goto 3", "skip #3", "show v.n").output.hasSuffix("\n3\n"))
    #expect(shell.run("goto 4", "skip #2", "show v.n").output.hasSuffix("\n4\n"))
    #expect(shell.run("goto head", "skip #2", "show counter.value").output.hasSuffix("\n7\n"))
  }

  @Test func whatTheSameReducersAnswerIsDoneByTheCodeThatRan() throws {
    let reducing = """
      return plugin {
        state = { field('n', int()) }, actions = { { name = 'add', args = { field('by', int()) } } },
        reducers = { add = function(s, a) s.n = s.n + a.by end, ["counter.increment"] = function(s) s.n = s.n + 1 end },
      }
      """
    let permissions = #"["read:counter"]"#
    _ = try writer.plugin("v", reducing, permissions: permissions)
    #expect(
      writer.run("plugin reload v", "dispatch counter.increment", "dispatch counter.setStep to=2") == .init())
    end(writer)
    _ = try writer.plugin("v", "-- a comment\n" + reducing, permissions: permissions)
    let shell = try reopened()
    #expect(shell.run("skip #6", "show counter.step").output.hasSuffix("\n1\n"))
    #expect(shell.run("goto head", "skip #5", "show v.n").output.hasSuffix("\n7\n"))
    #expect(shell.run("goto head", "skip #4", "show v.n").output.hasSuffix("\n7\n"))
    #expect(shell.run("goto head", "skip #2", "show v.n").output.hasSuffix("\n5\n"))
  }

  /// Writes a second version, which counts tenfold, and ends.
  private func endWithTwoVersions(_ code: String = code(10)) throws {
    _ = try writer.plugin("v", code)
    #expect(writer.run("plugin reload v", "dispatch v.add") == .init())
    end(writer)
  }

  @Test func aReloadedVersionIsGoneBackTo() throws {
    try endWithTwoVersions()
    let shell = try reopened()
    #expect(shell.run("diff 3 5").output == "v.n  7 -> 17\n")
    #expect(shell.run("diff 1 2").output == "v.n  0 -> 3\n")
    let past = shell.run("goto 2", "show v", "describe v", "plugin list --as json", "goto head").output
    #expect(past.contains("\nn  3\n") && past.contains("  v.add by:Int=1\n"))
    #expect(past.contains(#""name":"v","version":"1.2.3""#))
    let path = "\(shell.folder)/x.jsonl"
    #expect(shell.run("export journal \(path)").errors == "")
    // The recording holds the code of each version, so any session runs each as it was.
    #expect(shell.run("replay \(path) --verify") == .init(output: "replayed 5 actions, every state matches\n"))
    #expect(try Shell().run("replay \(path)", "show v.n") == .init(output: "replayed 5 actions\n17\n"))
    #expect(shell.run("undo --to 2", "dispatch v.add --quiet", "show v.n").output.hasSuffix("\n4\n"))
    #expect(shell.run("undo --to 5", "dispatch v.add --quiet", "show v.n").output.hasSuffix("\n27\n"))
  }

  @Test func aVersionOfAnotherTypeIsGoneBackTo() throws {
    try endWithTwoVersions(Self.code(state: "field('n', int()), field('more', text { default = 'x' })"))
    let shell = try reopened()
    #expect(shell.run("goto 2", "show v", "plugin list", "goto head").output.contains("\nn  3\nname  version"))
    #expect(shell.run("diff 3 5").output == "v.n  7 -> 8\nv.more  + \"x\"\n")
    #expect(shell.run("why v.more").output.hasPrefix("#4 shell.reloadPlugin "))
    #expect(shell.run("skip #2", "show v.n", "show v.more", "goto head").output.contains("\n5\n\"x\"\n"))
    #expect(shell.run("undo --to 2", "dispatch v.add --quiet", "show v --as json").output.hasSuffix("{\"n\":4}\n"))
  }

  @Test func nothingIsLostWithTheFolder() throws {
    try endWithTwoVersions()
    let folder = "\(writer.folder)/v"
    #expect(rename(folder, "\(writer.folder)/away") == 0)
    for _ in 1...2 {
      let (shell, opened) = try opened { $0.isQuiet = true }
      #expect(opened == .init(errors: "note: v is no longer in \(folder); it runs as the file keeps it\n"))
      #expect(shell.run("dispatch v.add", "show v.n", "undo", "show v.n").output == "27\n17\n")
      #expect(shell.run("goto 2", "show v.n", "goto head").output.contains("\n3\n"))
      #expect(shell.run("skip #2", "show v.n", "goto head").output.contains("\n14\n"))
      #expect(shell.run("bisect state.v.n > 3").output.hasPrefix("#3 "))
      #expect(shell.run("undo --to 2", "dispatch v.add", "show v.n").output == "4\n")
      #expect(shell.run("undo --to 5", "show v.n").output == "17\n")
      #expect(shell.run("plugin reload v").errors.contains("there is no plugin folder '\(folder)'"))
      end(shell)
    }
    let reader = try Shell()
    reader.session.options.journal = JournalPlan(path: store, opening: .readOnly(upTo: 3))
    #expect(reader.outcome { reader.session.openJournal() }.errors.contains("it runs as the file keeps it\n"))
    #expect(reader.run("dispatch v.add --quiet", "show v.n").output == "8\n")
    // Back again and edited, it is what comes.
    #expect(rename("\(writer.folder)/away", folder) == 0)
    _ = try writer.plugin("v", Self.code(100))
    #expect(try reopened().run("dispatch v.add --quiet", "show v.n").output == "117\n")
  }

  @Test func whatNoFileKeepsIsMissing() throws {
    try endWithTwoVersions()
    try writer.dropCode(from: store)
    let shell = try reopened()
    let missing = "error[plugin-load]: after #2 the plugin 'v' ran code that is no longer there\n"
    #expect(shell.run("undo --to 2").errors.contains(missing))
    #expect(shell.run("skip #3").errors.contains(missing))
    #expect(shell.run("diff 1 3", "show v.n --at 2", "show v.n").output == "v  { n = 0 } -> { n = 7 }\n3\n17\n")
    #expect(shell.run("log --action v.*").output.contains(" v.add by=3 "))
    #expect(shell.run("skip #5", "show v.n", "goto head").output.contains("\n7\n"))
    #expect(shell.run("undo", "redo", "dispatch v.add --quiet", "show v.n").output.hasSuffix("\n27\n"))
    end(shell)
    // What runs is kept from now on.
    #expect(rename("\(writer.folder)/v", "\(writer.folder)/away") == 0)
    let (next, opened) = try opened { _ in }
    #expect(opened.errors.hasSuffix("; it runs as the file keeps it\n"))
    #expect(next.run("skip #5", "show v.n", "goto head").output.contains("\n17\n"))
    #expect(next.run("undo --to 2").errors.contains(missing))
  }

  @Test func codeThatIsNotWhatWasWrittenIsMissing() throws {
    try endWithTwoVersions()
    try writer.alter(store, "UPDATE code SET text = text || '--' WHERE path = 'init.lua'")
    let shell = try reopened()
    let missing = "error[plugin-load]: after #2 the plugin 'v' ran code that is no longer there\n"
    #expect(shell.run("undo --to 2").errors.contains(missing))
    #expect(shell.run("skip #3").errors.contains(missing))
    #expect(shell.run("show v.n --at 2", "show v.n").output == "3\n17\n")
  }

  /// Points of such a file are walked through as far as nothing has to run.
  @Test func whatIsMissingIsShown() throws {
    end(writer)
    try writer.dropCode(from: store)
    _ = try writer.plugin("v", Self.code(10))
    let shell = try reopened()
    #expect(shell.run("show v.n --at 2", "show v.n --at 1", "show v.n") == .init(output: "3\n0\n7\n"))
    #expect(shell.run("diff 1 3") == .init(output: "v.n  0 -> 7\n"))
    #expect(shell.run("why v.n").output == "#3 v.add by=4  <- -c:3\n  v.n  3 -> 7\n")
    #expect(shell.run("bisect state.v.n > 0").output == "#2 v.add by=3  <- -c:2\n")
    #expect(shell.run("goto 2", "plugin list", "goto head").output.contains("not loaded"))
    #expect(shell.run("export journal \(shell.folder)/x.jsonl").output.hasPrefix("wrote 3 actions "))
    #expect(shell.run("undo").errors.contains("after #2 the plugin 'v' ran code that is no longer there"))
  }
}
