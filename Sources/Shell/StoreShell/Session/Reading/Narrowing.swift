import ShellLanguage
import StorePlugins
import StoreSchema

/// The elements of a list or a map that a line asks for: `where EXPR`, `--sort`, `--limit`, `--columns`.
struct Narrowing {
  static let flags = [
    FlagDefinition(
      "sort", value: "FIELD,…", need: .read, "sort elements by these fields, by -FIELD from the last to the first"),
    FlagDefinition("limit", value: "N", need: .read, "only the first N elements"),
    FlagDefinition("columns", value: "FIELD,…", need: .read, "only these fields of elements, in this order"),
  ]

  /// The Lua behind `where`; nil: all elements fit.
  let condition: String?
  private let order: (Given<[Order]>, Word)?
  private let limit: Given<Int>?
  private let columns: (Given<[String]>, Word)?

  /// A field to sort by.
  private struct Order {
    let field: String
    let isDescending: Bool
  }

  /// Reads what a line says behind its first operands.
  ///
  /// - Parameter index: the position of the operand `where`.
  /// - Returns: nil where nothing is narrowed.
  init?(_ reader: CommandReader, at index: Int) throws {
    var reader = reader
    if Self.flags.contains(where: { reader.has($0.name) }) {
      reader.usage = reader.definition.usage.first { $0.contains("where") } ?? reader.usage
    }
    if reader.operands.count > index, reader.operands[index].text == "where" {
      var reader = reader
      reader.usage = reader.definition.usage.first { $0.contains("where") } ?? reader.usage
      try reader.refuseOperands(from: index + 1)
      condition = try reader.luaText("a condition after where")
    } else {
      try reader.refuseOperands(from: index)
      condition = nil
    }
    func names(of flag: String) throws -> (Given<[String]>, Word)? {
      guard let text = try reader.text(of: flag), let word = reader.word(of: flag) else { return nil }
      let names = try text.map { text in
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
          LuaText.trimmed(Array($0.utf8)[...])
        }
        guard names.allSatisfy({ !$0.isEmpty && $0 != "-" }) else {
          throw reader.fault(
            .typeMismatch, "--\(flag) takes names of fields with commas between, got '\(text)'", of: flag)
        }
        return names
      }
      return (names, word)
    }
    order = try names(of: "sort").map { names, word in
      let order = try names.map { names in
        names.map { Order(field: String($0.drop { $0 == "-" }), isDescending: $0.hasPrefix("-")) }
      }
      return (order, word)
    }
    columns = try names(of: "columns")
    limit = try reader.text(of: "limit")?.map { text in
      if let number = Int(text), number >= 0 { return number }
      throw reader.fault(.typeMismatch, "--limit takes a number of elements, got '\(text)'", of: "limit")
    }
    if condition == nil, order == nil, limit == nil, columns == nil { return nil }
  }

  /// Refuses fields that no element of a list or a map can have.
  ///
  /// - Parameter type: the type of the list or map, before anything runs.
  func check(elementsOf type: Schema, by vocabulary: Vocabulary) throws {
    var fields: [String]
    switch type.type(at: [.all])?.wrapped.kind {
    case .record(let record)?: fields = record.fields.map(\.name)
    case .bool?, .int?, .double?, .decimal?, .string?, .choice?: fields = ["value"]
    default: return
    }
    if case .map = type.wrapped.kind { fields.append("key") }
    for (names, word) in [order.map { ($0.known?.map(\.field), $1) }, columns.map { ($0.known, $1) }].compactMap({ $0 })
    {
      if let name = names?.first(where: { !fields.contains($0) }) { throw Self.noField(name, among: fields, at: word) }
    }
    guard let condition else { return }
    if let name = vocabulary.unknownFields(in: condition, among: Set(fields)).first {
      throw Self.noField(name, among: fields, at: nil)
    }
    try vocabulary.requireNames(in: condition, besides: Set(fields))
  }

  private static func noField(_ name: String, among fields: [String], at word: Word?) -> ShellError {
    ShellError(
      code: .unknownPath, message: "no element has a field '\(name)'", place: word.map { .span($0.span) } ?? .command,
      hint: Suggestion.question(name, among: fields)
        ?? "there is \(fields.prefix(12).joined(separator: ", "))\(fields.count > 12 ? ", …" : "")")
  }

  /// What is left of a list or a map, and how many elements there were.
  struct Outcome {
    let reading: Reading
    let count: Int
    /// How many met the condition.
    let matching: Int
    /// How many there were.
    let total: Int
    /// The choice of the condition, if nothing else narrows; nil: there is none, or it may depend on more than the elements.
    let choice: ElementChoice?
    /// A sentence for each name that no element has a field of.
    let notes: [String]

    /// The counts in words: `3 of 300 items`, or `3 of 150 matching items, of 300`.
    var counts: String {
      let (cut, all) = (count < matching, matching == total)
      let noun = (cut ? matching : total) == 1 ? "item" : "items"
      return cut && !all ? "\(count) of \(matching) matching \(noun), of \(total)" : "\(count) of \(total) \(noun)"
    }
  }

  /// The elements of a list or a map that it asks for.
  ///
  /// - Throws: ``ShellError`` where there are none, as in a number, or for a field that no element has. Elements that Lua made have
  ///   fields by chance: of those a note tells.
  func narrow(_ reading: Reading, of name: String, in session: Session) throws -> Outcome {
    let limit = try limit?.value(in: session)
    let order = try order.map { (try $0.value(in: session), $1) }
    let columns = try columns.map { (try $0.value(in: session), $1) }
    let elements = try Elements(reading, name)
    // An empty list has no elements to look at; its type tells their fields.
    if elements.total == 0 { try check(elementsOf: reading.schema, by: Vocabulary(session)) }
    var unknown: [String] = []
    for (names, word) in [order.map { ($0.map(\.field), $1) }, columns].compactMap({ $0 }) {
      for name in names where elements.total > 0 && !elements.fields.contains(name) {
        guard !elements.areOpen else {
          unknown.append(name)
          continue
        }
        throw Self.noField(name, among: elements.fields.sorted(), at: word)
      }
    }
    var chosen = elements.list
    if let condition, elements.total > 0, !elements.fields.isEmpty {
      let names = session.unknownFields(in: condition, among: elements.fields)
      if !elements.areOpen, let name = names.first {
        throw Self.noField(name, among: elements.fields.sorted(), at: nil)
      }
      unknown += names
    }
    var choice: ElementChoice?
    if let condition {
      (chosen, choice) = try session.elements(of: elements, where: condition, &unknown)
      if order != nil || limit != nil || columns != nil { choice = nil }
    }
    if let order {
      let fields = order.0.map { ($0, isInteger: elements.areIntegers($0.field)) }
      chosen.sort { Self.isBefore($0, $1, by: fields) }
    }
    let matching = chosen.count
    if let limit { chosen = Array(chosen.prefix(limit)) }
    let isList = !elements.isMap || order != nil || columns != nil
    // Elements that Lua made declare no fields: where none is left, the earlier ones tell the columns.
    let names = columns?.0 ?? (elements.areOpen && chosen.isEmpty && isList ? elements.fields.sorted() : nil)
    let narrowed = names.map { elements.reading(chosen, columns: $0) } ?? elements.reading(chosen, isList: isList)
    var notes: [String] = []
    for name in unknown where !notes.contains(where: { $0.contains("'\(name)'") }) {
      let question = Suggestion.question(name, among: elements.fields.sorted()).map { "; \($0)" } ?? ""
      notes.append("no element has a field '\(name)'\(question)")
    }
    if matching == 0, let condition, let note = session.note(onTypesIn: condition, over: elements) {
      notes.append(note)
    }
    return Outcome(
      reading: narrowed, count: chosen.count, matching: matching, total: elements.total, choice: choice,
      notes: notes)
  }

  /// True if one element stands before another by some fields, of each of which is known if it holds integers.
  private static func isBefore(
    _ left: Elements.Element, _ right: Elements.Element, by order: [(Order, isInteger: Bool)]
  ) -> Bool {
    for (field, isInteger) in order {
      let (one, two) = (Elements.part(field.field, of: left), Elements.part(field.field, of: right))
      if one.isOrderedBefore(two, isInteger) { return !field.isDescending }
      if two.isOrderedBefore(one, isInteger) { return field.isDescending }
    }
    return false
  }
}

