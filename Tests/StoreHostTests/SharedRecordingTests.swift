import Foundation
import StandardModules
import StoreCore
import StoreHistory
import StoreSchema
import Testing

@testable import StoreHost
@testable import StoreShell

/// Recordings and scripts of stores at which several names acted: each leads to the state of the store, whatever went back.
@Suite struct SharedRecordingTests {
  private typealias Place = SharedPluginTests.Place

  /// All that a store shows of its state, its plugins, gates and settings.
  private static func shown(_ conversation: Conversation) -> String {
    conversation.say(
      "show --as json", "plugin list --as json", "show shell.middleware[*].gate --as json", "substate --as json",
      "set runaway", "set emit"
    ).output
  }

  /// Runs the recording and the script of a host in stores of their own.
  ///
  /// - Returns: how they differ from the store, in words; nil: they do not.
  private func difference(_ host: SharedPluginTests.Host, _ place: Place) throws -> String? {
    let (run, script) = ("\(place.folder)/run.jsonl", "\(place.folder)/run.stsh")
    let exported = try place.come(host, "zoe").say("export journal \(run)", "export journal \(script)")
    guard exported.errors.isEmpty else { return exported.errors }
    let state = Self.shown(try place.come(host, "zoe"))
    let (second, third) = (try SharedStoreTests.host(), try SharedStoreTests.host())
    let reader = try place.come(second, "zoe")
    let replayed = reader.say("replay \(run) --verify")
    guard replayed.status == 0 else { return replayed.errors }
    // The rest of a plugin comes with a reload, which is no part of the recording.
    let names = second.live.plugins.map(\.plugin.module.name)
    reader.say(names.map { "plugin reload \($0)" })
    let again = Self.shown(reader)
    guard again == state else { return "the recording leads to\n\(again)\nand not to\n\(state)" }
    let writer = try place.come(third, "zoe")
    let status = writer.session.run(file: script, arguments: [])
    let outcome = writer.say("echo")
    guard status == 0 else {
      return "the script ends with \(status): \(outcome.errors)\n\(try String(contentsOfFile: script, encoding: .utf8))"
    }
    let scripted = Self.shown(writer)
    return scripted == state ? nil : "the script leads to\n\(scripted)\nand not to\n\(state)"
  }

  /// A recording begins where the history began when it was asked for, though memory drops entries meanwhile.
  @Test func whatIsDroppedMeanwhileIsRecorded() throws {
    let host = try SharedStoreTests.host()
    let ann = try SharedStoreTests.shell(host)
    ann.say("set journal.limit \"600, 32MiB\"")
    func act() { for _ in 0..<2_000 { host.store.dispatchAndBlock(.counter(.increment())) } }
    act()
    var (start, numbers): (Int, [Int]) = (0, [])
    let oldest = try ann.session.store.record { header, _ in
      start = header.start
      act()
    } entry: { entry, _ in
      numbers.append(entry.number)
    }
    #expect(oldest == start && start > 0 && host.live.oldest > start)
    #expect(numbers == Array(start + 1...2_001))
    // The entries of a place share one object, though each action brings its own.
    let origins = (host.live.head - 9...host.live.head).compactMap { host.live.recent($0)?.source.origin }
    #expect(origins.count == 10 && origins.allSatisfy { $0 === origins[0] })
  }

