import Glibc

/// A recursive-descent reader of JSON that its user drives: member by member, without a map of them.
public struct JSONReader {
  @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
  @usableFromInline var position = 0
  @usableFromInline var depth = 0

  /// A reader at the start of a text; the bytes must outlive it.
  public init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Reads an object that is the whole text, in the order of its members.
  mutating func objectDocument() throws(JSONError) -> [(name: String, value: Value)] {
    skipSpace()
    guard peek == UInt8(ascii: "{") else { throw fault("expected a JSON object") }
    var fields: [(name: String, value: Value)] = []
    fields.reserveCapacity(8)
    try members { (reader, name, offset) throws(JSONError) in
      let value = try reader.value()
      if fields.contains(where: { $0.name == name }) {
        throw JSONError(twice: name, offset: offset)
      }
      fields.append((name, value))
    }
    try end()
    return fields
  }

  /// Makes sure that nothing but blanks is left.
  public mutating func end() throws(JSONError) {
    skipSpace()
    guard position == bytes.count else { throw fault("expected the end of the value") }
  }

  /// Reads the next value, of whatever type; objects become maps with text keys.
  public mutating func value() throws(JSONError) -> Value {
    skipSpace()
    guard let byte = peek else { throw fault("expected a value") }
    switch byte {
    case UInt8(ascii: "{"):
      var map = PersistentMap<MapKey, Value>()
      try members { (reader, name, offset) throws(JSONError) in
        let value = try reader.value()
        let key = MapKey.string(name)
        guard map[key] == nil else { throw JSONError(twice: name, offset: offset) }
        map[key] = value
      }
      return .map(map)
    case UInt8(ascii: "["): return .list(try list())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try word("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try word("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try word("null")
      return .none
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw fault("expected a value")
    }
  }

  /// Reads the members of an object one after the other. The closure `each` gets the member's name, the byte offset of
  /// that name, and this reader in front of the value. It must read the value.
  public mutating func members(
    _ each: (inout JSONReader, String, Int) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard try beginMembers() else { return }
    repeat {
      let start = position
      try each(&self, try memberName(), start)
    } while try passMember()
  }

  /// Goes into an object, in front of its first member.
  ///
  /// - Returns: false: it has none, and the reader is behind it.
  package mutating func beginMembers() throws(JSONError) -> Bool {
    skipSpace()
    guard peek == UInt8(ascii: "{") else { throw fault("expected a JSON object") }
    try enter()
    skipSpace()
    guard peek == UInt8(ascii: "}") else { return true }
    position += 1
    depth -= 1
    return false
  }

  /// Reads the name of a member, in front of which the reader is, up to its value.
  package mutating func memberName() throws(JSONError) -> String {
    guard peek == UInt8(ascii: "\"") else { throw fault("expected a key in quotes") }
    let name = try string()
    skipSpace()
    guard peek == UInt8(ascii: ":") else { throw fault("expected ':' after the key") }
    position += 1
    return name
  }

  /// Goes on behind the value of a member: in front of the next one, or out of the object.
  ///
  /// - Returns: false: it was the last one.
  @inlinable
  package mutating func passMember() throws(JSONError) -> Bool {
    skipSpace()
    guard let byte = peek, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") else {
      throw fault("expected ',' or '}'")
    }
    position &+= 1
    if byte == UInt8(ascii: ",") {
      skipSpace()
      return true
    }
    depth &-= 1
    return false
  }

  private mutating func list() throws(JSONError) -> PersistentList<Value> {
    var list: [Value] = []
    try elements { (reader) throws(JSONError) in list.append(try reader.value()) }
    return PersistentList(list)
  }

