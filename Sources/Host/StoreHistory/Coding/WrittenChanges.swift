import StoreSchema

/// Reads changes that stand there as ``EntryWriter`` writes them: each value goes straight to its type, because the path
/// stands before it. Reading them by way of maps takes three times as long, and a journal has millions.
struct WrittenChanges {
  private let reader: EntryReader

  init(_ reader: EntryReader) { self.reader = reader }

  /// - Returns: nil: it takes a closer look to tell what is wrong, or that all is right.
  func changes(_ bytes: UnsafeBufferPointer<UInt8>) -> [Change]? {
    var json = JSONReader(bytes)
    do throws(JSONError) {
      let changes = try changes(&json)
      try json.end()
      return changes
    } catch {
      return nil
    }
  }

  /// Reads a list of changes.
  ///
  /// - Throws: an error that says nothing: it takes a closer look.
  func changes(_ json: inout JSONReader) throws(JSONError) -> [Change] {
    var changes: [Change] = []
    try json.elements { (json) throws(JSONError) in changes.append(try change(&json)) }
    return changes
  }

  private static let misfit = JSONError(message: "", offset: 0)

  private func change(_ json: inout JSONReader) throws(JSONError) -> Change {
    var op = ""
    var target: EntryReader.Target?
    var (from, to): (Value?, Value?)
    var positions: [Int] = []
    var isInPlace = false
    try json.members { (json, name, _) throws(JSONError) in
      switch name {
      case "op" where op.isEmpty: op = try json.text()
      case "path" where target == nil: target = try self.target(try json.text())
      case "from" where from == nil: from = try value(&json, target)
      case "to" where to == nil: to = op == "move" ? try json.value() : try value(&json, target)
      case "positions" where positions.isEmpty: positions = try self.positions(&json)
      case "inPlace" where !isInPlace: isInPlace = try json.value() == .bool(true)
      default: throw Self.misfit
      }
    }
    guard let target else { throw Self.misfit }
    let kind: Change.Kind
    switch (op, from, to) {
    case ("replace", let from?, let to?): kind = .replace(from: from, to: to)
    case ("add", nil, let to?): kind = .add(to)
    case ("remove", let from?, nil): kind = .remove(from)
    case ("move", nil, .int(let position)?) where position >= 0: kind = .move(to: position)
    default: throw Self.misfit
    }
    return Change(target.path, kind, positions: positions, isInPlace: isInPlace)
  }

  private func target(_ text: String) throws(JSONError) -> EntryReader.Target {
    do throws(EntryError) {
      return try reader.target(text, "")
    } catch {
      throw Self.misfit
    }
  }

  private func value(_ json: inout JSONReader, _ target: EntryReader.Target?) throws(JSONError) -> Value {
    guard let target else { throw Self.misfit }
    guard let schema = target.schema else { return try json.value() }
    guard let value = schema.value(readFrom: &json) else { throw Self.misfit }
    return value
  }

  private func positions(_ json: inout JSONReader) throws(JSONError) -> [Int] {
    var positions: [Int] = []
    try json.elements { (json) throws(JSONError) in
      guard case .int(let position) = try json.value(), position >= 0 else { throw Self.misfit }
      positions.append(position)
    }
    return positions
  }
}
