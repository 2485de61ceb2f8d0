/// A grammar whose verbs are found by their bytes.
package final class CompiledGrammar: Sendable {
  package let base: Grammar
  private let verbs: [(name: [UInt8], verb: LuaVerb)]
  private let prefixes: [[UInt8]]
  private let numberVerbs: [[UInt8]]
  /// Bit n is set where a verb or prefix starts with a byte whose low six bits are n: most words need no comparison.
  private let firstBytes: UInt64

  package init(_ grammar: Grammar) {
    base = grammar
    verbs = grammar.luaVerbs.map { (Array($0.name.utf8), $0) }
    prefixes = grammar.prefixes.map { Array($0.utf8) }
    numberVerbs = grammar.numberVerbs.map { Array($0.utf8) }
    firstBytes = (verbs.map(\.name) + prefixes + numberVerbs).reduce(0) { $0 | 1 << UInt64(($1.first ?? 0) & 63) }
  }

  package func luaVerb(_ name: Slice<ByteView>) -> LuaVerb? {
    guard mayKnow(name) else { return nil }
    return verbs.first { $0.name.elementsEqual(name) }?.verb
  }

  package func isPrefix(_ name: Slice<ByteView>) -> Bool {
    mayKnow(name) && prefixes.contains { $0.elementsEqual(name) }
  }

  package func takesNumbers(_ name: Slice<ByteView>) -> Bool {
    mayKnow(name) && numberVerbs.contains { $0.elementsEqual(name) }
  }

  /// Returns true if a word could be one of the verbs, by its first byte.
  private func mayKnow(_ name: Slice<ByteView>) -> Bool {
    guard let first = name.first else { return false }
    return firstBytes & (1 << UInt64(first & 63)) != 0
  }
}