  /// Reads the elements of an array one after the other: `each` gets this reader in front of an element, which it must read.
  public mutating func elements(_ each: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
    skipSpace()
    guard peek == UInt8(ascii: "[") else { throw fault("expected a JSON array") }
    try enter()
    skipSpace()
    if peek == UInt8(ascii: "]") {
      position += 1
      depth -= 1
      return
    }
    while true {
      try each(&self)
      skipSpace()
      guard let byte = peek, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") else {
        throw fault("expected ',' or ']'")
      }
      position += 1
      if byte == UInt8(ascii: "]") { break }
    }
    depth -= 1
  }

  /// Reads a text.
  public mutating func text() throws(JSONError) -> String {
    skipSpace()
    guard peek == UInt8(ascii: "\"") else { throw fault("expected a text in quotes") }
    return try string()
  }

  /// True if `null` comes next.
  mutating func isAtNull() -> Bool {
    skipSpace()
    return peek == UInt8(ascii: "n")
  }

  /// Reads a number and gives it as it is written, digit for digit.
  public mutating func numberText() throws(JSONError) -> String {
    skipSpace()
    let start = position
    _ = try number()
    return try text(start..<position)
  }

  private mutating func enter() throws(JSONError) {
    depth += 1
    guard depth <= 512 else { throw fault("nested deeper than 512") }
    position += 1
  }

  private mutating func string() throws(JSONError) -> String {
    let open = position
    guard let (end, isASCII) = passPlainText() else { return try escapedString(from: open + 1, openedAt: open) }
    let content = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[open + 1..<end])
    if isASCII, let short = ShortText.text(content) { return short }
    // Text that is known to be ASCII need not pass the slower check.
    return isASCII ? String(decoding: bytes[open + 1..<end], as: UTF8.self) : try text(open + 1..<end)
  }

  /// Goes past a text in which nothing is escaped.
  ///
  /// - Returns: the end of its bytes, and true if all are ASCII; nil: the reader is before something else.
  private mutating func passPlainText() -> (end: Int, isASCII: Bool)? {
    let bytes = bytes
    var end = position + 1
    var all: UInt8 = 0
    // Eight at once, up to the first that ends the text, is escaped or is no ASCII.
    while end + 8 <= bytes.count, let base = bytes.baseAddress {
      let plain = Self.plainCount(base + end)
      end += plain
      if plain < 8 { break }
    }
    while end < bytes.count {
      let byte = bytes[end]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      all |= byte
      end += 1
    }
    position = end
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
    position += 1
    return (end, all < 0x80)
  }

  /// The number of the first of eight bytes that are ASCII, and no quotes, backslashes or control characters.
  @inline(__always)
  private static func plainCount(_ place: UnsafePointer<UInt8>) -> Int {
    // Up to the first such byte nothing is borrowed.
    let word = UnsafeRawPointer(place).loadUnaligned(as: UInt64.self)
    let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    // Of a byte that is zero behind the exclusive or, and of one that is below a space, the difference borrows into the top bit.
    let quote = (word ^ ones &* 0x22) &- ones
    let backslash = (word ^ ones &* 0x5C) &- ones
    let control = word &- ones &* 0x20
    return ((word | quote | backslash | control) & tops).littleEndian.trailingZeroBitCount / 8
  }

  private mutating func escapedString(from start: Int, openedAt open: Int) throws(JSONError) -> String {
    var out = try text(start..<position)
    while let byte = peek, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault("a control character must be escaped") }
      if byte == UInt8(ascii: "\\") {
        out.unicodeScalars.append(try escape())
      } else {
        let start = position
        while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        out += try text(start..<position)
      }
    }
    guard peek != nil else { throw JSONError(message: "this quote is never closed", offset: open) }
    position += 1
    return out
  }

  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    position += 1
    guard let byte = peek else { throw fault("expected an escape") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw JSONError(message: "unknown escape", offset: position - 2)
    }
  }

  private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
    let start = position - 2
    var code = try hexadecimal()
    if code >= 0xD800, code < 0xDC00, peek == UInt8(ascii: "\\") {
      position += 1
      guard peek == UInt8(ascii: "u") else { throw JSONError(message: "half of a surrogate pair", offset: start) }
      position += 1
      let low = try hexadecimal()
      guard low >= 0xDC00, low < 0xE000 else { throw JSONError(message: "half of a surrogate pair", offset: start) }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw JSONError(message: "half of a surrogate pair", offset: start)
    }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("expected four hexadecimal digits")
      }
      code = code << 4 | UInt32(digit)
      position += 1
    }
    return code
  }

  private func text(_ range: Range<Int>) throws(JSONError) -> String {
    guard let text = Self.text(UnsafeBufferPointer(rebasing: bytes[range])) else {
      throw JSONError(message: "invalid UTF-8", offset: range.lowerBound)
    }
    return text
  }

  /// The text of some bytes; nil: they are not UTF-8. For short texts of ASCII the general way takes much longer.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    bytes.isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
  }

  private mutating func number() throws(JSONError) -> Value {
    let start = position
    if let number = passInteger() {
      switch peek {
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): position = start
      default: return .int(number)
      }
    }
    if peek == UInt8(ascii: "-") { position += 1 }
    let firstDigit = position
    var magnitude = 0
    var overflow = false
    while let digit = digit {
      let (tens, first) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, second) = tens.addingReportingOverflow(digit)
      overflow = overflow || first || second
      magnitude = sum
      position += 1
    }
    guard position > firstDigit else { throw fault("expected a digit") }
    guard position == firstDigit + 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
      throw JSONError(message: "a number may not start with 0", offset: firstDigit)
    }
    let isWhole = peek != UInt8(ascii: ".") && peek != UInt8(ascii: "e") && peek != UInt8(ascii: "E")
    if isWhole, !overflow { return .int(firstDigit > start ? -magnitude : magnitude) }
    if peek == UInt8(ascii: ".") {
      position += 1
      guard digit != nil else { throw fault("expected a digit") }
      while digit != nil { position += 1 }
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      position += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
      guard digit != nil else { throw fault("expected a digit") }
      while digit != nil { position += 1 }
    }
    let text = try text(start..<position)
    if isWhole, let exact = Int(text) { return .int(exact) }
    if position - start > 5, bytes[position - 5] == UInt8(ascii: "E"), let marked = DecimalNumber(marked: text) {
      return .decimal(marked)
    }
    guard let number = Double(text), number.isFinite else {
      throw JSONError(message: "the number \(text) is too large", offset: start, isOfValue: true)
    }
    // More digits than every float holds: if this one shows others, they are kept as they are.
    if !isWhole, position - start > 16, let exact = DecimalNumber(text),
      DecimalNumber(number, mostDigits: 17)?.isWorth(exact) != true
    {
      return .decimal(exact)
    }
    return .double(number)
  }

  private var digit: Int? {
    guard let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
    return Int(byte - UInt8(ascii: "0"))
  }

  private mutating func word(_ word: StaticString) throws(JSONError) {
    let start = position
    for index in 0..<word.utf8CodeUnitCount {
      guard peek == word.utf8Start[index] else { throw JSONError(message: "expected a value", offset: start) }
      position += 1
    }
  }

  @inlinable
  mutating func skipSpace() {
    while let byte = peek, byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position &+= 1 }
  }

  @inlinable var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  @usableFromInline
  func fault(_ message: String) -> JSONError { JSONError(message: message, offset: position) }
}

