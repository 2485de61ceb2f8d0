import Foundation
import StoreCore
import StoreSchema
import StoreUnits
import Testing
import TraceSupport

private enum DocAction: Sendable, Equatable, CustomStringConvertible {
  case set(Int)
  case type(String)
  case load(Int)
  case cascade(Int)
  case fail
  case noop
  case undo(UndoAction)

  var description: String {
    switch self {
    case .set(let value): "set(\(value))"
    case .type(let text): "type(\(text))"
    case .load(let value): "load(\(value))"
    case .cascade(let depth): "cascade(\(depth))"
    case .fail: "fail"
    case .noop: "noop"
    case .undo(let action): "\(action)"
    }
  }

  var undoAction: UndoAction? { if case .undo(let action) = self { action } else { nil } }
}

private struct Failed: Error, CustomStringConvertible { var description: String { "no" } }

private let doc = Reducer<DocAction, Int>.throwing("doc", canFail: { $0 == .fail }) { action, value, _ in
  switch action {
  case .set(let new), .load(let new): value = new
  case .type(let text): value = value * 10 + text.count
  case .cascade: value += 1
  case .fail:
    value = -1
    throw Failed()
  case .noop, .undo: break
  }
}

private typealias Doc = Undoable<Int>
private typealias DocStore = Store<DocAction, Doc>

private func store(
  limit: Int = 100, grouping: UndoGrouping<DocAction> = .cause,
  where isStep: @escaping @Sendable (DocAction, Int, Int) -> Bool = { _, _, _ in true }
) throws -> DocStore {
  let cascading = Middleware<DocAction, DocAction, Doc>("cascading") { action, _, _ in
    switch action {
    case .cascade(let depth) where depth > 0: return IO { $0.dispatch(.cascade(depth - 1)) }
    case .type("!"): return IO { $0.dispatch(.cascade(0)) }
    default: return .none
    }
  }
  return try Store(
    initial: Undoable(0),
    reducer: doc.undoable(undo: \.undoAction, limit: limit, grouping: grouping, where: isStep), middleware: cascading)
}

private func text(_ store: DocStore) -> String { "\(store.state)" }

/// Undo of a path.
@Suite struct UndoTests {
  @Test func stepsAreTakenBackAndDoneAgain() throws {
    let store = try store()
    #expect(!store.state.canUndo && !store.state.canRedo)
    for value in 1...3 { store.dispatch(.set(value)) }
    #expect(text(store) == "[0, 1, 2] 3 []")
    store.dispatch(.undo(.undo))
    store.dispatch(.undo(.undo))
    #expect(text(store) == "[0] 1 [2, 3]")
    #expect(store.state.canUndo && store.state.canRedo)
    store.dispatch(.undo(.redo))
    #expect(text(store) == "[0, 1] 2 [3]")
    store.dispatch(.set(9))
    #expect(text(store) == "[0, 1, 2] 9 []", "a new step ends the future")
  }

  @Test func whatChangesNothingIsNoStep() throws {
    let store = try store()
    store.dispatch(.set(1))
    store.dispatch(.undo(.undo))
    let before = store.state
    for action in [DocAction.noop, .set(0), .undo(.undo), .undo(.jump(by: 0))] { store.dispatch(action) }
    #expect(store.state == before, "the future is kept too")
  }

  @Test(arguments: [
    (UndoAction.jump(by: -2), "[0] 1 [2, 3, 4]"), (.jump(by: 1), "[0, 1, 2, 3] 4 []"),
    (.jumpToPast(index: 0), "[] 0 [1, 2, 3, 4]"), (.jumpToPast(index: 2), "[0, 1] 2 [3, 4]"),
    (.jumpToFuture(index: 0), "[0, 1, 2, 3] 4 []"), (.clear, "[] 3 []"),
    (.jump(by: -4), "[0, 1, 2] 3 [4]"), (.jump(by: 2), "[0, 1, 2] 3 [4]"), (.jump(by: .min), "[0, 1, 2] 3 [4]"),
    (.jump(by: .max), "[0, 1, 2] 3 [4]"), (.jumpToPast(index: 3), "[0, 1, 2] 3 [4]"),
    (.jumpToPast(index: -1), "[0, 1, 2] 3 [4]"), (.jumpToPast(index: .max), "[0, 1, 2] 3 [4]"),
    (.jumpToFuture(index: 1), "[0, 1, 2] 3 [4]"), (.jumpToFuture(index: -1), "[0, 1, 2] 3 [4]"),
    (.jumpToFuture(index: .min), "[0, 1, 2] 3 [4]"),
  ])
  func jumps(action: UndoAction, expected: String) throws {
    let store = try store()
    for value in 1...4 { store.dispatch(.set(value)) }
    store.dispatch(.undo(.undo))
    #expect(text(store) == "[0, 1, 2] 3 [4]")
    store.dispatch(.undo(action))
    #expect(text(store) == expected)
  }

