import StoreSchema

/// The changes of the elements of a list, a map or a record. A watch prints each of them, or the sum of many.
package struct ElementChanges: Equatable, Sendable {
  /// The changes, in schema order.
  package let changes: [Change]
  /// The sum of the changes; nil: a watch prints each of them.
  package let sum: Sum?

  /// The most changes that a watch prints one by one.
  package static let most = 20

  /// The number of elements that came, went and changed.
  package struct Sum: Equatable, Sendable {
    package var added = 0
    package var removed = 0
    package var changed = 0

    /// The sum in words: `1,500 elements added, 3 changed`.
    package var text: String {
      var parts = [(added, "added"), (removed, "removed"), (changed, "changed")].filter { $0.0 > 0 }.map {
        count, what in
        (count: count, text: "\(ElementChanges.grouped(count)) \(what)")
      }
      if let first = parts.first {
        let noun = first.count == 1 ? "element" : "elements"
        parts[0].text = first.text.replacing(" ", with: " \(noun) ", maxReplacements: 1)
      }
      return parts.map(\.text).joined(separator: ", ")
    }
  }

  /// The changes between two values of a type.
  ///
  /// - Parameters:
  ///   - path: the path of the value, the start of all paths of changes.
  ///   - tellsAll: true if a watch prints each of many changes, too.
  package init(from old: Value, to new: Value, of schema: Schema, at path: Path, tellsAll: Bool = false) {
    let schema = schema.dynamic
    changes = withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { schema.changes(from: old, to: $0, at: path) }
    }
    sum = tellsAll || changes.count <= Self.most ? nil : Self.sum(of: changes, behind: path.steps.count)
  }

  /// - Parameter depth: the number of steps to the value.
  private static func sum(of changes: [Change], behind depth: Int) -> Sum {
    var sum = Sum()
    var changed: Set<Path> = []
    for change in changes {
      let steps = change.path.steps
      let element = steps[min(depth, steps.count)...].firstIndex { if case .field = $0 { false } else { true } }
      guard let element, element == steps.count - 1, !change.isInPlace else {
        changed.insert(Path(Array(steps.prefix((element ?? steps.count) + 1))))
        continue
      }
      switch change.kind {
      case .add: sum.added += 1
      case .remove: sum.removed += 1
      case .replace, .move: changed.insert(change.path)
      }
    }
    sum.changed = changed.count
    return sum
  }

  /// A number with its thousands apart: `1,500`.
  private static func grouped(_ number: Int) -> String {
    let digits = Array(String(number))
    return digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digits[index])
    }
  }
}
