import StoreSchema

/// The state of a hosted application, its type erased, so that the shell's root store is one concrete type: generic code of
/// another module would run unspecialised. A value: copies share the storage until one of them is changed.
struct AppState: Sendable {
  private var storage: Storage

  init<State: SchematicRecord>(_ state: State) { storage = TypedStorage(state) }

  /// The type of the state.
  var schema: Schema { storage.schema }

  /// The fields of the state: the application's modules.
  var record: RecordSchema { storage.record }

  /// Hands out the state where it lies, of the type that `schema` describes.
  func read<Result>(_ body: (UnsafeRawPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(storage) { try body(UnsafeRawPointer(storage.memory)) }
  }

  /// Hands out the state for change in place.
  mutating func modify<Result>(_ body: (UnsafeMutableRawPointer) throws -> Result) rethrows -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
    return try withExtendedLifetime(storage) { try body(storage.memory) }
  }

  /// The typed state, if it is of this type.
  func typed<State: SchematicRecord>(_ type: State.Type = State.self) -> State? {
    (storage as? TypedStorage<State>)?.pointer.pointee
  }

  /// Changes the typed state in place, if it is of this type.
  mutating func modify<State: SchematicRecord>(_ type: State.Type, _ body: (inout State) throws -> Void) rethrows {
    if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
    guard let typed = storage as? TypedStorage<State> else { return }
    try withExtendedLifetime(typed) { try body(&typed.pointer.pointee) }
  }
}

extension AppState: Equatable {
  /// Whether two states of one type are equal by value; those that share their storage are.
  static func == (left: AppState, right: AppState) -> Bool {
    if left.storage === right.storage { return true }
    return left.read { left in right.read { right.schema.access.isEqual(left, $0) } }
  }

  /// What changed from this state to another of its type, in schema order.
  func changes(to new: AppState) -> [Change] {
    if storage === new.storage { return [] }
    return read { old in new.read { schema.changes(from: old, to: $0) } }
  }

  /// The state as a value.
  var value: Value { read { schema.access.read($0) } }
}

/// Memory that holds one state.
private class Storage: @unchecked Sendable {
  // Safe: the memory is changed only by the one owner of the only reference.
  let memory: UnsafeMutableRawPointer
  let schema: Schema
  let record: RecordSchema

  init(memory: UnsafeMutableRawPointer, schema: Schema, record: RecordSchema) {
    self.memory = memory
    self.schema = schema
    self.record = record
  }

  func copy() -> Storage { self }
}

private final class TypedStorage<State: SchematicRecord>: Storage, @unchecked Sendable {
  // Safe: as its superclass; a state is `Sendable`.
  let pointer: UnsafeMutablePointer<State>

  init(_ state: State) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: state)
    let schema = State.schema
    let record = if case .record(let record) = schema.kind { record } else { RecordSchema(name: "", fields: []) }
    super.init(memory: UnsafeMutableRawPointer(pointer), schema: schema, record: record)
  }

  override func copy() -> Storage { TypedStorage(pointer.pointee) }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }
}
