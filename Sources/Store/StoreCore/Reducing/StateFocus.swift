/// A way from a state to parts of it, each of which is changed in place: to none, one or several of them.
///
/// ``Reducer/lift(action:focus:)`` takes a reducer along such a way. The lifts to elements, entries, optional values and
/// enum cases are made of focuses; a container of one's own needs one of its own.
public protocol StateFocus<Whole, Part>: Sendable {
  /// The state.
  associatedtype Whole
  /// What lies at the end of the way.
  associatedtype Part
  /// What chooses among the parts; `Void` where there is nothing to choose.
  associatedtype Key

  /// Runs a closure on every part that the key chooses, in place and in a fixed order (R31); not at all where there is none.
  ///
  /// Passes on at once what the closure throws, with a value in every place; the value itself does not matter, because the
  /// store goes back to the state before the action (R7).
  func modify(_ whole: inout Whole, at key: Key, _ body: (inout Part) throws -> Void) rethrows
}

extension Reducer {
  /// Makes this reducer one of a larger state, on the parts that a focus reaches (R14).
  ///
  /// - Parameters:
  ///   - action: what chooses the part, and the local action, in a global one; nil: the reducer is skipped.
  ///   - focus: the way to the parts.
  @inlinable
  public func lift<GlobalAction, Focus: StateFocus>(
    action: @escaping @Sendable (GlobalAction) -> (Focus.Key, Action)?, focus: Focus
  ) -> Reducer<GlobalAction, Focus.Whole> where Focus.Part == State {
    let (plain, traced) = (self.plain, self.traced)
    var liftedPlain: Reducer<GlobalAction, Focus.Whole>.Plain?
    if let plain {
      liftedPlain = { global, whole in
        guard let (key, local) = action(global) else { return }
        focus.modify(&whole, at: key) { plain(local, &$0) }
      }
    }
    return Reducer<GlobalAction, Focus.Whole>(
      names: names, plain: liftedPlain, canFail: liftedCanFail { action($0)?.1 }, fault: fault
    ) { global, whole, context, trace in
      guard let (key, local) = action(global) else { return }
      try focus.modify(&whole, at: key) { try traced(local, &$0, context, trace) }
    }
  }
}

/// The way along a key path.
@usableFromInline
struct KeyPathFocus<Whole, Part>: StateFocus {
  @usableFromInline let path: WritableKeyPath<Whole, Part> & Sendable

  @inlinable
  init(_ path: WritableKeyPath<Whole, Part> & Sendable) { self.path = path }

  @inlinable
  func modify(_ whole: inout Whole, at key: Void, _ body: (inout Part) throws -> Void) rethrows {
    try body(&whole[keyPath: path])
  }
}

/// The way by two closures, one that reads the part and one that writes it.
@usableFromInline
struct AccessorFocus<Whole, Part>: StateFocus {
  @usableFromInline let get: @Sendable (Whole) -> Part
  @usableFromInline let set: @Sendable (inout Whole, Part) -> Void

  @inlinable
  init(get: @escaping @Sendable (Whole) -> Part, set: @escaping @Sendable (inout Whole, Part) -> Void) {
    self.get = get
    self.set = set
  }

  @inlinable
  func modify(_ whole: inout Whole, at key: Void, _ body: (inout Part) throws -> Void) rethrows {
    var part = get(whole)
    try body(&part)
    set(&whole, part)
  }
}
