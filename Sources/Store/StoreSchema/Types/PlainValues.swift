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
    case .double where !isQuoted: return Self.plainNumber(bytes).map { .double($0) }
    case .bool where !isQuoted:
      if "true".hasBytes(UnsafeRawBufferPointer(bytes)) { return .bool(true) }
      return "false".hasBytes(UnsafeRawBufferPointer(bytes)) ? .bool(false) : nil
    case .decimal(let scale):
      return DecimalNumber(String(decoding: bytes, as: UTF8.self))?.rescaled(to: scale).map { .decimal($0) }
    case .choice(_, let cases):
      return cases.first { $0.hasBytes(UnsafeRawBufferPointer(bytes)) }.map { .string($0) }
    case .optional(let wrapped):
      // A bare `nil` or `null` is none.
      if !isQuoted, bytes.first == UInt8(ascii: "n") { return nil }
      return wrapped.plainValue(bytes, isQuoted: isQuoted)
    default: return nil
    }
  }

  /// True if the bytes of a word give a value by themselves.
  package func hasPlainValue(_ bytes: UnsafeBufferPointer<UInt8>, isQuoted: Bool) -> Bool {
    // Of a text no copy is made.
    plainSet == .texts || plainValue(bytes, isQuoted: isQuoted) != nil
  }

  /// True if a value is of the type, and is the one that ``check(_:)`` gives for it; false: that must be asked.
  package func surelyHas(_ value: Value) -> Bool {
    guard normalize == nil else { return false }
    switch kind {
    case .int(let minimum, let maximum):
      guard case .int(let number) = value else { return false }
      return number >= minimum ?? .min && number <= maximum ?? .max
    case .string: if case .string = value { return true }
    case .bool: if case .bool = value { return true }
    case .double: if case .double = value { return true }
    case .optional(let wrapped): return wrapped.surelyHas(value)
    default: break
    }
    return false
  }

  /// A set of words, each of which gives a value by its bytes.
  package enum PlainSet: Equatable, Sendable {
    /// All words, in quotes or not.
    case texts
    /// The integers of up to 18 digits within bounds, without quotes.
    case integers(minimum: Int, maximum: Int)

    /// True if one of the words gives a value.
    @inlinable
    package func gives(_ value: Value) -> Bool {
      switch (self, value) {
      case (.texts, .string): true
      case (.integers(let minimum, let maximum), .int(let number)): number >= minimum && number <= maximum
      default: false
      }
    }
  }

  /// The set of words that give values of the type, where it is one of those; nil: it is another.
  package var plainSet: PlainSet? {
    guard normalize == nil else { return nil }
    switch kind {
    case .string: return .texts
    case .int(let minimum, let maximum): return .integers(minimum: minimum ?? .min, maximum: maximum ?? .max)
    case .optional(let wrapped):
      guard case .integers? = wrapped.plainSet else { return nil }
      return wrapped.plainSet
    default: return nil
    }
  }

  /// The number that up to 18 digits say, perhaps behind a minus.
  package static func plainInteger(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
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

  /// The number that up to 15 digits say, perhaps behind a minus and with a point between them.
  private static func plainNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = isNegative ? bytes.dropFirst() : bytes[...]
    guard let first = digits.first, let last = digits.last, 0x30...0x39 ~= first, 0x30...0x39 ~= last,
      digits.count <= 16
    else { return nil }
    var (units, count, behindPoint) = (0, 0, 0)
    var hasPoint = false
    for byte in digits {
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
        continue
      }
      guard 0x30...0x39 ~= byte else { return nil }
      units = units * 10 + Int(byte & 0xF)
      count += 1
      if hasPoint { behindPoint += 1 }
    }
    guard count <= 15 else { return nil }
    // Floats hold both exactly, so that the quotient is the nearest one.
    var power = 1
    for _ in 0..<behindPoint { power *= 10 }
    let number = Double(units) / Double(power)
    return isNegative ? -number : number
  }
}
