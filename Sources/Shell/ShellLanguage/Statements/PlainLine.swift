import StoreSchema

/// A plain statement that nobody reads: its words are their bytes. It is only used while those stand still.
package struct PlainLine {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let tokens: Tokens
  private let start: Int

  /// - Parameter start: the start of the statement among the bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ tokens: Tokens, from start: Int) {
    (self.bytes, self.tokens, self.start) = (bytes, tokens, start)
  }

  /// A number that lines share whose verbs, first operands, flags and names of arguments are the same: they differ in values alone.
  package var names: UInt64 { tokens.names(in: bytes, from: start) }
  /// A number that lines share whose words are the same.
  package var words: UInt64 { tokens.words(in: bytes, from: start) }

  /// True if each value is of its type.
  ///
  /// - Parameter types: those of the values, by word; nil: a word has none.
  package func fits(_ types: [Schema?]) -> Bool {
    guard types.count == tokens.count else { return false }
    for (index, type) in types.enumerated() {
      guard let type else { continue }
      let token = tokens[index]
      guard token.form == .bare || token.form == .text else { return false }
      let value = (start + token.value.lowerBound)..<(start + token.value.upperBound)
      guard type.hasPlainValue(UnsafeBufferPointer(rebasing: bytes[value]), isQuoted: token.form == .text) else {
        return false
      }
    }
    return true
  }

  /// What is known of the values in lines that are passed over.
  package enum Values {
    /// Whatever they are, they need no look.
    case unchecked
    /// Their types, by word; nil: the word has none, and only the same word needs no look.
    case types([Schema?])
  }
}
