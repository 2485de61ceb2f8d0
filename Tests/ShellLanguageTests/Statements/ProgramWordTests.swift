import Testing

@testable import ShellLanguage

/// The words of programs: JSON among them stays JSON, and no line takes long to read.
@Suite struct ProgramWordTests {
  private static let grammar = Grammar(luaVerbs: [], programVerbs: ["run"])

  private func words(_ line: String) throws -> [String] {
    var reader = StatementReader(Array(line.utf8), grammar: Self.grammar)
    return try reader.next()?.words.dropFirst().map(short) ?? []
  }

  /// What JSON does not have is at fault, at its place.
  @Test(arguments: [
    ("{\"a\": NaN}", "NaN is no value of JSON; as a text it has quotes: \"NaN\"", 11, 3),
    ("x={\"a\": -inf}", "-inf is no value of JSON; as a text it has quotes: \"-inf\"", 13, 4),
    ("[\"a\", 1e400]", "the number 1e400 is too large; as a text it has quotes: \"1e400\"", 11, 5),
    ("[{\"a\": 01}]", "01 is no value of JSON; as a text it has quotes: \"01\"", 12, 2),
    ("{\"a\": nil, \"a\": 1}", "nil is no value of JSON; as a text it has quotes: \"nil\"", 11, 3),
    ("{\"a\": é$n}", "é$n is no value of JSON, in which $name and $(…) stand alone", 11, 3),
    ("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}", "the name 'c' appears twice", 28, 1),
    ("[{\"a\": $n, \"a\": NaN}]", "the name 'a' appears twice", 16, 1),
  ])
  func whatJSONDoesNotHaveIsAtFault(word: String, message: String, column: Int, width: Int) throws {
    do {
      Issue.record("\(try words("run \(word) x"))")
    } catch {
      let fault = try #require(error as? SyntaxFault)
      #expect((fault.message, fault.column, fault.width) == (message, column, width))
    }
  }

  @Test(arguments: [
    ("{\"a\": [true, null, -1.50e3]}", ["{\"a\": [true, null, -1.50e3]}"]), ("[\"a\" = b]", ["\"[a\"", "=", "b]"]),
    ("[\"a\", NaN", ["\"[a,\"", "NaN"]), ("{\"a\":1,\"a\":2}x", ["\"{a:1,a:2}x\""]), ("[NaN]", ["[NaN]"]),
    ("{\"a\" b}", ["\"{a\"", "b}"]), ("{\"a\": $n, \"b\": [$(f(1))]}", ["{a=$n,b=[$(f(1))]}"]),
    ("['x', 01]", ["\"[x,\"", "01]"]),
  ])
  func otherWordsStayAsTheyAre(line: String, expected: [String]) throws {
    #expect(try words("run \(line)") == expected)
  }

  /// The bytes of a line that were read more than once.
  private func reread(_ line: String) -> Int {
    Array(line.utf8).withUnsafeBufferPointer { bytes in
      var scanner = StatementScanner(
        ByteView(bytes), start: 0, firstLine: 1, isLast: true, grammar: Self.grammar, maximumLength: .max)
      _ = try? scanner.passPlain()
      return scanner.rereadBytes
    }
  }

  /// A line of four times as many words takes four times as long, whatever they are.
  @Test(arguments: [
    "[\"", "[\"a", "[\"a\",", "[\"a\" ,", "[{", "{\"", "{\"a", "{\"a\":1,", "{\"a\":[", "[\"\"", "[\"a\"]b",
    "[\"a\", 1], b",
    "[\"a\", #", "x=[\"a\",", "[\"a\",'", "{[", "{[a", "{[{",
  ])
  func wordsAreReadInLinearTime(word: String) {
    for verb in ["run", "echo"] {
      let counts = [500, 2_000].map { reread("\(verb) " + String(repeating: word + " ", count: $0)) }
      #expect(counts[1] <= 5 * counts[0] + 1_000, "\(verb) \(word): \(counts)")
    }
  }

  /// Values within values are read once, however deep.
  @Test(arguments: [("{[", "]}"), ("{{", "}}"), ("{[{a = [", "]}]}"), ("{[\"a\"] = {[", "]}}")])
  func valuesWithinValuesAreReadInLinearTime(open: String, close: String) throws {
    let counts = [10, 40].map { depth in
      reread("echo " + String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth))
    }
    #expect(counts[1] <= 5 * counts[0] + 1_000, "\(counts)")
    #expect(try words("echo {[{[x]}, {[1] = y}]}") == ["[[[[x]],{1=y}]]"])
  }
}
