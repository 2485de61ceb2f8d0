import StoreCore
import Testing

@testable import StoreSchema

@Suite struct TextBufferTests {
  /// Numbers on both sides of each change in how they are written.
  static let numbers: [Int] = {
    var numbers = [0, Int.max, Int.min]
    var power = 1
    for _ in 0..<19 {
      for near in [power - 1, power, power + 1, power * 2 - 1] { numbers += [near, -near] }
      let (next, isTooLarge) = power.multipliedReportingOverflow(by: 10)
      if isTooLarge { break }
      power = next
    }
    return numbers + Array(0..<20_000) + (0..<2_000).map { $0 * 50_021 }
  }()

  @Test func numbersAreWrittenAsTheirTexts() {
    var buffer = TextBuffer(capacity: 40)
    for number in Self.numbers {
      buffer.append(number)
      buffer.append(UInt8(ascii: " "))
    }
    #expect(buffer.text == Self.numbers.map { "\($0) " }.joined())
  }

  @Test func rowsAreNumbersWithCommasBetween() {
    var buffer = TextBuffer(capacity: 40)
    var expected = ""
    for start in stride(from: 0, to: Self.numbers.count, by: 7) {
      let row = Array(Self.numbers[start..<min(start + 7, Self.numbers.count)])
      row.withUnsafeBufferPointer { buffer.append(joined: $0) }
      expected += row.map { "\($0)" }.joined(separator: ",")
    }
    #expect(buffer.text == expected)
  }

  /// What is appended in pieces of any size is there whole, however it is asked for.
  @Test(arguments: 0..<20) func textsOfAnySizeAreKept(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var buffer = TextBuffer()
    var expected: [UInt8] = []
    for _ in 0..<200 {
      let size = 1 << Int.random(in: 0..<18, using: &random)
      let piece = [UInt8](repeating: UInt8.random(in: 0x61...0x7A, using: &random), count: size)
      piece.withUnsafeBufferPointer { buffer.append($0) }
      expected += piece
      switch Int.random(in: 0..<40, using: &random) {
      case 0: #expect(buffer.bytes == expected)
      case 1:
        let start = Int.random(in: 0..<expected.count, using: &random)
        buffer.withBytes(from: start) { #expect(Array($0) == Array(expected[start...])) }
      case 2:
        buffer.removeLast(1)
        expected.removeLast()
      case 3 where expected.count > 1 << 19:
        buffer.removeAll()
        expected = []
      default: break
      }
      #expect(buffer.count == expected.count)
    }
    buffer.withBytes { #expect(Array($0) == expected) }
  }

  /// A byte that has to be escaped is found wherever it stands.
  @Test func textsInQuotesAreThoseOfJSON() {
    for count in 0..<40 {
      for place in 0..<count {
        for letter in ["a", "\"", "\\", "\n", "\u{1}", "\u{7F}", "\u{80}", "é", "\u{2028}"] {
          let text = String(repeating: "x", count: place) + letter + String(repeating: "y", count: count - place - 1)
          var buffer = TextBuffer()
          var bytes: [UInt8] = []
          buffer.append(quoted: text)
          JSON.append(quoted: text, to: &bytes)
          #expect(buffer.bytes == bytes)
          #expect((try? JSON.value(of: buffer.text)) == .string(text))
        }
      }
    }
  }
}
