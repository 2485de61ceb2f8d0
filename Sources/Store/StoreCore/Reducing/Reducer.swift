/// Changes state in answer to an action, in place, and does nothing else: no dispatch, clock, randomness or I/O (R6).
///
/// Reducers form a monoid (R16): ``identity`` changes nothing, ``appending(_:)`` runs one after the other on the same
/// working state, and grouping does not matter.
///
/// Extensions add one way to make or lift reducers a file.
public struct Reducer<Action, State>: Composed, Sendable {
  /// The body of a reducer: may throw, which undoes all that the action did to the state (R7).
  public typealias Body = @Sendable (Action, inout State, ActionContext) throws -> Void

  @usableFromInline typealias Plain = @Sendable (Action, inout State) -> Void
  @usableFromInline typealias Traced = @Sendable (Action, inout State, ActionContext, TracePoint) throws -> Void

  /// The names of the parts, in order; traces call them so.
  public let names: [String]
  // Closures that call the next ones rather than an array of them: what a closure captures needs no reference counting
  // when it is called.
  /// The short way: no context, no trace, no failure; nil where a part needs one of them.
  @usableFromInline let plain: Plain?
  @usableFromInline let traced: Traced
  /// True for an action that it may fail on; nil: none.
  @usableFromInline let canFail: (@Sendable (Action) -> Bool)?
  /// True for an action that the maps of its lifts accept; nil: it takes all.
  @usableFromInline let accepts: (@Sendable (Action) -> Bool)?
  /// The parts of it that take actions of the kind of one; nil: all of them may.
  @usableFromInline let narrowed: (@Sendable (Action) -> Reducer)?
  /// True if it leaves the state as it was where it fails. A composition does not: what its other parts did stays.
  @usableFromInline let isUndoing: Bool
  /// True if a part of it writes in place what the store's ``FormerStates`` can tell as it was.
  @usableFromInline package let writesInPlace: Bool
  /// The reason why no store takes it; nil: nothing is wrong.
  @usableFromInline let fault: StoreError?

  /// True if a part of it takes more of an action than the action itself, such as the time when it was taken up.
  public var takesContext: Bool { plain == nil }

  /// False if the maps of its lifts keep an action from all of its parts.
  package func takes(_ action: Action) -> Bool { !names.isEmpty && accepts?(action) ?? true }

  @inlinable
  init(
    names: [String], plain: Plain?, canFail: (@Sendable (Action) -> Bool)?,
    accepts: (@Sendable (Action) -> Bool)? = nil, narrowed: (@Sendable (Action) -> Reducer)? = nil,
    isUndoing: Bool = false, writesInPlace: Bool = false, fault: StoreError? = nil, traced: @escaping Traced
  ) {
    self.names = names
    self.fault = fault
    self.plain = plain
    self.canFail = canFail
    self.accepts = accepts
    self.narrowed = narrowed
    self.isUndoing = isUndoing
    self.writesInPlace = writesInPlace
    self.traced = traced
  }

  /// A reducer that cannot fail.
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - body: changes the state in place.
  @inlinable
  public init(_ name: String = "reducer", _ body: @escaping @Sendable (Action, inout State) -> Void) {
    self.init(names: [name], plain: body, canFail: nil) { action, state, context, trace in
      guard trace.isOn else { return body(action, &state) }
      let before = trace.isReporting ? state : nil
      trace.begin(.reduce, number: context.number, unit: name)
      body(action, &state)
      trace.end(.reduce, number: context.number, unit: name)
      if let before { trace.report(.reduce(number: context.number, unit: name, before: before, after: state)) }
    }
  }

  /// A reducer that may fail: an error undoes everything that the action did to the state (R7).
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - canFail: which actions it may fail on; for those the store keeps a snapshot while they are reduced. On others it
  ///     must not throw: what it did until then could not be undone.
  ///   - body: changes the state in place, or throws.
  @inlinable
  public static func throwing(
    _ name: String, canFail: @escaping @Sendable (Action) -> Bool = { _ in true }, _ body: @escaping Body
  ) -> Reducer {
    failing(name, canFail: canFail, isUndoing: false, body)
  }

