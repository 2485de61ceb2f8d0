import StoreCore
import StoreSchema

/// The state of a hosted application, its type erased, so that the shell's root store is one concrete type: generic code of
/// another module would run unspecialised. A value: copies share the storage until one of them is changed.
package struct AppState: @unchecked Sendable {
  // Safe: the memory is changed only by the one owner of the only reference, and a state is `Sendable`.
  fileprivate var storage: Storage

  package init<State: SchematicRecord>(_ state: State) {
    storage = Storage.holding(StateKind.of(State.self)) { $0.initializeMemory(as: State.self, to: state) }
  }

  fileprivate init(storage: Storage) { self.storage = storage }

  package var schema: Schema { storage.kind._withUnsafeGuaranteedRef { $0.schema } }

  /// The fields of the state: the application's modules.
  package var record: RecordSchema { storage.kind._withUnsafeGuaranteedRef { $0.record } }

  /// Hands out the state where it lies, of the type that `schema` describes.
  package func read<Result>(_ body: (UnsafeRawPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(storage) { try body(UnsafeRawPointer(storage.memory)) }
  }

  /// Hands out the state for change in place.
  package mutating func modify<Result>(_ body: (UnsafeMutableRawPointer) throws -> Result) rethrows -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
    // It has the storage until the body has ended, as nobody else reaches it meanwhile.
    return try body(storage.memory)
  }

  /// The typed state, if it is of this type.
  package func typed<State: SchematicRecord>(_ type: State.Type = State.self) -> State? {
    guard storage.holds(type) else { return nil }
    return read { $0.assumingMemoryBound(to: State.self).pointee }
  }

  /// The typed state, or another if it is not of its type.
  package func typed<State: SchematicRecord>(or other: State) -> State {
    guard storage.holds(State.self) else { return other }
    return storage.memory.assumingMemoryBound(to: State.self).pointee
  }

  /// Takes over what another state of its type is. Memory that this state alone has is written over; the other state then keeps its own
  /// memory to itself, and is changed in place.
  mutating func become(_ other: AppState) {
    if storage === other.storage { return }
    if storage.kind.toOpaque() == other.storage.kind.toOpaque(), isKnownUniquelyReferenced(&storage) {
      storage.assign(other.storage)
    } else {
      storage = other.storage
    }
  }

  /// Changes the typed state in place, if it is of this type.
  package mutating func modify<State: SchematicRecord>(_ type: State.Type, _ body: (inout State) throws -> Void)
    rethrows
  {
    guard storage.holds(type) else { return }
    try modify { try body(&$0.assumingMemoryBound(to: State.self).pointee) }
  }
}

/// The state after the last commit, for readers that must not wait.
final class CommittedState: Sendable {
  private let seen = SeenObject()
  private let initial: AppState

  init(_ initial: AppState) {
    self.initial = initial
    show(initial)
  }

  /// Shows a state from now on.
  func show(_ state: AppState) { seen.show(state.storage) }

  /// The state that was shown last.
  var state: AppState { seen.object.map { AppState(storage: unsafeDowncast($0, to: Storage.self)) } ?? initial }
}

extension AppState: Equatable {
  /// Whether two states of one type are equal by value; those that share their storage are.
  package static func == (left: AppState, right: AppState) -> Bool {
    if left.storage === right.storage { return true }
    return left.read { left in right.read { right.schema.access.isEqual(left, $0) } }
  }

  /// True if a look at their memory tells that two states are the same.
  func isSame(as other: AppState) -> Bool { storage === other.storage }

  /// Appends what changed from this state to another of its type, in schema order.
  package func appendChanges(to new: AppState, by finder: inout DifferenceFinder, _ changes: inout [Change]) {
    if storage === new.storage { return }
    storage.kind._withUnsafeGuaranteedRef { kind in
      read { old in new.read { finder.append(from: old, to: $0, of: kind.schema, to: &changes) } }
    }
  }

  /// Fills an edit with what changed from this state to another of its type; it holds as long as they do.
  ///
  /// - Returns: false where it takes changes.
  func fill(_ edit: PlainEdit, to new: AppState, by finder: inout DifferenceFinder) -> Bool {
    storage.kind._withUnsafeGuaranteedRef { kind in
      read { old in new.read { finder.fill(edit, from: old, to: $0, of: kind.schema) } }
    }
  }

