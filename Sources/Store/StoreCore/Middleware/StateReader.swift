/// Reads the state of a store at the moment of the call (R8). In handle: before reducing; in IO: after the commit;
/// later: at that later moment.
public struct StateReader<State>: Sendable {
  @usableFromInline let get: @Sendable () -> State

  /// A reader that calls a closure.
  @inlinable
  public init(_ get: @escaping @Sendable () -> State) { self.get = get }

  /// The state now.
  @inlinable
  public func callAsFunction() -> State { get() }

  /// A reader of something that the state determines.
  @inlinable
  public func map<Part>(_ transform: @escaping @Sendable (State) -> Part) -> StateReader<Part> {
    StateReader<Part> { transform(get()) }
  }
}
