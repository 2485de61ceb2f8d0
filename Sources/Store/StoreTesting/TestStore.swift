import StoreCore

/// A store whose every change a test declares, step by step.
///
/// The test store runs a real ``/StoreCore/Store``, so that a test sees the phases of the live one (R3). But what
/// middlewares, interceptors and effects emit is kept back until the test receives it, so that one step shows what one
/// action does:
///
/// ```swift
/// let store = try TestStore(initial: Counter(), reducer: Counter.reducer, middleware: Counter.middleware(api: api))
/// store.send(.load) { $0.isLoading = true }
/// store.receive(.loaded(3)) {
///   $0.isLoading = false
///   $0.value = 3
/// }
/// store.finish()
/// ```
///
/// By default a test is exhaustive: whatever happens and is not declared fails it (``Exhaustivity``). Nothing here waits for
/// real time: effects wait on a ``/StoreCore/VirtualClock``, which ``advance(by:fileID:filePath:line:)`` moves.
///
/// Numbers, causes and roots of actions are the same as in the live store. A single thing differs: an asynchronous
/// effect runs as far as it can within the step that started it. In the live store, actions that were emitted before it
/// started come first. Effects that leave the store's thread (``/StoreCore/EffectContext/concurrently(_:)``) emit when
/// they will; give such dependencies an answer in tests that comes on the thread that asks.
///
/// A test store is used from one thread. The idea comes from SwiftRex's `TestingExtensions` and from the test store of The
/// Composable Architecture. Extensions hold one step of a test a file.
public final class TestStore<Action: Sendable, State: Sendable> {
  /// The store that runs: to watch it, to list what it holds. Actions dispatched on it directly are no step.
  public let store: Store<Action, State>
  /// The extent to which events have to be declared.
  public var exhaustivity: Exhaustivity
  let clock: any StoreClock
  let comparison: StateComparison<State>
  let collector: EmissionCollector<Action>
  let runawayLimit: Int
  private let report: (TestFailure) -> Void
  private var lastState: State
  private var lastLocation: TestLocation
  private var isFinished = false

  /// A test store after a blueprint.
  ///
  /// - Parameters:
  ///   - blueprint: the settings of the store; without a clock it gets a ``/StoreCore/VirtualClock``.
  ///   - comparison: tells states apart.
  ///   - exhaustivity: the extent to which events have to be declared.
  ///   - report: gets each failure and note, on the thread of the test.
  /// - Throws: ``/StoreCore/StoreError/duplicateUnit(name:)``, ``/StoreCore/StoreError/sharedSlice(reducers:state:)``,
  ///   ``/StoreCore/StoreError/dispatchWhileBuilding(interceptor:)``.
  public init(
    _ blueprint: StoreBlueprint<Action, State>, comparing comparison: StateComparison<State> = .automatic,
    exhaustivity: Exhaustivity = .on, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    report: @escaping (TestFailure) -> Void = TestFailure.record
  ) throws(StoreError) {
    let collector = EmissionCollector<Action>()
    let clock = blueprint.clock ?? VirtualClock()
    var collecting = blueprint
    collecting.clock = clock
    collecting.middleware = blueprint.middleware.collecting(collector)
    collecting.interceptors = blueprint.interceptors.map { $0.collecting(collector) }
    store = try Store(collecting)
    collector.finishBuilding()
    store.setErrorHandler { collector.note($0) }
    self.collector = collector
    self.clock = clock
    self.comparison = comparison
    self.exhaustivity = exhaustivity
    self.report = report
    runawayLimit = blueprint.runawayLimit
    lastState = store.state
    lastLocation = TestLocation(fileID: fileID, filePath: filePath, line: line)
  }

