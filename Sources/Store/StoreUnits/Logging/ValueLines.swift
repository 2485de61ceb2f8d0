import StoreSchema

/// A value as text of one line for each scalar in it, in schema order: `tasks.items[1].title: "milk"`.
enum ValueLines {
  /// The lines of a value.
  ///
  /// - Parameter ignored: the parts to leave out, with all that is in them.
  static func text(of value: Value, ignoring ignored: [Path]) -> String {
    var lines: [String] = []
    append(value, at: Path(), ignored, to: &lines)
    return lines.joined(separator: "\n")
  }

  private static func append(_ value: Value, at path: Path, _ ignored: [Path], to lines: inout [String]) {
    if ignored.contains(where: { $0.covers(path) }) { return }
    switch value {
    case .record(let record) where !record.values.isEmpty:
      for (name, value) in zip(record.layout.fields, record.values) {
        append(value, at: path.appending(.field(name)), ignored, to: &lines)
      }
    case .list(let list) where !list.isEmpty:
      for (index, value) in list.enumerated() {
        append(value, at: path.appending(.index(index + 1)), ignored, to: &lines)
      }
    case .map(let map) where !map.isEmpty:
      for (key, value) in map { append(value, at: path.appending(.key(key)), ignored, to: &lines) }
    default: lines.append(path.isEmpty ? JSON.text(of: value) : "\(path): \(JSON.text(of: value))")
    }
  }
}