private struct Elements {
  typealias Element = (key: MapKey?, value: Value)

  let list: [Element]
  let isMap: Bool
  /// True if any is a map, such as a table of Lua: its keys are declared nowhere.
  let areOpen: Bool
  /// The names that any element's fields have; of numbers, texts and the like their one column is `value`.
  let fields: Set<String>
  /// True if all of them are such, without fields of their own.
  let areScalars: Bool
  private let schema: Schema

  var total: Int { list.count }

  init(_ reading: Reading, _ name: String) throws {
    switch reading.value {
    case .list(let list):
      self.list = list.map { (nil, $0) }
      isMap = false
    case .map(let map):
      list = map.map { ($0, $1) }
      isMap = true
    default:
      throw ShellError(
        code: .typeMismatch,
        message: "only a list or a map has elements to choose from; \(name) is \(reading.schema.typeName)",
        hint: "leave out where to have all of it")
    }
    schema = reading.schema
    var layouts: Set<ObjectIdentifier> = []
    var fields: Set<String> = isMap ? ["key"] : []
    var areOpen = false
    var areScalars = !list.isEmpty
    for (_, value) in list {
      switch value {
      case .record(let record):
        areScalars = false
        guard layouts.insert(ObjectIdentifier(record.layout)).inserted else { continue }
        fields.formUnion(record.layout.fields)
      case .map(let map):
        (areOpen, areScalars) = (true, false)
        for (key, _) in map { if case .string(let name) = key { fields.insert(name) } }
      default: break
      }
    }
    if areScalars { fields.insert("value") }
    (self.fields, self.areOpen, self.areScalars) = (fields, areOpen, areScalars)
  }