  /// A test store of a state, reducers, middlewares and interceptors, with a ``/StoreCore/VirtualClock``.
  ///
  /// - Throws: ``/StoreCore/StoreError/duplicateUnit(name:)``, ``/StoreCore/StoreError/sharedSlice(reducers:state:)``,
  ///   ``/StoreCore/StoreError/dispatchWhileBuilding(interceptor:)``.
  public convenience init(
    initial: State, reducer: Reducer<Action, State>, middleware: Middleware<Action, Action, State> = .identity,
    interceptors: [Interceptor<Action, State>] = [], clock: (any StoreClock)? = nil, exhaustivity: Exhaustivity = .on,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    report: @escaping (TestFailure) -> Void = TestFailure.record
  ) throws(StoreError) where State: Equatable {
    var blueprint = StoreBlueprint(initial: initial, reducer: reducer, middleware: middleware, clock: clock)
    blueprint.interceptors = interceptors
    try self.init(
      blueprint, exhaustivity: exhaustivity, fileID: fileID, filePath: filePath, line: line, report: report)
  }

  deinit {
    if !isFinished { finish(lastLocation) }
    collector.close()
  }

  /// The state now.
  public var state: State { store.state }

  /// The emissions that were not received yet, the oldest first.
  public var waiting: [Emission<Action>] { collector.waiting }

  // MARK: Steps

  /// Begins a step: nothing may have changed since the last one.
  func begin(_ location: TestLocation) {
    lastLocation = location
    isFinished = false
    collector.settle(root: 0)
    let lines = comparison.lines(lastState, state)
    lastState = state
    if !lines.isEmpty { skipOrFail("the state was changed between two steps", lines, at: location) }
    reportErrors(at: location)
  }

  func end(_ location: TestLocation) {
    lastState = state
    collector.settle(root: 0)
    reportErrors(at: location)
  }

  /// Reports errors that reached no dispatch.
  private func reportErrors(at location: TestLocation) {
    for error in collector.takeErrors() {
      fail("an error that reached no dispatch: \((error as? StoreError)?.message ?? "\(error)")", at: location)
    }
  }

  func fail(_ text: String, _ details: [String] = [], at location: TestLocation) {
    report(TestFailure(TestStore.text(text, details), at: location))
  }

  /// Fails where the test is exhaustive, else notes what is skipped where that is wanted.
  func skipOrFail(_ text: String, _ details: [String] = [], at location: TestLocation) {
    switch exhaustivity {
    case .on: fail(text, details, at: location)
    case .off(showSkipped: true):
      report(TestFailure(TestStore.text("skipped: \(text)", details), at: location, isNote: true))
    case .off(showSkipped: false): break
    }
  }

  private static func text(_ text: String, _ details: [String]) -> String {
    ([text] + details.map { "  \($0)" }).joined(separator: "\n")
  }

  // MARK: The end

  /// Ends the test: fails where something was emitted and not received, where effects still run, or where long-lived ones
  /// are open. A test store that goes away without having been finished does so itself, and reports at the last step.
  public func finish(fileID: String = #fileID, filePath: String = #filePath, line: Int = #line) {
    finish(TestLocation(fileID: fileID, filePath: filePath, line: line))
  }

  /// Looks no more: the test has failed already.
  func abandon() { isFinished = true }

  private func finish(_ location: TestLocation) {
    begin(location)
    isFinished = true
    let waiting = waiting
    if !waiting.isEmpty {
      let what = waiting.count == 1 ? "1 action was" : "\(waiting.count) actions were"
      skipOrFail("\(what) emitted and not received", waiting.map { "\($0.action), \($0.origin)" }, at: location)
    }
    let effects = store.effects
    let running = effects.filter { !$0.isSupervised }
    if !running.isEmpty {
      let what = running.count == 1 ? "1 effect is" : "\(running.count) effects are"
      skipOrFail("\(what) still running", running.map(\.line), at: location)
    }
    let open = effects.filter(\.isSupervised)
    if !open.isEmpty {
      let what = open.count == 1 ? "1 long-lived effect is" : "\(open.count) long-lived effects are"
      skipOrFail("\(what) still open", open.map(\.line), at: location)
    }
  }
}

extension RunningEffect {
  /// The effect that runs, the action that started it, and its end, for failure texts:
  /// `search/query, started by #3, wakes in 0.2 seconds`.
  var line: String {
    let start = startedBy == 0 ? "" : ", started by #\(startedBy)"
    let wake = wakesIn.map { ", wakes in \($0)" } ?? ""
    return name + start + wake
  }
}
