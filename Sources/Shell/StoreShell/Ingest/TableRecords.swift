import Platform
import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

/// Records of rows of cells: names say which argument each cell fills, and the types come from the action.
struct TableRecords<Rows: CellRows>: RecordReading {
  private let mapping: RecordMapping
  private let header: CellHeader
  private var rows: Rows
  private let fields: [Field]
  /// The argument that each column fills; nil: the column is left out.
  private var columns: [Int?]?
  private var names: [String] = []
  /// The form of each column's argument; empty: rows take a closer look.
  private var forms: [PlainForm] = []
  /// The arguments of the latest plain row. Once its action has let go of them, those of the next one take their memory.
  private var plain: [Value]
  /// The arguments that the row at hand gives, and which of them Lua computed.
  private var given: [Value?]
  private var isComputed: [Bool]

  init(_ rows: Rows, header: CellHeader, mapping: RecordMapping) {
    self.mapping = mapping
    self.header = header
    self.rows = rows
    fields = mapping.type.fields
    plain = .absent(fields.count)
    given = Array(repeating: nil, count: fields.count)
    isComputed = Array(repeating: false, count: fields.count)
  }

  var line: Int { rows.line }

  mutating func begin() throws {
    do {
      let names: [String]
      switch header {
      case .firstRow:
        guard try rows.next() else { return }
        names = try firstRow()
      case .names(let given), .form(let given): names = given
      case .order: names = fields.map(\.name)
      }
      let columns = try columns(names)
      self.columns = columns
      self.names = names
      // Each argument has its column, or else each row would lack one.
      if mapping.computation == nil, columns.count(where: { $0 != nil }) == fields.count {
        forms = columns.map { $0.map { PlainForm(fields[$0].schema) } ?? .other }
      }
    } catch {
      throw error is FileError ? error : FileFault(error: error)
    }
  }

  mutating func next() throws -> ReadRecord {
    guard let columns, try rows.next() else { return .end }
    guard rows.count == columns.count || header.isOrder && rows.count <= columns.count else {
      throw RecordFault(
        message:
          "the row has \(rows.count) \(rows.count == 1 ? "field" : "fields"), \(header.subject(of: mapping.type)) \(columns.count)"
      ).of(lines: rows.taken)
    }
    if rows.count == forms.count, readPlain(columns) { return .action(ActionCall(mapping.type, plain)) }
    for index in given.indices { given[index] = nil }
    if let computation = mapping.computation {
      guard let changes = try computation.computed(computedColumns()) else { return .leftOut }
      for index in isComputed.indices { isComputed[index] = false }
      for change in changes {
        guard let argument = try mapping.argument(of: change.name),
          let index = fields.firstIndex(where: { $0.name == argument })
        else { continue }
        given[index] = try Self.value(change.value, fields[index])
        isComputed[index] = true
      }
    }
    for column in 0..<rows.count {
      guard let argument = columns[column], !isComputed[argument] else { continue }
      do throws(SchemaError) {
        given[argument] = try value(column, fields[argument])
      } catch {
        throw error.under(Path([.field(fields[argument].name)]))
      }
    }
    // No closure: in generic code each takes more instructions than a check.
    var values: [Value] = []
    values.reserveCapacity(fields.count)
    for index in fields.indices {
      if let value = given[index], fields[index].schema.surelyHas(value) {
        values.append(value)
      } else {
        values.append(try mapping.type.check(given[index], for: fields[index]))
      }
    }
    return .action(ActionCall(mapping.type, values))
  }

  /// Reads the arguments of a row whose cells are all plain.
  ///
  /// - Returns: false: the row takes a closer look.
  private mutating func readPlain(_ columns: [Int?]) -> Bool {
    // No closure, which in generic code costs more than the cells.
    for column in columns.indices {
      guard let argument = columns[column] else { continue }
      guard let value = rows.value(column, forms[column]) else { return false }
      plain[argument] = value
    }
    return true
  }

  /// The cells of the row as Lua computes with them.
  private func computedColumns() -> [ColumnComputation.Column] {
    (0..<min(rows.count, names.count)).map { column in
      (names[column], rows.text(column).map(RecordMapping.computed) ?? .none)
    }
  }

  /// The value that Lua computed, as the type of its argument reads it.
  private static func value(_ value: Value, _ field: Field) throws -> Value? {
    do throws(SchemaError) {
      switch value {
      case .none: return nil
      case .decimal(let number):
        return try field.schema.check(Literal.typed(number.description, field.schema.insideOptionals))
      default: return try field.schema.check(value)
      }
    } catch {
      let named = error.under(Path([.field(field.name)]))
      guard case .string = field.schema.insideOptionals.kind else { throw named }
      throw RecordFault(message: "\(named.message); tostring(…) makes a text of it")
    }
  }

