/// Changes state in answer to an action, in place, and does nothing else: no dispatch, clock, randomness or I/O (R6).
///
/// Reducers form a monoid (R16): ``identity`` changes nothing, ``appending(_:)`` runs one after the other on the same
/// working state, and grouping does not matter. A composition is kept as a flat list of named parts.
public struct Reducer<Action, State>: Sendable {
  @usableFromInline let parts: [Part]

  /// The body of a reducer: may throw, which undoes all that the action did to the state (R7).
  public typealias Body = @Sendable (Action, inout State, ActionContext) throws -> Void

  @usableFromInline
  struct Part: Sendable {
    @usableFromInline let name: String
    @usableFromInline let canFail: @Sendable (Action) -> Bool
    @usableFromInline let run: Body

    @inlinable
    init(name: String, canFail: @escaping @Sendable (Action) -> Bool, run: @escaping Body) {
      self.name = name
      self.canFail = canFail
      self.run = run
    }
  }

  @inlinable
  init(parts: [Part]) { self.parts = parts }

  /// A reducer that cannot fail.
  ///
  /// - Parameters:
  ///   - name: what traces call it.
  ///   - body: changes the state in place.
  @inlinable
  public init(_ name: String = "reducer", _ body: @escaping @Sendable (Action, inout State) -> Void) {
    parts = [
      Part(name: name, canFail: { _ in false }) { action, state, context in
        guard context.trace.isOn else { return body(action, &state) }
        let before = state
        body(action, &state)
        context.trace.report(.reduce(number: context.number, unit: name, before: before, after: state))
      }
    ]
  }

  /// A reducer that may fail: an error undoes everything that the action did to the state (R7).
  ///
  /// - Parameters:
  ///   - name: what traces call it.
  ///   - canFail: which actions it may fail on; for those the store keeps a snapshot while they are reduced.
  ///   - body: changes the state in place, or throws.
  @inlinable
  public static func throwing(
    _ name: String, canFail: @escaping @Sendable (Action) -> Bool = { _ in true }, _ body: @escaping Body
  ) -> Reducer {
    Reducer(parts: [
      Part(name: name, canFail: canFail) { action, state, context in
        guard context.trace.isOn else { return try body(action, &state, context) }
        let before = state
        try body(action, &state, context)
        context.trace.report(.reduce(number: context.number, unit: name, before: before, after: state))
      }
    ])
  }

  /// Changes nothing; neutral on both sides of a composition, and invisible in traces.
  @inlinable public static var identity: Reducer { Reducer(parts: []) }

  /// This reducer, then another on the same working state.
  @inlinable
  public func appending(_ other: Reducer) -> Reducer { Reducer(parts: parts + other.parts) }

  /// Reducers in order, on the same working state.
  @inlinable
  public static func compose(_ reducers: Reducer...) -> Reducer { Reducer(parts: reducers.flatMap(\.parts)) }

  /// Reducers in order, top to bottom.
  @inlinable
  public static func compose(@ReducerBuilder<Action, State> _ content: () -> Reducer) -> Reducer { content() }

  /// The names of the parts, in order.
  public var names: [String] { parts.map(\.name) }

  /// Reduces one action outside a store, for tests and tools.
  ///
  /// - Throws: what a part throws; `state` is then as it was.
  public func reduce(_ action: Action, _ state: inout State, source: ActionSource = .here()) throws {
    let context = ActionContext(number: 0, source: source, time: .zero, root: 0, trace: TracePoint())
    var working = state
    try run(action, &working, context)
    state = working
  }

  @inlinable
  func run(_ action: Action, _ state: inout State, _ context: ActionContext) throws {
    for part in parts { try part.run(action, &state, context) }
  }

  @inlinable
  func canFail(_ action: Action) -> Bool {
    for part in parts where part.canFail(action) { return true }
    return false
  }
}

/// Lists reducers from top to bottom.
@resultBuilder
public enum ReducerBuilder<Action, State> {
  /// One reducer.
  public static func buildExpression(_ reducer: Reducer<Action, State>) -> Reducer<Action, State> { reducer }
  /// A reducer written in place.
  public static func buildExpression(
    _ body: @escaping @Sendable (Action, inout State) -> Void
  ) -> Reducer<Action, State> { Reducer("reducer", body) }
  /// The composition, which may be empty.
  public static func buildBlock(_ reducers: Reducer<Action, State>...) -> Reducer<Action, State> {
    buildArray(reducers)
  }
  /// Reducers from a loop.
  public static func buildArray(_ reducers: [Reducer<Action, State>]) -> Reducer<Action, State> {
    reducers.reduce(.identity) { $0.appending($1) }
  }
  /// A reducer that may be left out.
  public static func buildOptional(_ reducer: Reducer<Action, State>?) -> Reducer<Action, State> {
    reducer ?? .identity
  }
  /// One of two reducers.
  public static func buildEither(first reducer: Reducer<Action, State>) -> Reducer<Action, State> { reducer }
  /// One of two reducers.
  public static func buildEither(second reducer: Reducer<Action, State>) -> Reducer<Action, State> { reducer }
}
