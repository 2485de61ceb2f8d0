/// Text under way to its reader, as UTF-8. With a sink it is handed on in pieces, so that a long result never stands in
/// memory as a whole.
///
/// What appends a few bytes is inlined also in other modules: a constant text is then moved by an instruction or two.
@usableFromInline
package struct TextBuffer: ~Copyable {
  private static let pieceSize = 1 << 16

  @usableFromInline var whole: [UInt8] = []
  // What comes behind that: short texts are many, and an array asks for each of them whether it is shared and has room.
  @usableFromInline var part: UnsafeMutablePointer<UInt8>
  @usableFromInline var partCapacity: Int
  @usableFromInline var partCount = 0
  private let sink: (([UInt8]) -> Void)?
  private var paths = PathTexts(areInJSON: false)
  private var pathCount = 0

  /// - Parameter capacity: the number of bytes for which there is room from the start.
  package init(capacity: Int = 256, sink: (([UInt8]) -> Void)? = nil) {
    part = .allocate(capacity: capacity)
    partCapacity = capacity
    self.sink = sink
    if sink != nil { whole.reserveCapacity(TextBuffer.pieceSize * 2) }
  }

  deinit { part.deallocate() }

  @usableFromInline package var bytes: [UInt8] {
    mutating get {
      settle()
      return whole
    }
    _modify {
      settle()
      yield &whole
    }
  }

  /// The number of its bytes so far.
  @inlinable package var count: Int { whole.count + partCount }

  package mutating func removeAll() {
    partCount = 0
    whole.removeAll(keepingCapacity: true)
  }

  /// Puts all of it into the array.
  private mutating func settle() {
    guard partCount > 0 else { return }
    whole.append(contentsOf: UnsafeBufferPointer(start: part, count: partCount))
    partCount = 0
  }

  /// Makes room for some bytes more, a piece at most.
  @usableFromInline
  @inline(never)
  mutating func makeRoom(for count: Int) {
    if partCapacity >= Self.pieceSize { settle() }
    guard partCount + count > partCapacity else { return }
    partCapacity = max(partCapacity * 2, partCount + count)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: partCapacity)
    larger.update(from: part, count: partCount)
    part.deallocate()
    part = larger
  }

  /// Hands on what there is, if that is enough to be worth a call.
  package mutating func passOn() {
    if count >= TextBuffer.pieceSize { flush() }
  }

  /// Hands on what there is.
  package mutating func flush() {
    guard let sink, count > 0 else { return }
    sink(bytes)
    whole.removeAll(keepingCapacity: true)
  }

  package mutating func removeLast(_ count: Int) {
    if count <= partCount { partCount -= count } else { bytes.removeLast(count) }
  }

  @inlinable
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    if partCount == partCapacity { makeRoom(for: 1) }
    part[partCount] = byte
    partCount += 1
  }

  package mutating func append(_ character: Unicode.Scalar) { append(UInt8(truncatingIfNeeded: character.value)) }

  package mutating func append(_ text: String) {
    // A copy would count a reference to it.
    guard text.utf8.withContiguousStorageIfAvailable({ append($0) }) == nil else { return }
    var text = text
    text.withUTF8 { append($0) }
  }

  @inlinable
  @inline(__always)
  package mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable
  @inline(__always)
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count <= partCapacity - partCount, let start = bytes.baseAddress else { return appendLong(bytes) }
    (part + partCount).update(from: start, count: bytes.count)
    partCount += bytes.count
  }

  @usableFromInline
  @inline(never)
  mutating func appendLong(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress, bytes.count < Self.pieceSize else {
      return self.bytes.append(contentsOf: bytes)
    }
    makeRoom(for: bytes.count)
    (part + partCount).update(from: start, count: bytes.count)
    partCount += bytes.count
  }

  package mutating func append(_ slice: ArraySlice<UInt8>) { slice.withUnsafeBufferPointer { append($0) } }

  package mutating func append(_ number: Int) {
    // Eight bytes are written at a time, for up to 24 digits.
    if partCount + 32 > partCapacity { makeRoom(for: 32) }
    let small = UInt(bitPattern: number)
    if small < 100_000_000 {
      partCount &+= Self.write(small, at: part + partCount)
      return
    }
    if number < 0 { append(UInt8(ascii: "-")) }
    append(digitsOf: number.magnitude)
  }

  /// Appends numbers, with a comma between two of them.
  package mutating func append(joined numbers: UnsafeBufferPointer<Int>) {
    if partCount + 24 * numbers.count + 8 > partCapacity { makeRoom(for: 24 * numbers.count + 8) }
    // To the compiler a write through a pointer may change the fields: a place of its own stays in a register.
    var place = part + partCount
    for index in numbers.indices {
      if index > 0 {
        place.pointee = UInt8(ascii: ",")
        place += 1
      }
      let small = UInt(bitPattern: numbers[index])
      if small < 100_000_000 {
        place += Self.write(small, at: place)
      } else {
        partCount = place - part
        append(numbers[index])
        place = part + partCount
      }
    }
    partCount = place - part
  }

  private mutating func append(digitsOf number: UInt) {
    guard number >= 100_000_000 else {
      partCount += Self.write(number, at: part + partCount)
      return
    }
    let (above, below) = number.quotientAndRemainder(dividingBy: 100_000_000)
    append(digitsOf: above)
    partCount += Self.put(Self.eightDigits(of: below), from: 0, of: 8, at: part + partCount)
  }

  /// Writes a number of eight digits at most, where there is room for eight.
  ///
  /// - Returns: the number of its digits.
  @inline(__always)
  private static func write(_ number: UInt, at place: UnsafeMutablePointer<UInt8>) -> Int {
    if number < 10 {
      place.pointee = UInt8(ascii: "0") | UInt8(truncatingIfNeeded: number)
      return 1
    }
    let digits: UInt64
    let all: Int
    if number < 10_000 {
      let hundreds = (number &* 5243) >> 19
      (digits, all) = (UInt64(twoDigits(of: hundreds) | twoDigits(of: number &- hundreds &* 100) << 16), 4)
    } else {
      (digits, all) = (eightDigits(of: number), 8)
    }
    return put(digits, from: digits.trailingZeroBitCount / 8, of: all, at: place)
  }

  /// Writes the last of eight digits, or of the first few of them, where there is room for eight.
  @inline(__always)
  private static func put(
    _ digits: UInt64, from first: Int, of all: Int, at place: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let text = (digits &+ 0x3030_3030_3030_3030) &>> UInt64(8 &* first)
    UnsafeMutableRawPointer(place).storeBytes(of: text.littleEndian, as: UInt64.self)
    return all &- first
  }

  /// The digits of a number of two at most, the first in the lowest byte.
  @inline(__always)
  private static func twoDigits(of number: UInt) -> UInt {
    let tens = (number &* 103) >> 10
    return tens | (number &- tens &* 10) << 8
  }

  /// The digits of a number of eight at most, the first in the lowest byte. Fours, pairs and digits are taken apart at once.
  @inline(__always)
  private static func eightDigits(of number: UInt) -> UInt64 {
    let (high, low) = number.quotientAndRemainder(dividingBy: 10_000)
    let fours = UInt64(high) | UInt64(low) << 32
    let hundreds = ((fours &* 10_486) >> 20) & 0x0000_007F_0000_007F
    let pairs = ((fours &- 100 &* hundreds) << 16) &+ hundreds
    let tens = ((pairs &* 103) >> 10) & 0x000F_000F_000F_000F
    return ((pairs &- 10 &* tens) << 8) &+ tens
  }

  package mutating func append(_ path: Path) { path.write(to: &self) }

  /// Appends the path of a change, whose text is kept where there are many.
  mutating func append(pathOf change: UnsafePointer<Change>) {
    pathCount += 1
    guard pathCount > 8, let place = paths.place(of: change) else { return change.pointee.path.write(to: &self) }
    // The text stays where it is, as nothing else is appended meanwhile.
    var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    paths.withText(at: place) { text = $0 }
    append(text)
  }

  package mutating func append(_ value: Bool) {
    if value { append("true" as StaticString) } else { append("false" as StaticString) }
  }

  package mutating func append(spaces count: Int) {
    for _ in 0..<max(count, 0) { append(0x20 as UInt8) }
  }

  /// Appends text in quotes as the command language reads it where a value may stand: a dollar that would be replaced has a backslash
  /// before it.
  package mutating func appendWord(_ text: String) {
    let start = count
    // Nearly all texts stand for themselves.
    if appendPlain(text, besides: UInt8(ascii: "$")) { return }
    appendQuoted(text)
    guard text.utf8.contains(UInt8(ascii: "$")) else { return }
    let quoted = bytes[start...]
    var word: [UInt8] = []
    for index in quoted.indices {
      if quoted[index] == UInt8(ascii: "$"), index + 1 < quoted.endIndex, Self.isReplaced(before: quoted[index + 1]) {
        word.append(UInt8(ascii: "\\"))
      }
      word.append(quoted[index])
    }
    bytes.replaceSubrange(start..., with: word)
  }

  /// True if a dollar before a byte does not stand for itself.
  private static func isReplaced(before byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
    case UInt8(ascii: "("), UInt8(ascii: "{"): true
    case UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "!"): true
    default: false
    }
  }

  /// Appends text in quotes as the command language reads it within brackets: escaped as JSON wants it, and characters that only set the direction
  /// of writing, too.
  package mutating func appendQuoted(_ text: String) {
    if appendPlain(text) { return }
    guard ScalarText.hasDirection(text) else { return JSON.write(quoted: text, to: &self) }
    append(ScalarText.quoted(text))
  }

  /// Appends text in quotes, if each of its bytes is of ASCII and stands for itself.
  ///
  /// - Parameter other: another byte that it must not have.
  /// - Returns: false: nothing was appended.
  private mutating func appendPlain(_ text: String, besides other: UInt8 = 0) -> Bool {
    // A copy would count a reference to it.
    let isWritten = text.utf8.withContiguousStorageIfAvailable { appendPlain($0, besides: other) }
    if let isWritten { return isWritten }
    var text = text
    return text.withUTF8 { appendPlain($0, besides: other) }
  }

  private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>, besides other: UInt8) -> Bool {
    guard ScalarText.isPlainASCII(text), other == 0 || !text.contains(other) else { return false }
    guard text.count + 2 <= partCapacity - partCount, let start = text.baseAddress else {
      append(UInt8(ascii: "\""))
      append(text)
      append(UInt8(ascii: "\""))
      return true
    }
    let place = part + partCount
    place[0] = UInt8(ascii: "\"")
    (place + 1).update(from: start, count: text.count)
    place[text.count + 1] = UInt8(ascii: "\"")
    partCount &+= text.count &+ 2
    return true
  }

  @usableFromInline
  package mutating func append(json value: Value) {
    if case .int(let number) = value { append(number) } else { JSON.write(value, to: &self, false) }
  }

  /// Appends a text in quotes, escaped as JSON has it.
  @usableFromInline
  package mutating func append(quoted text: String) {
    if !appendPlain(text) { JSON.write(quoted: text, to: &self) }
  }

  /// Appends the compact JSON of a record; decimals as in ``JSON/append(_:to:marksDecimals:)-(Value,_,_)``.
  package mutating func append(json record: Record, marksDecimals: Bool) {
    JSON.write(record, to: &self, marksDecimals)
  }

  /// The same of a record that has a layout and values.
  package mutating func append(json layout: RecordLayout, _ values: [Value]) {
    JSON.write(layout, values, to: &self, false)
  }

  @usableFromInline
  package mutating func append(json number: Int) { append(number) }

  /// Hands out all bytes.
  package mutating func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    if whole.isEmpty { return try body(UnsafeBufferPointer(start: part, count: partCount)) }
    return try bytes.withUnsafeBufferPointer(body)
  }

  /// Hands out the bytes from a position on.
  @usableFromInline
  package mutating func withBytes(from start: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    guard start < whole.count else {
      let first = start - whole.count
      return body(UnsafeBufferPointer(start: part + first, count: partCount - first))
    }
    bytes[start...].withUnsafeBufferPointer(body)
  }

  /// True if each byte from a position on is of ASCII and stands for itself in quotes.
  mutating func isPlainASCII(from start: Int) -> Bool {
    var isPlain = false
    withBytes(from: start) { isPlain = ScalarText.isPlainASCII($0) }
    return isPlain
  }

  package var text: String {
    if whole.isEmpty { return String(decoding: UnsafeBufferPointer(start: part, count: partCount), as: UTF8.self) }
    return String(decoding: whole + UnsafeBufferPointer(start: part, count: partCount), as: UTF8.self)
  }
}