  /// A reducer that may fail and takes back all that it did before it throws. A store with no other reducer needs no
  /// snapshot for it.
  ///
  /// - Parameters:
  ///   - name: the name in traces.
  ///   - body: changes the state in place, or leaves it as it was and throws.
  @inlinable
  public static func undoing(_ name: String, _ body: @escaping Body) -> Reducer {
    failing(name, canFail: { _ in true }, isUndoing: true, body)
  }

  @inlinable
  static func failing(
    _ name: String, canFail: @escaping @Sendable (Action) -> Bool, isUndoing: Bool, _ body: @escaping Body
  ) -> Reducer {
    Reducer(names: [name], plain: nil, canFail: canFail, isUndoing: isUndoing) { action, state, context, trace in
      guard trace.isOn else { return try body(action, &state, context) }
      let before = trace.isReporting ? state : nil
      trace.begin(.reduce, number: context.number, unit: name)
      defer { trace.end(.reduce, number: context.number, unit: name) }
      try body(action, &state, context)
      if let before { trace.report(.reduce(number: context.number, unit: name, before: before, after: state)) }
    }
  }

  /// Changes nothing; neutral on both sides of a composition, and invisible in traces.
  @inlinable public static var identity: Reducer {
    Reducer(names: [], plain: { _, _ in }, canFail: nil, traced: { _, _, _, _ in })
  }

  /// This reducer, then another on the same working state.
  @inlinable
  public func appending(_ other: Reducer) -> Reducer {
    if names.isEmpty { return other }
    if other.names.isEmpty { return self }
    let (first, second) = (self, other)
    var both: Plain?
    if let first = first.plain, let second = second.plain {
      both = { action, state in
        first(action, &state)
        second(action, &state)
      }
    }
    let (firstTraced, secondTraced) = (first.traced, second.traced)
    var narrowed: (@Sendable (Action) -> Reducer)?
    if first.narrowed != nil || second.narrowed != nil {
      narrowed = { first.narrowed(to: $0).appending(second.narrowed(to: $0)) }
    }
    return Reducer(
      names: names + other.names, plain: both, canFail: first.eitherCanFail(second),
      accepts: first.eitherAccepts(second), narrowed: narrowed, writesInPlace: writesInPlace || other.writesInPlace,
      fault: fault ?? other.fault
    ) {
      action, state, context, trace in
      try firstTraced(action, &state, context, trace)
      try secondTraced(action, &state, context, trace)
    }
  }

  /// The same, said to take only actions of some kinds: a store that tells kinds apart asks it about no others.
  ///
  /// - Parameter takes: true for an action of such a kind, and for every other of that kind.
  package func taking(kinds takes: @escaping @Sendable (Action) -> Bool) -> Reducer {
    if names.isEmpty { return self }
    let whole = self
    return Reducer(
      names: names, plain: plain, canFail: canFail, accepts: accepts,
      narrowed: { takes($0) ? whole.narrowed(to: $0) : .identity }, isUndoing: isUndoing, writesInPlace: writesInPlace,
      fault: fault, traced: traced)
  }

  /// The same, said to write in place what the store's ``FormerStates`` can tell as it was.
  ///
  /// - Parameter copying: does the same to a copy, where a trace shows what it was given and what it left.
  package func writingInPlace(copying: Reducer) -> Reducer {
    let (traced, copying) = (traced, copying.traced)
    return Reducer(
      names: names, plain: plain, canFail: canFail, accepts: accepts, narrowed: narrowed, isUndoing: isUndoing,
      writesInPlace: true, fault: fault
    ) { action, state, context, trace in
      if trace.isOn { return try copying(action, &state, context, trace) }
      try traced(action, &state, context, trace)
    }
  }

  /// The parts of it that take actions of the kind of one.
  @inlinable
  package func narrowed(to action: Action) -> Reducer { narrowed?(action) ?? self }

  @inlinable
  func eitherCanFail(_ other: Reducer) -> (@Sendable (Action) -> Bool)? {
    guard let mine = canFail else { return other.canFail }
    guard let others = other.canFail else { return mine }
    return { mine($0) || others($0) }
  }