  @Test(arguments: [(0, "[] 5 []"), (-3, "[] 5 []"), (1, "[4] 5 []"), (3, "[2, 3, 4] 5 []")])
  func theOldestStepsGoFirst(limit: Int, expected: String) throws {
    let store = try store(limit: limit)
    for value in 1...5 { store.dispatch(.set(value)) }
    #expect(text(store) == expected)
    store.dispatch(.undo(.jump(by: -store.state.past.count)))
    store.dispatch(.undo(.jump(by: store.state.future.count)))
    #expect(text(store) == expected, "going there and back keeps within the limit")
  }

  @Test func allThatOneDispatchCausedIsOneStep() throws {
    let store = try store()
    store.dispatch(.set(10))
    store.dispatch(.cascade(3))
    #expect(text(store) == "[0, 10] 14 []")
    store.dispatch(.cascade(1))
    #expect(text(store) == "[0, 10, 14] 16 []")
    store.dispatch(.undo(.jump(by: -2)))
    #expect(text(store) == "[0] 10 [14, 16]")
  }

  @Test func withoutGroupingEveryActionIsAStep() throws {
    let store = try store(grouping: .none)
    store.dispatch(.cascade(2))
    #expect(text(store) == "[0, 1, 2] 3 []")
  }

  @Test func actionsWithOneKeyThatFollowEachOtherAreOneStep() throws {
    let store = try store(
      grouping: .key { if case .type(let text) = $0 { text } else { nil } })
    for key in ["a", "a", "bb", "a"] { store.dispatch(.type(key)) }
    #expect(text(store) == "[0, 11, 112] 1121 []")
    store.dispatch(.set(5))
    store.dispatch(.set(6))
    #expect(text(store) == "[0, 11, 112, 1121, 5] 6 []", "no key: steps of their own")
    store.dispatch(.cascade(1))
    #expect(text(store) == "[0, 11, 112, 1121, 5, 6] 8 []", "by cause as well")
    store.dispatch(.type("a"))
    store.dispatch(.undo(.undo))
    store.dispatch(.type("a"))
    #expect(text(store) == "[0, 11, 112, 1121, 5, 6, 8] 81 []")
    store.dispatch(.undo(.undo))
    #expect(store.state.present == 8, "undoing ended the earlier group")
  }

  @Test func whatAKeyedActionCausedBelongsToTheGroupAndDoesNotEndIt() throws {
    let store = try store(grouping: .key { if case .type(let text) = $0 { text } else { nil } })
    for _ in 0..<3 { store.dispatch(.type("!")) }
    #expect(text(store) == "[0] 222 []")
    store.dispatch(.cascade(1))
    store.dispatch(.type("!"))
    #expect(text(store) == "[0, 222, 224] 2242 []")
  }

  @Test func aGroupThatComesToNothingIsNoStep() throws {
    let store = try store(grouping: .key { _ in "k" })
    store.dispatch(.set(1))
    store.dispatch(.set(0))
    #expect(text(store) == "[] 0 []")
    store.dispatch(.set(2))
    #expect(text(store) == "[0] 2 []")
  }

  @Test func whatIsFilteredOutKeepsPastAndFuture() throws {
    let store = try store { action, _, _ in if case .load = action { false } else { true } }
    store.dispatch(.load(7))
    #expect(text(store) == "[] 7 []")
    store.dispatch(.set(1))
    store.dispatch(.set(2))
    store.dispatch(.undo(.undo))
    store.dispatch(.load(50))
    #expect(text(store) == "[7] 50 [2]")
    store.dispatch(.undo(.redo))
    #expect(text(store) == "[7, 50] 2 []", "what was loaded is not lost")
  }

  @Test func aFilterSeesTheStatesBeforeAndAfter() throws {
    let store = try store { _, before, after in abs(after - before) > 1 }
    for value in [1, 5, 6, 0] { store.dispatch(.set(value)) }
    #expect(text(store) == "[1, 6] 0 []")
  }

  @Test func aFailureMakesNoStep() throws {
    let store = try store()
    store.dispatch(.set(1))
    store.dispatch(.undo(.undo))
    let before = store.state
    #expect(throws: Failed.self) { try store.dispatch(.fail).get() }
    #expect(store.state == before)
  }

