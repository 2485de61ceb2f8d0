extension Schema {
  /// The schema of an integer type whose numbers are all `Int`s, with its bounds where they are narrower.
  static func integer<Integer: Schematic & FixedWidthInteger>(_ type: Integer.Type) -> Schema {
    let (minimum, maximum) = (Int(Integer.min), Int(Integer.max))
    let kind = Kind.int(minimum: minimum == .min ? nil : minimum, maximum: maximum == .max ? nil : maximum)
    return .scalar(type, kind, read: { .int(Int($0)) }, isEqual: ==)
  }
}

extension Schematic where Self: FixedWidthInteger {
  /// The integer, which must be within the bounds of the type.
  public init(schemaValue value: Value) throws(SchemaError) {
    guard case .int(let number) = value else { throw Self.schema.mismatch(value) }
    guard let exact = Self(exactly: number) else {
      throw SchemaError(Path(), .outOfRange(bounds: "\(Self.min)...\(Self.max)", found: "\(number)"))
    }
    self = exact
  }
}

extension Int8: Schematic {
  /// `Int` from -128 to 127.
  public static let schema = Schema.integer(Int8.self)
}

extension Int16: Schematic {
  /// `Int` from -32768 to 32767.
  public static let schema = Schema.integer(Int16.self)
}

extension Int32: Schematic {
  /// `Int` of 32 bits.
  public static let schema = Schema.integer(Int32.self)
}

extension Int64: Schematic {
  /// `Int`, without bounds.
  public static let schema = Schema.integer(Int64.self)
}

extension UInt8: Schematic {
  /// `Int` from 0 to 255.
  public static let schema = Schema.integer(UInt8.self)
}

extension UInt16: Schematic {
  /// `Int` from 0 to 65535.
  public static let schema = Schema.integer(UInt16.self)
}

extension UInt32: Schematic {
  /// `Int` from 0, of 32 bits.
  public static let schema = Schema.integer(UInt32.self)
}

// Both may be above `Int.max`, and the type decides how a number is written, not the number.

extension UInt: Schematic {
  /// Decimal digits as text, since the number may be above `Int.max`.
  public static let schema = Schema.digits(of: UInt.self)
  /// The integer that the digits, or a number, stand for.
  public init(schemaValue value: Value) throws(SchemaError) { self = try UInt.read(digits: value) }
}

extension UInt64: Schematic {
  /// Decimal digits as text, since a seed or a hash may be above `Int.max`.
  public static let schema = Schema.digits(of: UInt64.self)
  /// The integer that the digits, or a number, stand for.
  public init(schemaValue value: Value) throws(SchemaError) { self = try UInt64.read(digits: value) }
}

extension Schema {
  /// The schema of an integer type that is written as text.
  fileprivate static func digits<Integer: Schematic & FixedWidthInteger>(of type: Integer.Type) -> Schema {
    .scalar(type, .string, read: { .string("\($0)") }, isEqual: ==)
  }
}

extension FixedWidthInteger {
  /// The integer that decimal digits stand for, or a number, as Lua has it and files of before.
  fileprivate static func read(digits value: Value) throws(SchemaError) -> Self {
    let digits: String
    switch value {
    case .string(let text): digits = text
    case .int(let number): digits = "\(number)"
    default: throw SchemaError(expected: "\(Self.self)", found: value)
    }
    if let number = Self(digits) { return number }
    let unsigned = digits.utf8.first == UInt8(ascii: "-") ? digits.dropFirst() : digits[...]
    guard !unsigned.isEmpty, unsigned.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw SchemaError(expected: "\(Self.self)", found: value)
    }
    throw SchemaError(Path(), .outOfRange(bounds: "\(Self.min)...\(Self.max)", found: digits))
  }
}
