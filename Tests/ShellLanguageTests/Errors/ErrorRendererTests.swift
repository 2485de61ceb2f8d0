import ShellLanguage
import Testing

@Suite struct ErrorRendererTests {
  private let unknown = ShellError(
    code: .unknownAction, message: "unknown action 'counter.incremnt'",
    place: .span(Word.Span(column: 10, width: 16)), hint: "did you mean 'counter.increment'?")

  @Test func inAFile() throws {
    let script = try statements("dispatch counter.increment\ndispatch counter.incremnt\n")
    #expect(
      ErrorRenderer(file: "three.stsh").text(of: unknown, in: script[1]) == """
        three.stsh:2:10: error[unknown-action]: unknown action 'counter.incremnt'
          dispatch counter.incremnt
                   ^~~~~~~~~~~~~~~~
          hint: did you mean 'counter.increment'?

        """)
    #expect(
      JSONReport.failure(unknown, in: script[1], file: "three.stsh") == """
        {"ok":false,"file":"three.stsh","line":2,"error":{"code":"unknown-action",\
        "message":"unknown action 'counter.incremnt'","column":10,"hint":"did you mean 'counter.increment'?"}}
        """)
  }

  @Test func atThePrompt() throws {
    #expect(
      ErrorRenderer(file: nil).text(of: unknown, in: try statement("dispatch counter.incremnt")) == """
        error[unknown-action]: unknown action 'counter.incremnt'
          dispatch counter.incremnt
                   ^~~~~~~~~~~~~~~~
          hint: did you mean 'counter.increment'?

        """)
  }

  @Test func whatIsTooLongToBeReadIsCut() throws {
    let value = String(repeating: "x", count: 5000)
    let line = "dispatch counter.increment by=1 " + String(repeating: " ", count: 2000) + "bye=\(value)"
    let error = ShellError(
      code: .unexpectedArgument, message: "no such argument: \(value)", at: try statement(line).words[3],
      details: [value, String(repeating: "line\n", count: 100)])
    let text = ErrorRenderer(file: nil).text(of: error, in: try statement(line))
    let lines = text.split(separator: "\n")
    #expect(text.utf8.count < 5000)
    #expect(lines[0].hasSuffix("xxx... (4018 more characters)"))
    #expect(lines[1].hasPrefix("  ...    ") && lines[1].hasSuffix("xxx..."))
    #expect(lines[1].dropFirst(lines[2].prefix { $0 == " " }.count).hasPrefix("bye=xxx"))
    #expect(lines[2].count == lines[1].count - "...".count)
    #expect(lines[3] == "  " + value.prefix(1000) + "... (4000 more characters)")
    #expect(lines.last == "  ... (61 more lines)")
    #expect(lines.count == 4 + 41)
    let short = ShellError(code: .failed, message: String(repeating: "y", count: 1001))
    #expect(ErrorRenderer(file: nil).text(of: short).hasSuffix("y... (1 more character)\n"))
  }

  /// On a narrow terminal the line is cut around the place, so that neither it nor the caret wraps.
  @Test(arguments: [30, 40, 60, 80, 200])
  func theCaretStaysBelowItsPlace(columns: Int) throws {
    let words = (1...30).map { "a\($0)=value\($0)" }
    let statement = try statement("dispatch counter.increment " + words.joined(separator: " "))
    for index in [2, 9, 31] {
      var renderer = ErrorRenderer(file: nil)
      renderer.columns = columns
      let error = ShellError(code: .unexpectedArgument, message: "no", at: statement.words[index])
      let lines = renderer.text(of: error, in: statement).split(separator: "\n")
      let column = lines[2].prefix { $0 == " " }.count
      #expect(lines[1].count < columns && lines[2].count < columns, "\(lines)")
      #expect(lines[1].dropFirst(column).prefix(3) == statement.words[index].text.prefix(3), "\(lines)")
      #expect(lines[2].dropFirst(column).first == "^")
    }
  }

  @Test func ofTheWholeCommand() throws {
    let line = "assert state.counter.value == 8 -- counter should be 8"
    let error = ShellError(
      code: .assertFailed, message: "counter should be 8",
      details: ["left   state.counter.value = 1", "right  8 = 8"], status: 3)
    var reader = StatementReader(Array(line.utf8), grammar: grammar, firstLine: 2)
    let statement = try #require(try reader.next())
    #expect(
      ErrorRenderer(file: "-c").text(of: error, in: statement) == """
        -c:2:1: error[assert-failed]: counter should be 8
          \(line)
          left   state.counter.value = 1
          right  8 = 8

        """)
    #expect(
      ErrorRenderer(file: nil).text(of: error, in: statement) == """
        error[assert-failed]: counter should be 8
          left   state.counter.value = 1
          right  8 = 8

        """)
    #expect(
      JSONReport.failure(error, in: statement, file: "-c") == """
        {"ok":false,"file":"-c","line":2,"error":{"code":"assert-failed","message":"counter should be 8","column":1,\
        "details":["left   state.counter.value = 1","right  8 = 8"]}}
        """)
  }

  @Test func caretUnderTheNameAndItsSign() throws {
    let statement = try statement("dispatch counter.increment by=two")
    let error = ShellError(
      code: .typeMismatch, message: "'by' must be Int, got string \"two\"", place: .span(statement.words[2].nameSpan))
    #expect(
      ErrorRenderer(file: "stdin").text(of: error, in: statement) == """
        stdin:1:28: error[type-mismatch]: 'by' must be Int, got string "two"
          dispatch counter.increment by=two
                                     ^~~

        """)
    #expect(statement.words[2].bareNameSpan.width == 2)
    #expect(statement.words[1].nameSpan == statement.words[1].span)
  }

  @Test func sourcedFiles() throws {
    let text = ErrorRenderer(file: "inner.stsh").text(
      of: unknown, in: try statement("dispatch counter.incremnt"),
      sourcedFrom: [.init(file: "outer.stsh", line: 2), .init(file: "top.stsh", line: 9)])
    #expect(text.hasSuffix("\n  in file sourced from outer.stsh:2\n  in file sourced from top.stsh:9\n"))
  }

  @Test func ofALongChainTheEndsAreNamed() throws {
    let long = ErrorRenderer(file: "a").text(
      of: unknown, in: try statement("dispatch counter.incremnt"),
      sourcedFrom: (1...10).map { .init(file: "a", line: $0) })
    let chain = long.split(separator: "\n").drop { !$0.hasPrefix("  in file") }
    #expect(chain.count == 9)
    #expect(chain.dropFirst(4).first == "  ... (2 more files)")
    #expect(chain.last == "  in file sourced from a:10")
  }

  @Test func carets() throws {
    func lines(_ text: String, _ word: Int) throws -> [String] {
      let statement = try statement(text)
      let error = ShellError(code: .failed, message: "m", at: statement.words[word])
      return ErrorRenderer(file: "f").text(of: error, in: statement).split(separator: "\n").map(String.init)
    }
    #expect(try lines("\ta\tb", 1) == ["f:1:4: error[failed]: m", "  \ta\tb", "  \t \t^"])
    #expect(try lines("a 日本 cd", 2) == ["f:1:6: error[failed]: m", "  a 日本 cd", "         ^~"])
    #expect(try lines("a 👩‍👩‍👧 e\u{301}x", 1)[2] == "    ^~")
    #expect(try lines("a 👩‍👩‍👧 e\u{301}x", 2)[2] == "       ^~")
    #expect(try lines("a [\n 1] bc", 2) == ["f:2:5: error[failed]: m", "   1] bc", "      ^~"])
    #expect(try lines("a [\r\n 1] bc", 2) == ["f:2:5: error[failed]: m", "   1] bc", "      ^~"])
    #expect(try lines("a [\n 1] bc", 1) == ["f:1:3: error[failed]: m", "  a [", "    ^"])
    #expect(try lines("a 'x\u{1B}[2J' b", 2)[1] == "  a 'x\\u{1b}[2J' b")
    #expect(try lines("a 'x\u{1B}[2J' b", 2)[2] == "                 ^")
  }

  @Test func elsewhere() throws {
    let error = ShellError(code: .badRecord, message: "data.jsonl:7: not JSON", place: .line)
    let statement = try statement("ingest data.jsonl")
    #expect(
      ErrorRenderer(file: "f").text(of: error, in: statement) == "f:1: error[bad-record]: data.jsonl:7: not JSON\n")
    #expect(ErrorRenderer(file: nil).text(of: error, in: statement) == "error[bad-record]: data.jsonl:7: not JSON\n")
    #expect(ErrorRenderer(file: nil).text(of: error) == "error[bad-record]: data.jsonl:7: not JSON\n")
  }
}
