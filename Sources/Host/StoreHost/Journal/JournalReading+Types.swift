import StoreHistory
import StoreSchema

extension JournalReading {
  /// Whether all that was written of a module's state is as a type would have it written.
  ///
  /// - Parameters:
  ///   - oldest: the oldest action whose state can be restored.
  ///   - last: the last action.
  package func isOf(_ schema: Schema, module: String, since oldest: Int, upTo last: Int) throws -> Bool {
    for (number, state) in try states(of: module) where number >= oldest {
      guard let value = try? schema.value(fromJSON: JSON.value(of: state)), JSON.text(of: value) == state else {
        return false
      }
    }
    guard oldest < last else { return true }
    let reader = EntryReader(EntryTypes(action: { _ in nil }, slice: { $0 == module ? schema : nil }))
    do {
      try visit(oldest + 1...last) { row in
        // Those of the shell bring whole states, which were written.
        if let changes = row.changes, !row.isOfShell { _ = try reader.changes(of: changes) }
      }
      return true
    } catch is EntryError {
      return false
    }
  }
}
