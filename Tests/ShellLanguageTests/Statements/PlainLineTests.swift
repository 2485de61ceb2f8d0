import Testing

@testable import ShellLanguage

/// Lines that are only cut are read as the scanner reads them.
@Suite struct PlainLineTests {
  private func scanned(_ line: [UInt8], isLast: Bool) -> Statement? {
    line.withUnsafeBufferPointer { line in
      var scanner = StatementScanner(
        ByteView(line), start: 0, firstLine: 3, isLast: isLast, grammar: grammar, maximumLength: 1000)
      return try? scanner.statement()
    }
  }

  private func plain(_ line: [UInt8], isLast: Bool) -> Statement? {
    line.withUnsafeBufferPointer {
      PlainLine(ByteView($0), from: 0, isLast: isLast, grammar: grammar)?.statement(onLine: 3)
    }
  }

  private func all(_ statement: Statement) -> String {
    "\(statement.line) <\(statement.text)> "
      + statement.words.map { "\(short($0)) <\($0.text)> \($0.line):\($0.column)+\($0.width)" }.joined(separator: " ")
  }

  @Test(arguments: [
    "dispatch counter.increment by=1", "dispatch tasks.add title=\"task 1 of home\" --quiet",
    "  show tasks --as=json  ",
    "a b=c=d \"\" x=\"\" 9=x - -x --y= z=", "quit\t7", "dispatch a b=\"#\" c=\"'\"", "x = y", "x := 3",
  ])
  func aPlainLineIsReadAsByTheScanner(_ line: String) throws {
    for (ending, isLast) in [("\n", true), ("\n", false), ("", true)] {
      let bytes = Array((line + ending).utf8)
      let found = try #require(plain(bytes, isLast: isLast))
      #expect(all(found) == scanned(bytes, isLast: isLast).map(all))
    }
  }

  @Test(arguments: [
    "assert 1", "try show x", "= 1", "a #b", "a 'b'", "a \"b\\n\"", "a \"b", "a $b", "a [1]", "a {b = 1}", "a > b",
    "a | b",
    "a b\\", "a b\r", "a é", "a \"é\"", "a b\"c\"", "a b=\"c\"d", "a -- b", "a --b=\"c\"", "--a", "a=b", "\"a\"", "a;",
    "a,b",
  ])
  func otherLinesAreTheScanners(_ line: String) { #expect(plain(Array((line + "\n").utf8), isLast: true) == nil) }

  @Test func aLineWithoutItsEndIsNotThereYet() { #expect(plain(Array("show x".utf8), isLast: false) == nil) }

  /// Lines of all that has a meaning somewhere: either they are the scanner's, or both read the same.
  @Test func linesAtRandom() {
    var random = Numbers()
    let parts = [
      "a", "dispatch", "b=", "=", "\"", "\"x y\"", " ", " ", " ", "-", "--", "--f", ".", "9", "#", "'", "\\", "$x", "[",
      "]",
      "{", "}", ">", "|", ";", ",", "\t", "\r", "é", "try", "lua", "(", ":", "\n",
    ]
    var plainLines = 0
    for _ in 0..<200_000 {
      let line = (0..<random.next(9) + 1).map { _ in parts[random.next(parts.count)] }.joined()
      let bytes = Array(line.utf8)
      guard let start = bytes.first, start != 0x0A, let found = plain(bytes, isLast: true) else { continue }
      plainLines += 1
      #expect(all(found) == scanned(bytes, isLast: true).map(all), "\(line.debugDescription)")
    }
    #expect(plainLines > 2_000)
  }

  private struct Numbers {
    private var state: UInt64 = 1

    mutating func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
  }
}
