/// A value whose type is known only at run time. Actions, state and results look so to the shell, to Lua, to history
/// and to files.
///
/// A `Value` says nothing about its type beyond its own shape; ``Schema`` decides what it stands for (rule R32). An
/// enum case without payload is a ``string(_:)`` of the case's name.
///
/// Extensions add one question to values a file, most of them for that file alone.
public enum Value: Hashable, Sendable {
  /// No value: an absent optional.
  case none
  /// A truth value.
  case bool(Bool)
  /// A 64-bit integer.
  case int(Int)
  /// A double-precision number.
  case double(Double)
  /// An exact decimal number.
  case decimal(DecimalNumber)
  /// Text.
  case string(String)
  /// Values in order; the first has index 1 in paths and in Lua.
  case list(PersistentList<Value>)
  /// Entries by key, in key order: integers, then strings by bytes (R31).
  case map(PersistentMap<MapKey, Value>)
  /// Named fields in declared order.
  case record(Record)
  /// An enum case with payload.
  case variant(Variant)
}

/// The fields of a value of a record type, in the order in which the type declares them.
public struct Record: Hashable, Sendable {
  /// The type's name and its field names; shared by all records of a type.
  public let layout: RecordLayout
  /// The values, one a field, in the layout's order.
  public var values: [Value]

  /// Makes a record; `values` holds one value for each field name of `layout`.
  @inlinable
  public init(_ layout: RecordLayout, _ values: [Value]) {
    self.layout = layout
    self.values = values
  }

  /// The value of the field of that name, or nil where there is no such field.
  public subscript(name: String) -> Value? {
    guard let index = layout.index(of: name) else { return nil }
    return values[index]
  }
}

/// The name of a record type and the names of its fields in declared order.
public final class RecordLayout: Hashable, Sendable {
  /// The type's name, such as `Task`; empty for a record without a type of its own.
  public let name: String
  /// The fields' names in declared order.
  public let fields: [String]
  /// The bytes of JSON before each field's value: `{"name":` and `,"name":`. So of many records none is escaped.
  package let keys: [[UInt8]]

  /// Makes a layout of those fields.
  public init(name: String, fields: [String]) {
    self.name = name
    self.fields = fields
    keys = fields.enumerated().map { Array("\($0 == 0 ? "{" : ",")\(ScalarText.quoted($1)):".utf8) }
  }

  /// The position of a field, from 0, or nil where there is none of that name.
  public func index(of name: String) -> Int? { fields.firstIndex(of: name) }

  /// Two layouts are equal when names and order agree.
  public static func == (left: RecordLayout, right: RecordLayout) -> Bool {
    left === right || (left.name == right.name && left.fields == right.fields)
  }

  /// Feeds the names into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(fields)
  }
}

/// An enum case together with its payload.
public final class Variant: Hashable, Sendable {
  /// The case's name.
  public let name: String
  /// The payload's fields; the layout bears the case's name.
  public let payload: Record

  /// Makes a case with a payload.
  public init(name: String, payload: Record) {
    self.name = name
    self.payload = payload
  }

  /// Two variants are equal when case and payload are.
  public static func == (left: Variant, right: Variant) -> Bool {
    left === right || (left.name == right.name && left.payload == right.payload)
  }

  /// Feeds case and payload into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(payload)
  }
}
