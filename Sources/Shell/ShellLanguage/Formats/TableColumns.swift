import StoreSchema

/// The columns of a list of records: their fields in declared order. Maps with text keys, as Lua makes them, count as
/// records of all the names that occur, in the order of the alphabet.
package struct TableColumns {
  package let names: [String]
  /// The one layout of all rows and the positions of the columns in it; nil where rows differ.
  private let layout: RecordLayout?
  private let positions: [Int]

  /// Nil where the elements are no records, or there are none.
  package init?(_ rows: some Sequence<Value>) {
    var layouts: [RecordLayout] = []
    var names: [String] = []
    var known: Set<String> = []
    var (isUniform, areMaps) = (true, true)
    for row in rows {
      switch row {
      case .none: isUniform = false
      case .record(let record):
        areMaps = false
        if layouts.last === record.layout { continue }
        if let last = layouts.last, last == record.layout { continue }
        layouts.append(record.layout)
        for name in record.layout.fields where known.insert(name).inserted { names.append(name) }
      case .map(let map):
        isUniform = false
        for key in map.keys {
          guard case .string(let name) = key else { return nil }
          if known.insert(name).inserted { names.append(name) }
        }
      default: return nil
      }
    }
    guard !names.isEmpty else { return nil }
    // Whichever row comes first.
    if areMaps { names.sort() }
    self.init(names: names, layout: isUniform && layouts.count == 1 ? layouts[0] : nil)
  }

  package init(names: [String], layout: RecordLayout?) {
    self.names = names
    self.layout = layout
    positions = layout.map { layout in names.compactMap { layout.index(of: $0) } } ?? []
  }

  package func hiding(_ hidden: Set<String>) -> TableColumns {
    hidden.isEmpty ? self : TableColumns(names: names.filter { !hidden.contains($0) }, layout: layout)
  }

  /// Calls `body` with the value of each column; none where the row has no such field.
  package func forEachCell(of row: Value, _ body: (Value) -> Void) {
    if layout != nil, case .record(let record) = row {
      for position in positions { body(record.values[position]) }
      return
    }
    for name in names {
      switch row {
      case .record(let record): body(record[name] ?? .none)
      case .map(let map): body(map[.string(name)] ?? .none)
      default: body(.none)
      }
    }
  }
}
