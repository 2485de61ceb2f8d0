import StoreModules
import StoreSchema

/// The elements of lists and the keys of maps that are there, for completion.
struct KnownElements {
  /// The number of elements that are looked at where none are known to be in order, and of the values that are proposed. A
  /// list may be long, and Tab is not to wait.
  static let (lookedAt, proposed) = (10_000, 100)

  let view: any StateView
  let typed: Substring

  /// Values that begin as typed.
  struct Found {
    /// The first of them, each with the text that people know its element by, where it has one.
    var values: [(text: String, label: String?)] = []
    /// The number of those that are left out; nil: there may be some, nobody has counted them.
    var leftOut: Int? = 0
    private(set) var common: String?
    /// The name of the field with the texts.
    var labelName: String?

    /// Takes a value in.
    fileprivate mutating func take(_ text: @autoclosure () -> String, _ label: @autoclosure () -> String?, typed: Int) {
      if values.count < KnownElements.proposed {
        values.append((text(), label()))
      } else {
        leftOut = leftOut.map { $0 + 1 }
      }
      // Nearly always the first few have no more in common than what is typed.
      if let common, common.utf8.count <= typed { return }
      join(text())
    }

    /// Takes in what a value has in common with the others.
    fileprivate mutating func join(_ text: String) {
      guard let common, !text.utf8.starts(with: common.utf8) else { return self.common = common ?? text }
      self.common = String(zip(common, text).prefix { $0 == $1 }.map(\.0))
    }

    /// Some are not known: they may begin in any way.
    fileprivate mutating func cut(leftOut: Int?) {
      (self.leftOut, common) = (leftOut, "")
    }

    /// The same values, written in another way.
    fileprivate func written(_ spelling: (String) -> String, end: String) -> Found {
      var found = self
      found.values = values.map { (spelling($0.text) + end, $0.label) }
      found.common = common.map(spelling)
      return found
    }
  }

  /// The ids of the first list of a module whose items have ids. Where the typed text begins none of them, those of the
  /// items whose first text it begins.
  func idsOfFirstList(in module: String) -> Found {
    var found = Found()
    _ = view.readSlice(module) { schema, slice in
      guard case .record(let record) = schema.kind, case .record(let access) = schema.access.parts else { return }
      for (index, field) in record.fields.enumerated() where ListOfItems(field.schema, "id") != nil {
        return access.read(slice, index) { found = ids(field.schema, $0) }
      }
    }
    return found
  }

  /// The values of a field of the elements in a list that fields of a module lead to, as selectors: `[title=milk]`.
  func values(of field: String, in module: String, at fields: ArraySlice<String>) -> Found {
    var found = Found()
    _ = view.readSlice(module) { schema, slice in
      read(fields, schema, slice) { schema, list in
        found = selectors(field, schema, list)
      }
    }
    return found
  }

  /// The keys of a map that fields of a module lead to, as they are written by a spelling; nil leaves one out.
  func keys(in module: String, at fields: ArraySlice<String>, as spelling: (MapKey) -> String?) -> Found {
    var found = Found()
    _ = view.readSlice(module) { schema, slice in
      read(fields, schema, slice) { schema, value in
        guard case .map(let map) = schema.access.parts else { return }
        found = keys(map, value, spelling)
      }
    }
    return found
  }

  private func keys(_ map: MapAccess, _ value: UnsafeRawPointer, _ spelling: (MapKey) -> String?) -> Found {
    var found = Found()
    var isCut = false
    func take(_ key: MapKey) -> Bool {
      guard key.text.hasPrefix(typed) else { return false }
      if let text = spelling(key) { found.take(text, nil, typed: 0) }
      return true
    }
    let (exact, count) = (MapKey.string(String(typed)), map.count(value))
    if let sortedKeys = map.sortedKeys {
      // They stand in no order: to bring very many into one takes too long.
      var fitting = 0
      func fits(_ key: MapKey) -> Bool {
        guard fitting <= Self.lookedAt, key.text.hasPrefix(typed) else { return false }
        fitting += 1
        return true
      }
      isCut = typed.isEmpty && count > Self.lookedAt
      if !isCut {
        let keys = sortedKeys(value, fits)
        isCut = fitting > Self.lookedAt
        if !isCut { for key in keys { _ = take(key) } }
      }
      if isCut, map.read(value, exact, { _ in }) { _ = take(exact) }
    } else {
      // Texts that begin as typed stand together, behind the typed text; numbers do not.
      let isText = !typed.isEmpty && Int(typed) == nil
      var (key, seen) = (map.nextKey(value, isText ? exact : nil), 0)
      if isText, map.read(value, exact, { _ in }) { _ = take(exact) }
      while let next = key, seen < Self.lookedAt, take(next) || !isText {
        seen += 1
        key = map.nextKey(value, next)
      }
      isCut = seen == Self.lookedAt && key != nil
    }
    if isCut { found.cut(leftOut: typed.isEmpty ? count - found.values.count : nil) }
    return found
  }

