import Foundation
import StandardModules
import StoreCore
@testable import StoreHost
import StoreModules
import StoreSchema
@testable import StoreShell
import Testing

/// What several people do with the state of plugins: ids are given once, lists without ids, money, and tasks that belong to somebody.
@Suite struct SharedPluginTests {
  typealias Host = SharedStoreTests.Host

  static let shop = """
    return plugin {
      state = {
        field("next", int { min = 1, default = 1, sequence = true }),
        field("orders", map(record("Order", { field("id", int()), field("due", number()) }))),
        field("plans", map(record("Plan", { field("due", number()), field("note", text()) }))),
        field("list", list(int())), field("cash", decimal { scale = 2 }), field("done", int()),
      },
      actions = {
        { name = "new" }, { name = "due", args = { field("id", int()), field("seconds", number()) } },
        { name = "expire", args = { field("key", text()) } },
        { name = "plan", args = { field("key", text()), field("seconds", number()) } },
        { name = "note", args = { field("key", text()), field("note", text()) } },
        { name = "go", args = { field("key", text()) } },
        { name = "append", args = { field("n", int()) } },
        { name = "insert", args = { field("at", int()), field("n", int()) } },
        { name = "remove", args = { field("at", int()) } },
        { name = "set", args = { field("at", int()), field("n", int()) } },
        { name = "take", args = { field("sum", decimal { scale = 2 }) } },
      },
      reducers = {
        new = function(s) s.orders["o" .. s.next] = { id = s.next, due = 0 } s.next = s.next + 1 end,
        due = function(s, a, m) s.orders["o" .. a.id].due = m.at + a.seconds end,
        expire = function(s, a) if not s.orders[a.key] then refuse("no order") end s.orders[a.key] = nil s.done = s.done + 1 end,
        plan = function(s, a, m) s.plans[a.key] = { due = m.at + a.seconds, note = "" } end,
        note = function(s, a) s.plans[a.key].note = a.note end,
        go = function(s, a) if not s.plans[a.key] then refuse("no plan") end s.plans[a.key] = nil s.done = s.done + 1 end,
        append = function(s, a) s.list[#s.list + 1] = a.n end,
        insert = function(s, a) table.insert(s.list, a.at, a.n) end,
        remove = function(s, a) if not s.list[a.at] then refuse("nothing there") end table.remove(s.list, a.at) end,
        set = function(s, a) if not s.list[a.at] then refuse("nothing there") end s.list[a.at] = a.n end,
        take = function(s, a) s.cash = s.cash + a.sum end,
      },
      middleware = {
        { name = "timer", supervise = { over = "plans", at = "due", task = function(task, key) task:dispatch("shop.go", { key = key }) end } },
        { name = "watchdog", supervise = function(state)
            local keys = {}
            for key, order in pairs(state.shop.orders) do
              local due = order.due
              if due > 0 then
                keys[key .. "@" .. due] = function(task) task:sleep_until(due) task:dispatch("shop.expire", { key = key }) end
              end
            end
            return keys
          end },
      },
    }
    """

  /// A folder with the plugin and the file of a store.
  final class Place {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stsh-shared-\(UUID().uuidString)").path

    init() throws {
      try FileManager.default.createDirectory(atPath: "\(folder)/shop", withIntermediateDirectories: true)
      try write("0.1.0", SharedPluginTests.shop)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func write(_ version: String, _ lua: String) throws {
      let manifest = #"{ "name": "shop", "version": "\#(version)", "api": 1, "permissions": ["timers"] }"#
      try manifest.write(toFile: "\(folder)/shop/plugin.json", atomically: false, encoding: .utf8)
      try lua.write(toFile: "\(folder)/shop/init.lua", atomically: false, encoding: .utf8)
    }

    /// Opens the store of the file; it is closed once nobody has it.
    func open(_ clock: VirtualClock = VirtualClock()) throws -> Host {
      try Host(
        Application(initial: StandardState(), reducer: StandardState.reducer), clock: clock, program: "stsh",
        journal: JournalPlan(path: "\(folder)/shop.db"), grants: ["shop"])
    }

    func come(_ host: Host, _ who: String) throws -> Conversation {
      let conversation = try Conversation(with: host, who: who)
      conversation.session.options.grants = ["shop"]
      return conversation
    }
  }

