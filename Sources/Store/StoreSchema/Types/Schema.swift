/// The shape of a type at run time, and the way to reach into a value of it.
///
/// A schema describes a type by its ``kind`` and reaches into memory that holds a value of it through ``access``.
/// Reading or writing one field, one element or one entry converts nothing else. With a schema that `@Schema` derived, the memory is a Swift value. Else it is a ``Value`` that was
/// checked against the schema, such as the slice of a Lua plugin. The property ``dynamic`` gives the second view of the
/// same description.
///
/// Extensions add one use of types a file, such as names, checks, paths, JSON and differences, and the schemas of types.
public final class Schema: Sendable {
  /// The type's description.
  public let kind: Kind
  /// The way into a value of the type.
  public let access: Access
  /// True if the memory that ``access`` reaches into holds a ``Value``.
  public let isDynamic: Bool
  /// The field by which values of the type are told apart in a list; nil: there is none.
  @usableFromInline let identity: ElementIdentity?
  /// Gives the written form of a value that the Swift type reads, in whatever form; nil: the kind alone says which values are
  /// of the type.
  let normalize: Normalize?
  /// The fields, where the type is a Swift struct: taken out of ``access`` once, as each comparison asks for them. The type has them for
  /// good.
  package let flat: Unmanaged<FlatFields>?
  /// The way to the elements, and their type, where the type is a list: taken out as the fields are.
  let list: (elements: Unmanaged<ListAccess>, element: Unmanaged<Schema>)?
  /// The name that users read instead of that of the kind; nil: there is none.
  let givenName: String?

  /// True if the Swift type has the last word on its values, as the kind does not say all of them.
  package var isReadByItsType: Bool { normalize != nil }

  /// Gives the written form of a value.
  @usableFromInline typealias Normalize = @Sendable (Value) throws(SchemaError) -> Value

  /// Joins a description and a way into memory.
  public convenience init(kind: Kind, access: Access, isDynamic: Bool = false) {
    self.init(kind: kind, access: access, isDynamic: isDynamic, normalize: nil)
  }

  @usableFromInline
  init(kind: Kind, access: Access, isDynamic: Bool = false, normalize: Normalize?, givenName: String? = nil) {
    self.kind = kind
    self.givenName = givenName
    self.access = access
    self.isDynamic = isDynamic
    self.normalize = normalize
    identity = ElementIdentity(kind, access)
    flat = if case .record(.flat(let fields)) = access.parts { .passUnretained(fields) } else { nil }
    list =
      if case .list(let access) = access.parts, case .list(let element) = kind {
        (.passUnretained(access), .passUnretained(element))
      } else {
        nil
      }
  }

  /// True if a list of values of the type finds one by its field `id`, an integer or a text.
  public var hasID: Bool { identity != nil }

  /// The type inside an optional one.
  package var wrapped: Schema {
    var schema = self
    while case .optional(let inner) = schema.kind { schema = inner }
    return schema
  }

  /// A type of its own that says the same as another: all that is below it is shared.
  public convenience init(sharing other: Schema) {
    self.init(
      kind: other.kind, access: other.access, isDynamic: other.isDynamic, normalize: other.normalize,
      givenName: other.givenName)
  }

  /// The set of types that Swift modules and Lua plugins share.
  public indirect enum Kind: Sendable {
    /// `true` or `false`.
    case bool
    /// A 64-bit integer within bounds, both inclusive; nil: no bound.
    case int(minimum: Int?, maximum: Int?)
    /// A double-precision number.
    case double
    /// An exact decimal number with so many digits behind its point.
    case decimal(scale: Int)
    /// Text.
    case string
    /// A name out of a set: an enum without payloads.
    case choice(name: String, cases: [String])
    /// A value or none.
    case optional(Schema)
    /// Values of one type, in order.
    case list(Schema)
    /// Values of one type, by key.
    case map(key: KeyKind, Schema)
    /// Named fields.
    case record(RecordSchema)
    /// An enum with a payload in at least one case.
    case union(UnionSchema)
    /// Any value at all: used where a projection declares no type.
    case any
  }

  /// The type of a map's keys.
  public enum KeyKind: Sendable {
    /// Integer keys.
    case int
    /// Text keys.
    case string
  }
}

/// A record type: its name and its fields in declared order.
public struct RecordSchema: Sendable {
  /// The layout that values of the type share.
  public let layout: RecordLayout
  /// The fields in declared order.
  public let fields: [Field]

  /// Makes a record type.
  public init(name: String, fields: [Field]) {
    self.layout = RecordLayout(name: name, fields: fields.map(\.name))
    self.fields = fields
  }

  /// The type's name.
  public var name: String { layout.name }

  /// The position of the field of that name, from 0.
  public func index(of name: String) -> Int? { layout.index(of: name) }
}