  private func read(
    _ fields: ArraySlice<String>, _ schema: Schema, _ value: UnsafeRawPointer,
    _ body: (Schema, UnsafeRawPointer) -> Void
  ) {
    guard let name = fields.first else { return body(schema, value) }
    guard case .record(let record) = schema.kind, case .record(let access) = schema.access.parts,
      let index = record.index(of: name)
    else { return }
    access.read(value, index) { read(fields.dropFirst(), record.fields[index].schema, $0, body) }
  }

  // MARK: Lists

  private func ids(_ schema: Schema, _ list: UnsafeRawPointer, byLabel: Bool = true) -> Found {
    guard let items = ListOfItems(schema, "id") else { return Found() }
    var found = items.areInOrder(list) ? orderedIDs(items, list) : unorderedIDs(items, list)
    if found.values.isEmpty, byLabel, !typed.isEmpty, Int(typed) == nil { found = idsByLabel(items, list) }
    found.labelName = items.labelName
    return found
  }

  /// Looks at those alone that are proposed, and at the ends of the rest.
  private func orderedIDs(_ items: ListOfItems, _ list: UnsafeRawPointer) -> Found {
    var found = Found()
    let ids = OrderedIDs(items, list)
    for rows in ids.rows(beginningWith: typed) {
      guard let first = rows.first, let last = rows.last else { continue }
      let shown = rows.prefix(Self.proposed - found.values.count)
      for row in shown { items.read(list, row) { found.values.append((items.text($0.field), items.label($0.item))) } }
      found.leftOut = found.leftOut.map { $0 + rows.count - shown.count }
      for row in [first, last] { items.read(list, row) { found.join(items.text($0.field)) } }
    }
    return found
  }

  private func unorderedIDs(_ items: ListOfItems, _ list: UnsafeRawPointer) -> Found {
    var found = Found()
    let number = Int(typed)
    items.visit(list, upTo: Self.lookedAt) { item, id in
      // Nearly all are numbers: to make a text of each would take the time that Tab has.
      if let value = items.number(id), !typed.isEmpty, !mayBegin(value, number) { return }
      guard items.words(id).utf8.starts(with: typed.utf8) else { return }
      found.take(items.text(id), items.label(item), typed: typed.utf8.count)
    }
    let count = items.count(list)
    guard count > Self.lookedAt else { return found }
    if !typed.isEmpty, let row = items.row(of: number.map { .int($0) } ?? .string(String(typed)), list),
      row >= Self.lookedAt
    {
      items.read(list, row) { found.values.insert((items.text($0.field), items.label($0.item)), at: 0) }
    }
    found.cut(leftOut: typed.isEmpty ? count - found.values.count : nil)
    return found
  }

  private func idsByLabel(_ items: ListOfItems, _ list: UnsafeRawPointer) -> Found {
    var found = Found()
    let start = typed.lowercased()
    items.visit(list, upTo: Self.lookedAt) { item, id in
      guard let label = items.label(item), label.lowercased().hasPrefix(start) else { return }
      found.take(items.text(id), label, typed: 0)
    }
    if items.count(list) > Self.lookedAt { found.cut(leftOut: nil) }
    return found
  }

  private func selectors(_ field: String, _ schema: Schema, _ list: UnsafeRawPointer) -> Found {
    guard let items = ListOfItems(schema, field) else { return Found() }
    guard field != "id" else {
      var found = ids(schema, list, byLabel: false).written({ "[id=\($0)" }, end: "]")
      found.labelName = nil
      return found
    }
    var found = Found()
    var known: Set<Value> = []
    items.visit(list, upTo: Self.lookedAt) { _, place in
      guard items.words(place).utf8.starts(with: typed.utf8) else { return }
      let value = items.value(place)
      guard known.insert(value).inserted else { return }
      found.take(Self.selector(field, value), nil, typed: 0)
    }
    if items.count(list) > Self.lookedAt { found.cut(leftOut: nil) }
    return found
  }

  private static func selector(_ field: String, _ value: Value) -> String {
    Path([.match(field: field, value)]).description
  }

  /// Returns true if a number may begin with the typed one.
  private func mayBegin(_ number: Int, _ start: Int?) -> Bool {
    guard let start, start > 0, number > 0 else { return true }
    var rest = number
    while rest > start { rest /= 10 }
    return rest == start
  }
}

extension MapKey {
  /// The key, as it is typed.
  fileprivate var text: String {
    switch self {
    case .int(let number): "\(number)"
    case .string(let text): text
    }
  }
}
