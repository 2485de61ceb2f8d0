import Platform
import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

/// Records of a table: the first row names the fields, the types come from the action.
struct TableRecords: RecordReading {
  private let mapping: RecordMapping
  private var rows: TableRows
  private let fields: [Field]
  /// The argument that each column fills; nil: the column is left out.
  private var columns: [Int?]?

  init(lines: LineReader, separator: UInt8, mapping: RecordMapping) {
    self.mapping = mapping
    fields = mapping.type.fields
    rows = TableRows(lines: lines, separator: separator)
  }

  var line: Int { rows.line }

  mutating func next() throws -> ActionCall? {
    if columns == nil {
      do {
        guard try rows.next() else { return nil }
        columns = try header()
      } catch {
        throw error is FileError ? error : FileFault(error: error)
      }
    }
    guard let columns, try rows.next() else { return nil }
    guard rows.count == columns.count else {
      throw RecordFault(
        message:
          "the row has \(rows.count) \(rows.count == 1 ? "field" : "fields"), the first row names \(columns.count)"
      ).of(lines: rows.taken)
    }
    var given = [Value?](repeating: nil, count: fields.count)
    for (column, argument) in columns.enumerated() {
      guard let argument else { continue }
      do throws(SchemaError) {
        given[argument] = try value(column, fields[argument])
      } catch {
        throw error.under(Path([.field(fields[argument].name)]))
      }
    }
    return ActionCall(mapping.type, try fields.indices.map { try mapping.type.check(given[$0], for: fields[$0]) })
  }

  private func header() throws -> [Int?] {
    let names = try (0..<rows.count).map { column throws(RecordFault) in
      if column == 0, let foreign = ForeignEncoding.fault(of: rows.cell(column)) { throw RecordFault(message: foreign) }
      guard let name = rows.text(column) else { throw RecordFault(message: "this is not UTF-8") }
      return name
    }
    try mapping.requireMapped(among: names, called: "column")
    var columns: [Int?] = []
    for name in names {
      guard let argument = try mapping.argument(of: name) else {
        columns.append(nil)
        continue
      }
      let index = fields.firstIndex { $0.name == argument }
      guard index != nil || mapping.ignoresOthers else {
        let suggestion = Suggestion.nearest(to: argument, among: fields.map(\.name))
        throw SchemaError(
          Path(), .unknownArgument(action: mapping.type.fullName, name: argument, suggestion: suggestion))
      }
      guard index == nil || !columns.contains(index) else {
        let isNamedSo = argument == name
        throw RecordFault(message: isNamedSo ? "'\(name)' stands twice" : "two columns fill '\(argument)'")
      }
      columns.append(index)
    }
    for (index, field) in fields.enumerated() where !columns.contains(index) {
      _ = try mapping.type.check(nil, for: field)
    }
    return columns
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
    guard let text = rows.text(column) else {
      throw SchemaError(Path(), .typeMismatch(expected: schema.typeName, found: "bytes that are not UTF-8"))
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