/// A field of a record, or an argument of an action.
public final class Field: Sendable {
  /// The field's name.
  public let name: String
  /// The field's type.
  public let schema: Schema
  /// The value of an absent field; nil: the field is required, unless it is optional.
  public let defaultValue: Value?
  /// The meaning of the field, in one sentence; may be empty.
  public let documentation: String
  /// True if the number gives out ids, so that it never falls while others may have seen one.
  public let isSequence: Bool

  /// Makes a field.
  public init(
    _ name: String, _ schema: Schema, default defaultValue: Value? = nil, documentation: String = "",
    isSequence: Bool = false
  ) {
    self.isSequence = isSequence
    self.name = name
    self.schema = schema
    self.defaultValue = defaultValue
    self.documentation = documentation
  }

  /// True if the field may hold no value.
  public var isOptional: Bool {
    if case .optional = schema.kind { return true }
    return false
  }

  /// True if a value for this field must be given.
  public var isRequired: Bool { defaultValue == nil && !isOptional }
}

/// An enum type with payloads.
public struct UnionSchema: Sendable {
  /// The type's name.
  public let name: String
  /// The cases in declared order.
  public let cases: [Case]

  /// Makes an enum type.
  public init(name: String, cases: [Case]) {
    self.name = name
    self.cases = cases
  }

  /// The position of the case of that name, from 0.
  public func index(of name: String) -> Int? { cases.firstIndex { $0.name == name } }

  /// A case of an enum: an action, when the enum is a module's actions.
  public final class Case: Sendable {
    /// The case's name.
    public let name: String
    /// The payload's layout, shared by all values of the case.
    public let layout: RecordLayout
    /// The payload's fields in declared order.
    public let fields: [Field]
    /// The meaning of the case, in one sentence; may be empty.
    public let documentation: String

    /// Makes a case.
    public init(_ name: String, fields: [Field] = [], documentation: String = "") {
      self.name = name
      self.layout = RecordLayout(name: name, fields: fields.map(\.name))
      self.fields = fields
      self.documentation = documentation
    }

    /// The enum that this case wraps: the case has one unlabelled payload that is itself an enum. An action enum's
    /// branches, one a module, are such cases.
    public var branch: Schema? {
      guard fields.count == 1, fields[0].name == Case.unlabelled else { return nil }
      switch fields[0].schema.kind {
      case .union, .choice: return fields[0].schema
      default: return nil
      }
    }

    /// The name that a single payload without a label gets.
    public static let unlabelled = "value"
  }
}

extension Schema {
  /// Reads a value of the type straight from JSON: what ``value(fromJSON:)`` makes of it, without the maps and lists in
  /// between.
  ///
  /// - Parameter reader: in front of the value, behind it thereafter.
  /// - Returns: nil: it takes a closer look, by ``JSONReader/value()`` and ``value(fromJSON:)`` from where the reader stood
  ///   before, to tell what is wrong or that all is right.
  public func value(readFrom reader: inout JSONReader) -> Value? {
    do throws(JSONError) {
      return try typed(&reader)
    } catch {
      return nil
    }
  }