// MARK: Text that is expected

extension JSONReader {
  /// The number of bytes that were read.
  package var offset: Int { position }

  /// Reads a text of up to fifteen bytes of ASCII in which nothing is escaped; nil, and the text is not read, where another value comes
  /// next or the end is near.
  package mutating func passShortText() -> String? {
    skipSpace()
    // The quotes, and two words behind them.
    guard bytes.count &- position >= 17, let base = bytes.baseAddress, base[position] == UInt8(ascii: "\"") else {
      return nil
    }
    let start = base + position + 1
    var count = Self.plainCount(start)
    if count == 8 { count &+= Self.plainCount(start + 8) }
    guard count < 16, start[count] == UInt8(ascii: "\""), let text = ShortText.text(at: start, count: count) else {
      return nil
    }
    position &+= count &+ 2
    return text
  }

  /// Goes past some bytes if they come next. Constant ones are compared by an instruction or two.
  @inlinable
  @inline(__always)
  package mutating func pass(_ next: StaticString) -> Bool {
    pass(UnsafeBufferPointer(start: next.utf8Start, count: next.utf8CodeUnitCount))
  }

  /// Goes past some bytes if they come next.
  package mutating func pass(_ next: [UInt8]) -> Bool { next.withUnsafeBufferPointer { pass($0) } }