  /// True if a look at a sequence tells that it went on or stayed as it was up to another state.
  func isAhead(_ sequence: HostState.Sequence, _ new: AppState) -> Bool {
    withExtendedLifetime(storage) {
      withExtendedLifetime(new.storage) { sequence.isAhead(from: storage.memory, to: new.storage.memory) }
    }
  }

  /// The state as a value.
  package var value: Value { read { schema.access.read($0) } }
}

/// What is known of the type of a hosted state. There is one for each type, for good, so that states need not count it. (Objects of a
/// generic class would have their type looked up in a table with every copy.)
private final class StateKind: Sendable {
  let type: ObjectIdentifier
  let schema: Schema
  let record: RecordSchema
  /// The number of units that hold a state, wherever it begins in the first.
  let units: Int
  let alignment: Int
  /// Makes a copy of a state in other memory.
  let copy: @Sendable (_ state: UnsafeMutableRawPointer, _ memory: UnsafeMutableRawPointer) -> Void
  /// Makes a state what another is.
  let assign: @Sendable (_ state: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> Void
  /// Lets go of a state.
  let end: @Sendable (UnsafeMutableRawPointer) -> Void

  /// Few: looking at each takes less than a hash.
  private static let known = Lock<[StateKind]>([])

  static func of<State: SchematicRecord>(_ type: State.Type) -> Unmanaged<StateKind> {
    known.withLock { known in
      for kind in known where kind.type == ObjectIdentifier(type) { return Unmanaged.passUnretained(kind) }
      let kind = StateKind(type)
      known.append(kind)
      return Unmanaged.passUnretained(kind)
    }
  }

  private init<State: SchematicRecord>(_ type: State.Type) {
    self.type = ObjectIdentifier(type)
    schema = State.schema
    record = if case .record(let record) = schema.kind { record } else { RecordSchema(name: "", fields: []) }
    let layout = MemoryLayout<State>.self
    alignment = max(layout.alignment, MemoryLayout<StateUnit>.alignment)
    units = (layout.size + alignment - 1) / MemoryLayout<StateUnit>.size
    copy = { $1.initializeMemory(as: State.self, to: $0.assumingMemoryBound(to: State.self).pointee) }
    assign = {
      $0.assumingMemoryBound(to: State.self).pointee = $1.assumingMemoryBound(to: State.self).pointee
    }
    end = { $0.assumingMemoryBound(to: State.self).deinitialize(count: 1) }
  }
}

// Of a larger unit memory would be asked for by its alignment, which takes the system twice the instructions.
private typealias StateUnit = UInt64

/// An object that holds one state. Its memory is a part of it, as each action makes one.
private final class Storage: ManagedBuffer<Unmanaged<StateKind>, StateUnit> {
  /// An object whose memory a closure fills.
  static func holding(_ kind: Unmanaged<StateKind>, _ fill: (UnsafeMutableRawPointer) -> Void) -> Storage {
    let units = kind._withUnsafeGuaranteedRef { $0.units }
    let storage = unsafeDowncast(create(minimumCapacity: units) { _ in kind }, to: Storage.self)
    fill(storage.memory)
    return storage
  }

  // By way of the pointer: the variable of the class is checked for exclusive access each time.
  var kind: Unmanaged<StateKind> { withUnsafeMutablePointerToHeader { $0.pointee } }

  /// True if the state is of a type.
  @inline(__always)
  func holds<State>(_ type: State.Type) -> Bool {
    kind._withUnsafeGuaranteedRef { $0.type == ObjectIdentifier(type) }
  }

  var memory: UnsafeMutableRawPointer {
    withUnsafeMutablePointers { kind, units in
      UnsafeMutableRawPointer(units).alignedUp(toMultipleOf: kind.pointee._withUnsafeGuaranteedRef { $0.alignment })
    }
  }

  deinit { kind._withUnsafeGuaranteedRef { $0.end(memory) } }

  /// Takes over the state of an object of its kind.
  func assign(_ other: Storage) { kind._withUnsafeGuaranteedRef { $0.assign(memory, other.memory) } }

  func copy() -> Storage {
    Storage.holding(kind) { copy in kind._withUnsafeGuaranteedRef { $0.copy(memory, copy) } }
  }
}
