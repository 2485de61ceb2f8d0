/// What bytes are appended to.
@usableFromInline
package protocol ByteSink: ~Copyable {
  mutating func append(_ byte: UInt8)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>)
  mutating func append(_ text: StaticString)
  mutating func append(json number: Int)
  /// Appends a text in quotes, escaped as JSON has it.
  mutating func append(quoted text: String)
  /// Hands out the bytes from a position on.
  mutating func withBytes(from start: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void)
  /// The number of bytes.
  var count: Int { get }
  /// The bytes, for what knows arrays alone.
  var bytes: [UInt8] { mutating get set }
}

extension ByteSink where Self: ~Copyable {
  @inlinable
  @inline(__always)
  package mutating func append(text: [UInt8]) { text.withUnsafeBufferPointer { append($0) } }
}

extension [UInt8]: ByteSink {
  @inlinable
  @inline(__always)
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) { append(contentsOf: bytes) }

  @usableFromInline
  package mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @usableFromInline
  package mutating func append(json number: Int) {
    if number >= 0, number < 10 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number.magnitude
      var first = digits.count
      repeat {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
        rest = quotient
      } while rest > 0
      if number < 0 {
        first -= 1
        digits[first] = UInt8(ascii: "-")
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
    }
  }

  @usableFromInline
  package func withBytes(from start: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    self[start...].withUnsafeBufferPointer(body)
  }

  @usableFromInline package var bytes: [UInt8] {
    get { self }
    _modify { yield &self }
  }
}
