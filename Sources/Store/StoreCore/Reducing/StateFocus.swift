/// A way from a state to none, one or several of its parts, each changed in place.
///
/// ``Reducer/lift(action:focus:)`` takes a reducer along such a way. The lifts to elements, entries, optional values and
/// enum cases are made of focuses; a container of one's own needs one of its own.
public protocol StateFocus<Whole, Part>: ElementPath {
  /// The state.
  associatedtype Whole
  /// The part at the end of the way.
  associatedtype Part
  /// The key that chooses among the parts; `Void` if there is nothing to choose.
  associatedtype Key

  /// True if copies of the state share the parts, because they lie behind a class reference; false by default. No store
  /// takes a reducer over such parts (``StoreError/sharedSlice(reducers:state:)``).
  var sharesParts: Bool { get }

  /// Runs a closure on every part that the key chooses, in place and in a fixed order (R31); not at all where there is none.
  ///
  /// Passes on at once the closure's error, with a value in every place. The value itself does not matter, because the
  /// store goes back to the state before the action (R7).
  func modify(_ whole: inout Whole, at key: Key, _ body: (inout Part) throws -> Void) rethrows
}

extension StateFocus {
  /// False: each copy of the state has parts of its own.
  @inlinable public var sharesParts: Bool { false }
}

/// A focus on parts that a key tells apart, which reaches all of them too.
public protocol ElementsFocus<Whole, Part>: StateFocus {
  /// Runs a closure on every part, in place and in a fixed order (R31); passes on at once what the closure throws.
  func modifyEach(_ whole: inout Whole, _ body: (inout Part) throws -> Void) rethrows
}

extension Reducer {
  /// Makes this reducer one of a larger state, on the parts that a focus reaches (R14).
  ///
  /// - Parameters:
  ///   - action: the key of the part, and the local action, in a global one; nil: the reducer is skipped.
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
    let lifted = Reducer<GlobalAction, Focus.Whole>(
      names: names, plain: liftedPlain, canFail: liftedCanFail { action($0)?.1 },
      accepts: liftedAccepts { action($0)?.1 }, fault: fault
    ) { global, whole, context, trace in
      guard let (key, local) = action(global) else { return }
      try focus.modify(&whole, at: key) { try traced(local, &$0, context, trace) }
    }
    return focus.sharesParts ? lifted.sharingSlice() : lifted
  }
}

/// The way along a key path.
@usableFromInline
struct KeyPathFocus<Whole, Part>: StateFocus {
  @usableFromInline let path: WritableKeyPath<Whole, Part> & Sendable
  /// The offset of a stored property: a pointer to it is several times quicker than a key path.
  @usableFromInline let offset: Int?

  @inlinable
  init(_ path: WritableKeyPath<Whole, Part> & Sendable) {
    self.path = path
    offset = MemoryLayout<Whole>.offset(of: path)
  }

  @inlinable var sharesParts: Bool { path is ReferenceWritableKeyPath<Whole, Part> }

  @inlinable
  func modify(_ whole: inout Whole, at key: Void, _ body: (inout Part) throws -> Void) rethrows {
    guard let offset else { return try body(&whole[keyPath: path]) }
    try withUnsafeMutablePointer(to: &whole) { try body(&$0.part(at: offset, as: Part.self).pointee) }
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

/// The way to every part of a focus.
@usableFromInline
struct EachFocus<Parts: ElementsFocus>: StateFocus {
  @usableFromInline let parts: Parts

  @inlinable
  init(_ parts: Parts) { self.parts = parts }

  @inlinable var sharesParts: Bool { parts.sharesParts }

  @inlinable
  func modify(_ whole: inout Parts.Whole, at key: Void, _ body: (inout Parts.Part) throws -> Void) rethrows {
    try parts.modifyEach(&whole, body)
  }
}

/// The way to the value that an optional holds.
@usableFromInline
struct WrappedFocus<Wrapped>: StateFocus {
  @inlinable
  init() {}

  @inlinable
  func modify(_ optional: inout Wrapped?, at key: Void, _ body: (inout Wrapped) throws -> Void) rethrows {
    // Emptied meanwhile, so that `wrapped` is the only owner and changes in place.
    guard var wrapped = optional.take() else { return }
    defer { optional = wrapped }
    try body(&wrapped)
  }
}
