import Synchronization

/// The last reading of a place that is read again and again. The next reading converts the parts alone that have changed since, and
/// shares all others with the value before: so the two are soon compared, and all who read there have one value.
package final class KeptReading: @unchecked Sendable {
  // Safe: the thread that has set the flag alone reaches what is kept.
  private let isTaken = Atomic<Bool>(false)
  private var kept: Kept?

  private struct Kept {
    /// A copy of the typed part that was read, which shares its subtrees.
    let part: CopiedPart
    let schema: Schema
    /// The same type over values.
    let dynamic: Schema
    let value: Value
  }

  /// A reading that has read nothing yet.
  package init() {}

  /// Reads the value at an address.
  ///
  /// - Parameter schema: its type.
  package func read(_ schema: Schema, _ place: UnsafeRawPointer) -> Reading {
    // Another thread reads just now: nobody waits for it.
    guard !isTaken.exchange(true, ordering: .acquiring) else {
      return Reading(value: schema.access.read(place), schema: schema)
    }
    defer { isTaken.store(false, ordering: .releasing) }
    guard schema.hasPartsToConvert else {
      kept = nil
      return Reading(value: schema.access.read(place), schema: schema)
    }
    let last = kept.flatMap { $0.schema === schema ? $0 : nil }
    // The only reference to the value: it is changed in place.
    kept = nil
    let value = last.flatMap { Self.value($0, at: place) } ?? schema.access.read(place)
    kept = Kept(
      part: schema.access.copy(place), schema: schema, dynamic: last?.dynamic ?? schema.dynamic, value: value)
    return Reading(value: value, schema: schema)
  }

  /// The value from before with the changes since; nil: the differences cannot be applied to it.
  private static func value(_ last: Kept, at place: UnsafeRawPointer) -> Value? {
    let changes = last.schema.changes(from: last.part.address, to: place)
    if changes.isEmpty { return last.value }
    var value = last.value
    let isMade = withUnsafeMutablePointer(to: &value) { value in
      (try? last.dynamic.apply(changes[...], to: UnsafeMutableRawPointer(value))) != nil
    }
    return isMade ? value : nil
  }
}

extension Schema {
  /// True if a value of the type has many parts, and a reading converts each.
  fileprivate var hasPartsToConvert: Bool {
    guard !isDynamic else { return false }
    switch access.parts {
    case .none, .union: return false
    case .optional, .list, .map, .record: return true
    }
  }
}
