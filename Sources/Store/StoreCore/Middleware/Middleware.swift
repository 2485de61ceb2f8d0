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
    Middleware(
      units: units.map { unit in
        MiddlewareUnit(
          name: "\(prefix).\(unit.name)", looksAtActions: unit.looksAtActions, accepts: unit.accepts,
          takesKind: unit.takesKind, attach: unit.attach)
      })
  }
}

/// Lists middlewares from top to bottom.
public typealias MiddlewareBuilder<Input, Output, State> = CompositionBuilder<Middleware<Input, Output, State>>

extension Middleware {
  /// Makes this middleware one of a larger store: other actions in, other actions out, a slice of the state (R14).
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped altogether.
  ///   - output: the global action that stands for a local one.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    output: @escaping @Sendable (Output) -> GlobalOutput,
    state: @escaping @Sendable (GlobalState) -> State
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    Middleware<GlobalInput, GlobalOutput, GlobalState>(
      units: units.map { unit in
        let (attach, accepts) = (unit.attach, unit.accepts)
        return MiddlewareUnit<GlobalInput, GlobalOutput, GlobalState>(
          name: unit.name, looksAtActions: unit.looksAtActions,
          accepts: { global in input(global).map { accepts?($0) ?? true } ?? false }
        ) { attachment in
          let handler = attach(
            MiddlewareUnit<Input, Output, State>.Attachment(
              state: attachment.state.map(state), trace: attachment.trace, effects: attachment.effects,
              supervise: { declare in attachment.supervise { declare().map { $0.map(output) } } },
              superviseChanges: { changes in attachment.superviseChanges(changes.map(output)) }))
          return { global, context in
            guard let local = input(global) else { return nil }
            return handler(local, context)?.map(output)
          }
        }
      })
  }

  /// The same with other actions in, over a larger state: what it emits goes out as it is.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped altogether.
  ///   - state: the slice.
  @inlinable
  package func keepingOutput<GlobalInput, GlobalState>(
    input: @escaping @Sendable (GlobalInput) -> Input?, state: @escaping @Sendable (GlobalState) -> State
  ) -> Middleware<GlobalInput, Output, GlobalState> {
    Middleware<GlobalInput, Output, GlobalState>(
      units: units.map { unit in
        let (attach, accepts) = (unit.attach, unit.accepts)
        return MiddlewareUnit<GlobalInput, Output, GlobalState>(
          name: unit.name, looksAtActions: unit.looksAtActions,
          accepts: { global in input(global).map { accepts?($0) ?? true } ?? false }
        ) { attachment in
          let handler = attach(
            MiddlewareUnit<Input, Output, State>.Attachment(
              state: attachment.state.map(state), trace: attachment.trace, effects: attachment.effects,
              supervise: attachment.supervise, superviseChanges: attachment.superviseChanges))
          return { global, context in input(global).flatMap { handler($0, context) } }
        }
      })
  }

  /// The same with other actions in.
  @inlinable
  public func lift<GlobalInput>(
    input: @escaping @Sendable (GlobalInput) -> Input?
  ) -> Middleware<GlobalInput, Output, State> {
    keepingOutput(input: input, state: { $0 })
  }

  /// The same with other actions out.
  @inlinable
  public func lift<GlobalOutput>(
    output: @escaping @Sendable (Output) -> GlobalOutput
  ) -> Middleware<Input, GlobalOutput, State> {
    lift(input: { $0 }, output: output, state: { $0 })
  }

  /// The same over a larger state.
  @inlinable
  public func lift<GlobalState>(
    state: @escaping @Sendable (GlobalState) -> State
  ) -> Middleware<Input, Output, GlobalState> {
    keepingOutput(input: { $0 }, state: state)
  }
}

extension Middleware {
  /// Says that an output map is missing, where the compiler would find fault with the types.
  @available(
    *, unavailable,
    message: "this middleware dispatches actions: say by 'output:' which of the larger store's actions they are"
  )
  public func lift<GlobalInput, GlobalState>(
    input: @escaping @Sendable (GlobalInput) -> Input?, state: @escaping @Sendable (GlobalState) -> State
  ) -> Middleware<GlobalInput, GlobalInput, GlobalState> { .identity }
}

/// Anything follows from a value that cannot be.
@inlinable
@Sendable
func absurd<Anything>(_ never: Never) -> Anything {}

extension Middleware where Output == Never {
  /// A middleware that cannot dispatch (R15), as one of a store with actions.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    to output: GlobalOutput.Type = GlobalOutput.self,
    state: @escaping @Sendable (GlobalState) -> State
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    lift(input: input, output: absurd, state: state)
  }

  /// A middleware that cannot dispatch (R15), as one that could: for lifts that ask where output goes.
  @inlinable
  public func lift<GlobalOutput>(to output: GlobalOutput.Type = GlobalOutput.self)
    -> Middleware<Input, GlobalOutput, State>
  {
    lift(output: absurd)
  }
}

extension Middleware where State == Void {
  /// A middleware that needs no state (R15), over any state.
  @inlinable
  public func lift<GlobalState>(ignoring state: GlobalState.Type = GlobalState.self)
    -> Middleware<Input, Output, GlobalState>
  {
    lift(input: { $0 }, output: { $0 }, state: { (_: GlobalState) in })
  }
}

/// Reads a part of a value. A key path to stored properties is followed once, and not by the runtime with each read.
///
/// - Parameter path: the part.
@inlinable
package func reading<Root, Part>(_ path: KeyPath<Root, Part> & Sendable) -> @Sendable (Root) -> Part {
  guard let offset = MemoryLayout<Root>.offset(of: path) else { return { $0[keyPath: path] } }
  return { root in withUnsafeBytes(of: root) { $0.load(fromByteOffset: offset, as: Part.self) } }
}
