import Glibc
import LogSupport
import StandardModules
import StoreCore
import StoreHistory
@testable import StoreHost
import StoreModules
import StorePlugins
import StoreReplication
@testable import StoreShell
import Testing

/// A store whose order is that of a log, among others that follow it: over a log in memory, which delays, refuses and loses by seeds.
@Suite("A store that shares a log", .serialized) struct SharedLogTests {
  private typealias Host = StoreHost<StandardAction, StandardState>

  /// A log that goes on by a thread of its own.
  private final class World: Sendable {
    let memory: MemoryLog
    private let isOver = Lock(false)
    /// True while nothing arrives anywhere.
    let stands = Lock(false)

    init(seed: UInt64, faultRate: Int = 0, reach: UInt64? = nil) throws {
      memory = MemoryLog(order: RecordedOrder(seed: seed), faultRate: faultRate, reach: reach)
      try WorkerThread { [memory, isOver, stands] in
        while !isOver.withLock({ $0 }) { if stands.withLock({ $0 }) || !memory.step() { usleep(100) } }
      }.detach()
    }

    deinit { isOver.withLock { $0 = true } }
  }

  /// The source of a plugin that no folder has.
  private static func plugin(_ name: String, _ code: String, _ more: String = "") throws -> PluginSource {
    let manifest = #"{ "name": "\#(name)", "version": "0.1.0", "api": 1\#(more) }"#
    return try PluginSource(
      kept: [("plugin.json", Array(manifest.utf8)), ("init.lua", Array(code.utf8))], of: "/nowhere/\(name)",
      displayedAs: name)
  }

  /// A node with a session.
  private struct Node {
    let host: Host
    let conversation: Conversation
    let node: StoreNode

    init(
      _ name: String, in world: World, reducer: Reducer<StandardAction, StandardState> = StandardState.reducer,
      leastUnsaved: Int = StoreNode.leastUnsaved, keptIn file: String? = nil, grants: Bool = false
    ) throws {
      host = try Host(
        alone: Application(initial: StandardState(), reducer: reducer), clock: RealClock(), program: "stsh")
      conversation = try Conversation(with: host, who: name)
      let timing = ReplicaTiming(answer: .milliseconds(20), turn: .microseconds(200), timeToLive: .milliseconds(600))
      if grants { conversation.session.options.grants = ["box"] }
      node = try host.live.join(
        world.memory.end(), as: name, keptIn: file, timing: timing, leastUnsaved: leastUnsaved,
        isGranted: { grants || $0.manifest.permissions.isEmpty })
      let node = node
      try #require(SharedLogTests.eventually { node.replica?.link == .current })
    }

    /// Has this node all that the log holds.
    func synchronize() throws { try node.synchronize(atMost: .seconds(60), endedBy: Interruption()) }

    var entries: [LoggedEntry] { host.live.recent() }
  }

  private static func eventually(_ holds: () -> Bool) -> Bool {
    for _ in 0..<30_000 where !holds() { usleep(2_000) }
    return holds()
  }

  /// All nodes have one state and one history, of which those that started from a snapshot or a file have the end.
  private static func expectAlike(_ nodes: [Node]) throws {
    let (first, rest) = (nodes[0], nodes.dropFirst())
    try first.synchronize()
    for node in rest {
      #expect(eventually { node.host.live.head == first.host.live.head })
      // Memory may have the end of it alone.
      let count = min(node.entries.count, first.entries.count)
      #expect(node.entries.suffix(count) == first.entries.suffix(count))
      #expect(node.host.store.state == first.host.store.state)
      #expect(node.node.replica?.position.digest == first.node.replica?.position.digest)
      #expect(node.node.replica?.stopped == nil)
    }
  }

  @Test func `What one dispatches the others have, and go back in`() throws {
    let world = try World(seed: 1)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let added = one.conversation.say("dispatch tasks.add milk", "dispatch counter.increment --quiet")
    #expect(added.output.hasPrefix("#1 tasks.add"), "\(added)")
    try two.synchronize()
    let shown = two.conversation.say("show tasks.items[1].title", "dispatch tasks.add bread --quiet", "log 1")
    #expect(shown.output.hasPrefix("\"milk\"\n") && shown.output.contains("#3 "), "\(shown)")
    let undone = two.conversation.say("undo")
    #expect(undone.output.hasPrefix("#4 shell.restore"), "\(undone)")
    try one.synchronize()
    #expect(one.host.store.state.tasks.items.count == 1)
    #expect(one.conversation.say("undo").output.hasPrefix("#5 shell.restore"))
    #expect(one.conversation.say("redo").output.hasPrefix("#6 shell.restore"))
    try Self.expectAlike([one, two])
    // A late one comes to the same by itself.
    try Self.expectAlike([one, try Node("late", in: world)])
  }

