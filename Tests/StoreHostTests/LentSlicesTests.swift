import Foundation
import StoreCore
@testable import StoreHost
import StoreSchema
@testable import StoreShell
import Testing

/// The slices of plugins are written in place, and every state that somebody keeps stays what it was. What happens is the same whether
/// nobody keeps a state, somebody the one before each action, or somebody every state, as where each write copies what it changes.
@Suite struct LentSlicesTests {
  private static let stock = """
    return plugin {
      state = {
        field("count", int()), field("lots", map(record("Lot", { field("there", int()), field("tags", list(text())) }))),
        field("list", list(int())), field("rows", list(record("Row", { field("id", int()), field("title", text()) }))),
        field("next", int { min = 1, default = 1, sequence = true }),
      },
      actions = {
        { name = "move", args = { field("key", text()), field("by", int()) } }, { name = "sort" }, { name = "push" },
        { name = "clear", args = { field("key", text()) } }, { name = "row" }, { name = "rename", args = { field("at", int()) } },
        { name = "fail", args = { field("key", text()) } }, { name = "eat" },
      },
      reducers = {
        move = function(s, a)
          local lot = s.lots[a.key]
          if lot then lot.there = lot.there + a.by else s.lots[a.key] = { there = a.by, tags = { a.key } } end
          s.count = s.count + 1
        end,
        sort = function(s) table.sort(s.list, function(a, b) return a > b end) table.sort(s.rows, function(a, b) return a.title < b.title end) end,
        push = function(s) s.list[#s.list + 1] = (#s.list * 7) % 5 s.count = s.count + 1 end,
        clear = function(s, a) s.lots[a.key] = nil end,
        row = function(s) s.rows[#s.rows + 1] = { id = s.next, title = "t" .. s.next % 3 } s.next = s.next + 1 end,
        rename = function(s, a) if s.rows[a.at] then s.rows[a.at].title = s.rows[a.at].title .. "x" end end,
        fail = function(s, a) s.count = 0 s.list = {} s.lots[a.key] = { there = 9, tags = {} } error("no") end,
        eat = function(s) s.count = 1 local all = {} for i = 1, 1e9 do all[i] = ("x"):rep(100000) .. i end end,
      },
    }
    """

  private static let second = """
    return plugin {
      state = { field("seen", int()), field("by", map(int())) },
      actions = { { name = "own" } },
      reducers = {
        own = function(s) s.seen = s.seen + 1 end,
        ["stock.move"] = function(s, a)
          s.seen = s.seen + 1
          s.by[a.key] = (s.by[a.key] or 0) + 1
          if a.by == 13 then error("unlucky") end
        end,
      },
      lifted = {
        { at = "stock", on = "stock.move", reduce = function(s, a)
            if a.by % 3 == 0 then s.count = s.count - 1 end
            if a.by == 14 then s.lots[a.key].there = 0 error("not so many") end
            if a.by % 5 == 0 then s.lots[a.key] = nil end
          end },
        { at = "tasks", on = "tasks.add", reduce = function(s, a) s.items[#s.items].title = s.items[#s.items].title .. "!" end },
      },
    }
    """

  private final class Place {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stsh-lent-\(UUID().uuidString)").path

