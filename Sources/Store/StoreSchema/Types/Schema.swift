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

  /// True if the Swift type has the last word on its values, as the kind does not say all of them.
  package var isReadByItsType: Bool { normalize != nil }

  /// Gives the written form of a value.
  @usableFromInline typealias Normalize = @Sendable (Value) throws(SchemaError) -> Value

  /// Joins a description and a way into memory.
  public convenience init(kind: Kind, access: Access, isDynamic: Bool = false) {
    self.init(kind: kind, access: access, isDynamic: isDynamic, normalize: nil)
  }

  @usableFromInline
  init(kind: Kind, access: Access, isDynamic: Bool = false, normalize: Normalize?) {
    self.kind = kind
    self.access = access
    self.isDynamic = isDynamic
    self.normalize = normalize
    identity = ElementIdentity(kind, access)
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
    self.init(kind: other.kind, access: other.access, isDynamic: other.isDynamic, normalize: other.normalize)
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

  /// Makes a field.
  public init(_ name: String, _ schema: Schema, default defaultValue: Value? = nil, documentation: String = "") {
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