  @Test(arguments: 1...4) func `Nodes that act at once, with faults between them, come to one history`(seed: Int) throws
  {
    let world = try World(seed: UInt64(seed), faultRate: 30)
    let nodes = try ["one", "two", "three"].map { try Node($0, in: world) }
    let acknowledged = Lock(0)
    let done = Lock(0)
    for (index, node) in nodes.enumerated() {
      let (live, host) = (node.host.live, node.host)
      try WorkerThread {
        for round in 0..<20 {
          // A line that is refused has done nothing; one whose outcome is unknown may have.
          let result = live.turn {
            live.dispatch(
              live.typed(ActionCall(live.actionsByName["counter.increment"]!, [.int(1)])),
              .here(info: "\(index).\(round)"))
          }
          if result.failure == nil, result.number != nil { acknowledged.withLock { $0 += 1 } }
        }
        done.withLock { $0 += 1 }
        withExtendedLifetime(host) {}
      }.detach()
    }
    #expect(Self.eventually { done.withLock { $0 } == nodes.count })
    world.memory.heal()
    #expect(Self.eventually { nodes.allSatisfy { $0.node.replica?.link == .current } })
    try Self.expectAlike(nodes)
    let entries = nodes[0].entries
    #expect(entries.count >= acknowledged.withLock { $0 })
    #expect(Set(entries.map { $0.source.info }).count == entries.count, "an action is in the log twice")
    #expect(nodes[0].host.store.state.counter.value == entries.count)
  }

  @Test func `A late node starts from a snapshot, with its plugins, and follows where others go back behind it`() throws
  {
    let world = try World(seed: 6, reach: 1)
    let one = try Node("one", in: world, leastUnsaved: 4_000)
    _ = try one.host.live.load(budget, from: .here())
    #expect(one.conversation.say("dispatch budget.spend 3 --quiet", "plugin unload budget").status == 0)
    #expect(one.conversation.say("undo --to 2 > /dev/null", "dispatch tasks.add milk --quiet").status == 0)
    let counted = one.conversation.say("lua for i = 1, 60 do dispatch('counter.increment') end")
    #expect(counted.status == 0, "\(counted)")
    let log = world.memory.end()
    #expect(Self.eventually { (try? log.kept(as: "snapshot")) ?? nil != nil && world.memory.first > 1 })
    let late = try Node("late", in: world)
    let start = late.host.live.oldest
    #expect(start > 5)
    try Self.expectAlike([one, late])
    #expect(late.conversation.say("show budget.left", "dispatch budget.spend 1 --quiet").output == "7\n")
    let none = late.conversation.say("undo --to 1")
    #expect(none.status != 0, "\(none)")
    // The plugin was loaded by an action that the late node does not know.
    try one.synchronize()
    for target in [1, 4, 5] {
      let back = one.conversation.say("undo --to \(target) --any > /dev/null")
      #expect(back.status == 0, "\(back)")
      try late.synchronize()
      try Self.expectAlike([one, late])
    }
    #expect(late.conversation.say("show budget.left").output == "7\n")
    #expect(late.host.live.oldest == start)
  }

  @Test(arguments: 1...3) func `Nodes behind which the log is cut begin anew from a snapshot`(seed: Int) throws {
    let world = try World(seed: UInt64(seed), faultRate: 80, reach: 1)
    let nodes = try ["one", "two", "three"].map { try Node($0, in: world, leastUnsaved: 400) }
    for _ in 0..<40 {
      for node in nodes { node.conversation.say("try dispatch counter.increment --quiet") }
    }
    world.memory.heal()
    #expect(Self.eventually { nodes.allSatisfy { $0.node.replica?.link == .current } })
    try Self.expectAlike(nodes)
    #expect(nodes[0].host.store.state.counter.value == nodes[0].host.live.head)
    #expect(world.memory.first > 1)
  }

  @Test func `An action that is larger than a message goes by the log's second way`() throws {
    let world = try World(seed: 7)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let added = one.conversation.say("lua dispatch('tasks.add', { title = string.rep('milk', 200000) })")
    #expect(added.status == 0, "\(added.errors)")
    try two.synchronize()
    #expect(two.host.store.state.tasks.items.first?.title.utf8.count == 800_000)
    #expect(world.memory.records.allSatisfy { $0.count < 2_000 })
    try Self.expectAlike([one, two])
  }

