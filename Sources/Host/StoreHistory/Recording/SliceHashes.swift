import StoreSchema

/// The hashes of all slices of a store, kept up to date action by action.
public struct SliceHashes: Sendable {
  private var hashes: [String: SliceHash] = [:]

  /// No slices yet.
  public init() {}

  /// Starts the hash of a slice that is there at the start, or that an action brought or replaced as a whole.
  public mutating func start(_ module: String, _ slice: Value) { hashes[module] = SliceHash(of: slice) }

  /// Takes the hash of a slice over from others.
  public mutating func take(_ module: String, from others: SliceHashes) { hashes[module] = others.hashes[module] }

  /// Forgets a slice that went away.
  public mutating func remove(_ module: String) { hashes[module] = nil }

  /// Takes in what one action changed.
  ///
  /// - Parameter changes: in the order of the modules, as they are recorded.
  /// - Returns: the modules that were changed, in that order, each with its new hash.
  public mutating func add(_ changes: [Change]) -> [(module: String, hash: UInt64)] {
    var result: [(module: String, hash: UInt64)] = []
    var rest = changes[...]
    while let name = rest.first?.module {
      let part = rest.prefix { $0.module == name }
      hashes[name, default: SliceHash(of: .none)].add(part)
      if let hash = hashes[name] { result.append((name, hash.value)) }
      rest = rest[part.endIndex...]
    }
    return result
  }

  /// The hash of a slice; nil where there is none of that name.
  public subscript(module: String) -> UInt64? { hashes[module]?.value }
}

extension Change {
  /// The module whose slice changed.
  public var module: String? {
    if case .field(let name) = path.steps.first { return name }
    return nil
  }
}
