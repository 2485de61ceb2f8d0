extension Schema {
  /// The schema of an integer type, with its bounds where they are narrower than those of `Int`.
  static func integer<Integer: Schematic & FixedWidthInteger>(_ type: Integer.Type) -> Schema {
    let minimum = Int(exactly: Integer.min) ?? .min
    let maximum = Int(exactly: Integer.max) ?? .max
    let kind = Kind.int(minimum: minimum == .min ? nil : minimum, maximum: maximum == .max ? nil : maximum)
    // A number that is no `Int` is shown as nearly as can be; what reads it back refuses it.
    return .scalar(
      type, kind, read: { number in Int(exactly: number).map { .int($0) } ?? .double(Double(number)) }, isEqual: ==)
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

extension UInt: Schematic {
  /// `Int` from 0. A number above `Int.max` is shown as a `Double`, and cannot be read back.
  public static let schema = Schema.integer(UInt.self)
}

extension UInt64: Schematic {
  /// Decimal digits as text, since a seed or a hash may be above `Int.max`.
  public static let schema = Schema.scalar(UInt64.self, .string, read: { .string("\($0)") }, isEqual: ==)
  /// The integer that the digits stand for.
  public init(schemaValue value: Value) throws(SchemaError) {
    guard let number = UInt64(try String(schemaValue: value)) else {
      throw SchemaError(Path(), .typeMismatch(expected: "UInt64", found: value.described))
    }
    self = number
  }
}
