import CLua

/// An exact decimal number as Lua holds it, such as `12.50`: 1250 units at a scale of 2.
public struct LuaDecimal: Hashable, Sendable {
  /// The number without its point.
  public let units: Int
  /// The number of digits after the point, from 0 to 18.
  public let scale: Int

  /// Makes a decimal.
  public init(units: Int, scale: Int) {
    self.units = units
    self.scale = min(max(scale, 0), Int(CLUA_DECIMAL_SCALE))
  }

  @usableFromInline
  init(_ raw: CLuaValue) { self.init(units: Int(raw.integer), scale: raw.count) }
}