  @Test(arguments: 1...100)
  func eachLeadsToTheState(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let place = try Place()
    var host = try place.open()
    let names = ["ann", "bob", "cleo"]
    var people: [String: Conversation] = [:]
    var told: [String] = []
    for step in 1...40 {
      let who = try #require(names.randomElement(using: &random))
      let number = Int.random(in: 0...max(host.live.head, 1), using: &random)
      let id = Int.random(in: 1...5, using: &random)
      let line: String
      switch Int.random(in: 0...30, using: &random) {
      case 0...4: line = "dispatch tasks.add t\(step)"
      case 5: line = "dispatch tasks.complete \(id)"
      case 6: line = "dispatch tasks.remove \(id)"
      case 7: line = "dispatch counter.increment by=\(id)"
      case 8, 9: line = "dispatch shop.new"
      case 10: line = "dispatch shop.append \(id)"
      case 11: line = "dispatch shop.take \(id).50"
      case 12, 13: line = "undo"
      case 14: line = "undo --any"
      case 15, 16: line = "undo #\(number)"
      case 17, 18: line = "undo --to \(number)"
      case 19, 20: line = "redo"
      case 21: line = "plugin load \(place.folder)/shop"
      case 22: line = "plugin unload shop"
      case 23: line = "substate add s\(id % 2) --value \(step)"
      case 24: line = "substate reset s\(id % 2)"
      case 25: line = "middleware \(id % 2 == 0 ? "on" : "off") \(id < 3 ? "logger" : "shop.timer")"
      case 26: line = id < 3 ? "set runaway \(id)00" : "plugin \(id == 3 ? "disable" : "enable") shop"
      case 27:
        told.append("\(who) goes")
        people[who] = nil
        continue
      case 28 where id == 1:
        told.append("the store is opened again")
        people = [:]
        try host.close()
        host = try place.open()
        continue
      case 28, 29: line = id < 3 ? "atomic begin" : id < 5 ? "atomic end" : "atomic cancel"
      default:
        told.append("the owner adds")
        host.store.dispatch(.tasks(.add(title: "own")))
        continue
      }
      let person = try people[who] ?? place.come(host, who)
      people[who] = person
      let outcome = person.say(line)
      told.append("\(who): \(line)\(outcome.status == 0 ? "" : "  -- \(outcome.errors.prefix { $0 != "\n" })")")
      // To take back an action of a module alone changes nothing else, whatever the others have loaded, set or moved since.
      let isOfModule = line.hasPrefix("undo #") && host.live.recent(number)?.isOfShell == false
      if isOfModule {
        #expect(!outcome.errors.contains(", which concerns everybody"), "seed \(seed)\n\(told.joined(separator: "\n"))")
      }
    }
    people = [:]
    if let difference = try difference(host, place) {
      Issue.record("seed \(seed)\n\(told.joined(separator: "\n"))\n\(difference)")
    }
    try host.close()
  }

  // MARK: Sequences

