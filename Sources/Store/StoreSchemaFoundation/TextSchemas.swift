import FoundationEssentials
import StoreSchema

extension Schema {
  /// The schema of a type that is written as a text. Users read its name wherever they read a type, as in its errors.
  static func text<Written: Schematic>(
    of type: Written.Type, _ text: @escaping @Sendable (Written) -> String
  ) -> Schema {
    let read: @Sendable (Written) -> Value = { .string(text($0)) }
    return .scalar(type, .string, name: "\(type)", read: read) { read($0) == read($1) }
  }
}

extension Schematic {
  /// The value that a text stands for.
  ///
  /// - Parameter read: gives nil where the text stands for none.
  static func read(_ value: Value, _ read: (String) -> Self?) throws(SchemaError) -> Self {
    guard case .string(let text) = value, let read = read(text) else {
      throw SchemaError(Path(), .typeMismatch(expected: "\(Self.self)", found: value.described))
    }
    return read
  }
}

extension UUID: Schematic {
  /// The text of the UUID in capitals.
  public static let schema = Schema.text(of: UUID.self, \.uuidString)
  /// The UUID of a text, in whatever case.
  public init(schemaValue value: Value) throws(SchemaError) { self = try UUID.read(value, UUID.init(uuidString:)) }
}

extension UUID: SchematicKey {
  /// A text key.
  public static var keyKind: Schema.KeyKind { .string }
  /// The UUID of the text, or nil where it is none.
  public init?(mapKey: MapKey) {
    guard case .string(let text) = mapKey else { return nil }
    self.init(uuidString: text)
  }
  /// The text of the UUID.
  public var mapKey: MapKey { .string(uuidString) }
}

extension Data: Schematic {
  /// The bytes as text, in base 64.
  public static let schema = Schema.text(of: Data.self) { $0.base64EncodedString() }
  /// The bytes of a text in base 64.
  public init(schemaValue value: Value) throws(SchemaError) {
    self = try Data.read(value) { Data(base64Encoded: $0) }
  }
}

extension URL: Schematic {
  /// The absolute text of the URL.
  public static let schema = Schema.text(of: URL.self, \.absoluteString)
  /// The URL of a text.
  public init(schemaValue value: Value) throws(SchemaError) { self = try URL.read(value) { URL(string: $0) } }
}
