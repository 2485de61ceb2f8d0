extension Schema {
  /// The schema of an integer type. Numbers that no `Int` holds are the text of their digits.
  static func integer<Integer: Schematic & FixedWidthInteger>(_ type: Integer.Type) -> Schema {
    let (minimum, maximum) = (Int(exactly: Integer.min), Int(exactly: Integer.max))
    let kind = Kind.int(minimum: minimum == .min ? nil : minimum, maximum: maximum == .max ? nil : maximum)
    return .scalar(type, kind, read: { MapKey($0).value }, isEqual: ==)
  }
}

extension MapKey {
  /// An integer; the text of its digits where no `Int` holds it.
  init(_ integer: some FixedWidthInteger) { self = Int(exactly: integer).map { .int($0) } ?? .string("\(integer)") }
}

extension Schematic where Self: FixedWidthInteger {
  /// The integer, which must be within the bounds of the type. A type of wider bounds than `Int` reads digits, too.
  public init(schemaValue value: Value) throws(SchemaError) {
    let isWide = Int(exactly: Self.max) == nil
    let (exact, found): (Self?, String)
    switch value {
    case .int(let number): (exact, found) = (Self(exactly: number), "\(number)")
    case .string(let text) where isWide && text.isInteger: (exact, found) = (Self(text), text)
    case .double(let number) where isWide && number.excess != nil:
      throw SchemaError(expected: "Int, or its digits as text", found: value)
    default: throw Self.schema.mismatch(value)
    }
    guard let exact else { throw SchemaError(Path(), .outOfRange(bounds: "\(Self.min)...\(Self.max)", found: found)) }
    self = exact
  }
}

extension String {
  /// True if the text is nothing but the digits of an integer, with or without a minus sign.
  fileprivate var isInteger: Bool {
    let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
    return !digits.isEmpty && digits.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  /// True if the text is an integer that no `Int` holds, as its digits are written.
  package var isWideInteger: Bool {
    let first = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst().first : utf8.first
    return utf8.count >= 19 && first != UInt8(ascii: "0") && isInteger && Int(self) == nil
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

extension Int128: Schematic {
  /// `Int`, or the text of the digits where no `Int` holds the number.
  public static let schema = Schema.integer(Int128.self)
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
  /// `Int` from 0, or the text of the digits where no `Int` holds the number.
  public static let schema = Schema.integer(UInt.self)
}

extension UInt64: Schematic {
  /// `Int` from 0, or the text of the digits where no `Int` holds the number, such as a seed or a hash.
  public static let schema = Schema.integer(UInt64.self)
}

extension UInt128: Schematic {
  /// `Int` from 0, or the text of the digits where no `Int` holds the number.
  public static let schema = Schema.integer(UInt128.self)
}
