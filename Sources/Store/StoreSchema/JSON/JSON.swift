/// JSON text out of values and values out of JSON text (RFC 8259).
public enum JSON {
  /// The compact JSON of a value: keys in schema order, a nil optional as `null`, numbers that read back the same.
  /// Numbers that JSON cannot write stand as the texts `"inf"`, `"-inf"` and `"nan"`. So ``Schema/value(fromJSON:)``
  /// reads back every value of a type.
  public static func text(of value: Value) -> String {
    var out: [UInt8] = []
    append(value, to: &out)
    return String(decoding: out, as: UTF8.self)
  }
}