    init() throws {
      for (name, lua, permissions) in [
        ("stock", LentSlicesTests.stock, ""),
        ("second", LentSlicesTests.second, #""reduce:stock", "reduce:tasks", "read:stock""#),
      ] {
        try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        let manifest = #"{ "name": "\#(name)", "version": "0.1.0", "api": 1, "permissions": [\#(permissions)] }"#
        try manifest.write(toFile: "\(folder)/\(name)/plugin.json", atomically: false, encoding: .utf8)
        try lua.write(toFile: "\(folder)/\(name)/init.lua", atomically: false, encoding: .utf8)
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// States that somebody keeps, each with what it was when it was there.
  private final class Kept: @unchecked Sendable {
    // Safe: used by the thread that holds the turn.
    var states: [(state: HostState, json: String)] = []
    var last: String?
    var records: [PurityProof.Recorded] = []
  }

  /// Runs the lines in a store of its own.
  ///
  /// - Parameters:
  ///   - keepsBefore: whether the state before each action is kept.
  ///   - keepsAfter: the same for the one after.
  private func run(_ lines: [String], keepsBefore: Bool, keepsAfter: Bool) throws -> String {
    let place = try Place()
    let host = try SharedStoreTests.host()
    let ann = try Conversation(with: host, who: "ann")
    ann.session.options.grants = ["stock", "second"]
    #expect(ann.say("plugin load \(place.folder)/stock", "plugin load \(place.folder)/second").errors == "")
    let kept = Kept()
    if keepsBefore || keepsAfter {
      host.live.observe { record in
        // The state before is the one after the action before.
        let (before, after) = (JSON.text(of: record.before.value), JSON.text(of: record.after.value))
        if let last = kept.last { #expect(before == last) }
        kept.last = after
        if keepsBefore { kept.states.append((record.before, before)) }
        if keepsAfter { kept.states.append((record.after, after)) }
      }
    }
    var answers = ""
    for line in lines {
      let outcome = ann.say(line)
      // The places of plugins in messages are of this folder alone.
      answers += (outcome.output + outcome.errors).replacing(place.folder, with: "")
    }
    for (state, json) in kept.states { #expect(JSON.text(of: state.value) == json) }
    kept.states = []
    answers += ann.say("log --last 2000").output.replacing(place.folder, with: "")
    answers +=
      ann.say("undo --to 20 --quiet", "= state.stock").output + ann.say("redo --quiet", "= state.second").output
    let recording = "\(place.folder)/run.jsonl"
    #expect(ann.say("export journal \(recording)", "replay \(recording) --verify").errors == "")
    return answers
  }

  @Test func aTraceShowsTheSliceAlone() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let ann = try Conversation(with: host, who: "ann")
    ann.session.options.grants = ["stock", "second"]
    ann.say("plugin load \(place.folder)/stock", "plugin load \(place.folder)/second")
    let said = ann.say("trace on --stable", "dispatch second.own")
    let trace = said.output + said.errors
    #expect(trace.contains(#"second {"seen":0,"by":{}}→{"seen":1,"by":{}}"#), "\(trace)")
  }

  private static func lines(_ seed: Int) -> [String] {
    var random = SeededGenerator(seed: UInt64(seed))
    var lines: [String] = []
    for _ in 0..<100 {
      let (key, by) = ("k\(Int.random(in: 0..<25, using: &random))", Int.random(in: 1...15, using: &random))
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<9: lines.append("dispatch stock.move \(key) \(by)")
      case 9: lines.append("dispatch stock.sort")
      case 10, 11: lines.append("dispatch stock.push")
      case 12: lines.append("dispatch stock.clear \(key)")
      case 13, 14: lines.append("dispatch stock.row")
      case 15: lines.append("dispatch stock.rename \(by % 4 + 1)")
      case 16: lines.append(seed == 1 && by > 13 ? "dispatch stock.eat" : "dispatch stock.fail \(key)")
      case 17: lines.append("dispatch tasks.add \"\(key)\"")
      case 18: lines.append("lua for i = 1, 3 do dispatch('stock.move', { key = '\(key)', by = i }) end")
      // A success ends the row of failures after which a plugin is switched off.
      default: lines.append("dispatch second.own")
      }
      if lines.last?.contains("fail") == true || lines.last?.contains(" 1\(3)") == true
        || lines.last?.hasSuffix(" 14") == true
      {
        lines += ["dispatch stock.push", "dispatch second.own"]
      }
    }
    return lines
  }

  @Test(arguments: 1...4) func aKeptStateStaysWhatItWas(_ seed: Int) throws {
    let lines = Self.lines(seed)
    let plain = try run(lines, keepsBefore: false, keepsAfter: false)
    #expect(plain.contains("stock.lots.k"))
    for (keepsBefore, keepsAfter) in [(true, false), (false, true), (true, true)] {
      let other = try run(lines, keepsBefore: keepsBefore, keepsAfter: keepsAfter)
      if other != plain {
        let differs = zip(plain.split(separator: "\n"), other.split(separator: "\n")).first { $0 != $1 }
        Issue.record("seed \(seed), \(keepsBefore) \(keepsAfter): \(differs.map { "\($0) | \($1)" } ?? "in length")")
      }
    }
  }
  /// What is recorded runs again to the same states, however many of those around its actions are kept.
  @Test(arguments: 2...5) func whatIsKeptOfARerunStaysWhatItWas(_ seed: Int) throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let ann = try Conversation(with: host, who: "ann")
    ann.session.options.grants = ["stock", "second"]
    #expect(ann.say("plugin load \(place.folder)/stock", "plugin load \(place.folder)/second").errors == "")
    let kept = Kept()
    host.live.observe { kept.records.append($0) }
    for line in Self.lines(seed) { ann.say(line) }
    let first = try #require(kept.records.first)
    var random = SeededGenerator(seed: UInt64(seed))
    try host.live.turn {
      var rerun = Rerun(host.live.application, first.before, host.live.plugins)
      defer { host.live.rebindPlugins() }
      for record in kept.records {
        let before = JSON.text(of: rerun.state.value)
        _ = try rerun.reduce(
          record.call, record.context.number, record.context.source, time: record.context.time, isRepeat: false)
        let after = JSON.text(of: record.after.value)
        let changes = rerun.changes()
        #expect(changes == HostState.changes(from: record.before, to: record.after), "\(record.call)")
        #expect(JSON.text(of: rerun.state.value) == after, "\(record.call)")
        if Int.random(in: 0..<4, using: &random) == 0 { kept.states.append((rerun.before, before)) }
        if Int.random(in: 0..<4, using: &random) == 0 { kept.states.append((rerun.state, after)) }
      }
    }
    for (state, json) in kept.states { #expect(JSON.text(of: state.value) == json) }
  }
}