  /// Goes past some bytes if they come next.
  @inlinable
  @inline(__always)
  package mutating func pass(_ next: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count - position >= next.count, let here = bytes.baseAddress, let start = next.baseAddress,
      hasSameBytes(here + position, start, next.count)
    else { return false }
    position &+= next.count
    return true
  }

  /// Goes past a whole number of 1 to 18 digits, if one comes next.
  package mutating func passInteger() -> Int? {
    skipSpace()
    guard peek == UInt8(ascii: "-") else { return passDigits()?.number }
    position += 1
    if let number = passDigits()?.number { return -number }
    position -= 1
    return nil
  }

  /// Goes past the digits of a whole number, if 1 to 18 of them come next.
  ///
  /// - Parameter startsWithZero: true if the first of several may be 0.
  /// - Returns: the number, and the count of its digits.
  package mutating func passDigits(startsWithZero: Bool = false) -> (number: Int, count: Int)? {
    guard let base = bytes.baseAddress, bytes.count &- position >= 8 else { return passManyDigits(startsWithZero) }
    let (number, count) = Self.digits(at: base + position)
    if count == 8 { return passManyDigits(startsWithZero) }
    guard count > 0, count == 1 || startsWithZero || base[position] != UInt8(ascii: "0") else { return nil }
    position &+= count
    return (number, count)
  }

  /// The same for digits that are more than seven, or near the end of the text.
  @inline(never)
  private mutating func passManyDigits(_ startsWithZero: Bool) -> (number: Int, count: Int)? {
    guard let base = bytes.baseAddress else { return nil }
    let (digits, limit) = (base + position, min(bytes.count &- position, 19))
    var (count, number) = (0, 0)
    while count &+ 8 <= limit {
      let (eight, found) = Self.digits(at: digits + count)
      if found < 8 { break }
      number = number &* 100_000_000 &+ eight
      count &+= 8
    }
    while count < limit, case let digit = digits[count] &- UInt8(ascii: "0"), digit < 10 {
      number = number &* 10 &+ Int(truncatingIfNeeded: digit)
      count &+= 1
    }
    guard count > 0, count < 19, count == 1 || startsWithZero || digits.pointee != UInt8(ascii: "0") else { return nil }
    position &+= count
    return (number, count)
  }

  /// The number that the first digits of eight bytes write, and the count of these digits. Pairs, fours and eights of them are put
  /// together at once.
  @inline(__always)
  private static func digits(at place: UnsafePointer<UInt8>) -> (number: Int, count: Int) {
    let word = UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self)) ^ 0x3030_3030_3030_3030
    // A digit is below ten now, so that no six carries it beyond its lower half. Up to the first other byte nothing is carried.
    let others = (word | (word &+ 0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0
    let count = others.trailingZeroBitCount / 8
    if count == 0 { return (0, 0) }
    // Zeros before them.
    let digits = word &<< UInt64(64 &- 8 &* count)
    let pairs = (digits &* 2561) >> 8
    let fours = ((pairs & 0x00FF_00FF_00FF_00FF) &* 6_553_601) >> 16
    return (Int(((fours & 0x0000_FFFF_0000_FFFF) &* 42_949_672_960_001) >> 32), count)
  }
}