  @inlinable
  func eitherAccepts(_ other: Reducer) -> (@Sendable (Action) -> Bool)? {
    guard let mine = accepts, let others = other.accepts else { return nil }
    return { mine($0) || others($0) }
  }

  /// Reduces one action outside a store, for tests and tools.
  ///
  /// - Throws: the error of a part; `state` is then as it was.
  public func reduce(_ action: Action, _ state: inout State, source: ActionSource = .here()) throws {
    try reduce(action, &state, context: ActionContext(number: 0, source: source, time: .zero, root: 0))
  }

  /// Reduces one action of a caller who keeps the state before it: where a part throws, `state` is partly changed.
  @inlinable
  package func reduce(
    _ action: Action, inPlace state: inout State, context: ActionContext, _ trace: TracePoint
  ) throws {
    try traced(action, &state, context, trace)
  }

  /// Reduces one action outside a store with the number, source, time and root of a recorded one, as a replay does (R27).
  ///
  /// - Throws: the error of a part; `state` is then as it was.
  public func reduce(_ action: Action, _ state: inout State, context: ActionContext) throws {
    var working = state
    try traced(action, &working, context, TracePoint())
    state = working
  }
}

/// Lists reducers from top to bottom.
public typealias ReducerBuilder<Action, State> = CompositionBuilder<Reducer<Action, State>>

/// Parts that form a monoid (R16): ``identity`` does nothing, ``appending(_:)`` does one after the other, and grouping
/// does not matter.
public protocol Composed {
  /// Does nothing; neutral on both sides of a composition.
  static var identity: Self { get }

  /// This, then another.
  func appending(_ other: Self) -> Self
}

extension Composed {
  /// The parts in order, then those of a block, top to bottom. One function for both, so that the compiler names what is
  /// wrong with a part.
  @inlinable
  public static func compose(
    _ parts: Self..., @CompositionBuilder<Self> then content: () -> Self = { Self.identity }
  ) -> Self {
    parts.reduce(Self.identity) { $0.appending($1) }.appending(content())
  }
}

/// Lists parts from top to bottom: reducers, middlewares, readers or handlers.
@resultBuilder
public enum CompositionBuilder<Part: Composed> {
  /// A single part.
  public static func buildExpression(_ part: Part) -> Part { part }
  /// A part that may be absent.
  public static func buildExpression(_ part: Part?) -> Part { part ?? .identity }
  /// The parts of a list, in order.
  public static func buildExpression(_ parts: [Part]) -> Part { buildArray(parts) }
  /// The composition, which may be empty.
  public static func buildBlock(_ parts: Part...) -> Part { buildArray(parts) }
  /// The parts of a loop.
  public static func buildArray(_ parts: [Part]) -> Part { parts.reduce(.identity) { $0.appending($1) } }
  /// A part that may be left out.
  public static func buildOptional(_ part: Part?) -> Part { part ?? .identity }
  /// The first of two parts.
  public static func buildEither(first part: Part) -> Part { part }
  /// The second of two parts.
  public static func buildEither(second part: Part) -> Part { part }
  /// Parts that need a newer system than the program's oldest.
  public static func buildLimitedAvailability(_ part: Part) -> Part { part }
}

extension Reducer {
  /// Something done around a reducer: gets the action, the state and its context. A wrapping runs the reducer by
  /// calling the last argument, at most once, and passes on its errors. No other error may be thrown.
  public typealias Wrapping =
    @Sendable (Action, inout State, ActionContext, _ reduce: (inout State) throws -> Void) throws -> Void

  /// This reducer with something done around it: before it, after it, or in its place. Traces show the parts as before.
  /// Around ``identity`` nothing is done: it stays neutral.
  @inlinable
  public func wrapped(_ wrapping: @escaping Wrapping) -> Reducer {
    if names.isEmpty { return self }
    let traced = traced
    return Reducer(names: names, plain: nil, canFail: canFail, accepts: accepts, fault: fault) {
      action, state, context, trace in
      try wrapping(action, &state, context) { try traced(action, &$0, context, trace) }
    }
  }
}