  /// Who else was at a store before it was opened is not known, and so what a sequence gave out then stays given out.
  @Test func sequencesDoNotFallBehindAnOpening() throws {
    let place = try Place()
    do {
      let host = try place.open()
      try place.come(host, "ann").say("dispatch tasks.add milk --quiet")
      try host.close()
    }
    let host = try place.open()
    let ann = try place.come(host, "ann")
    #expect(ann.say("undo").errors == "")
    #expect(host.store.state.tasks.items.isEmpty && host.store.state.tasks.nextId == 2)
    // What it gives out from then on, alone, goes back.
    ann.say("dispatch tasks.add bread --quiet", "undo --quiet")
    #expect(host.store.state.tasks.nextId == 2)
  }

  /// One undo after the other looks at all that went, and not at what it takes back alone.
  @Test func sequencesDoNotFallWithALaterUndo() throws {
    let place = try Place()
    do {
      let host = try place.open()
      try place.come(host, "ann").say("dispatch tasks.add milk --quiet")
      try host.close()
    }
    let host = try place.open()
    let ann = try place.come(host, "ann")
    ann.say("dispatch counter.increment --quiet", "undo #1 --quiet")
    #expect(host.store.state.tasks.items.isEmpty && host.store.state.tasks.nextId == 2)
    #expect(ann.say("undo #2").output.contains("takes back #2 counter.increment"))
    #expect(host.store.state.tasks.nextId == 2)
    try host.close()
  }

  /// A plugin that goes and comes again, at once or by undo, gives out no id a second time.
  @Test func sequencesOutliveTheirPlugins() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let (ann, bob) = (try place.come(host, "ann"), try place.come(host, "bob"))
    func next() -> String { ann.say("show shop.next").output }
    ann.say("plugin load \(place.folder)/shop")
    bob.say("dispatch shop.new --quiet", "dispatch shop.new --quiet")
    ann.say("plugin unload shop", "plugin load \(place.folder)/shop")
    #expect(next() == "3\n")
    bob.say("dispatch shop.new --quiet")
    ann.say("undo --to 0 --quiet", "plugin load \(place.folder)/shop")
    #expect(next() == "4\n")
    ann.say("plugin reload shop --reset")
    #expect(next() == "4\n")
    let recording = "\(place.folder)/run.jsonl"
    #expect(ann.say("export journal \(recording)", "replay \(recording) --verify").errors == "")
  }

