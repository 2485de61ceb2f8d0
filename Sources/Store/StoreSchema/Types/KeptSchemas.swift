import Synchronization

extension Schema {
  /// The schema of a type that can hold no static storage, as those with type parameters cannot: made at the first use and
  /// kept. `@Schema` writes the calls.
  public static func kept(for type: Any.Type, _ make: () -> Schema) -> Schema {
    let identity = ObjectIdentifier(type)
    let shelf = KeptSchemas.shelves[identity.hashValue & (KeptSchemas.shelves.count - 1)]
    return shelf.find(identity) ?? shelf.add(identity, make())
  }
}

/// The schemas of some of the types: a chain that only grows, so that whoever reads it waits for nobody.
private final class KeptSchemas: Sendable {
  /// A number of chains that is a power of two.
  static let shelves = (0..<64).map { _ in KeptSchemas() }

  private final class Entry: Sendable {
    let type: ObjectIdentifier
    let schema: Schema
    let next = AtomicLazyReference<Entry>()

    init(_ type: ObjectIdentifier, _ schema: Schema) {
      self.type = type
      self.schema = schema
    }
  }

  private let first = AtomicLazyReference<Entry>()

  func find(_ type: ObjectIdentifier) -> Schema? {
    var entry = first.load()
    while let found = entry {
      if found.type == type { return found.schema }
      entry = found.next.load()
    }
    return nil
  }

  /// Keeps a schema at the end of the chain.
  ///
  /// - Returns: the one that is kept: another thread may have been first.
  func add(_ type: ObjectIdentifier, _ schema: Schema) -> Schema {
    let new = Entry(type, schema)
    var entry = first.storeIfNil(new)
    while entry !== new, entry.type != type { entry = entry.next.storeIfNil(new) }
    return entry.schema
  }
}
