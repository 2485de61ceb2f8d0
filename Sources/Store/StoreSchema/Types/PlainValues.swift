extension Schema {
  /// The value that the bytes of a word give, where they tell it by themselves; nil: ``check(_:)`` must be asked.
  ///
  /// - Parameters:
  ///   - bytes: the word, which is UTF-8, without quotes.
  ///   - isQuoted: true for a word that stood in quotes.
  package func plainValue(_ bytes: UnsafeBufferPointer<UInt8>, isQuoted: Bool) -> Value? {
    guard normalize == nil else { return nil }
    switch kind {
    case .string:
      return .string(ShortText.text(UnsafeRawBufferPointer(bytes)) ?? String(decoding: bytes, as: UTF8.self))
    case .int(let minimum, let maximum) where !isQuoted:
      guard let number = Self.plainInteger(bytes), number >= minimum ?? .min, number <= maximum ?? .max else {
        return nil
      }
      return .int(number)
    case .optional(let wrapped):
      // A bare `nil` or `null` is none.
      if !isQuoted, bytes.first == UInt8(ascii: "n") { return nil }
      return wrapped.plainValue(bytes, isQuoted: isQuoted)
    default: return nil
    }
  }

  /// The number that up to 18 digits say, perhaps behind a minus.
  private static func plainInteger(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = isNegative ? bytes.dropFirst() : bytes[...]
    guard 1...18 ~= digits.count else { return nil }
    var number = 0
    for digit in digits {
      guard 0x30...0x39 ~= digit else { return nil }
      number = number * 10 + Int(digit & 0xF)
    }
    return isNegative ? -number : number
  }
}
