import StoreHistory

extension HistoryLimits {
  /// The limits as `set` shows and takes them: `10000, 32MiB`.
  package var text: String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)]
    let unit = units.first { bytes > 0 && bytes % (1 << $0.1) == 0 }
    return "\(entries), \(unit.map { "\(bytes >> $0.1)\($0.0)" } ?? "\(bytes)B")"
  }

  /// Takes over what a text says: a number of actions, a size in memory, or both; nil where it is neither.
  package func changed(by text: String) -> HistoryLimits? {
    var limits = self
    for part in text.split(separator: ",") {
      let part = part.filter { $0 != " " }
      let units = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)]
      if let number = Int(part), number > 0 {
        limits.entries = number
      } else if let unit = units.first(where: { part.hasSuffix($0.0) }), let size = Int(part.dropLast(unit.0.count)),
        size > 0, size <= Int.max >> unit.1
      {
        limits.bytes = size << unit.1
      } else {
        return nil
      }
    }
    return limits
  }
}
