/// What was read last at a place that is read again and again: what has not changed since is not converted anew, and is shared by
/// the values, so that they are soon compared.
package final class KeptReading {
  private var kept: Kept?

  private struct Kept {
    /// A copy of what was read, which shares what can be shared.
    let part: CopiedPart
    let schema: Schema
    /// The same type over values.
    let dynamic: Schema
    let value: Value
  }

  /// A reading that has read nothing yet.
  package init() {}

  /// Reads what stands at an address.
  ///
  /// - Parameter schema: its type.
  package func read(_ schema: Schema, _ place: UnsafeRawPointer) -> Reading {
    guard schema.hasPartsToConvert else {
      kept = nil
      return Reading(value: schema.access.read(place), schema: schema)
    }
    let last = kept.flatMap { $0.schema === schema ? $0 : nil }
    // Nobody else holds the value while it is changed.
    kept = nil
    let value = last.flatMap { Self.value($0, at: place) } ?? schema.access.read(place)
    kept = Kept(
      part: schema.access.copy(place), schema: schema, dynamic: last?.dynamic ?? schema.dynamic, value: value)
    return Reading(value: value, schema: schema)
  }

  /// The value from before with what has changed since; nil: it cannot be made from that.
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
  /// True if values of the type are made of many parts, each of which is converted when they are read.
  fileprivate var hasPartsToConvert: Bool {
    guard !isDynamic else { return false }
    switch access.parts {
    case .none, .union: return false
    case .optional, .list, .map, .record: return true
    }
  }
}
