import StoreShell

/// The effect of Tab with a completion.
enum CompletionInsertion: Equatable {
  /// Replace the word by a text; `suffix` is to follow it, unless it is there already.
  case replace(text: String, suffix: String)
  /// Show the candidates: they have nothing more in common than what is typed.
  case list
  /// Show a note, and the candidates behind it.
  case note(String)
  /// Nothing fits.
  case nothing

  /// - Parameters:
  ///   - completion: The completer's proposal.
  ///   - word: The text between `replaceFrom` and the cursor.
  init(_ completion: LineCompletion, word: String) {
    let candidates = completion.candidates
    if candidates.count == 1, completion.rest == nil, let only = candidates.first {
      self = .replace(text: only.text, suffix: only.suffix)
    } else if let note = completion.note {
      self = .note(note)
    } else if candidates.isEmpty {
      self = .nothing
    } else {
      let common = Self.commonPrefix(of: candidates.map(\.text) + (completion.rest.map { [$0.common] } ?? []))
      // A completer that ignores case may propose texts that share less than what is typed: that is not taken away.
      let extends = common.utf8.count > word.utf8.count && common.lowercased().hasPrefix(word.lowercased())
      self = extends ? .replace(text: common, suffix: "") : .list
    }
  }

  static func commonPrefix(of texts: [String]) -> String {
    guard let first = texts.first else { return "" }
    // Byte by byte, since there may be thousands, and then back to the end of a character.
    var count = first.utf8.count
    for text in texts.dropFirst() {
      var shared = 0
      for (left, right) in zip(first.utf8, text.utf8) {
        guard left == right, shared < count else { break }
        shared += 1
      }
      count = shared
    }
    return String(
      first.prefix { character in
        count -= character.utf8.count
        return count >= 0
      })
  }
}
