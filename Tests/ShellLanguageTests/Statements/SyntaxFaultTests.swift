import StoreCore
import ShellLanguage
import Testing

@Suite struct SyntaxFaultTests {
  @Test func scenario6() throws {
    let found = try #require(fault("echo first\ndispatch tasks.add title=\"oops\n"))
    #expect(
      ErrorRenderer(file: "FILE").text(of: found) == """
        FILE:2:26: error[syntax]: this " is never closed
          dispatch tasks.add title="oops
                                   ^

        """)
  }

  @Test(arguments: [
    ("a [1 2]", "expected , or ]", 6), ("a [", "this [ is never closed", 3), ("a x[y", "this [ is never closed", 4),
    ("a $(f(1)", "this ( is never closed", 4), ("a {1, b = 2}", "expected a name and =", 7),
    ("a {b = 2, 1}", "expected a name and =", 11), ("a {b = 1, b = 2}", "the name 'b' appears twice", 11),
    ("a \"x\"y", "expected a space here", 6),
    ("a $n.x", "expected a space here; to reach into a variable write $(n…), beside a text ${n}", 5),
    ("a \"x\\q\"", "unknown escape; there are \\n \\t \\\" \\\\ \\$", 5), ("a [,]", "expected a value", 4),
    ("a \"\\ud800\"", "not a Unicode character", 4), ("a {b=}", "expected a value", 6),
    ("é 'x", "this ' is never closed", 3),
  ])
  func messages(_ text: String, _ message: String, _ column: Int) {
    #expect(fault(text)?.message == message)
    #expect(fault(text)?.column == column)
    #expect(fault(text)?.text == text)
  }

  @Test func placeOnALaterLine() throws {
    let found = try #require(fault("a [\n1,\n2 3]"))
    #expect(found.line == 3)
    #expect(found.column == 3)
    #expect(found.text == "2 3]")
  }

  @Test func invalidText() throws {
    var reader = StatementReader(Array("ok\né ".utf8) + [0xFF, 0x0A] + Array("next".utf8), grammar: grammar)
    #expect(try reader.next()?.text == "ok")
    do {
      _ = try reader.next()
      Issue.record("no fault")
    } catch {
      #expect(error.message == "this is not UTF-8")
      #expect(error.line == 2)
      #expect(error.column == 3)
    }
    #expect(try reader.next()?.text == "next")
  }

  @Test func deepNesting() {
    #expect(fault("a " + String(repeating: "[", count: 100_000))?.message == "nested deeper than 200")
    #expect(fault("a " + String(repeating: "{[", count: 100_000))?.message == "nested deeper than 200")
  }

  @Test func longStatements() throws {
    #expect(StatementReader.usualMaximumLength == 8 * 1024 * 1024)
    let long = [UInt8](repeating: 0x61, count: 1001)
    var reader = StatementReader(long + Array("\nb\n".utf8), grammar: grammar, maximumLength: 1000)
    do {
      _ = try reader.next()
      Issue.record("no fault")
    } catch {
      #expect(error.code == .lineTooLong)
      #expect(ErrorRenderer(file: "f").text(of: error) == "f:1:1: error[line-too-long]: \(error.message)\n")
    }
    #expect(try reader.next()?.line == 2)

    var stream = StatementReader(grammar: grammar, maximumLength: 1000)
    var faults = 0
    for _ in 0..<20 {
      stream.append([UInt8](repeating: 0x61, count: 100))
      do { _ = try stream.next() } catch { faults += 1 }
    }
    stream.append(Array("\nb\n".utf8))
    #expect(faults == 1)
    #expect(try stream.next()?.text == "b")
  }

  @Test func junkNeverTraps() {
    var generator = SeededGenerator(seed: 7)
    let alphabet = Array("ab=\"'[]{}()$#\\>|,:-. \n\r\t\u{e9}=1".utf8) + [0xFF, 0x80]
    for _ in 0..<3_000 {
      let count = Int(generator.next() % 24)
      let bytes = (0..<count).map { _ in alphabet[Int(generator.next() % UInt64(alphabet.count))] }
      var reader = StatementReader(bytes, grammar: grammar)
      var steps = 0
      while steps < 100 {
        steps += 1
        do {
          guard let statement = try reader.next() else { break }
          #expect(!statement.words.isEmpty)
        } catch { continue }
      }
      #expect(steps < 100)
    }
  }
}