  @Test func undoingIsAUnitOfItsOwnInTraces() throws {
    let store = try store()
    let trace = TraceLines("RCUF")
    trace.listen(to: store)
    store.dispatch(.set(1))
    store.dispatch(.undo(.undo))
    store.dispatch(.undo(.undo))
    store.dispatch(.fail)
    #expect(
      trace.lines
        == scenario(
          """
          R 1 doc 0→1 · C 1 [] 0 []→[0] 1 []
          R 2 undo [0] 1 []→[] 0 [1] · C 2 [0] 1 []→[] 0 [1]
          R 3 undo [] 0 [1]→[] 0 [1] · U 3
          F 4 no
          """))
  }

  @Test func aReplayWithTheRecordedContextsGivesTheSameHistory() throws {
    let store = try store(grouping: .key { if case .type = $0 { "t" } else { nil } })
    let records = Lock<[(DocAction, ActionContext)]>([])
    store.setRecorder { record in records.withLock { $0.append((record.action, record.context)) } }
    for action in [DocAction.cascade(2), .type("a"), .type("bb"), .undo(.undo), .cascade(1), .undo(.undo)] {
      store.dispatch(action)
    }
    var replayed = Doc(0)
    let reducer = doc.undoable(
      undo: \.undoAction, grouping: .key { if case .type = $0 { "t" } else { nil } })
    for (action, context) in records.withLock({ $0 }) { try reducer.reduce(action, &replayed, context: context) }
    #expect(replayed == store.state)
  }

  @Test func aHistoryAnywhereInTheState() throws {
    struct App: Equatable, Sendable {
      var title = ""
      var doc = Doc(0)
    }
    let titles = Reducer<DocAction, App>("titles") { action, app in
      if case .type(let text) = action { app.title += text }
      if case .set(let value) = action { app.doc.present += value * 100 }
    }
    let lifted = doc.undoable(undo: \.undoAction).lift(action: { $0 }, state: \App.doc)
    var app = App()
    for action in [DocAction.set(1), .type("a"), .undo(.undo)] { try lifted.reduce(action, &app) }
    #expect("\(app.doc)" == "[0] 1 [11]")
    // The wrapper sees what the two reducers did together, and takes back the slice only.
    let wrapped = doc.lift(state: \App.doc.present).appending(titles).undoable(at: \.doc, undo: \.undoAction)
    app = App()
    for action in [DocAction.set(1), .type("a"), .undo(.undo)] { try wrapped.reduce(action, &app) }
    #expect("\(app.doc)" == "[0] 101 [1011]")
    #expect(app.title == "a")
  }

  @Test func everyElementHasAHistoryOfItsOwn() throws {
    let each = doc.undoable(undo: \.undoAction).lift(
      action: { (pair: ElementAction<String, DocAction>) in pair }, element: .of(\[String: Doc].self))
    var docs = ["a": Doc(0), "b": Doc(0)]
    for (key, action) in [("a", DocAction.set(1)), ("b", .set(2)), ("c", .set(3)), ("a", .undo(.undo))] {
      try each.reduce(ElementAction(id: key, action: action), &docs)
    }
    #expect(docs.mapValues(\.description) == ["a": "[] 0 [1]", "b": "[0] 2 []"])
  }

  @Test func statesOfPersistentSlicesShareWhatDidNotChange() throws {
    typealias Slices = [PersistentList<Int>]
    let reducer = Reducer<Int, Slices> { $1[0][$0] += 1 }
    let wrapped = reducer.lift(action: { (action: Int?) in action }, state: \.self)
      .undoable(undo: { $0 == nil ? .undo : nil })
    var history = Undoable([PersistentList(0..<10_000), PersistentList(0..<10)])
    for index in 0..<5 { try wrapped.reduce(index, &history) }
    for state in history.past { #expect(state[1].isIdentical(to: history.present[1])) }
    let oldest = try #require(history.past.first)
    try wrapped.reduce(nil, &history)
    #expect(history.present[0][4] == 4)
    #expect(oldest[0].elementsEqual(0..<10_000))
  }

  @Test func itIsWhatItsSliceIs() throws {
    let store = try store(grouping: .key { _ in "k" })
    for action in [DocAction.set(1), .undo(.undo), .undo(.redo), .cascade(1)] { store.dispatch(action) }
    let history = store.state
    #expect(Set([history, history]).count == 1)
    #expect(history != Doc(3))
    let data = try JSONEncoder().encode(history)
    #expect(try JSONDecoder().decode(Doc.self, from: data) == history)
    #expect(try Doc(schemaValue: history.schemaValue) == history)
    #expect(try Doc(schemaValue: JSON.value(of: #"{"present": 4}"#)) == Doc(4))
    #expect(throws: SchemaError.self) { try Doc(schemaValue: JSON.value(of: #"{"present": "x"}"#)) }
    #expect(try UndoAction(schemaValue: JSON.value(of: #"{"jump": {"by": -2}}"#)) == .jump(by: -2))
  }

  /// A model of steps as a plain list and a position, against random actions.
  @Test(arguments: 0..<40)
  func anyRunAgreesWithAListAndAPosition(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let limit = Int.random(in: 1...6, using: &random)
    let store = try store(limit: limit)
    var states = [0]
    var position = 0
    for _ in 0..<60 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0...2:
        let value = Int.random(in: 0...3, using: &random)
        store.dispatch(.set(value))
        guard value != states[position] else { continue }
        states = Array(states[...position]) + [value]
        if states.count > limit + 1 { states.removeFirst() }
        position = states.count - 1
      case 3:
        store.dispatch(.undo(.undo))
        position = max(position - 1, 0)
      case 4:
        store.dispatch(.undo(.redo))
        position = min(position + 1, states.count - 1)
      default:
        let steps = Int.random(in: -4...4, using: &random)
        store.dispatch(.undo(.jump(by: steps)))
        if states.indices.contains(position + steps) { position += steps }
      }
      #expect(Array(store.state.past) == Array(states[..<position]))
      #expect(store.state.present == states[position])
      #expect(Array(store.state.future) == Array(states[(position + 1)...]))
    }
  }
}
