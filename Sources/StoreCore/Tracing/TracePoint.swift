import Synchronization

/// Where units and store report trace events. Shared by all units of one store; costs one test while nobody listens.
public final class TracePoint: @unchecked Sendable {
  // Safe: `sink` is read and written only by the thread that owns the store; `later` never changes once the store is made.
  private var sink: ((TraceEvent) -> Void)?
  private let later: (@Sendable (Job) -> Void)?
  @usableFromInline let listening = Atomic<Bool>(false)

  /// - Parameter later: runs a job on the thread that owns the store.
  @usableFromInline
  init(later: (@Sendable (Job) -> Void)? = nil) { self.later = later }

  func setSink(_ sink: ((TraceEvent) -> Void)?) {
    self.sink = sink
    listening.store(sink != nil, ordering: .relaxed)
  }

  /// Whether somebody listens; units build events only then.
  @inlinable public var isOn: Bool { listening.load(ordering: .relaxed) }

  /// Reports an event to whoever listens. Only on the thread that processes actions: in handle, in reducers, and in IO
  /// while it runs.
  @inlinable
  public func report(_ event: @autoclosure () -> TraceEvent) {
    if isOn { send(event()) }
  }

  /// Reports an event from any thread, such as that of an effect; it is passed on between two actions where this thread is
  /// not the one that processes actions.
  public func reportFromAnyThread(_ event: @autoclosure () -> TraceEvent) {
    guard isOn else { return }
    let event = event()
    later?(Job { [self] in report(event) })
  }

  @usableFromInline
  func send(_ event: TraceEvent) { sink?(event) }
}
