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
