import Platform
import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

/// Records of JSON: an object a line, blank lines between them.
struct JSONRecords: RecordReading {
  private let lines: LineReader
  private let mapping: RecordMapping
  private let plain: PlainRecords?
  /// The arguments that are decimals.
  private let decimals: Set<String>
  private let program: String
  /// The fields that `--map` names and that no record had so far, but for the plain ones.
  private var unseen: Set<String>
  private var hasRecords = false

  init(lines: LineReader, mapping: RecordMapping, program: String) {
    self.program = program
    self.lines = lines
    self.mapping = mapping
    plain = mapping.computation == nil ? PlainRecords(mapping) : nil
    decimals = Set(mapping.type.fields.filter { $0.schema.isOfDecimals }.map(\.name))
    unseen = Set(mapping.argumentNames.keys)
  }

  var line: Int { lines.number }

  mutating func next() throws -> ReadRecord {
    while let line = try lines.next() {
      guard line.contains(where: { !$0.isBlank }) else {
        lines.noteBlank()
        continue
      }
      // Not counted: it lives as long as this.
      if let plain = plain.map({ Unmanaged.passUnretained($0) }),
        let call = plain._withUnsafeGuaranteedRef({ plain in line.withUnsafeBufferPointer { plain.call($0) } })
      {
        hasRecords = true
        return .action(call)
      }
      let read = exact(try fields(of: line), in: line)
      unseen.subtract(read.map(\.name))
      guard let fields = try computed(read, in: line) else { return .leftOut }
      do {
        let call = try call(fields)
        hasRecords = true
        return .action(call)
      } catch {
        // A field that a record lacks under a wrong name, or has under another, is told by that name.
        try mapping.requireMapped(among: fields.map(\.name), called: "field")
        throw (error as? SchemaError).map { named($0, line) } ?? error
      }
    }
    try requireSeen()
    return .end
  }

  /// The fields of the object that a line holds. Many programs write a list instead, or an object over several lines.
  private func fields(of line: ArraySlice<UInt8>) throws -> [(name: String, value: Value)] {
    do {
      return try line.withUnsafeBufferPointer { try JSON.fields(of: $0.span) }
    } catch {
      let text = line.drop { $0.isBlank }
      let (message, filter): (String, String)
      switch text.first {
      case UInt8(ascii: "["): (message, filter) = ("expected a JSON object, got a list", "'.[]'")
      case UInt8(ascii: "{") where text.dropFirst().allSatisfy(\.isBlank):
        (message, filter) = ("the JSON object does not end on its line", ".")
      default:
        let value = line.withUnsafeBufferPointer { try? JSON.value(of: $0.span) }
        guard let value else { throw error }
        throw RecordFault(message: "expected a JSON object, got \(value.described)")
      }
      throw RecordFault(
        message: message,
        hint: "for one object a line: jq -c \(filter) FILE | \(program) -c 'ingest - --as \(mapping.type.fullName)'")
    }
  }

  /// The fields, with all digits of those that fill decimals: a float may have room for fewer than the record has.
  private func exact(
    _ fields: [(name: String, value: Value)], in line: ArraySlice<UInt8>
  ) -> [(name: String, value: Value)] {
    guard !decimals.isEmpty else { return fields }
    return fields.map { field in
      guard case .double = field.value, decimals.contains(mapping.argumentNames[field.name] ?? field.name),
        let text = line.withUnsafeBufferPointer({ JSON.numberText(at: Path([.field(field.name)]), of: $0.span) })
      else { return field }
      return (field.name, DecimalNumber(text).map { .decimal($0) } ?? .string(text))
    }
  }

  /// The fields with those that Lua has computed; nil: the record is left out.
  private func computed(
    _ fields: [(name: String, value: Value)], in line: ArraySlice<UInt8>
  ) throws -> [(name: String, value: Value)]? {
    guard let computation = mapping.computation else { return fields }
    let columns = fields.map { field -> ColumnComputation.Column in
      switch field.value {
      case .int(let number): return (field.name, .decimal(DecimalNumber(units: number)))
      case .double:
        let digits = line.withUnsafeBufferPointer { JSON.numberText(at: Path([.field(field.name)]), of: $0.span) }
        return (field.name, digits.flatMap(RecordMapping.computed(number:)) ?? field.value)
      default: return field
      }
    }
    guard let changes = try computation.computed(columns) else { return nil }
    var fields = fields.filter { field in
      let argument = mapping.argumentNames[field.name] ?? field.name
      return mapping.type.layout.index(of: argument) != nil || !computation.mentions(field.name)
    }
    for change in changes {
      fields.removeAll { $0.name == change.name }
      let argument = mapping.argumentNames[change.name] ?? change.name
      guard change.value != .none, let type = mapping.type.fields.first(where: { $0.name == argument }) else {
        continue
      }
      var value = change.value
      if case .decimal(let number) = value { value = Literal.typed(number.description, type.schema.insideOptionals) }
      fields.append((change.name, value))
    }
    return fields
  }

  /// The error with the number that was found as the record has it.
  private func named(_ error: SchemaError, _ line: ArraySlice<UInt8>) -> SchemaError {
    guard case .field(let argument)? = error.path.steps.first else { return error }
    let field = mapping.argumentNames.first { $0.value == argument }?.key ?? argument
    let path = Path([.field(field)] + error.path.steps.dropFirst())
    return line.withUnsafeBufferPointer { JSON.numberText(at: path, of: $0.span) }.map(error.naming) ?? error
  }

  private func call(_ fields: [(name: String, value: Value)]) throws -> ActionCall {
    var fields = fields
    if !mapping.argumentNames.isEmpty {
      fields = try fields.compactMap { field in
        try mapping.argument(of: field.name).map { (name: $0, value: field.value) }
      }
    }
    if mapping.ignoresOthers, !fields.isEmpty {
      let names = fields.map(\.name)
      for name in names where mapping.type.layout.index(of: name) == nil { try mapping.refuseNear(name) }
      fields.removeAll { mapping.type.layout.index(of: $0.name) == nil }
      if fields.isEmpty, !mapping.type.fields.isEmpty { throw mapping.fillsNothing(names) }
    }
    do {
      return try mapping.type.call(fields)
    } catch {
      let types = mapping.type.fields
      let read = fields.map { field in
        (field.name, types.first { $0.name == field.name }?.schema.readingNonFinite(field.value) ?? field.value)
      }
      guard let call = try? mapping.type.call(read) else { throw error }
      return call
    }
  }

  /// A field may be absent from a record; one that is absent from all of them is a slip of whoever named it.
  private mutating func requireSeen() throws {
    guard hasRecords, let name = unseen.subtracting(plain?.seen ?? []).min() else { return }
    hasRecords = false
    throw FileFault(error: RecordFault(message: "no record has a field '\(name)', which --map names"))
  }
}

extension Schema {
  /// True for decimals, and for decimals that may be missing.
  var isOfDecimals: Bool {
    switch kind {
    case .decimal: true
    case .optional(let wrapped): wrapped.isOfDecimals
    default: false
    }
  }
}