  /// Many actions are attempted before the first is committed.
  @Test func `The end of a middleware has what its beginning left`() throws {
    let world = try World(seed: 11)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let folder = try Self.makeFolder()
    defer { unlink("\(folder)/steps.jsonl"); rmdir(folder) }
    let file = try #require(fopen("\(folder)/steps.jsonl", "w"))
    fputs((1...600).map { "{\"by\": \($0)}\n" }.joined(), file)
    fclose(file)
    let source = try Self.plugin(
      "ends",
      """
      return plugin {
        state = { field("n", int()), field("wrong", int()) },
        actions = { { name = "go", args = { field("by", int()) } },
          { name = "note", args = { field("right", bool()) } } },
        reducers = { note = function(s, a)
          if a.right then s.n = s.n + 1 else s.wrong = s.wrong + 1 end
        end },
        middleware = { { name = "m", on = { "go" },
          before = function(action) return { action.args.by } end,
          after = function(action, ctx, was)
            ctx:dispatch("note", { right = was ~= nil and was[1] == action.args.by })
          end } },
      }
      """)
    _ = try one.host.live.load(source, from: .here())
    let outcome = one.conversation.say("ingest \(folder)/steps.jsonl --as ends.go", "wait synced")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(Self.eventually { one.conversation.say("= state.ends.n").output.contains("600") })
    #expect(one.conversation.say("= state.ends.wrong").output.hasPrefix("0"))
    // It goes and comes back with all that it caused, which stands behind many of its actions.
    let head = one.host.live.head
    #expect(head == 1_201)
    let undone = one.conversation.say("undo", "= state.ends.n").output
    #expect(
      undone.contains("(takes back ingest \(folder)/steps.jsonl: #2-#\(head))") && undone.hasSuffix("\n0\n"),
      "\(undone)")
    let redone = one.conversation.say("redo", "= state.ends.n").output
    let all = "(brings back ingest \(folder)/steps.jsonl: 600 actions of #2-#\(head))"
    #expect(redone.contains(all) && redone.hasSuffix("\n600\n"), "\(redone)")
    try Self.expectAlike([one, two])
  }

  @Test func `An ingest hands many records on at once, and behind one that fails none happens`() throws {
    let world = try World(seed: 10)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let folder = try Self.makeFolder()
    defer { unlink("\(folder)/steps.jsonl"); rmdir(folder) }
    func ingest(_ steps: [String], _ flags: String = "") throws -> Conversation.Outcome {
      let file = try #require(fopen("\(folder)/steps.jsonl", "w"))
      fputs(steps.map { "{\"by\": \($0)}\n" }.joined(), file)
      fclose(file)
      return one.conversation.say("ingest \(folder)/steps.jsonl --as counter.increment \(flags)")
    }
    let before = world.memory.records.count
    let many = try ingest(Array(repeating: "1", count: 5_000))
    #expect(many.output.hasPrefix("ingested 5000 records as counter.increment"), "\(many)")
    #expect(world.memory.records.count - before < 500)
    try two.synchronize()
    #expect(two.host.store.state.counter.value == 5_000)
    // They are one statement's.
    for (statement, value) in [("undo --quiet", 0), ("redo --quiet", 5_000)] {
      let outcome = one.conversation.say(statement)
      #expect(outcome.status == 0 && one.host.store.state.counter.value == value, "\(outcome)")
    }
    // The second overflows.
    let failing = try ingest(["1", "\(Int.max)", "1", "1"])
    #expect(failing.status != 0 && failing.errors.contains("steps.jsonl:2"), "\(failing)")
    #expect(one.host.store.state.counter.value == 5_001)
    let going = try ingest(["1", "\(Int.max)", "true", "1"], "--keep-going")
    #expect(going.errors.contains("steps.jsonl:2") && going.errors.contains("steps.jsonl:3"), "\(going)")
    #expect(one.host.store.state.counter.value == 5_003)
    try Self.expectAlike([one, two])
  }

  /// Those behind it in the same message happen all the same.
  @Test(arguments: ["error('no')", "ctx:dispatch('box.bad')"])
  func `An ingest ends at a record beside which something goes wrong, as in a store of one's own`(_ fault: String)
    throws
  {
    let world = try World(seed: 25)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let source = try Self.plugin(
      "box",
      """
      return plugin {
        state = { field("n", int()) },
        actions = { { name = "go", args = { field("k", int()) } }, { name = "bad" } },
        reducers = { go = function(s, a) s.n = s.n + 1 end, bad = function() error("no") end },
        middleware = { { name = "m", on = { "go" },
          after = function(action, ctx) if action.args.k == 50 then \(fault) end end } },
      }
      """)
    _ = try one.host.live.load(source, from: .here())
    let folder = try Self.makeFolder()
    defer { unlink("\(folder)/steps.txt"); rmdir(folder) }
    let file = try #require(fopen("\(folder)/steps.txt", "w"))
    fputs((1...9_000).map { "\($0)\n" }.joined(), file)
    fclose(file)
    let ingest = "ingest \(folder)/steps.txt --lines --map k=line --as box.go"
    let ended = one.conversation.say(ingest)
    #expect(ended.status == 1 && ended.output.isEmpty, "\(ended)")
    #expect(ended.errors.contains("error[plugin-runtime]: \(folder)/steps.txt:50: box: "), "\(ended)")
    let count = try #require(Int(one.conversation.say("= state.box.n").output.dropLast()))
    let rest = count == 50 ? "\n" : ", and \(count - 50) behind it, which "
    #expect(count < 9_000 && ended.errors.contains("  50 records up to this one were ingested\(rest)"), "\(ended)")
    let gone = one.conversation.say("\(ingest) --keep-going")
    #expect(gone.output.hasPrefix("ingested 9000 records as box.go") && gone.status == 1, "\(gone)")
    #expect(gone.errors.contains("1 record of \(folder)/steps.txt ingested, with errors besides"), "\(gone)")
    #expect(one.conversation.say("= state.box.n").output == "\(count + 9_000)\n")
    try Self.expectAlike([one, two])
  }

  /// Whether the log comes back while the ingest goes on, or only once it has ended.
  @Test(arguments: [("", true), ("--keep-going", true), ("", false), ("--keep-going", false)])
  func `An ingest whose log goes away ends, and nothing behind a record that did not happen does`(
    _ flags: String, _ comesBack: Bool
  ) throws {
    let world = try World(seed: 28)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let source = try Self.plugin(
      "box",
      """
      return plugin {
        state = { field("last", int()), field("holes", int()), field("n", int()) },
        actions = { { name = "go", args = { field("k", int()) } }, { name = "note" } },
        reducers = {
          go = function(s, a) if a.k ~= s.last + 1 then s.holes = s.holes + 1 end s.last = a.k end,
          note = function(s) s.n = s.n + 1 end,
        },
        middleware = { { name = "m", on = { "go" }, after = function(action, ctx) ctx:dispatch("note") end } },
      }
      """)
    _ = try one.host.live.load(source, from: .here())
    let folder = try Self.makeFolder()
    defer { unlink("\(folder)/steps.txt"); rmdir(folder) }
    let file = try #require(fopen("\(folder)/steps.txt", "w"))
    fputs((1...20_000).map { "\($0)\n" }.joined(), file)
    fclose(file)
    let (hasEnded, live) = (Lock(false), one.host.live)
    try WorkerThread {
      _ = Self.eventually { live.head > 1_500 }
      world.stands.withLock { $0 = true }
      world.memory.cut()
      if comesBack { usleep(300_000) } else { _ = Self.eventually { hasEnded.withLock { $0 } } }
      world.stands.withLock { $0 = false }
    }.detach()
    let ended = one.conversation.say("ingest \(folder)/steps.txt --lines --map k=line --as box.go \(flags)")
    #expect(comesBack || world.stands.withLock { $0 }, "it waited for the log")
    hasEnded.withLock { $0 = true }
    #expect(ended.status != 0, "\(ended)")
    #expect(["[cut-off]", "[outcome-unknown]"].contains { ended.errors.contains("error\($0)") }, "\(ended)")
    #expect(Self.eventually { [one, two].allSatisfy { $0.node.replica?.link == .current } })
    try Self.expectAlike([one, two])
    #expect(two.conversation.say("show box.holes").output == "0\n")
  }

  /// What `before` returns is kept until the commit of its action, and is the plugin's memory meanwhile.
  @Test func `Many actions with much between before and after go in messages that the memory has room for`() throws {
    let world = try World(seed: 29)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let source = try Self.plugin(
      "box",
      """
      return plugin {
        state = { field("n", int()) },
        actions = { { name = "go", args = { field("k", int()) } } },
        reducers = { go = function(s, a) s.n = s.n + a.k end },
        middleware = { { name = "m", on = { "go" },
          before = function(action, ctx) return { text = string.rep("x", 20000) .. action.args.k, n = ctx.state.box.n } end,
          after = function(action, ctx, was)
            if was.text ~= string.rep("x", 20000) .. action.args.k then error("not its own") end
          end } },
      }
      """)
    _ = try one.host.live.load(source, from: .here())
    let folder = try Self.makeFolder()
    defer { unlink("\(folder)/steps.txt"); rmdir(folder) }
    let file = try #require(fopen("\(folder)/steps.txt", "w"))
    fputs((1...2_000).map { "\($0)\n" }.joined(), file)
    fclose(file)
    let done = one.conversation.say("ingest \(folder)/steps.txt --lines --map k=line --as box.go", "show box.n")
    #expect(done.status == 0 && done.errors.isEmpty && done.output.hasSuffix("\n2001000\n"), "\(done)")
    try Self.expectAlike([one, two])
  }

  /// One comes so many milliseconds behind the other, whose code takes 40 to store; or both wait for the log.
  @Test(arguments: [0, 10, 20, 30, 39, 41, 50, nil])
  func `Of two nodes that load one plugin at once, one has it loaded`(
    _ delay: UInt32?
  ) throws {
    let world = try World(seed: 30)
    let nodes = [try Node("one", in: world, grants: true), try Node("two", in: world, grants: true)]
    let source = try Self.plugin("box", Self.box())
    world.stands.withLock { $0 = delay == nil }
    if delay != nil { world.memory.storing.withLock { $0 = 40_000 } }
    let outcomes = Lock<[String]>([])
    for (index, node) in nodes.enumerated() {
      let (live, host) = (node.host.live, node.host)
      try WorkerThread {
        if index > 0, let delay { usleep(delay * 1_000) }
        let outcome: String
        do {
          let (_, report) = try live.load(source, from: .here())
          outcome = report.failure.map { "\($0)" } ?? "loaded"
        } catch {
          outcome = HostError(describing: error).message
        }
        outcomes.withLock { $0.append(outcome) }
        withExtendedLifetime(host) {}
      }.detach()
    }
    usleep(20_000)
    world.stands.withLock { $0 = false }
    #expect(Self.eventually { outcomes.withLock { $0.count } == 2 })
    let all = outcomes.withLock { $0 }
    #expect(all.count { $0 == "loaded" } == 1, "\(all)")
    for node in nodes { #expect(node.conversation.say("dispatch box.go --quiet").status == 0) }
    try Self.expectAlike(nodes)
    #expect(nodes[0].conversation.say("show box.n").output == "2\n")
  }

  @Test func `A recording is compared, and does not become the history of all nodes`() throws {
    let world = try World(seed: 11)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let folder = try Self.makeFolder()
    defer { unlink("\(folder)/run.jsonl"); rmdir(folder) }
    let file = "\(folder)/run.jsonl"
    let other = try Conversation(
      with: try Host(
        alone: Application(initial: StandardState(), reducer: StandardState.reducer), clock: RealClock(),
        program: "stsh"))
    #expect(other.say("dispatch counter.increment --quiet", "export journal \(file)").status == 0)
    // Also where nothing has happened yet.
    for count in 0..<2 {
      let refused = one.conversation.say("replay \(file)")
      #expect(refused.status == 1 && refused.errors.contains("a recording cannot become the history"), "\(refused)")
      let compared = one.conversation.say("replay \(file) --verify")
      #expect(compared.output == "replayed 1 action, every state matches\n", "\(compared)")
      #expect(one.host.live.head == count)
      #expect(one.conversation.say("dispatch tasks.add milk --quiet").errors.isEmpty)
    }
    try Self.expectAlike([one, two])
  }

  @Test func `Who stops an action that is on its way is told that it may happen`() throws {
    let world = try World(seed: 12)
    let one = try Node("one", in: world)
    #expect(one.conversation.say("dispatch counter.increment --quiet").status == 0)
    world.stands.withLock { $0 = true }
    let node = one.node
    one.conversation.session.interrupts.isRequested = { node.replica?.messageUnderway != nil }
    one.conversation.session.interrupts.take = { true }
    let stopped = one.conversation.say("dispatch tasks.add milk --quiet")
    #expect(stopped.errors.contains("error[interrupted]"), "\(stopped)")
    #expect(stopped.errors.contains("this may have happened or may happen yet"), "\(stopped)")
    world.stands.withLock { $0 = false }
    // What was sent may be lost, and is sent again a while later.
    #expect(Self.eventually { one.host.store.state.tasks.items.count == 1 })
  }

  /// Who stops it waits no longer, and the log takes it all the same.
  @Test func `A plugin whose load, reload or unload comes late runs on all nodes as the log says`() throws {
    let world = try World(seed: 31)
    let (one, two) = (try Node("one", in: world, grants: true), try Node("two", in: world, grants: true))
    let folder = try Folder(Self.box())
    #expect(one.conversation.say("dispatch counter.increment --quiet").status == 0)
    func late(_ statement: String) throws {
      let (node, conversation) = (one.node, try Conversation(with: one.host))
      conversation.session.options.grants = ["box"]
      conversation.session.interrupts.isRequested = { node.replica?.messageUnderway != nil }
      conversation.session.interrupts.take = { true }
      let head = one.host.live.head
      world.stands.withLock { $0 = true }
      let stopped = conversation.say(statement)
      #expect(stopped.errors.contains("may have happened or may happen yet"), "\(stopped)")
      world.stands.withLock { $0 = false }
      // What was sent may be lost, and is sent again a while later.
      try #require(Self.eventually { one.host.live.head > head })
      try one.synchronize()
    }
    try late("plugin load \(folder.path)/box")
    for node in [one, two] {
      try node.synchronize()
      #expect(node.conversation.say("dispatch box.go --quiet").status == 0)
    }
    try folder.write(Self.box(step: 10))
    try late("plugin reload box")
    for node in [one, two] {
      try node.synchronize()
      #expect(node.conversation.say("dispatch box.go --quiet").status == 0)
    }
    try Self.expectAlike([one, two])
    #expect(one.conversation.say("show box.n").output == "22\n")
    try late("plugin unload box")
    for node in [one, two] {
      try node.synchronize()
      let refused = node.conversation.say("dispatch box.go")
      #expect(refused.errors.contains("unknown action 'box.go'"), "\(refused)")
    }
    let again = one.conversation.say("plugin load \(folder.path)/box", "dispatch box.go --quiet")
    #expect(again.errors.isEmpty, "\(again)")
    try Self.expectAlike([one, two, try Node("late", in: world, grants: true)])
  }

  @Test func `A node begins at the end of its file, and follows`() throws {
    let world = try World(seed: 11, reach: 1)
    let folder = try Self.makeFolder()
    defer { for ending in Journal.endings { unlink("\(folder)/node\(ending)") }; rmdir(folder) }
    let one = try Node("one", in: world, leastUnsaved: 1)
    // Ends like a program that is killed, its file aside.
    func leaving(_ work: (Node) throws -> Void) throws {
      let node = try Node("two", in: world, keptIn: "\(folder)/node")
      try work(node)
      node.node.close()
      let (journal, state) = try #require(node.host.live.takeJournal())
      try journal.end(state, clock: node.host.live.clock)
    }
    try leaving { two in
      _ = try one.host.live.load(try budget, from: .here())
      #expect(one.conversation.say("dispatch tasks.add milk --quiet").errors.isEmpty)
      #expect(two.conversation.say("wait synced", "dispatch budget.spend 3 --quiet").status == 0)
      try Self.expectAlike([one, two])
    }
    for _ in 0..<20 { #expect(one.conversation.say("dispatch counter.increment --quiet").status == 0) }
    let before = one.host.live.head
    // The last record that the first run had is kept, and not those before it.
    #expect(Self.eventually { world.memory.first > 2 })
    #expect(one.conversation.say("dispatch budget.spend 2 --quiet").status == 0)
    try leaving { two in
      try two.synchronize()
      #expect(two.host.live.head > before)
      #expect(two.conversation.say("show budget.left").output == "5\n")
      try Self.expectAlike([one, two])
    }
    // It was away for longer than the log keeps records, and begins anew at the snapshot.
    let seen = world.memory.first
    for _ in 0..<20 { #expect(one.conversation.say("dispatch counter.increment --quiet").status == 0) }
    #expect(Self.eventually { world.memory.first > seen + 2 })
    try leaving { two in
      try Self.expectAlike([one, two])
      #expect(two.conversation.say("show budget.left").output == "5\n")
    }
    try leaving { try Self.expectAlike([one, $0]) }
  }

  @Test func `A node's file goes with the log, and no other file is taken for one`() throws {
    let folder = try Self.makeFolder()
    defer { for ending in Journal.endings { unlink("\(folder)/node\(ending)") }; rmdir(folder) }
    let world = try World(seed: 12)
    let host = try Host(
      alone: Application(initial: StandardState(), reducer: StandardState.reducer), clock: RealClock(), program: "stsh")
    try host.live.openJournal(JournalPlan(path: "\(folder)/node"), named: "node", note: { _ in }, kept: { _ in }) {
      _, _ in nil
    }
    host.store.dispatch(.counter(.increment()))
    let (journal, state) = try #require(host.live.takeJournal())
    try journal.end(state, clock: host.live.clock)
    let error = #expect(throws: HostError.self) { try Node("one", in: world, keptIn: "\(folder)/node") }
    #expect(error?.message.contains("is not the file of a node") ?? false, "\(String(describing: error))")
    #expect(try Journal.last(in: "\(folder)/node") == 1)
  }

  private static func makeFolder() throws -> String {
    var template = Array("/tmp/shared-log-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  @Test func `A node whose reducer differs stops at the first action that does, and names the path`() throws {
    let world = try World(seed: 3)
    let one = try Node("one", in: world)
    let other = try Node(
      "other", in: world,
      reducer: StandardState.reducer.appending(
        Reducer { action, state in
          if case .counter(.increment) = action, state.counter.value == 3 { state.counter.step = 9 }
        }))
    one.conversation.say("lua for i = 1, 5 do dispatch('counter.increment') end")
    #expect(Self.eventually { other.node.replica?.stopped == .differs(action: 3, path: "counter.step") })
    #expect(other.node.obstacle == "stopped at #3")
    #expect(other.host.store.state.counter.value == 2)
    let refused = other.conversation.say("dispatch counter.increment")
    #expect(refused.errors.contains("error[node-stopped]") && refused.errors.contains("counter.step"), "\(refused)")
    #expect(one.conversation.say("= state.counter.value").output == "5\n")
  }

  private var budget: PluginSource {
    get throws {
      try Self.plugin(
        "budget",
        """
        return plugin {
          state = { field("left", int { default = 10 }) },
          actions = { { name = "spend", args = { field("amount", int()) } } },
          reducers = { spend = function(s, a) s.left = s.left - a.amount end },
        }
        """)
    }
  }

  @Test func `Plugins travel by their digests, with their state`() throws {
    let world = try World(seed: 4)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let source = try budget
    _ = try one.host.live.load(source, from: .here())
    #expect(one.conversation.say("dispatch budget.spend 3 --quiet").status == 0)
    try two.synchronize()
    #expect(two.conversation.say("show budget.left", "dispatch budget.spend 2 --quiet").output == "7\n")
    #expect(throws: (any Error).self) { try two.host.live.load(source, from: .here()) }
    try one.synchronize()
    let unloading = one.conversation.say("show budget.left", "plugin unload budget")
    #expect(unloading.status == 0 && unloading.output.hasPrefix("5\n"), "\(unloading)")
    try Self.expectAlike([one, two])
    let back = two.conversation.say("undo --to 3 > /dev/null", "show budget.left")
    #expect(back.output == "5\n", "\(back)")
    try Self.expectAlike([one, two, try Node("late", in: world)])
  }

  /// A plugin in a folder, which is edited.
  private final class Folder {
    let path: String

    init(_ code: String) throws {
      path = try SharedLogTests.makeFolder()
      mkdir("\(path)/box", 0o700)
      try write(code)
    }

    deinit {
      for file in ["box/init.lua", "box/plugin.json"] { unlink("\(path)/\(file)") }
      rmdir("\(path)/box")
      rmdir(path)
    }

    func write(_ code: String) throws {
      let manifest = #"{ "name": "box", "version": "0.1.0", "api": 1, "permissions": ["timers"] }"#
      for (name, text) in [("plugin.json", manifest), ("init.lua", code)] {
        let file = try #require(fopen("\(path)/box/\(name)", "w"))
        fputs(text, file)
        fclose(file)
      }
    }
  }

  private static func box(state: String = "", step: Int = 1, argument: String = "") -> String {
    """
    return plugin {
      state = { field("n", int()), \(state) },
      actions = { { name = "go", args = { \(argument) } } },
      reducers = { go = function(s, a) s.n = s.n + \(step) end },
    }
    """
  }

  @Test func `An action that was made before a reload is done as its plugin declares it by then`() throws {
    let world = try World(seed: 21)
    let (one, two) = (try Node("one", in: world, grants: true), try Node("two", in: world, grants: true))
    let folder = try Folder(Self.box())
    #expect(one.conversation.say("plugin load \(folder.path)/box").status == 0)
    try two.synchronize()
    let early = try two.host.live.action(ActionCall(try #require(two.host.live.action(named: "box.go")), []))
    try folder.write(Self.box(step: 10))
    #expect(one.conversation.say("plugin reload box").status == 0)
    try two.synchronize()
    let series = DispatchSeries(stopsAtFailure: true)
    let store = two.conversation.session.store
    #expect(store.dispatch(early, .here()).failure == nil)
    let pending = try #require(two.host.live.storeNode?.begin([(early, .here())], in: series).first)
    #expect(two.host.live.storeNode?.result(of: pending, endedBy: Interruption()).number != nil)
    #expect(two.conversation.say("show box.n").output == "20\n")
    try Self.expectAlike([one, two])
    // One that lacks an argument is refused, and has no number.
    try folder.write(Self.box(argument: #"field("by", int())"#))
    #expect(one.conversation.say("plugin reload box").status == 0)
    try two.synchronize()
    #expect(store.dispatch(early, .here()).number == nil)
    try Self.expectAlike([one, two, try Node("late", in: world)])
    // One that the plugin no longer declares is refused on all nodes.
    try folder.write("return plugin { state = { field('n', int()) } }")
    #expect(one.conversation.say("plugin reload box").status == 0)
    try two.synchronize()
    #expect(store.dispatch(early, .here()).failure != nil)
    try Self.expectAlike([one, two, try Node("late", in: world)])
  }

  /// Whatever is made from the state is made anew behind the actions of a node that never pauses.
  @Test func `Beside a node that ingests, others reload, go back, bring back and import`() throws {
    let world = try World(seed: 26)
    let (one, two) = (try Node("one", in: world, grants: true), try Node("two", in: world, grants: true))
    let folder = try Folder(Self.box())
    #expect(one.conversation.say("plugin load \(folder.path)/box", "dispatch box.go --quiet").status == 0)
    let state = "\(folder.path)/state.json"
    defer { unlink(state) }
    #expect(one.conversation.say("export state \(state)").status == 0)
    try two.synchronize()
    let (isOver, isDone) = (Lock(false), Lock(false))
    let live = two.host.live
    try WorkerThread {
      let series = DispatchSeries(stopsAtFailure: false)
      let type = live.actionsByName["counter.increment"]!
      while !isOver.withLock({ $0 }) {
        let actions = live.turn { (0..<20).map { _ in (live.typed(ActionCall(type, [.int(1)])), ActionSource.here()) } }
        let pending = live.storeNode?.begin(actions, in: series) ?? []
        if let last = pending.last { _ = live.storeNode?.result(of: last, endedBy: Interruption()) }
      }
      isDone.withLock { $0 = true }
    }.detach()
    try #require(Self.eventually { one.host.store.state.counter.value > 0 })
    for step in 2...4 {
      try folder.write(Self.box(step: step))
      for statement in [
        "plugin reload box", "dispatch box.go", "undo", "redo", "import state \(state)",
        "undo --to \(one.host.live.head - 1)",
      ] {
        let outcome = one.conversation.say(statement)
        #expect(outcome.status == 0, "\(statement): \(outcome)")
      }
    }
    isOver.withLock { $0 = true }
    #expect(Self.eventually { isDone.withLock { $0 } })
    try Self.expectAlike([one, two])
    #expect(!one.entries.contains { $0.failure != nil })
  }

  @Test func `A reload may bring records whose fields stand in any order`() throws {
    let world = try World(seed: 22)
    let (one, two) = (try Node("one", in: world, grants: true), try Node("two", in: world, grants: true))
    let folder = try Folder(Self.box())
    #expect(one.conversation.say("plugin load \(folder.path)/box", "dispatch box.go --quiet").status == 0)
    try folder.write(
      Self.box(state: #"field("who", record("P", { field("name", text()), field("age", int()) }))"#))
    let reloaded = one.conversation.say("plugin reload box")
    #expect(reloaded.status == 0, "\(reloaded)")
    try Self.expectAlike([one, two, try Node("late", in: world)])
    #expect(two.conversation.say("show box.who").output.contains("name"))
  }

  @Test func `A plugin whose task waits for its time is reloaded by any node`() throws {
    let world = try World(seed: 23)
    let (one, two) = (try Node("one", in: world, grants: true), try Node("two", in: world, grants: true))
    let folder = try Folder(
      """
      return plugin {
        state = { field("due", map(record("D", { field("at", number()) }))) },
        actions = { { name = "later", args = { field("k", text()) } }, { name = "go", args = { field("k", text()) } } },
        reducers = {
          later = function(s, a, meta) s.due[a.k] = { at = meta.at + 100 } end, go = function(s, a) s.due[a.k] = nil end,
        },
        middleware = { { name = "t", supervise = {
          over = "due", at = "at", task = function(task, k) task:dispatch("box.go", { k = k }) end } } },
      }
      """)
    #expect(one.conversation.say("plugin load \(folder.path)/box", "dispatch box.later x --quiet").status == 0)
    try two.synchronize()
    for node in [two, two, one, two] {
      try node.synchronize()
      let reloaded = node.conversation.say("plugin reload box")
      #expect(reloaded.status == 0, "\(reloaded)")
    }
    // One that comes too late is refused on both alike.
    _ = one.conversation.say("plugin reload box")
    _ = two.conversation.say("plugin reload box")
    try Self.expectAlike([one, two])
  }

  @Test func `What the keeper's tasks hold takes no memory from reducers`() throws {
    let world = try World(seed: 27)
    let (one, two) = (try Node("one", in: world, grants: true), try Node("two", in: world, grants: true))
    let source = try Self.plugin(
      "box",
      """
      return plugin {
        state = { field("n", int()) },
        actions = { { name = "fill", args = { field("k", int()) } } },
        reducers = { fill = function(s, a)
          local t = {}
          for i = 1, a.k do t[i] = string.rep("x", 1000) .. i end
          s.n = s.n + #t
        end },
        middleware = { { name = "w", supervise = function() return { hold = function(task)
          local t = {}
          for i = 1, 700 do t[i] = string.rep("y", 1000) .. i end
          while #t > 0 do task:sleep(0.01) end
        end } end } },
      }
      """, #", "permissions": ["timers"], "limits": { "memory": "1MiB", "instructions": 10000000 }"#)
    _ = try one.host.live.load(source, from: .here())
    try #require(Self.eventually { !one.host.live.effects.isEmpty || !two.host.live.effects.isEmpty })
    for node in [one, two] {
      try node.synchronize()
      for (count, isRefused) in [(100, false), (400, false), (900, false), (1_500, true)] {
        let outcome = node.conversation.say("dispatch box.fill \(count) --quiet")
        #expect(outcome.errors.contains("needed more than 1 MiB") == isRefused, "\(count): \(outcome)")
      }
    }
    try Self.expectAlike([one, two, try Node("late", in: world, grants: true)])
    #expect(one.conversation.say("show box.n").output == "2800\n")
    #expect(one.host.live.effects.count + two.host.live.effects.count == 1)
  }

  @Test func `Nobody takes back unasked what another node did, and who did it hears of it`() throws {
    let world = try World(seed: 24)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    one.conversation.session.store.isPersons = true
    #expect(one.conversation.say("dispatch tasks.add milk --quiet").status == 0)
    try two.synchronize()
    let refused = two.conversation.say("undo")
    #expect(refused.status != 0, "\(refused)")
    let undone = two.conversation.say("undo --any")
    #expect(undone.output.hasPrefix("#2 shell.restore") && undone.errors.isEmpty, "\(undone)")
    try one.synchronize()
    let heard = one.conversation.say("dispatch counter.increment --quiet")
    #expect(heard.errors.contains("took back your #1 tasks.add"), "\(heard)")
  }

  @Test func `Attempts that lose against other nodes leave no counts, lines or failures behind`() throws {
    let world = try World(seed: 8)
    let nodes = try ["one", "two", "three"].map { try Node($0, in: world) }
    let watcher = try Self.plugin(
      "watcher",
      """
      return plugin {
        state = { field("n", int()) },
        actions = { { name = "go", args = { field("round", int()) } } },
        reducers = { go = function(s) s.n = s.n + 1 end },
        middleware = { { name = "m", on = { "go" }, before = function(action)
          log.info("seen")
          if action.args.round % 4 == 0 then error("no") end
        end } },
      }
      """)
    _ = try nodes[0].host.live.load(watcher, from: .here())
    let lines = Lock<[String: Int]>([:])
    for node in nodes {
      try node.synchronize()
      let name = node.node.name
      node.host.live.turn {
        node.host.live.clients.first?.hearing.plugins = { _ in lines.withLock { $0[name, default: 0] += 1 } }
      }
    }
    let done = Lock(0)
    for node in nodes {
      let (live, host) = (node.host.live, node.host)
      try WorkerThread {
        for round in 1...20 {
          _ = live.turn {
            live.dispatch(live.typed(ActionCall(live.actionsByName["watcher.go"]!, [.int(round)])), .here())
          }
        }
        done.withLock { $0 += 1 }
        withExtendedLifetime(host) {}
      }.detach()
    }
    #expect(Self.eventually { done.withLock { $0 } == nodes.count })
    try Self.expectAlike(nodes)
    for node in nodes {
      let live = node.host.live
      #expect(live.units(in: live.present).first { $0.name == "watcher.m" }?.seen == 20)
      #expect(lines.withLock { $0[node.node.name] } == 20)
      #expect(live.turn { live.attendance.faults.recent.count } == 5)
      // Five failures are not three in a row.
      #expect(live.state.shell.condition(of: "watcher") == .on)
    }
  }

  @Test func `A plugin that is impure on one node stops that node at the first action that differs`() throws {
    let world = try World(seed: 9)
    let (one, two) = (try Node("one", in: world), try Node("two", in: world))
    let source = try Self.plugin(
      "meter",
      """
      local calls = { n = 0 }
      return plugin {
        state = { field("total", int()) },
        actions = { { name = "go" } },
        reducers = { go = function(s) calls.n = calls.n + 1; s.total = s.total + calls.n end },
      }
      """)
    for node in [one, two] { node.host.live.setDefaultPurity(.off) }
    _ = try one.host.live.load(source, from: .here())
    #expect(one.conversation.say("dispatch meter.go --quiet").status == 0)
    // An attempt of the other that lost would be a call too many already.
    _ = try? two.synchronize()
    // The node counts calls that are no actions, more than the other has attempts that lose.
    let live = two.host.live
    let action = live.typed(ActionCall(try #require(live.actionsByName["meter.go"]), []))
    for _ in 1...100 {
      let context = ActionContext(number: 9, source: .here(), time: .zero, root: 9)
      _ = try live.turn { try live.store.follow(action, context, original: nil) { _, _ in "another" } }
    }
    #expect(one.conversation.say("dispatch meter.go --quiet").status == 0)
    #expect(Self.eventually { two.node.replica?.stopped != nil })
    guard case .differs(_, "meter.total")? = two.node.replica?.stopped else {
      Issue.record("\(String(describing: two.node.replica?.stopped))")
      return
    }
    #expect(one.node.replica?.stopped == nil)
  }

  @Test func `Cut off, a node refuses and is as it was; back again, it goes on`() throws {
    let world = try World(seed: 5)
    let one = try Node("one", in: world)
    #expect(one.conversation.say("dispatch counter.increment --quiet", "wait synced").status == 0)
    one.node.close()
    let refused = one.conversation.say("wait synced --timeout 100ms")
    #expect(refused.status != 0, "\(refused)")
    #expect(one.host.store.state.counter.value == 1)
  }
}
