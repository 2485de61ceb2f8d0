import StandardModules
@testable import StoreHost
import StoreSchema
@testable import StoreShell
import Testing

/// Going back, where others act on the same store.
@Suite struct SharedUndoTests {
  private let host: SharedStoreTests.Host
  private let one: Conversation
  private let two: Conversation

  init() throws {
    host = try SharedStoreTests.host()
    (one, two) = (try SharedStoreTests.shell(host), try SharedStoreTests.shell(host))
  }

  @Test func undoTakesBackOnesOwn() throws {
    one.say("dispatch tasks.add milk --quiet")
    two.say("dispatch counter.increment --quiet", "dispatch counter.increment --quiet")
    let line = "#4 shell.restore without=[1]  (takes back #1 tasks.add; 2 later actions by others stay)\n"
    #expect(one.say("undo").output.hasPrefix(line))
    #expect(host.store.state.counter.value == 2)
    #expect(host.store.state.tasks.items.isEmpty)
    #expect(two.say("undo").output.hasPrefix("#5 shell.restore"))
    #expect(host.store.state.counter.value == 1)
  }

  /// A statement among what others did is one step; its many actions are counted for a person, and data names them all.
  @Test func aLongStatementAmongOthersIsOneStep() throws {
    one.say("lua for i = 1, 3 do dispatch('counter.setStep', { to = i }) end")
    two.say("dispatch tasks.add milk --quiet", "dispatch tasks.add bread --quiet")
    #expect(
      one.say("undo").output.hasPrefix(
        "#6 shell.restore without=[1, 2, 3]  (takes back lua: 3 actions of #1-#3; 2 later actions by others stay)\n"))
    one.say("lua for i = 1, 500 do dispatch('counter.setStep', { to = i + 1 }) end")
    two.say("dispatch tasks.add butter --quiet")
    let restore = "#508 shell.restore without=[7, 8, 9, 10, 11, 12, 13, 14, 15, 16, and 490 more]  "
    let undo = one.say("undo")
    #expect(
      undo.output.hasPrefix(
        restore + "(takes back lua: 500 actions of #7-#506; 1 later action by others stays)\n"), "\(undo)")
    #expect(host.store.state.counter.step == 1)
    #expect(one.say("why counter.step").output.hasPrefix(restore))
    #expect(one.say("log 1").output.contains(", and 490 more]"))
    #expect(one.say("log 1 --json").output.contains("15,16,17,18"))
  }

  @Test func whatWouldChangeWhatOthersDidIsRefused() throws {
    one.say("dispatch tasks.add milk --quiet")
    two.say("dispatch tasks.complete 1 --quiet")
    let errors = one.say("undo").errors
    #expect(errors.contains("error[undo-conflict]: others have acted since, and #2 tasks.complete id=1 by "))
    #expect(errors.contains(" would fail without it"))
    #expect(errors.contains("hint: `undo --any` takes back the last action whoever dispatched it"))
    #expect(host.store.state.tasks.items.count == 1)
    #expect(one.say("undo --any").output.contains("takes back #2 tasks.complete"))
  }

  /// Each undo goes further back among one's own; redo brings the last one back, and undo takes it again.
  @Test func undoGoesOnAmongOthers() throws {
    one.say("dispatch tasks.add milk --quiet")
    two.say("dispatch counter.increment --quiet")
    one.say("dispatch counter.setStep 5 --quiet")
    two.say("dispatch counter.increment by=1 --quiet")
    func state() -> [Int] {
      let state = host.store.state
      return [state.counter.value, state.counter.step, state.tasks.items.count]
    }
    #expect(one.say("undo").output.hasPrefix("#5 shell.restore without=[3]  (takes back #3 counter.setStep; 1 later"))
    #expect(state() == [2, 1, 1])
    let second = one.say("undo")
    #expect(
      second.output.hasPrefix("#6 shell.restore without=[1]  (takes back #1 tasks.add; 2 later"), "\(second)")
    #expect(state() == [2, 1, 0])
    #expect(one.say("undo").errors.contains("nothing-to-undo"))
    two.say("dispatch counter.increment by=1 --quiet")
    let redo = one.say("redo")
    #expect(
      redo.output.hasPrefix(
        "#8 shell.restore without=[6]  (brings back #1 tasks.add; 1 later action stays)"),
      "\(redo)")
    #expect(state() == [3, 1, 1])
    #expect(one.say("redo").output.hasPrefix("#9 shell.restore without=[5]  (brings back #3 counter.setStep; "))
    #expect(state() == [3, 5, 1])
    #expect(one.say("redo").errors.contains("nothing-to-redo"))
    #expect(one.say("undo").output.contains("takes back #3 counter.setStep; 2 later"))
    #expect(state() == [3, 1, 1])
    #expect(two.say("undo 2").output.hasPrefix("#11 shell.restore without=[4, 7]"))
    #expect(state() == [1, 1, 1])
  }

  /// What others did since a plain undo stays where it is redone.
  @Test func redoLeavesWhatOthersDidSince() throws {
    one.say("dispatch tasks.add milk --quiet", "undo --quiet")
    two.say("dispatch counter.increment --quiet")
    let redo = one.say("redo")
    #expect(
      redo.output.hasPrefix(
        "#4 shell.restore without=[2]  (brings back #1 tasks.add; 1 later action stays)"),
      "\(redo)")
    #expect(host.store.state.tasks.items.count == 1)
    #expect(host.store.state.counter.value == 1)
    #expect(one.say("undo").output.contains("takes back #1 tasks.add; 1 later action by others stays"))
    // What others would not have found so.
    one.say("redo --quiet")
    two.say("dispatch tasks.complete 1 --quiet")
    #expect(one.say("undo").errors.contains("undo-conflict"))
    #expect(host.store.state.tasks.items.count == 1)
  }

  /// A redo is refused where what others did since would be otherwise, and its words are those of a redo.
  @Test func redoChangesNothingOfWhatOthersDid() throws {
    one.say("dispatch counter.setStep 5 --quiet", "undo --quiet")
    two.say("dispatch counter.increment --quiet")
    let redo = one.say("redo").errors
    #expect(redo.hasPrefix("-c:1:1: error[undo-conflict]: it cannot be redone: #3 counter.increment by "), "\(redo)")
    #expect(redo.contains(" would leave counter.value at 5, not 1, with it\n  redo\n"), "\(redo)")
    #expect(redo.contains("hint: to have it again: dispatch counter.setStep to=5"))
    #expect(host.live.head == 3)
  }

  /// An id is given once: undo leaves the sequence, and what comes back has the id that it had.
  @Test func idsAreGivenOnce() throws {
    one.say("dispatch tasks.add A --quiet")
    two.say("dispatch tasks.add B --quiet")
    #expect(one.say("undo").output.contains("takes back #1 tasks.add; 1 later action by others stays"))
    two.say("dispatch tasks.add C --quiet")
    one.say("redo --quiet", "undo --to 0 --quiet")
    #expect(host.store.state.tasks.items.isEmpty && host.store.state.tasks.nextId == 4)
    two.say("dispatch tasks.add D --quiet")
    #expect(host.store.state.tasks.items.map { "\($0.id) \($0.title)" } == ["4 D"])
    let recording = two.say("export journal -").output
    #expect(!recording.isEmpty)
  }

  /// A conversation that is alone has its numbers back; so has one whose company had gone before.
  @Test func aloneASequenceGoesBack() throws {
    let host = try SharedStoreTests.host()
    let one = try SharedStoreTests.shell(host)
    one.say("dispatch tasks.add A --quiet", "undo --quiet")
    #expect(host.store.state.tasks.nextId == 1)
    do {
      let two = try SharedStoreTests.shell(host)
      one.say("dispatch tasks.add B --quiet", "undo --quiet")
      two.say("show tasks.items")
    }
    #expect(host.store.state.tasks.nextId == 2)
    one.say("dispatch tasks.add C --quiet", "undo --quiet")
    #expect(host.store.state.tasks.nextId == 2)
  }

  /// The same difference of a number is no conflict; only of that number, and only at its own place.
  @Test func differencesOfANumberMayMove() throws {
    one.say("dispatch counter.increment by=10 --quiet")
    two.say("dispatch counter.increment by=1 --quiet")
    #expect(one.say("undo").output.contains("takes back #1 counter.increment; 1 later action by others stays"))
    #expect(host.store.state.counter.value == 1)
    one.say("dispatch counter.setStep 3 --quiet")
    two.say("dispatch counter.increment --quiet")
    #expect(one.say("undo").errors.contains(" would leave counter.value at 2, not 4, without it"))
  }

  /// A newcomer takes back nothing of those who are there; later their ended conversations are their own again.
  @Test func ownIsWhatTheSamePersonDid() throws {
    let host = try SharedStoreTests.host()
    do {
      let ann = try Conversation(with: host, who: "ann")
      ann.say("dispatch tasks.add milk --quiet")
      let newcomer = try SharedStoreTests.shell(host).say("undo")
      #expect(newcomer.errors.contains("error[nothing-to-undo]: there is nothing to undo"))
      #expect(newcomer.errors.contains("hint: undo --any takes back #1 tasks.add by ann ("))
      let other = try Conversation(with: host, who: "ann")
      #expect(other.say("undo").errors.contains("nothing-to-undo"))
    }
    let bob = try Conversation(with: host, who: "bob")
    bob.say("dispatch counter.increment --quiet")
    let ann = try Conversation(with: host, who: "ann")
    let undo = ann.say("undo").output
    #expect(undo.hasPrefix("#3 shell.restore without=[1]  (takes back #1 tasks.add, of ann ("), "\(undo)")
    #expect(undo.contains("; 1 later action by others stays)"))
    #expect(ann.say("why tasks.items").output.contains("as it is without #1:\n"))
    host.store.dispatch(.counter(.increment()))
    #expect(ann.say("undo").errors.contains("nothing-to-undo"))
  }

  /// A person hears at their next coming what another took back meanwhile, once.
  @Test func whoComesHearsWhatWasTakenBack() throws {
    let host = try SharedStoreTests.host()
    do {
      let ann = try Conversation(with: host, who: "ann")
      ann.say("dispatch tasks.add milk --quiet", "dispatch counter.increment --quiet")
      ann.session.store.isPersons = true
    }
    let bob = try Conversation(with: host, who: "bob")
    bob.say("dispatch counter.setStep 2 --quiet", "undo --any 2 --quiet")
    func hear() throws -> [String] {
      let ann = try Conversation(with: host, who: "ann")
      try ann.session.store.hearOfAbsence()
      ann.session.store.isPersons = true
      return ann.session.store.takeNotes()
    }
    let told = try hear()
    #expect(told.count == 1 && told[0].hasPrefix("bob") && told[0].hasSuffix(" took back your #2 counter.increment"))
    #expect(try hear().isEmpty)
    #expect(host.store.state.counter.value == 0)
  }

  /// Another `undo --any` goes further back, and takes back no undo.
  @Test func undoOfAnyGoesOn() throws {
    one.say("dispatch counter.increment --quiet", "dispatch tasks.add milk --quiet")
    two.say("dispatch counter.setStep 3 --quiet")
    for (number, action) in [(3, "counter.setStep"), (2, "tasks.add"), (1, "counter.increment")] {
      #expect(two.say("undo --any").output.contains("takes back #\(number) \(action)"))
    }
    #expect(host.store.state.counter.value == 0)
    #expect(two.say("undo --any").errors.contains("nothing-to-undo"))
  }

  /// What others have taken back stays so, whatever the positions of elements.
  @Test func whatWasTakenBackStaysSo() throws {
    func titles(_ host: SharedStoreTests.Host) -> [String] {
      host.store.state.tasks.items.map { "\($0.id) \($0.title) \($0.done)" }
    }
    do {
      let host = try SharedStoreTests.host()
      let (one, two) = (try SharedStoreTests.shell(host), try SharedStoreTests.shell(host))
      one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
      two.say("dispatch tasks.add three --quiet")
      one.say("dispatch tasks.remove 1 --quiet")
      two.say("undo --quiet")
      one.say("undo --quiet")
      #expect(titles(host) == ["1 one false", "2 two false"])
    }
    do {
      let host = try SharedStoreTests.host()
      let (one, two) = (try SharedStoreTests.shell(host), try SharedStoreTests.shell(host))
      one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
      two.say("dispatch tasks.complete 2 --quiet")
      one.say("dispatch tasks.remove 1 --quiet")
      two.say("undo --quiet")
      one.say("undo --quiet")
      #expect(titles(host) == ["1 one false", "2 two false"])
    }
    do {
      let host = try SharedStoreTests.host()
      let (one, two) = (try SharedStoreTests.shell(host), try SharedStoreTests.shell(host))
      one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
      two.say("dispatch counter.increment --quiet")
      one.say("lua dispatch('counter.setStep', { to = 5 }) dispatch('tasks.remove', { id = 1 })")
      two.say("undo #5 --quiet")
      one.say("undo --quiet")
      #expect(titles(host) == ["1 one false", "2 two false"])
      #expect(host.store.state.counter.step == 1)
    }
    do {
      let host = try SharedStoreTests.host()
      let (one, two) = (try SharedStoreTests.shell(host), try SharedStoreTests.shell(host))
      one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
      two.say("dispatch tasks.remove 1 --quiet")
      one.say("undo --quiet")
      two.say("undo --quiet")
      #expect(titles(host) == ["1 one false"])
    }
  }

  /// An action that went alone stays away, and is not taken back once more.
  @Test func aLaterUndoBringsNothingBack() throws {
    let host = try SharedStoreTests.host()
    let one = try SharedStoreTests.shell(host)
    one.say("dispatch counter.increment --quiet", "dispatch tasks.add one --quiet", "undo #1 --quiet")
    let undo = one.say("undo")
    #expect(undo.output.contains("takes back #2 tasks.add"), "\(undo)")
    #expect(host.store.state.counter.value == 0 && host.store.state.tasks.items.isEmpty)
    let redo = one.say("redo")
    #expect(redo.output.contains("brings back #2 tasks.add") && !redo.output.contains("by others"), "\(redo)")
    #expect(host.store.state.counter.value == 0 && host.store.state.tasks.items.count == 1)
    #expect(one.say("undo #0").errors.contains("#0 is the beginning"))
    let second = try SharedStoreTests.host()
    let (three, four) = (try SharedStoreTests.shell(second), try SharedStoreTests.shell(second))
    three.say("dispatch tasks.add one --quiet", "dispatch counter.increment --quiet")
    four.say("undo #2 --quiet")
    #expect(three.say("undo").output.contains("takes back #1 tasks.add"))
    #expect(three.say("undo").errors.contains("nothing-to-undo"))
  }

  /// What is gone stands in nobody's way, and neither does the position of an element.
  @Test func onlyWhatWouldBeOtherwiseIsInTheWay() throws {
    let three = try SharedStoreTests.shell(host)
    one.say("dispatch counter.setStep to=6 --quiet")
    two.say("dispatch counter.setStep to=9 --quiet")
    three.say("dispatch tasks.add x --quiet")
    two.say("undo --quiet")
    #expect(host.store.state.counter.step == 6)
    #expect(one.say("undo").output.contains("counter.step  6 -> 1"))
    let second = try SharedStoreTests.host()
    let (four, five) = (try SharedStoreTests.shell(second), try SharedStoreTests.shell(second))
    four.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet", "dispatch tasks.remove 1 --quiet")
    five.say("dispatch tasks.complete 2 --quiet")
    #expect(four.say("undo").output.contains("takes back #3 tasks.remove"))
    #expect(second.store.state.tasks.items.map(\.done) == [false, true])
  }

  /// Whoever asked for it, it is named.
  @Test func whatOthersDispatchedIsNamedWhenItComesBack() throws {
    one.say("dispatch tasks.add one --quiet", "dispatch tasks.add two --quiet")
    two.say("dispatch counter.increment --quiet")
    #expect(two.say("undo 2 --any").output.contains("takes back 2 statements, #2-#3: tasks.add, counter.increment"))
    #expect(two.say("redo").output.contains("brings back 2 statements, #2-#3: tasks.add, counter.increment"))
    one.say("undo --any --quiet")
    #expect(one.say("redo").output.contains("(brings back #3 counter.increment)"))
  }

  /// Another's undo shuts nobody's redo, even where it went back to a point before: what that had not taken back comes back.
  @Test func aReturnToAPointShutsNoRedo() throws {
    one.say("dispatch tasks.add one --quiet")
    two.say("dispatch tasks.add two --quiet", "dispatch counter.increment by=9 --quiet")
    one.say("undo --any --quiet")
    two.say("undo --any --quiet")
    let redo = one.say("redo")
    #expect(redo.output.hasPrefix("#6 shell.restore without=[4]  (brings back #3 counter.increment"), "\(redo)")
    #expect(host.store.state.counter.value == 9 && host.store.state.tasks.items.map(\.title) == ["one"])
    #expect(one.say("why counter.value").output.hasPrefix("#6 shell.restore without=[4]"))
    #expect(one.say("undo #2").errors.contains("#2 tasks.add was taken back by #5"))
    #expect(one.say("undo --to 1", "redo").errors == "")
    #expect(host.store.state.counter.value == 9)
    // What came back is an action like others.
    #expect(two.say("undo").output.contains("takes back #3 counter.increment"))
    #expect(host.store.state.counter.value == 0)
    #expect(one.say("undo --to 0", "redo").errors == "")
    #expect(two.say("redo").output.contains("brings back #3 counter.increment"))
    #expect(host.store.state.counter.value == 9)
    #expect(one.say("undo #3").output.contains("takes back #3 counter.increment"))
  }

  /// One's own later action, of another conversation of the name, may have no effect any more: it is told.
  @Test func whatHasNoEffectAnyMoreIsTold() throws {
    let ann = try Conversation(with: host, who: "ann")
    one.say("dispatch counter.increment --quiet")
    ann.say("dispatch tasks.add milk --quiet")
    try Conversation(with: host, who: "ann").say(
      "dispatch tasks.complete 1 --quiet", "dispatch counter.setStep 2 --quiet")
    let undo = ann.say("undo").output
    let remark = "(takes back #2 tasks.add; 1 later action stays; #3 tasks.complete has no effect now)\n"
    #expect(undo.hasPrefix("#5 shell.restore without=[2]  " + remark), "\(undo)")
    #expect(host.store.state.tasks.items.isEmpty && host.store.state.counter.step == 2)
    // With it, it has.
    #expect(ann.say("redo").output.contains("(brings back #2 tasks.add)"))
    #expect(host.store.state.tasks.items.map(\.done) == [true])
    (ann.session.options.isJSON, ann.session.printer.isJSON) = (true, true)
    for line in ["undo", "undo #2"] {
      let data = ann.say(line).output
      #expect(
        data.contains(#""noEffect":[{"id":3,"action":"tasks.complete","args":{"id":1},"who":"ann"}]}"#), "\(data)")
      #expect(!ann.say("redo").output.contains("noEffect"))
    }
  }

  /// An undo that stands took back what memory has let go of: what came behind that cannot run again, and the setting is named that
  /// keeps more. A store file keeps all of it.
  @Test func whatIsNotKeptIsNamedWithItsSetting() throws {
    for place in [nil, try SharedPluginTests.Place()] {
      let host = try place?.open() ?? SharedStoreTests.host()
      let people = try ["ann", "bob", "zed"].map { try Conversation(with: host, who: $0) }
      let (ann, bob, zed) = (people[0], people[1], people[2])
      func increment(_ count: Int) { zed.say("lua for i = 1, \(count) do dispatch('counter.increment') end") }
      ann.say("set journal.limit 600")
      bob.say("dispatch counter.setStep 1 --quiet", "dispatch tasks.add bread --quiet")
      increment(400)
      ann.say("dispatch tasks.add milk --quiet")
      bob.say("undo --quiet")
      increment(500)
      let undo = ann.say("undo")
      if place == nil {
        #expect(
          undo.errors.contains("what happened from #3 on is needed for what was undone since, and is not kept any more")
            && undo.errors.contains("  hint: set journal.limit says how much is kept; "), "\(undo)")
        let none = bob.say("undo")
        #expect(
          none.errors.contains("error[nothing-to-undo]") && none.errors.contains("set journal.limit"), "\(none)")
      } else {
        #expect(undo.errors == "" && host.store.state.tasks.items.isEmpty, "\(undo)")
        #expect(bob.say("undo").output.contains("(takes back #2 counter.setStep"))
      }
      if place != nil { try host.close() }
    }
  }

  /// What an undo among others does is kept like what comes while it is planned, though memory has less room than that takes.
  @Test func anUndoThatIsLargerThanMemoryCanBeRedone() throws {
    let (place, host) = (try SharedPluginTests.Place(), try SharedStoreTests.host())
    try place.write(
      "0.1.0",
      """
      return plugin {
        state = { field("list", list(text())) },
        actions = { { name = "add", args = { field("by", int()) } }, { name = "pop" } },
        reducers = {
          add = function(s, a) s.list[#s.list + 1] = "element " .. a.by end,
          pop = function(s) table.remove(s.list, 1) end,
        },
      }
      """)
    let (ann, bob) = (try place.come(host, "ann"), try Conversation(with: host, who: "bob"))
    ann.say(
      "plugin load \(place.folder)/shop", "lua for i = 1, 200 do dispatch('shop.add', { by = i }) end",
      "set journal.limit \"16KiB\"", "lua dispatch('shop.pop') dispatch('shop.add', { by = 9 })")
    bob.say("dispatch counter.increment --quiet")
    let undo = ann.say("undo")
    #expect(undo.errors == "" && undo.output.contains("shell.restore without="), "\(undo)")
    #expect(ann.say("redo").output.contains("(brings back "))
  }

  /// A value is made by the action that makes it without those that were taken back, whether their restore changed it or not.
  @Test func whyLeadsToWhatMakesTheValueNow() throws {
    let people = try ["ann", "bob", "cat"].map { try Conversation(with: host, who: $0) }
    let (ann, bob, cat) = (people[0], people[1], people[2])
    ann.say("dispatch counter.increment by=2 --quiet")
    bob.say("dispatch counter.reset --quiet")
    cat.say("dispatch counter.reset --quiet")
    #expect(bob.say("undo").output.contains("#4 shell.restore without=[2]"))
    func why(_ path: String = "counter.value") -> String { ann.say("why \(path)").output }
    #expect(why().hasPrefix("#3 counter.reset  <- "), "\(why())")
    #expect(why().contains("  counter.value  2 -> 0\n"), "\(why())")
    // A redo that changes nothing is no cause either.
    #expect(bob.say("redo").errors == "")
    #expect(why().hasPrefix("#2 counter.reset  <- "), "\(why())")
    // Nor is a return to a point that left the value as it was, nor what it passed over.
    cat.say("dispatch counter.increment by=5 --quiet", "dispatch counter.increment by=-5 --quiet")
    cat.say("undo --to 5 --quiet")
    #expect(why().hasPrefix("#2 counter.reset  <- "), "\(why())")
    // What another changed is told as it is without the others.
    cat.say("dispatch counter.increment by=3 --quiet")
    ann.say("undo #2 --quiet", "undo #3 --quiet")
    #expect(why().contains("as it is without #3:\n"), "\(why())")
    #expect(why().contains("#9 counter.increment by=3"), "\(why())")
    #expect(why().hasSuffix("  counter.value  2 -> 5\n"), "\(why())")
    #expect(why("counter.step").contains("counter.step is as it was at the start"))
  }

  @Test func anActionGoesAlone() throws {
    one.say(
      "dispatch counter.increment --quiet", "dispatch tasks.add milk --quiet", "dispatch tasks.complete 1 --quiet")
    #expect(
      two.say("undo #1").output.contains(
        "#4 shell.restore without=[1]  (takes back #1 counter.increment; 2 later actions stay)"))
    #expect(host.store.state.counter.value == 0)
    #expect(two.say("undo #1").errors.contains("error[nothing-to-undo]: #1 counter.increment was taken back by #4"))
    let conflict = two.say("undo #2").errors
    #expect(conflict.contains("it cannot be undone alone: #3 tasks.complete id=1 by "))
    #expect(conflict.contains(" would fail without it"))
    #expect(conflict.contains("hint: `undo --to 1` takes back all that happened since"), "\(conflict)")
    #expect(two.say("undo #4").output.contains("takes back #4 shell.restore"))
    #expect(host.store.state.counter.value == 1)
    #expect(two.say("undo #1").output.contains("takes back #1 counter.increment"))
    #expect(two.say("undo --to 1 --quiet", "undo #3").errors.contains("was taken back by #7"))
    #expect(two.say("undo #9").errors.contains("there is no #9"))
    #expect(two.say("undo #0").errors.contains("error["))
    #expect(two.say("undo #1 --any").errors.contains("--any and #N cannot be combined"))
  }

  @Test func withoutOthersUndoIsAsEver() throws {
    let host = try SharedStoreTests.host()
    let one = try SharedStoreTests.shell(host)
    one.say("dispatch counter.increment --quiet", "dispatch counter.increment --quiet")
    #expect(one.say("undo").output.hasPrefix("#3 shell.restore to=1"))
    #expect(one.say("redo").output.hasPrefix("#4 shell.restore to=2  (brings back #2 counter.increment)\n"))
  }
}
