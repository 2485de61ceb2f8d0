import StoreSchema
import Testing

@testable import ShellLanguage

/// Words are made of tokens: what they say is what stands in the line.
@Suite struct TokenTests {
  private struct Numbers {
    private var state: UInt64 = 1

    mutating func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
  }

  private static let parts = [
    "a", "dispatch", "b=", "=", "\"", "\"x y\"", " ", " ", " ", "-", "--", "--f", ".", "9", "#", "'", "\\", "$x", "[",
    "]",
    "{", "}", ">", "|", ";", ",", "\t", "é", "\"a\\n\"", "'b c'", "try", "lua", "(", ":", "-17", "nil", "\n", "\r",
  ]

  private func lines(_ count: Int, _ body: (String) throws -> Void) rethrows {
    var random = Numbers()
    for _ in 0..<count {
      try body((0..<random.next(9) + 1).map { _ in Self.parts[random.next(Self.parts.count)] }.joined())
    }
  }

  @Test func aWordIsWhatStandsInItsPlace() {
    var words = 0
    lines(50_000) { line in
      guard let statements = try? statements(line) else { return }
      for statement in statements {
        for word in statement.words {
          guard let text = statement.line(word.line), !word.text.contains("\n") else { continue }
          words += 1
          let place = text.dropFirst(word.column - 1).prefix(word.width)
          #expect(String(place) == word.text, "\(line.debugDescription)")
          if case .named(let name, _) = word.kind { #expect(word.text.hasPrefix("\(name)=")) }
        }
      }
    }
    #expect(words > 10_000)
  }

  @Test func passingPlainLinesLeavesOutNothingElse() throws {
    var plain = 0
    lines(50_000) { line in
      var reader = StatementReader(Array(line.utf8), grammar: grammar)
      var passing = reader
      passing.passPlainLines { _ in .unchecked }
      do {
        while let statement = try reader.next(), statement.line < passing.line {
          #expect(!statement.isMoreThanWords, "\(line.debugDescription)")
          plain += 1
        }
      } catch {
        #expect((error as? SyntaxFault)?.line ?? 0 >= passing.line, "\(line.debugDescription)")
      }
    }
    #expect(plain > 500)
  }

  /// Lines of forms that come again and again are passed by their forms: as far as each would be alone.
  @Test func linesOfOneFormArePassedAsEachIsAlone() throws {
    let starts = ["dispatch a.b", "dispatch a.c x=1", "try dispatch a.b", "dispatch a.b --quiet", "echo"]
    let values = [
      " 1", " -17", " x", " --f", " --", " \"x y\"", " \"é\"", " 'b c'", " n=1", " n=\"a\"", " n=", " m=x&", " n=$v",
      " n=[1]",
      " # c", " \"a\\\"b\"", " 5&", " \\\n 7", " n='c'", " -", " n=a=b", " 3=4", " > f", " \"$v\"",
      " 1.5", " 300", " n=1.5", " n=-200", " n=true", " n=nil", " n=9999999999999999999",
    ]
    let schemas: [Schema?] = [
      nil, String.schema, String.schema, Int.schema, Int.schema, Int8.schema, Int?.schema, String?.schema, Bool.schema,
      Double.schema,
    ]
    var random = Numbers()
    var (passed, stopped) = (0, 0)
    for _ in 0..<3_000 {
      // Few of the starts and values, so that forms repeat.
      let (few, start) = ((0..<4).map { _ in values[random.next(values.count)] }, starts[random.next(starts.count)])
      let lines = (0..<12).map { _ in
        start + (0..<random.next(3)).map { _ in few[random.next(few.count)] }.joined() + "\n"
      }
      let first = random.next(3) == 0 ? nil : try? statements(lines[0]).first
      let known = first.map { $0.withPlainLine { (names: $0.names, words: $0.words) } }
      // Of the words behind the first two, those that hold values have types.
      let types = (0..<(first?.wordCount ?? 0)).map { index in
        index < 2 || first?.words.token(at: index).kind == .flag ? nil : schemas[random.next(schemas.count)]
      }
      func pass(_ text: String) -> Int {
        var reader = StatementReader(Array(text.utf8), grammar: grammar)
        reader.passPlainLines { line in
          guard let known else { return .unchecked }
          if line.names == known.names, line.fits(types) { return .types(types) }
          return line.words == known.words ? .types([]) : nil
        }
        return reader.line - 1
      }
      var alone = 0
      for line in lines {
        let count = pass(line)
        alone += count
        guard count == line.split(separator: "\n").count else { break }
      }
      let together = pass(lines.joined())
      #expect(together == alone, "\(lines)")
      if together == lines.count { passed += 1 } else { stopped += 1 }
    }
    #expect(passed > 100 && stopped > 100)
  }

  /// Lines of forms that come again are read by their forms: as each would be alone, whether or not somebody keeps the lines before.
  @Test(arguments: [false, true])
  func linesOfOneFormAreReadAsEachIsAlone(areKept: Bool) throws {
    let starts = ["dispatch a.b", "dispatch a.c x=1", "try dispatch a.b", "  dispatch a.b --quiet", "echo", "set a b"]
    let values = [
      " 1", " -17", " x", " --f", " \"x y\"", " \"é\"", " \"\"", " 'b c'", " n=1", " n=\"a\"", " n=", " m=x&", " n=$v",
      " # c", " n='c'", " 3=4", " > f", " 1.5", " n=-200", " n=true", " ", " o=\"longer than before\"",
      " p=12345",
    ]
    func told(_ statement: ShellLanguage.Statement) -> String {
      let words = statement.words.map { "\($0.line):\($0.column):\($0.width) \($0.text) \($0.kind)" }
      return "\(statement.line) \(statement.text.debugDescription) \(statement.hasFlags) \(words)"
    }
    var random = Numbers()
    var again = 0
    for _ in 0..<1_000 {
      let few = (0..<3).map { _ in
        starts[random.next(starts.count)] + (0..<random.next(5)).map { _ in values[random.next(values.count)] }.joined()
      }
      let lines = (0..<12).map { _ in
        // The same words, some with other values.
        few[random.next(few.count)].split(separator: "=", omittingEmptySubsequences: false).enumerated().map {
          $0 > 0 && random.next(3) == 0 ? "\(random.next(1_000))\($1.drop { $0.isNumber })" : String($1)
        }.joined(separator: "=") + "\n"
      }
      guard
        let alone = try? lines.enumerated().map({ index, line in
          try statements(line).map { told($0.numbered(index + 1)) }
        })
      else { continue }
      var reader = StatementReader(Array(lines.joined().utf8), grammar: grammar)
      var (kept, together): ([ShellLanguage.Statement], [String]) = ([], [])
      while let statement = try reader.next() {
        together.append(told(statement))
        if areKept { kept.append(statement) }
      }
      #expect(together == alone.flatMap { $0 }, "\(lines)")
      if areKept { #expect(kept.map(told) == together) }
      again += lines.count - Set(lines).count
    }
    #expect(again > 100)
  }

  /// Lines of one form are told by comparing bytes: however many there are, few are looked at.
  @Test(arguments: [200, 800])
  func linesOfOneFormAreLookedAtOnce(count: Int) throws {
    let lines = (0..<count).map { "dispatch a.b by=\($0) title=t\($0)\ndispatch a.c \($0) \"text \($0)\"\n" }
    var reader = StatementReader(Array((lines.joined() + "dispatch a.b by=1.5 title=x\n").utf8), grammar: grammar)
    var looks = 0
    reader.passPlainLines { line in
      looks += 1
      let types = [nil, nil, Int.schema, String.schema]
      return line.fits(types) ? .types(types) : nil
    }
    #expect(looks == 3 && reader.line == 2 * count + 1)
  }

  @Test func whatBytesTellIsWhatTheLiteralTells() throws {
    let schemas: [(String, Schema)] = [
      ("String", String.schema), ("Int", Int.schema), ("Int8", Int8.schema), ("UInt", UInt.schema),
      ("Bool", Bool.schema),
      ("Double", Double.schema), ("Int?", Int?.schema), ("String?", String?.schema), ("Double?", Double?.schema),
      ("Bool?", Bool?.schema), ("Float", Float.schema),
      ("choice", .dynamic(.choice(name: "Color", cases: ["x", "nil", "a b", ""]))),
      ("decimal", .dynamic(.decimal(scale: 2))), ("decimal?", .dynamic(.optional(.dynamic(.decimal(scale: 2))))),
    ]
    let words = [
      "1", "-1", "0", "-", "+5", "007", "128", "-129", "999999999999999999", "1000000000000000000",
      "99999999999999999999",
      "1e3", "1.5", "nil", "null", "true", "x", "\"1\"", "\"\"", "\"a b\"", "'c'", "\"a\\tb\"", "é", "x=", "x=7",
      "x=\"seventeen bytes..\"", "0x1F", "-1.50", "0.1", "-0", "1.", ".5", "1..5", "1.505", "123456789012345",
      "1234567890123456", "0.000000000000001", "-0.3", "false", "\"true\"", "\"1.50\"", "inf",
    ]
    for (name, schema) in schemas {
      for word in words {
        let read = try statement("a \(word)").words
        guard let plain = read.plainValue(of: read.token(at: 1), as: schema) else { continue }
        #expect(try read[1].value?.value(as: schema) { _ in .none } == plain, "\(name) \(word)")
      }
    }
    let plain = try statement("a x=12").words
    #expect(plain.plainValue(of: plain.token(at: 1), as: Int.schema) == .int(12))
    #expect(plain.plainValue(of: plain.token(at: 1), as: String.schema) == .string("12"))
  }

  @Test func moreWordsThanStandInPlace() throws {
    let line = try statement("a b c d e f --g h")
    let words = line.words
    #expect(words.map(\.text) == ["a", "b", "c", "d", "e", "f", "--g", "h"])
    #expect(words.choosing([1, 5, 7]).map(\.text) == ["b", "f", "h"])
    #expect(words.choosing([1, 5, 7]).dropFirst().map(\.text) == ["f", "h"])
    #expect(line.words(behind: 6).map(\.text) == ["--g", "h"])
    #expect(line.wordCount == 8)
  }
}
