import ShellLanguage
import Testing

@Suite struct WrappedTextTests {
  @Test(arguments: [
    ("a short one", 40, "a short one"), ("", 40, ""),
    ("one two three four five six", 24, "one two three four\n    five six"),
    ("exactly twenty wide ok and", 24, "exactly twenty wide\n    ok and"),
    ("日本語 日本語 日本語 日本語", 24, "日本語 日本語 日本語\n    日本語"),
    ("a unbreakableunbreakableunbreakable b", 24, "a\n    unbreakableunbreakableunbreakable\n    b"),
    ("two  blanks", 40, "two  blanks"),
    ("no room for more than nineteen columns", 23, "no room for more than nineteen columns"),
  ])
  func linesStandBelowEachOther(text: String, width: Int, expected: String) {
    #expect(WrappedText.hanging(text, indentation: 4, width: width) == expected)
  }

  @Test func withoutAWidthTextIsOneLine() {
    let text = String(repeating: "word ", count: 100)
    #expect(WrappedText.hanging(text, indentation: 4, width: nil) == text)
  }
}
