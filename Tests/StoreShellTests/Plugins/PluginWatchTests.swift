import Glibc
import ShellLanguage
import StoreCore
import StoreModules
import StorePlugins
import Testing

@testable import StoreShell

/// `set plugin.watch on`: what is saved is reloaded, however it is saved, and a mistake ends nothing.
@Suite struct PluginWatchTests {
  private let shell: Shell

  init() throws {
    shell = try Shell { $0.grants = ["p", "q"] }
    try write()
    _ = try shell.type("plugin load \(shell.folder)/p", "set plugin.watch on")
  }

  private static func text(_ by: String) -> String {
    """
    return plugin {
      state = { field("n", int()) }, actions = { { name = "add" } },
      reducers = { add = function(s) s.n = s.n + \(by) end },
    }
    """
  }

  private func write(_ by: String = "1", as name: String = "init.lua") throws {
    try shell.write("p/plugin.json", #"{"name":"p","version":"1.0.0","api":1}"#)
    try shell.write("p/\(name)", Self.text(by))
  }

  private static func reloaded(_ number: Int) -> String {
    "[plugin.watch] #\(number) shell.reloadPlugin name=\"p\" version=\"1.0.0\"\n[plugin.watch]  state kept\n"
  }

  private static let add = "dispatch p.add"

  @Test func theSettingIsJournaledAndListed() throws {
    #expect(try shell.type("set plugin.watch off").output == "#3 shell.set name=\"plugin.watch\" value=\"off\"\n")
    #expect(try shell.type("set").output.contains("\nplugin.watch                 off            repl:"))
    #expect(try shell.type("set plugin.watch on", "set plugin.watch").output.hasSuffix("\n\"on\"\n"))
    #expect(try shell.type("set plugin.watch perhaps").errors.hasPrefix("error[type-mismatch]"))
  }

  @Test func whatIsSavedIsReloadedBeforeTheNextStatement() throws {
    #expect(try shell.type(Self.add) == .init(output: "#3 p.add\n  p.n  0 -> 1\n"))
    try write("10")
    #expect(
      try shell.type(Self.add) == .init(output: "#5 p.add\n  p.n  1 -> 11\n", errors: Self.reloaded(4)))
    let entry = try #require(shell.session.store.live.recent(4))
    #expect(entry.source.short == "plugin:p/watch")
    #expect(entry.digest != nil)
    // Once, and not for the same text again.
    try write("10")
    #expect(try shell.type(Self.add).errors == "")
  }

  /// A command that waited while its plugin was reloaded dispatches the actions of the edited version.
  @Test func whatAnEarlierVersionDispatches() throws {
    let add = try #require(shell.session.store.live.action(named: "p.add"))
    let source = ActionSource(file: "t", function: "f", line: 1)
    try write("10")
    #expect(try shell.type("plugin reload p").status == 0)
    try shell.session.dispatch(ActionCall(add, []), source: source)
    #expect(try shell.type("show p.n").output == "10\n")
    #expect(try shell.type("plugin unload p").status == 0)
    #expect(throws: ShellError.self) { try shell.session.dispatch(ActionCall(add, []), source: source) }
  }

  @Test func editorsThatSaveByRenaming() throws {
    try write("10", as: "init.lua.tmp")
    #expect(try shell.type("echo").errors == "")
    #expect(rename("\(shell.folder)/p/init.lua.tmp", "\(shell.folder)/p/init.lua") == 0)
    #expect(try shell.type(Self.add).output.contains("p.n  0 -> 10\n"))
    // The old file moves away first.
    #expect(rename("\(shell.folder)/p/init.lua", "\(shell.folder)/p/init.lua~") == 0)
    #expect(try shell.type(Self.add) == .init(output: "#5 p.add\n  p.n  10 -> 20\n"))
    try write("100")
    #expect(try shell.type(Self.add).output.contains("p.n  20 -> 120\n"))
  }

  @Test func aFolderThatIsReplacedAsAWhole() throws {
    try shell.write("new/plugin.json", #"{"name":"p","version":"2.0.0","api":1}"#)
    try shell.write("new/init.lua", Self.text("10"))
    #expect(rename("\(shell.folder)/p", "\(shell.folder)/old") == 0)
    #expect(rename("\(shell.folder)/new", "\(shell.folder)/p") == 0)
    #expect(try shell.type(Self.add).errors.contains("version=\"2.0.0\""))
    try shell.write("p/init.lua", Self.text("20"))
    #expect(try shell.type(Self.add).output.contains("p.n  10 -> 30\n"))
  }

  /// An editor that saves slowly is waited for; then it is said, once.
  @Test func aFolderThatIsGone() throws {
    #expect(rename("\(shell.folder)/p", "\(shell.folder)/away") == 0)
    var errors = ""
    let end = ContinuousClock.now + .seconds(60)
    while errors.isEmpty, .now < end { errors = try shell.type("echo").errors }
    #expect(
      errors == """
        error[plugin-load]: p: \(shell.folder)/p has no plugin.json and init.lua any more
          hint: the version that was loaded is still active; it is reloaded once they are back

        """)
    #expect(try shell.type(Self.add) == .init(output: "#3 p.add\n  p.n  0 -> 1\n"))
    #expect(rename("\(shell.folder)/away", "\(shell.folder)/p") == 0)
    #expect(try shell.type("echo").errors == "")
    try write("10")
    #expect(try shell.type(Self.add).output.contains("p.n  1 -> 11\n"))
  }

