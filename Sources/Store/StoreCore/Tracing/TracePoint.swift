import Synchronization

/// The point at which units and store report trace events and spans. Shared by all units of one store; costs one test
/// while nobody listens.
public final class TracePoint: @unchecked Sendable {
  // Safe: `sink`, `listener` and `current` are read and written only by the thread that owns the store; `later` never changes once the
  // store is made.
  private var sink: ((TraceEvent) -> Void)?
  private var listener: SpanListener?
  /// The action that is processed, while somebody listens to spans.
  private(set) var current = 0
  /// What was reported while it is held back; nil: it is not.
  private var heldBack: [TraceEvent]?
  private let clock = Lock<(@Sendable () -> Duration)?>(nil)
  private let later: (@Sendable (Job) -> Void)?
  @usableFromInline let listening = Atomic<Bool>(false)
  @usableFromInline let reporting = Atomic<Bool>(false)
  @usableFromInline let measuring = Atomic<Bool>(false)

  /// - Parameter later: runs a job on the thread that owns the store.
  @usableFromInline
  init(later: (@Sendable (Job) -> Void)? = nil) { self.later = later }

  /// A point at which nobody listens.
  @usableFromInline package static let silent = TracePoint()

  func setSink(_ sink: ((TraceEvent) -> Void)?) {
    self.sink = sink
    reporting.store(sink != nil, ordering: .relaxed)
    listening.store(sink != nil || listener != nil, ordering: .relaxed)
  }

  func setListener(_ listener: SpanListener?) {
    self.listener = listener
    clock.withLock { $0 = listener?.clock }
    measuring.store(listener != nil, ordering: .relaxed)
    listening.store(sink != nil || listener != nil, ordering: .relaxed)
  }

  /// True if somebody listens, to events or to spans.
  @inlinable public var isOn: Bool { listening.load(ordering: .relaxed) }

  /// True if somebody listens to events; units build them only then.
  @inlinable public var isReporting: Bool { reporting.load(ordering: .relaxed) }

  /// True if somebody listens to spans.
  @inlinable public var isMeasuring: Bool { measuring.load(ordering: .relaxed) }

  // MARK: Events

  /// Reports an event to whoever listens. Only on the thread that processes actions: in handle, in reducers, and in IO
  /// while it runs.
  @inlinable
  public func report(_ event: @autoclosure () -> TraceEvent) {
    if isReporting { send(event()) }
  }

  /// Reports an event from any thread, such as an effect's. The event is passed on between two actions if this thread
  /// is not the one that processes actions.
  public func reportFromAnyThread(_ event: @autoclosure () -> TraceEvent) {
    guard isReporting else { return }
    let event = event()
    later?(Job { [self] in report(event) })
  }

  @usableFromInline
  func send(_ event: TraceEvent) {
    if heldBack == nil { sink?(event) } else { heldBack?.append(event) }
  }

  /// Holds back what is reported while a closure runs.
  ///
  /// - Returns: what was reported.
  @usableFromInline
  func holdingBack(_ body: () -> Void) -> [TraceEvent] {
    heldBack = []
    body()
    defer { heldBack = nil }
    return heldBack ?? []
  }

  // MARK: Spans

  /// Reports that a span begins. Only on the thread that processes actions.
  public func begin(_ phase: SpanPhase, number: Int, unit: String? = nil) {
    guard isMeasuring, let listener else { return }
    listener.receive(SpanEvent(.begin, phase, number, unit, listener.clock()))
  }

  /// Reports that a span ends. Only on the thread that processes actions.
  public func end(_ phase: SpanPhase, number: Int, unit: String? = nil) {
    guard isMeasuring, let listener else { return }
    listener.receive(SpanEvent(.end, phase, number, unit, listener.clock()))
  }

  /// The time on the listener's clock, from any thread; nil while nobody listens to spans.
  @usableFromInline var now: Duration? {
    guard isMeasuring else { return nil }
    return clock.withLock { $0 }?()
  }

  /// Reports that an action was enqueued, with the time at which its wait began where that was earlier.
  @usableFromInline
  func enqueued(_ number: Int, _ action: Any, cause: Int?, since: Duration? = nil) {
    report(.enqueued(number: number, action: action, cause: cause))
    guard let time = since ?? now else { return }
    listener?.receive(SpanEvent(.begin, .queue, number, nil, time, action: action, cause: cause))
  }

  /// Reports that an action is taken from the queue.
  func taken(_ number: Int) {
    guard let listener else { return }
    current = number
    let time = listener.clock()
    listener.receive(SpanEvent(.end, .queue, number, nil, time))
    listener.receive(SpanEvent(.begin, .action, number, nil, time))
  }

  @usableFromInline
  func done(_ number: Int) {
    report(.done(number: number))
    end(.action, number: number)
  }
}
