/// What bytes are appended to.
package protocol ByteSink: ~Copyable {
  mutating func append(_ byte: UInt8)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>)
  mutating func append(_ text: StaticString)
  /// Appends an integer.
  mutating func append(json number: Int)
  /// The bytes, for what knows arrays alone.
  var bytes: [UInt8] { mutating get set }
}

extension ByteSink where Self: ~Copyable {
  @inline(__always)
  mutating func append(text: [UInt8]) { text.withUnsafeBufferPointer { append($0) } }
}

extension [UInt8]: ByteSink {
  @inline(__always)
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) { append(contentsOf: bytes) }

  package mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

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

  package var bytes: [UInt8] {
    get { self }
    _modify { yield &self }
  }
}
