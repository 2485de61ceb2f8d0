import StoreSchema
import Testing

/// Texts that Swift keeps in place, made from their bytes.
@Suite struct ShortTextTests {
  @Test(arguments: 0...15)
  func textsOfEveryLength(count: Int) {
    let expected = String("abcdefghijklmno".prefix(count))
    let bytes = Array(expected.utf8)
    #expect(bytes.withUnsafeBytes { ShortText.text($0) } == expected)
  }

  @Test(arguments: ["sixteen bytes...", "é", "seven é", "no ASCII at th\u{e9}"])
  func whatIsLongerOrNoASCII(text: String) {
    #expect(Array(text.utf8).withUnsafeBytes { ShortText.text($0) } == nil)
  }
}
