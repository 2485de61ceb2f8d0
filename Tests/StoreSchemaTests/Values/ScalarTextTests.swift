import StoreCore
import StoreSchema
import Testing

@Suite struct ScalarTextTests {
  @Test func quotesAndControlCharactersAreEscaped() {
    #expect(ScalarText.quoted("a \"b\" \\ \n\r\t\u{1}\u{7F} é😀") == #""a \"b\" \\ \n\r\t\u0001\u007f é😀""#)
    #expect(ScalarText.quoted("") == "\"\"")
  }

  @Test func aQuoteWithACombiningMarkIsEscapedToo() {
    #expect(ScalarText.quoted("\"\u{301}") == "\"\\\"\u{301}\"")
  }

  /// Every character is escaped alike wherever it stands: several are looked at together.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func placesDoNotMatter(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let scalars: [Unicode.Scalar] = [
      "a", "~", " ", "!", "#", "[", "]", "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "\u{80}", "\u{9F}", "\u{A0}",
      "é", "€", "😀",
    ]
    for _ in 0..<200 {
      var (text, escaped) = ("", "\"")
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let isUsual = Bool.random(using: &random)
        let scalar = isUsual ? "x" : scalars.randomElement(using: &random) ?? "x"
        text.unicodeScalars.append(scalar)
        switch scalar {
        case "\"", "\\": escaped.unicodeScalars.append(contentsOf: ["\\", scalar])
        case "\n": escaped += "\\n"
        case _ where ScalarText.isControl(scalar):
          let digits = String(scalar.value, radix: 16)
          escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: escaped.unicodeScalars.append(scalar)
        }
      }
      #expect(ScalarText.quoted(text) == escaped + "\"")
    }
  }

  @Test(arguments: [
    (1.0, "1.0"), (0.1, "0.1"), (1e100, "1e+100"), (-0.0, "-0.0"), (.leastNonzeroMagnitude, "5e-324"),
    (.infinity, "inf"),
    (-.infinity, "-inf"), (123456789012345680, "1.2345678901234568e+17"),
  ])
  func numbersReadBackTheSame(number: Double, text: String) {
    #expect(ScalarText.text(of: number) == text)
    #expect(Double(text) == number)
  }

  @Test func whatIsNoNumberSaysSo() {
    for number in [Double.nan, -.nan] { #expect(ScalarText.text(of: number) == "nan") }
  }

  @Test func whatIsNoNumberIsItself() {
    let other = -Double.nan
    #expect(Value.double(.nan) == .double(other))
    #expect(Value.list([.double(.nan)]).hashValue == Value.list([.double(other)]).hashValue)
    #expect(Value.double(.nan) != .double(0))
    #expect(Value.double(0) != .double(-0.0), "a file of the state keeps the sign")
    #expect(Value.double(1) != .int(1))
  }
}