  @Test func libCounts() throws {
    try shell.write("p/init.lua", Self.text("require('lib.deep.by')"))
    try shell.write("p/lib/deep/by.lua", "return 10")
    _ = try shell.type("echo")
    #expect(try shell.type(Self.add).output.contains("p.n  0 -> 10\n"))
    try shell.write("p/lib/deep/by.lua", "return 20")
    #expect(try shell.type(Self.add).output.contains("p.n  10 -> 30\n"))
    try shell.write("p/lib/deep/by.lua", "return 20 +")
    // A mistake there shows when it is saved, not when the file is needed.
    #expect(
      try shell.type(Self.add)
        == .init(
          output: "#7 p.add\n  p.n  30 -> 50\n",
          errors: """
            error[plugin-load]: p: \(shell.folder)/p/lib/deep/by.lua:1: unexpected symbol near <eof>
              hint: the previous version is still active

            """))
  }

  /// Row 13 of what users of such tools ask for: a bad edit does not end the loop.
  @Test func aMistakeIsPrintedAndTheNextSaveCounts() throws {
    try write("10 +")
    let outcome = try shell.type(Self.add)
    #expect(outcome.output == "#3 p.add\n  p.n  0 -> 1\n")
    #expect(
      outcome.errors == """
        error[plugin-load]: p: \(shell.folder)/p/init.lua:3: unexpected symbol near 'end'
          hint: the previous version is still active

        """)
    #expect(outcome.status == 0)
    #expect(try shell.type(Self.add).errors == "")
    #expect(try shell.type("plugin list --as raw").output.contains("\treload failed\t"))
    try write("20")
    #expect(try shell.type(Self.add).output.contains("p.n  2 -> 22\n"))
    try shell.write("p/plugin.json", "{")
    #expect(try shell.type(Self.add).errors.hasPrefix("error[plugin-load]: \(shell.folder)/p/plugin.json"))
    try write("30")
    #expect(try shell.type(Self.add).output.contains("p.n  42 -> 72\n"))
  }

  @Test func backToTheVersionThatRuns() throws {
    try write("10 +")
    _ = try shell.type("echo")
    try write("1")
    // It failed in between, so it is said that all is well again.
    #expect(try shell.type(Self.add).errors == Self.reloaded(3))
  }

  @Test func permissionsAreNotAskedForByThemselves() throws {
    shell.session.options.grants = []
    shell.session.ask = { _ in "y" }
    try shell.write("p/plugin.json", #"{"name":"p","version":"1.0.0","api":1,"permissions":["timers"]}"#)
    #expect(try shell.type("echo").errors.hasPrefix("error[plugin-grant]: p asks for timers; not granted\n"))
    #expect(try shell.type("plugin reload p").output.hasSuffix("\n  state kept\n"))
    #expect(try shell.type("echo").errors == "")
  }

  @Test func onlyWhatIsLoadedAndOnlyWhileItIsOn() throws {
    let q = try shell.plugin("q", "return plugin { actions = { { name = 'go' } } }")
    #expect(try shell.type("plugin load \(q)").status == 0)
    _ = try shell.plugin("q", "return plugin { actions = { { name = 'gone' } } }")
    try write("10")
    #expect(try shell.type("echo").errors.split(separator: "\n").count == 4)
    _ = try shell.type("plugin unload q")
    _ = try shell.plugin("q", "return plugin {")
    #expect(try shell.type("echo", "echo").errors == "")
    _ = try shell.type("set plugin.watch off")
    try write("100")
    #expect(try shell.type(Self.add).errors == "")
    // What was saved meanwhile is not what the watch begins with: the next save is.
    _ = try shell.type("set plugin.watch on")
    #expect(try shell.type(Self.add).errors == "")
    try write("1000")
    #expect(try shell.type(Self.add).errors.hasPrefix("[plugin.watch] #"))
  }

  @Test func eventsInJSON() throws {
    shell.session.options.isJSON = true
    try write("10")
    #expect(
      try shell.type("echo").output.hasPrefix(
        #"{"event":"reload","id":3,"plugin":"p","version":"1.0.0","details":["state kept"]}"# + "\n"))
  }

  @Test func whatIsSavedTogetherCountsOnce() throws {
    let watch = PluginWatch()
    let source = try PluginSource(folder: "\(shell.folder)/p")
    watch.follow([source])
    #expect(watch.untilReady == nil)
    try write("10")
    try write("20")
    #expect(watch.take(after: .seconds(600)) == [])
    #expect(try #require(watch.untilReady) <= PluginWatch.pause)
    try write("30")
    #expect(watch.take(after: .zero) == [.saved(source.folder)])
    #expect(watch.take(after: .zero) == [])
    #expect(watch.untilReady == nil)
    var poll = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(Glibc.poll(&poll, 1, 0) == 0)
    try write("40")
    #expect(Glibc.poll(&poll, 1, 0) == 1)
  }

  /// What was saved while the plugin was away is looked at when it comes back; what an undo chose is not.
  @Test func whatIsSavedWhileAPluginIsAway() throws {
    #expect(try shell.type("plugin unload p").status == 0)
    try write("10")
    #expect(try shell.type("undo", Self.add).errors == Self.reloaded(5))
    #expect(try shell.type("show p.n").output == "10\n")
    // The code that was loaded is not the one that is there, which somebody wanted.
    _ = try shell.type("undo --to 2")
    #expect(try shell.type("plugin unload p", "undo", Self.add).errors == "")
  }
}