  /// The names that the first row gives.
  private func firstRow() throws -> [String] {
    let first = rows.text(0) ?? ""
    if rows.count == 1, first.hasPrefix("sep="), first.utf8.count == 5 {
      throw RecordFault(
        message: "the first line is no row: it says which character stands between the fields",
        hint: "leave that line out: tail -n +2 FILE, and give --delimiter '\(first.suffix(1))'")
    }
    let hasLoneReturn = (0..<rows.count).contains { column in
      let cell = Array(rows.cell(column))
      return cell.indices.dropLast().contains { cell[$0] == 0x0D && cell[$0 + 1] != 0x0A }
    }
    if hasLoneReturn {
      throw RecordFault(
        message: "the lines end in a carriage return alone, so that all of them are one row",
        hint: "turn them into lines: tr '\\r' '\\n' < FILE")
    }
    return try (0..<rows.count).map { column throws(RecordFault) in
      if column == 0, let foreign = ForeignEncoding.fault(of: rows.cell(column)) { throw RecordFault(message: foreign) }
      guard let name = rows.text(column) else { throw RecordFault(message: "this is not UTF-8") }
      return name
    }
  }

  private func columns(_ names: [String]) throws -> [Int?] {
    try mapping.requireMapped(among: names, called: "column")
    if let name = mapping.computation?.needed.first(where: { !names.contains($0) }) {
      throw RecordFault(
        message: "there is no column '\(name)', which --compute or --where names",
        hint: Suggestion.question(name, among: names))
    }
    var columns: [Int?] = []
    for name in names {
      guard let argument = try mapping.argument(of: name) else {
        columns.append(nil)
        continue
      }
      let index = fields.firstIndex { $0.name == argument }
      let isComputed = mapping.computation?.mentions(name) == true
      guard index != nil || mapping.ignoresOthers || header.namesMore || isComputed else {
        let suggestion = Suggestion.nearest(to: argument, among: fields.map(\.name))
        throw SchemaError(
          Path(), .unknownArgument(action: mapping.type.fullName, name: argument, suggestion: suggestion))
      }
      guard index == nil || !columns.contains(index) else {
        let isNamedSo = argument == name
        throw RecordFault(message: isNamedSo ? "'\(name)' appears twice" : "two columns fill '\(argument)'")
      }
      if index == nil, !isComputed { try mapping.refuseNear(name) }
      columns.append(index)
    }
    if !fields.isEmpty, columns.allSatisfy({ $0 == nil }), mapping.computation == nil {
      throw mapping.fillsNothing(names)
    }
    for (index, field) in fields.enumerated()
    where !header.isOrder && !columns.contains(index) && mapping.computation?.mentions(field.name) != true {
      _ = try mapping.type.check(nil, for: field)
    }
    return columns
  }

  /// The number that a few digits alone give; nil: there is something else, or there are more.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard (1...18).contains(bytes.count), bytes.count == 1 || bytes.first != UInt8(ascii: "0") else { return nil }
    var number = 0
    for byte in bytes {
      guard byte.isDigit else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }

  /// The value of a cell as its argument's type reads it. Nil: an empty cell without quotes leaves its argument out,
  /// where the argument is no text.
  private func value(_ column: Int, _ field: Field) throws(SchemaError) -> Value? {
    let isEmpty = rows.isEmpty(column)
    var schema = field.schema
    var isOptional = false
    while case .optional(let wrapped) = schema.kind {
      schema = wrapped
      isOptional = true
    }
    if case .int = schema.kind, let number = Self.number(rows.cell(column)),
      let value = try? schema.check(.int(number))
    {
      return value
    }
    guard let text = rows.text(column) else {
      throw SchemaError(Path(), .typeMismatch(expected: schema.typeName, found: BadRecord.foreignBytes))
    }
    switch schema.kind {
    case .string, .choice, .any: return isEmpty && (isOptional || field.defaultValue != nil) ? nil : .string(text)
    case _ where isEmpty: return nil
    case .list, .map, .record, .union:
      guard let value = try? JSON.value(of: text) else {
        throw SchemaError(expected: "\(schema.typeName) as JSON", found: .string(text))
      }
      return schema.readingNonFinite(value)
    // The type inside an optional one is what messages name.
    default:
      do throws(SchemaError) {
        return try schema.check(Literal.typed(text, schema))
      } catch {
        throw error.naming(text)
      }
    }
  }
}

extension Schema {
  /// The type inside of optional ones.
  var insideOptionals: Schema {
    if case .optional(let wrapped) = kind { wrapped.insideOptionals } else { self }
  }
}

enum CellHeader {
  /// The first row has them.
  case firstRow
  /// They are given.
  case names([String])
  /// Those of a known form of lines, which may have more than the action takes.
  case form([String])
  /// Those of the action's arguments, in their order.
  case order

  fileprivate var isOrder: Bool { if case .order = self { true } else { false } }
  fileprivate var namesMore: Bool { if case .form = self { true } else { false } }

  /// The beginning of a sentence about the number of cells that there should be.
  fileprivate func subject(of type: ActionType) -> String {
    switch self {
    case .firstRow: "the first row names"
    case .names, .form: "--header names"
    case .order: "\(type.fullName) takes"
    }
  }
}
