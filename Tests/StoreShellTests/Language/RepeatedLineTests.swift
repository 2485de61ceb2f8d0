import Testing

@testable import StoreShell

/// Lines that repeat are read once, and plain lines are not read at all when a script is only checked: neither may change
/// what a script says.
struct RepeatedLineTests {
  private let grammar = Grammar(luaVerbs: [LuaVerb("assert"), LuaVerb("=")], prefixes: ["try"])

  @Test func aRepeatedLineSaysTheSameOnEveryLine() throws {
    var reader = StatementReader(
      Array("dispatch a.b c=1\nshow a.b # same\ndispatch a.b c=1\n\ndispatch a.b c=2\ndispatch a.b c=1\n".utf8),
      grammar: grammar)
    var found: [String] = []
    while let statement = try reader.next() {
      found.append("\(statement.line) \(statement.words.map(\.text).joined(separator: "|")) \(statement.isRepeated)")
    }
    #expect(
      found == [
        "1 dispatch|a.b|c=1 false", "2 show|a.b false", "3 dispatch|a.b|c=1 true", "5 dispatch|a.b|c=2 false",
        "6 dispatch|a.b|c=1 true",
      ])
  }

  @Test func aLineThatGoesOnIsNotTakenForOneThatEnds() throws {
    var reader = StatementReader(
      Array("echo words words\necho words words\\\n more\necho words words\n".utf8), grammar: grammar)
    var counts: [Int] = []
    while let statement = try reader.next() { counts.append(statement.words.count) }
    #expect(counts == [3, 4, 3])
  }

  @Test func aLineThatIsStillArrivingWaits() throws {
    var reader = StatementReader(grammar: grammar)
    reader.append("dispatch a.b\ndispatch a.b".utf8)
    #expect(try reader.next()?.line == 1)
    #expect(try reader.next() == nil)
    reader.append("c\ndispatch a.b\n".utf8)
    #expect(try reader.next()?.words[1].text == "a.bc")
    #expect(try reader.next()?.words[1].text == "a.b")
  }

  @Test(arguments: 1...200) func plainLinesCannotBeAtFault(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let letters = Array("abzZ_019. -  ..--".utf8)
    let ends = ["\n", "\n", "\\\n", " \"\n", " try\n", " # x\n"]
    var text: [UInt8] = []
    for _ in 0..<30 {
      for _ in 0..<Int.random(in: 0..<20, using: &random) {
        text.append(letters[Int.random(in: letters.indices, using: &random)])
      }
      text += ends[Int.random(in: ends.indices, using: &random)].utf8
    }
    // What is skipped has no fault: a reader that skips meets the same faults, on the same lines.
    #expect(faults(of: text, skipping: true) == faults(of: text, skipping: false))
  }

  private func faults(of text: [UInt8], skipping: Bool) -> [String] {
    var reader = StatementReader(text, grammar: grammar)
    var faults: [String] = []
    while true {
      do throws(SyntaxFault) {
        if skipping { reader.skipPlainLines() }
        guard try reader.next() != nil else { return faults }
      } catch {
        faults.append("\(error.line):\(error.column) \(error.message)")
      }
    }
  }
}