  /// A `migrate` may neither lower a sequence nor lose it, and the way back keeps what was given out meanwhile.
  @Test func sequencesOutliveTheMigrationOfTheirPlugins() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let (ann, bob) = (try place.come(host, "ann"), try place.come(host, "bob"))
    ann.say("plugin load \(place.folder)/shop")
    bob.say("dispatch shop.new --quiet", "dispatch shop.new --quiet")
    try place.write(
      "0.2.0",
      Self.shop.replacing(
        "actions = {", with: "migrate = function(old) old.next = 1 return old end, actions = {", maxReplacements: 1))
    #expect(ann.say("plugin reload shop").errors == "")
    #expect(ann.say("show shop.next").output == "3\n")
    let renamed = Self.shop.replacing("field(\"next\"", with: "field(\"nextId\"").replacing("s.next", with: "s.nextId")
    try place.write(
      "0.3.0",
      renamed.replacing(
        "actions = {", with: "migrate = function(old) old.next, old.nextId = nil, 1 return old end, actions = {",
        maxReplacements: 1))
    #expect(ann.say("plugin reload shop").errors == "")
    #expect(ann.say("show shop.nextId").output == "3\n")
    bob.say("dispatch shop.new --quiet", "undo --quiet")
    #expect(ann.say("undo --any", "show shop.next").output.hasSuffix("4\n"))
    #expect(ann.say("export journal \(place.folder)/run.jsonl").errors == "")
  }

  /// In a list without ids an index is no identity: what another did to an element behind one that came or went is a conflict.
  @Test func elementsWithoutIDsAreNoOthers() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let (ann, bob) = (try place.come(host, "ann"), try place.come(host, "bob"))
    ann.say("plugin load \(place.folder)/shop")
    func list(_ numbers: String) -> String { "shop.list = \(numbers)" }
    bob.say("lua for i, n in ipairs({ 7, 10, 11, 12 }) do dispatch('shop.insert', { at = i, n = n }) end")
    ann.say("dispatch shop.insert 1 5 --quiet")
    bob.say("dispatch shop.remove 1 --quiet")
    let removal = ann.say("undo").errors
    #expect(
      removal.contains("shop.remove at=1 by bob")
        && removal.contains("would remove 7 at shop.list[1], not 5, without it"), "\(removal)")
    #expect(ann.say("= #state.shop.list").output == "4\n")
    ann.say("dispatch shop.remove 1 --quiet")
    bob.say("dispatch shop.set 2 99 --quiet")
    let setting = ann.say("undo").errors
    #expect(
      setting.contains("shop.set at=2 n=99 by bob")
        && setting.contains("would change 10 at shop.list[2], not 11, without it"), "\(setting)")
    // An element before is the same.
    ann.say("dispatch shop.insert 3 8 --quiet")
    bob.say("dispatch shop.set 1 6 --quiet")
    #expect(ann.say("undo").errors == "")
    #expect(ann.say("= table.concat(state.shop.list, ' ')").output == "\"6 99 12\"\n")
  }

  /// Money is a number: what another took besides stays taken.
  @Test func decimalsAreNumbers() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let (ann, bob) = (try place.come(host, "ann"), try place.come(host, "bob"))
    ann.say("plugin load \(place.folder)/shop", "dispatch shop.take 10.50 --quiet")
    bob.say("dispatch shop.take 4.25 --quiet")
    #expect(ann.say("undo").errors == "")
    #expect(ann.say("show shop.cash").output == "4.25\n")
  }

  /// An action that waits in the queue while its plugin is reloaded is done as the plugin declares it by then, or refused.
  @Test func actionsInTheQueueOutliveAReload() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let ann = try place.come(host, "ann")
    func box(_ rest: String) -> String { "return plugin { state = { field('n', int()) }, \(rest) }" }
    func going(_ arguments: String, by step: Int) -> String {
      box(
        "actions = { { name = 'go', args = { \(arguments) } } }, reducers = { go = function(s) s.n = s.n + \(step) end }"
      )
    }
    try place.write("0.1.0", going("", by: 1))
    ann.say("plugin load \(place.folder)/shop")
    let live = host.live
    let early = try live.action(ActionCall(try #require(live.action(named: "shop.go")), []))
    live.observe { [unowned live] recorded in
      guard recorded.call.type === ShellAction.Types.reloadPlugin else { return }
      live.store.dispatch(early, source: .here())
    }
    try place.write("0.2.0", going("", by: 10))
    #expect(ann.say("plugin reload shop", "show shop.n").output.hasSuffix("\n10\n"))
    // One that lacks an argument, and one that is gone.
    for (version, code) in [("0.3.0", going("field('k', int())", by: 10)), ("0.4.0", box(""))] {
      try place.write(version, code)
      ann.say("plugin reload shop")
      #expect(live.recent().last?.failure == "plugin-off", "\(live.recent())")
      #expect(ann.say("show shop.n").output == "10\n")
    }
  }

  /// A task's action belongs to whoever set when it is due, whatever started its middleware anew.
  @Test(arguments: [
    "plugin reload shop",
    "middleware off shop.timer; middleware on shop.timer; middleware off shop.watchdog; middleware on shop.watchdog",
    "",
  ])
  func tasksBelongToWhoSetThem(_ between: String) throws {
    let place = try Place()
    let clock = VirtualClock()
    var host = try place.open(clock)
    var (ann, bob) = (try place.come(host, "ann"), try place.come(host, "bob"))
    ann.say("plugin load \(place.folder)/shop", "dispatch shop.new --quiet", "dispatch shop.plan a 10 --quiet")
    ann.say("dispatch shop.due 1 20 --quiet")
    bob.say("dispatch shop.note a later --quiet", "dispatch counter.increment --quiet")
    var live = clock
    if between.isEmpty {
      try host.close()
      live = VirtualClock()
      host = try place.open(live)
      (ann, bob) = (try place.come(host, "ann"), try place.come(host, "bob"))
    } else {
      for line in between.split(separator: "; ") { #expect(bob.say(String(line)).errors == "") }
    }
    live.advance(by: .seconds(30))
    #expect(ann.say("show shop.done").output == "2\n")
    let causes = ann.say("log").output
    for (action, cause) in [("shop.go", 3), ("shop.expire", 4)] {
      let entry = try #require(host.live.history.log.entries.first { $0.action == action }, "\(causes)")
      #expect(entry.source.cause == cause, "\(action): \(causes)")
    }
    #expect(ann.say("why shop.done").output.contains("caused by #4 shop.due"))
    // They go with what set them, and not with what started their middlewares anew.
    #expect(bob.say("undo").errors.isEmpty == between.isEmpty)
    #expect(bob.say("show shop.done").output == "2\n")
    #expect(ann.say("undo").errors == "")
    #expect(ann.say("show shop.done").output == "1\n")
  }
}