  /// One looks on while another takes something back: the id stays given out, in a script, too.
  @Test func aScriptGivesOutTheSameIDs() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let (ann, bob) = (try place.come(host, "ann"), try place.come(host, "bob"))
    ann.say("dispatch tasks.add a --quiet")
    bob.say("= 1")
    ann.say("undo --quiet", "dispatch tasks.add c --quiet")
    #expect(host.store.state.tasks.items.map(\.id) == [2])
    #expect(try difference(host, place) == nil)
    let script = try String(contentsOfFile: "\(place.folder)/run.stsh", encoding: .utf8)
    #expect(script.contains("\nundo --to 0 --keep-ids 1\n"), "\(script)")
  }

  /// What was given out with others at the store stays given out; what came after they had gone is given out again.
  @Test func aSequenceThatFellInPartFallsAsFar() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let ann = try place.come(host, "ann")
    do {
      let bob = try place.come(host, "bob")
      ann.say("dispatch tasks.add a --quiet")
      bob.say("dispatch tasks.add b --quiet")
    }
    ann.say("dispatch tasks.add c --quiet", "dispatch tasks.add d --quiet")
    #expect(ann.say("undo --to 1").output.contains("tasks.nextId  5 -> 3"))
    ann.say("dispatch tasks.add e --quiet")
    #expect(host.store.state.tasks.items.map(\.id) == [1, 3])
    #expect(try difference(host, place) == nil)
    let script = try String(contentsOfFile: "\(place.folder)/run.stsh", encoding: .utf8)
    #expect(script.contains("\nundo --to 1 --keep-ids 2\n"), "\(script)")
  }

  /// Nobody else was there: a script says no more than the person did.
  @Test func aloneTheSequenceGoesBack() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let ann = try place.come(host, "ann")
    ann.say("dispatch tasks.add a --quiet", "undo --quiet", "redo --quiet", "undo --to 0 --quiet")
    #expect(host.store.state.tasks.nextId == 1)
    #expect(try difference(host, place) == nil)
    #expect(try !String(contentsOfFile: "\(place.folder)/run.stsh", encoding: .utf8).contains("--keep-ids"))
  }

  @Test func idsAreKeptWhereThatIsAsked() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let ann = try place.come(host, "ann")
    ann.say("dispatch tasks.add a --quiet", "dispatch tasks.add b --quiet", "dispatch tasks.add c --quiet")
    #expect(ann.say("undo --to 1 --keep-ids #2").output.contains("tasks.nextId  4 -> 3"))
    #expect(ann.say("undo --keep-ids 2").errors.contains("error[unexpected-argument]: --keep-ids needs --to"))
    #expect(ann.say("undo --to 1 --keep-ids 99").errors.contains("error["))
    #expect(host.store.state.tasks.nextId == 3)
  }

  /// A recording that begins behind the end of a plugin knows what that gave out.
  @Test func aRecordingOfTheEndKnowsWhatIsGone() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let ann = try place.come(host, "ann")
    ann.say("plugin load \(place.folder)/shop", "dispatch shop.new --quiet", "dispatch shop.new --quiet")
    ann.say("plugin unload shop", "dispatch tasks.add a --quiet", "plugin load \(place.folder)/shop")
    #expect(ann.say("show shop.next").output == "3\n")
    let run = "\(place.folder)/run.jsonl"
    #expect(ann.say("export journal \(run) --from 5").errors == "")
    let other = try place.come(try SharedStoreTests.host(), "ann")
    #expect(other.say("replay \(run) --verify").errors.hasPrefix("note: a replay runs the reducers of shop"))
    #expect(other.say("show shop.next").output == "3\n")
  }

  // MARK: What concerns everybody

  /// A return took away, or brought back, what only the shell changes. To take back that return alone is refused, with a way out, and
  /// nothing of it happens, now and after the store is opened again.
  @Test(arguments: [
    ("plugin load FOLDER/shop", "loads or unloads a plugin"),
    ("substate add s --value 1", "adds or removes a substate"),
    ("middleware on logger", "moves a gate"), ("set runaway 10", "changes a setting"),
  ])
  func aReturnOfWhatConcernsEverybodyStays(line: String, change: String) throws {
    for (returns, alone) in [(["undo --to 0"], 3), (["undo --to 0", "undo --to 2"], 4)] {
      let place = try Place()
      let host = try place.open()
      let ann = try place.come(host, "ann")
      let lines = [line.replacing("FOLDER", with: place.folder), "dispatch tasks.add a"] + returns
      for line in lines { #expect(ann.say(line).status == 0, "\(line)") }
      let before = Self.shown(ann)
      let refused = ann.say("undo #\(alone)")
      let reason = "it cannot be undone alone: that \(change), which concerns everybody"
      #expect(refused.errors.contains("error[undo-conflict]: \(reason)"), "\(refused)")
      #expect(refused.errors.contains("hint: `undo --to \(alone - 1)` takes back all that happened since"))
      #expect(Self.shown(ann) == before)
      // The logger may write besides.
      let returned = ann.say("undo --to \(alone - 1) --quiet")
      #expect(!returned.errors.contains("error["), "\(returned)")
      let after = Self.shown(ann)
      #expect(after != before)
      #expect(try difference(host, place) == nil)
      try host.close()
      let opened = try place.open()
      #expect(Self.shown(try place.come(opened, "ann")) == after)
      try opened.close()
    }
  }

  /// A plugin that was edited while nobody had the store is no other plugin.
  @Test func anEditWhileTheStoreIsClosedIsInNobodysWay() throws {
    let place = try Place()
    do {
      let host = try place.open()
      try place.come(host, "ann").say(
        "plugin load \(place.folder)/shop", "dispatch shop.append 1 --quiet", "dispatch tasks.add a --quiet",
        "dispatch shop.append 2 --quiet")
      try host.close()
    }
    try place.write("0.1.0", SharedPluginTests.shop + "\n-- edited\n")
    let host = try place.open()
    let ann = try place.come(host, "ann")
    #expect(ann.say("dispatch shop.append 3 --quiet", "undo #3").output.contains("takes back #3 tasks.add"))
    #expect(ann.say("show shop.list --as json").output == "[1,2,3]\n")
    try host.close()
  }

  /// An earlier program recorded returns that brought a plugin's state or took it away without the plugin.
  @Test func aModuleTooManyOrTooFewIsSeen() throws {
    let (place, host) = (try Place(), try SharedStoreTests.host())
    let ann = try place.come(host, "ann")
    let run = "\(place.folder)/run.jsonl"
    ann.say("plugin load \(place.folder)/shop", "substate add s --value 1", "undo --to 0", "export journal \(run)")
    let text = try String(contentsOfFile: run, encoding: .utf8)
    let gone = #""hash":{"shop":"0000000000000000","s":"0000000000000000"}"#
    #expect(text.contains(gone), "\(text)")
    func replay(_ text: String) throws -> String {
      try text.write(toFile: run, atomically: false, encoding: .utf8)
      return try place.come(try SharedStoreTests.host(), "ann").say("replay \(run) --verify").errors
    }
    #expect(try !replay(text).contains("error["))
    // Without the hashes, as it was written until now.
    #expect(try !replay(text.replacing("," + gone, with: "")).contains("error["))
    let (returns, takesBack) = (#""to":0,"without":null"#, #""to":null,"without":[1]"#)
    let many = try replay(text.replacing(returns, with: takesBack))
    #expect(many.contains("error[replay-diverged]"), "\(many)")
    #expect(many.contains("  recorded  shop  is gone\n  now       shop  is as before\n"), "\(many)")
    let few = try replay(text.replacing(gone, with: #""hash":{"tasks":"1111111111111111","shop":"2222222222222222"}"#))
    #expect(few.contains("now       shop  is gone"), "\(few)")
  }
}
