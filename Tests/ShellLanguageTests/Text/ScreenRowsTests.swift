import ShellLanguage
import Testing

@Suite struct ScreenRowsTests {
  @Test(arguments: [
    ("", 0), ("\n", 1), ("0123456789\n", 1), ("0123456789a\n", 2), ("a\nb\n\n", 3),
    // Five of two columns each; the one that has no room leaves a column free.
    ("日本日本日\n", 1), ("x日本日本日\n", 2), ("ääääääääää\n", 1),
    ("\u{1B}[1;31m0123456789\u{1B}[0m\n", 1), ("\u{1B}[31m0123456789a\u{1B}[0m\n", 2),
    ("a\tb\n", 1), ("\ta\tb\n", 2),
  ])
  func rows(_ text: String, _ expected: Int) {
    #expect(ScreenRows.of(Array(text.utf8), columns: 10, upTo: .max) == expected)
  }

  @Test func noMoreIsCountedThanIsAskedFor() {
    #expect(ScreenRows.of(Array(repeating: 0x0A, count: 100), columns: 80, upTo: 24) == 24)
  }
}
