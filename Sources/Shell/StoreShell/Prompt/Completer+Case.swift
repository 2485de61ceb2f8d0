extension Completer {
  /// The words that can stand at the cursor; where none begins as typed, those that begin so in small or large letters.
  func complete(line: String, cursor: Int, openLines: [String], ignoresCase: Bool) -> LineCompletion {
    let found = complete(line: line, cursor: cursor, openLines: openLines)
    guard ignoresCase, found.candidates.isEmpty, found.note == nil else { return found }
    let bytes = line.utf8.prefix(cursor)
    let word = String(decoding: bytes.dropFirst(found.replaceFrom), as: UTF8.self)
    let before = String(decoding: bytes.prefix(found.replaceFrom), as: UTF8.self)
    let candidates = candidates(for: word[...], behind: before, openLines: openLines)
    return candidates.isEmpty ? found : LineCompletion(replaceFrom: found.replaceFrom, candidates: candidates)
  }

  /// The candidates that begin as a word does in small or large letters. Each name in it that a dot ends is looked up first.
  private func candidates(
    for word: Substring, behind before: String, openLines: [String]
  ) -> [LineCompletion.Candidate] {
    var start = ""
    if let dot = word.dropLast().lastIndex(of: ".") {
      let names = candidates(for: word[..<dot], behind: before, openLines: openLines)
      guard let name = names.first(where: { $0.text.lowercased() == word[..<dot].lowercased() }) else { return [] }
      start = name.text + "."
    }
    let line = before + start
    let all = complete(line: line, cursor: line.utf8.count, openLines: openLines).candidates
    return all.filter { $0.text.lowercased().hasPrefix(word.lowercased()) }
  }
}
