/// A Swift type that can be the key of a map. A type with a raw value that is one needs no more than the conformance.
public protocol SchematicKey: Hashable, Comparable, Sendable {
  /// The kind of the key.
  static var keyKind: Schema.KeyKind { get }
  /// The key that a run-time key stands for, or nil where its kind does not fit.
  init?(mapKey: MapKey)
  /// The key in its run-time form.
  var mapKey: MapKey { get }
}

extension Int: SchematicKey {
  /// An integer key.
  public static var keyKind: Schema.KeyKind { .int }
  /// The integer, or nil where the key is text.
  public init?(mapKey: MapKey) {
    guard case .int(let key) = mapKey else { return nil }
    self = key
  }
  /// The key.
  public var mapKey: MapKey { .int(self) }
}

extension String: SchematicKey {
  /// A text key.
  public static var keyKind: Schema.KeyKind { .string }
  /// The text, or nil where the key is an integer.
  public init?(mapKey: MapKey) {
    guard case .string(let key) = mapKey else { return nil }
    self = key
  }
  /// The key.
  public var mapKey: MapKey { .string(self) }
}

extension SchematicKey where Self: FixedWidthInteger {
  /// An integer key.
  public static var keyKind: Schema.KeyKind { .int }
  /// The integer, or nil where the key is out of bounds, or a text that is not the digits of a number which no `Int` holds.
  public init?(mapKey: MapKey) {
    switch mapKey {
    case .int(let key): self.init(exactly: key)
    case .string(let digits) where digits.isWideInteger: self.init(digits)
    case .string: return nil
    }
  }
  /// The key; the text of its digits where no `Int` holds it.
  public var mapKey: MapKey { MapKey(self) }
}

extension Int8: SchematicKey {}
extension Int16: SchematicKey {}
extension Int32: SchematicKey {}
extension Int64: SchematicKey {}
extension Int128: SchematicKey {}
extension UInt8: SchematicKey {}
extension UInt16: SchematicKey {}
extension UInt32: SchematicKey {}
extension UInt: SchematicKey {}
extension UInt64: SchematicKey {}
extension UInt128: SchematicKey {}

extension SchematicKey where Self: RawRepresentable, RawValue: SchematicKey {
  /// The kind of the raw value.
  public static var keyKind: Schema.KeyKind { RawValue.keyKind }
  /// The value that the raw value stands for, or nil where it stands for none.
  public init?(mapKey: MapKey) {
    guard let raw = RawValue(mapKey: mapKey) else { return nil }
    self.init(rawValue: raw)
  }
  /// The raw value.
  public var mapKey: MapKey { rawValue.mapKey }
  /// The order of the raw values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
