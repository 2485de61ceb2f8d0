/// Watches actions and causes others: is asked before the reducers, and may have something done after the commit (R3, R4,
/// R9). A middleware can neither stop nor change an action.
///
/// Middlewares form a monoid (R16), kept as a flat list of named units whatever the nesting, lifting or erasure. So IO
/// runs last-composed first in every case.
///
/// Extensions add one way to make or lift middlewares a file.
public struct Middleware<Input, Output, State>: Composed, Sendable {
  /// The units in composition order.
  public let units: [MiddlewareUnit<Input, Output, State>]

  /// A composition of units.
  @inlinable
  public init(units: [MiddlewareUnit<Input, Output, State>]) { self.units = units }

  /// A middleware of one unit.
  ///
  /// - Parameters:
  ///   - name: the name in traces, gates and listings; unique in a store.
  ///   - handle: gets the action, its context and a reader of the state (now: before reducing; inside the IO: after), and
  ///     returns what is to be done after the commit.
  @inlinable
  public init(
    _ name: String,
    handle: @escaping @Sendable (Input, ActionContext, StateReader<State>) -> IO<Output>
  ) {
    units = [MiddlewareUnit(name: name, handle: handle)]
  }

  /// Does nothing; neutral on both sides of a composition.
  @inlinable public static var identity: Middleware { Middleware(units: []) }

  /// This middleware, then another.
  @inlinable
  public func appending(_ other: Middleware) -> Middleware { Middleware(units: units + other.units) }

  /// The same under other names, `PREFIX.NAME`. The same middleware can then stand in a store several times: lifted to
  /// two slices, or to one element and to all.
  public func prefixed(_ prefix: String) -> Middleware {
    Middleware(units: units.map { MiddlewareUnit(name: "\(prefix).\($0.name)", attach: $0.attach) })
  }
}

/// Lists middlewares from top to bottom.
public typealias MiddlewareBuilder<Input, Output, State> = CompositionBuilder<Middleware<Input, Output, State>>