  /// Reads a whole text into memory that holds a value of the type, a part at a time: of a long list no second one is made.
  ///
  /// - Returns: false: it takes a closer look, as by ``value(readFrom:)``; the value may then be partly changed.
  package func assign(json bytes: UnsafeBufferPointer<UInt8>, to target: UnsafeMutableRawPointer) -> Bool {
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      try fill(target, &reader)
      try reader.end()
      return true
    } catch {
      return false
    }
  }

  private func fill(_ target: UnsafeMutableRawPointer, _ reader: inout JSONReader) throws(JSONError) {
    func put(_ body: () throws(SchemaError) -> Void) throws(JSONError) {
      do throws(SchemaError) { try body() } catch { throw Schema.misfit }
    }
    switch (access.parts, kind) {
    case (.list(let access), .list(let element)):
      try put { () throws(SchemaError) in try self.access.assign(.list([]), target) }
      var count = 0
      try reader.elements { (reader) throws(JSONError) in
        let value = try element.typed(&reader)
        try put { () throws(SchemaError) in try access.insert(target, count, value) }
        count += 1
      }
    case (.record(.flat(let fields)), .record):
      var index = 0
      try reader.members { (reader, name, _) throws(JSONError) in
        guard index < fields.indices.count, fields[index].name == name else { throw Schema.misfit }
        try fields[index].schema.fill(target + fields[index].offset, &reader)
        index += 1
      }
      guard index == fields.indices.count else { throw Schema.misfit }
    case _ where normalize != nil && isScalar && !isDynamic:
      // The Swift type sees for itself whether it can read that.
      let json = readingNonFinite(try reader.value())
      try put { () throws(SchemaError) in try access.assign(json, target) }
    default:
      let value = try typed(&reader)
      try put { () throws(SchemaError) in try access.assign(value, target) }
    }
  }

  private static let misfit = JSONError(message: "", offset: 0)

  private func typed(_ reader: inout JSONReader) throws(JSONError) -> Value {
    switch kind {
    case _ where normalize != nil: return try checked(&reader)
    case .optional(let wrapped):
      if reader.isAtNull() { return try reader.value() }
      return try wrapped.typed(&reader)
    case .list(let element):
      var list = PersistentList<Value>()
      try reader.elements { (reader) throws(JSONError) in list.append(try element.typed(&reader)) }
      return .list(list)
    case .map(.string, let element):
      var map = PersistentMap<MapKey, Value>()
      try reader.members { (reader, name, _) throws(JSONError) in
        let key = MapKey.string(name)
        let value = try element.typed(&reader)
        guard map[key] == nil else { throw Schema.misfit }
        map[key] = value
      }
      return .map(map)
    case .record(let record): return .record(try Schema.typed(record, &reader))
    case .string: return .string(try reader.text())
    case .int(let minimum, let maximum):
      let json = try reader.value()
      guard case .int(let number) = json, number >= minimum ?? .min, number <= maximum ?? .max else {
        throw Schema.misfit
      }
      return json
    default: return try checked(&reader)
    }
  }

  private func checked(_ reader: inout JSONReader) throws(JSONError) -> Value {
    let json = try reader.value()
    do throws(SchemaError) {
      return try value(fromJSON: json)
    } catch {
      throw Schema.misfit
    }
  }

  /// A record whose fields all stand there, in declared order, as ``JSON`` writes them.
  private static func typed(_ record: RecordSchema, _ reader: inout JSONReader) throws(JSONError) -> Record {
    let fields = record.fields
    var values: [Value] = []
    values.reserveCapacity(fields.count)
    try reader.members { (reader, name, _) throws(JSONError) in
      guard values.count < fields.count, fields[values.count].name == name else { throw misfit }
      values.append(try fields[values.count].schema.typed(&reader))
    }
    guard values.count == fields.count else { throw misfit }
    return Record(record.layout, values)
  }
}

extension Schema {
  /// A text that says all that decides which values are of the type: names, types, bounds, cases and defaults, in declared
  /// order. Two types with the same text take the same values.
  public var signature: String { signature(hasDefaults: true) }

  /// The same without defaults. A value that was written whole, as a state is, can be read as one of any type of the
  /// same shape.
  public var shape: String { signature(hasDefaults: false) }

  private func signature(hasDefaults: Bool) -> String {
    switch kind {
    case .bool, .double, .decimal, .string, .any: kindName
    case .int(nil, nil): "Int"
    case .int(let minimum, let maximum):
      "Int(\(minimum.map(\.description) ?? "")...\(maximum.map(\.description) ?? ""))"
    case .choice(let name, let cases): "\(name)(\(ScalarText.joined(cases.map(ScalarText.quoted), by: "|")))"
    case .optional(let wrapped): wrapped.signature(hasDefaults: hasDefaults) + "?"
    case .list(let element): "[\(element.signature(hasDefaults: hasDefaults))]"
    case .map(let key, let element): "[\(key.name):\(element.signature(hasDefaults: hasDefaults))]"
    case .record(let record): record.name + Schema.signature(of: record.fields, hasDefaults: hasDefaults)
    case .union(let union):
      union.name + "("
        + ScalarText.joined(
          union.cases.map { current in
            ScalarText.quoted(current.name) + Schema.signature(of: current.fields, hasDefaults: hasDefaults)
          }, by: "|") + ")"
    }
  }

  /// The signatures of fields or arguments, in braces.
  public static func signature(of fields: [Field], hasDefaults: Bool = true) -> String {
    let texts = fields.map { field in
      let value = hasDefaults ? field.defaultValue.map { "=\(JSON.text(of: $0))" } ?? "" : ""
      return "\(ScalarText.quoted(field.name)):\(field.schema.signature(hasDefaults: hasDefaults))\(value)"
    }
    return "{\(ScalarText.joined(texts, by: ","))}"
  }
}

extension Schema.KeyKind {
  /// The key in the form of a map of this kind. JSON writes numbers as text, so text that is a number as it would be
  /// written stands for it.
  package func spelling(of key: MapKey) -> MapKey {
    guard self == .int, case .string(let text) = key, let number = Int(text), text == "\(number)" else { return key }
    return .int(number)
  }
}

extension Path.Step {
  /// The key of a map that the step names, or nil where it names none of that kind.
  public func mapKey(_ kind: Schema.KeyKind) -> MapKey? {
    switch (kind, self) {
    case (.int, .key(.string(let digits))) where digits.isWideInteger: .string(digits)
    case (.string, .field(let name)): .string(name)
    case (.string, .key(.string(let name))): .string(name)
    case (.int, .index(let number)), (.int, .key(.int(let number))): .int(number)
    default: nil
    }
  }
}