  /// True if integers are declared for a part of the elements, of which those that no `Int` holds are texts of digits.
  func areIntegers(_ name: String) -> Bool {
    if name == "key", case .map(.int, _) = schema.kind { return true }
    let part = schema.type(at: [.all, .field(name)]) ?? schema.type(at: [.all])
    if case .int? = part?.wrapped.kind { return true }
    return false
  }

  /// Some of them, as they stood.
  func reading(_ chosen: [Element], isList: Bool) -> Reading {
    guard isMap else { return Reading(value: .list(PersistentList(chosen.map(\.value))), schema: schema) }
    guard isList else {
      return Reading(
        value: .map(PersistentMap(chosen.compactMap { element in element.key.map { ($0, element.value) } })),
        schema: schema)
    }
    var columns: [String] = []
    for element in chosen { columns += element.value.memberNames.filter { !columns.contains($0) } }
    return reading(chosen, columns: ["key"] + (columns.isEmpty ? ["value"] : columns.filter { $0 != "key" }))
  }

  /// A field, or the key in a map.
  static func part(_ name: String, of element: Element) -> Value {
    switch (name, element.key) {
    case ("key", let key?): key.value
    case ("value", _) where element.value.memberNames.isEmpty: element.value
    default: element.value.member(name)
    }
  }

  /// Some of their fields, as rows of a table.
  func reading(_ chosen: [Element], columns: [String]) -> Reading {
    let rows = chosen.map { element in
      columns.map { Self.part($0, of: element) }
    }
    return Reading(rows: rows, "Row", columns)
  }
}

extension Session {
  /// Refuses a selector that several elements fit, of which the first alone would be seen.
  func refuseSeveral(_ path: Path) throws {
    for (index, step) in path.steps.enumerated() {
      guard case .match(let field, let value) = step, field != "id" else { continue }
      let list = Path(Array(path.steps.prefix(index)))
      guard case .list(let elements) = try read(list).value else { continue }
      let count = elements.count { $0.member(field) == value }
      guard count > 1 else { continue }
      throw PathError(
        message: "\(count) elements of \(list) match \(Path([step]))",
        hint: "show \(list) where \(field) == \(InlineText.text(of: value, spelling: .lua)) shows all of them")
    }
  }

  /// A note on a condition that compares a number or a truth value with a text, and so holds for no element; nil: it compares no such things.
  fileprivate func note(onTypesIn condition: String, over elements: Elements) -> String? {
    guard let sides = Comparison(condition), sides.sign == "==", let first = elements.list.first else { return nil }
    for (field, other) in [(sides.left, sides.right), (sides.right, sides.left)] where elements.fields.contains(field) {
      guard let given = try? lua().evaluate(other, chunk: chunkName, isReadOnly: true).value else { continue }
      switch (Elements.part(field, of: first), given) {
      case (.int, .string), (.double, .string), (.decimal, .string):
        return "\(field) is a number, and \(other) is a text: tonumber(\(other))"
      case (.string, .int), (.string, .double), (.string, .decimal):
        return "\(field) is a text, and \(other) is a number: tostring(\(other))"
      case (.bool, .string):
        return "\(field) is true or false, and \(other) is a text"
      case (.string, .bool):
        return "\(field) is a text, and \(other) is true or false: tostring(\(other))"
      default: break
      }
    }
    return nil
  }

  /// The elements for which an expression holds, and its choice where it may be asked again of single elements.
  ///
  /// - Parameter unknown: gets the names of it that are nothing, where any element might have such a field.
  fileprivate func elements(
    of elements: Elements, where text: String, _ unknown: inout [String]
  ) throws -> (chosen: [Elements.Element], choice: ElementChoice?) {
    let lua = try lua()
    var names = elements.fields
    var read: ElementCondition?
    while read == nil {
      do throws(SessionLuaError) {
        read = try lua.condition(
          text, onFields: elements.list.isEmpty ? nil : names, areScalars: elements.areScalars, chunk: chunkName)
      } catch {
        guard elements.areOpen, let name = error.unknownName?.name, names.insert(name).inserted else { throw error }
        unknown.append(name)
      }
    }
    guard let condition = read else { return ([], nil) }
    var chosen: [Elements.Element] = []
    var isChosen: [Bool] = []
    for (index, element) in elements.list.enumerated() {
      if index % 256 == 255, isInterrupted { throw ShellError.interrupted }
      let holds = try condition.holds(for: element.value, key: element.key)
      isChosen.append(holds)
      if holds { chosen.append(element) }
    }
    let choice = condition.otherNames.map { names in
      ElementChoice(otherNames: names, isChosen: isChosen) { try condition.holds(for: $0, key: $1) }
    }
    return (chosen, choice)
  }
}

extension Value {
  /// The value of a field; none where there is none of that name.
  fileprivate func member(_ name: String) -> Value {
    switch self {
    case .record(let record): record[name] ?? .none
    case .map(let map): map[.string(name)] ?? .none
    default: .none
    }
  }

  fileprivate var memberNames: [String] {
    switch self {
    case .record(let record): record.layout.fields
    case .map(let map): map.compactMap { key, _ in if case .string(let name) = key { name } else { nil } }
    default: []
    }
  }

  /// The order of values in sorted lists: none, false, true, numbers, texts, then all others, among which there is no order.
  ///
  /// - Parameter isInteger: true if texts are integers that no `Int` holds.
  fileprivate func isOrderedBefore(_ other: Value, _ isInteger: Bool) -> Bool {
    switch (self, other) {
    case (.string(let one), .string(let two)) where isInteger: one.isLess(asInteger: two)
    case (.string(let digits), .int) where isInteger: digits.hasPrefix("-")
    case (.int, .string(let digits)) where isInteger: !digits.hasPrefix("-")
    case (.bool(let one), .bool(let two)): !one && two
    case (.int(let one), .int(let two)): one < two
    case (.int(let one), .double(let two)): Double(one) < two
    case (.double(let one), .int(let two)): one < Double(two)
    case (.double(let one), .double(let two)): one < two
    case (.decimal(let one), .decimal(let two)): one < two
    case (.decimal(let one), .int(let two)): one < DecimalNumber(units: two)
    case (.int(let one), .decimal(let two)): DecimalNumber(units: one) < two
    case (.decimal(let one), .double(let two)): one.nearestFloat < two
    case (.double(let one), .decimal(let two)): one < two.nearestFloat
    case (.string(let one), .string(let two)): one < two
    default: rank < other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .none: 0
    case .bool: 1
    case .int, .double, .decimal: 2
    case .string: 3
    default: 4
    }
  }
}

extension String {
  /// True if the digits of an integer stand for a smaller one than those of another do.
  fileprivate func isLess(asInteger other: String) -> Bool {
    guard hasPrefix("-") == other.hasPrefix("-") else { return hasPrefix("-") }
    let (nearer, farther) = hasPrefix("-") ? (other, self) : (self, other)
    return (nearer.utf8.count, nearer) < (farther.utf8.count, farther)
  }
}
