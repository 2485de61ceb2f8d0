import Platform

enum DirectoryListing {
  /// Files and folders that begin as typed.
  static func candidates(_ typed: String) -> [LineCompletion.Candidate] { candidates(typed) { _ in true } }

  /// Folders that begin as typed.
  static func folderCandidates(_ typed: String) -> [LineCompletion.Candidate] { candidates(typed, where: \.isFolder) }

  private static func candidates(_ typed: String, where isIncluded: (Entry) -> Bool) -> [LineCompletion.Candidate] {
    var directory = ""
    if let slash = typed.lastIndex(of: "/") { directory = String(typed[...slash]) }
    let start = typed.dropFirst(directory.count)
    return entries(in: directory.isEmpty ? "." : UserEnvironment.expanding(directory))
      .filter { isIncluded($0) && (!$0.name.hasPrefix(".") || start.hasPrefix(".")) }
      .map { entry in
        LineCompletion.Candidate(
          text: directory + entry.name, display: entry.name, suffix: entry.isFolder ? "/" : " ")
      }
  }

  /// The folders in a directory.
  static func folders(in directory: String) -> [String] { entries(in: directory).filter(\.isFolder).map(\.name) }

  private typealias Entry = (name: String, isFolder: Bool)

  private static func entries(in directory: String) -> [Entry] {
    // A name that is not UTF-8 cannot be typed.
    Files.names(in: directory).filter { !$0.unicodeScalars.contains("\u{FFFD}") }
      .map { ($0, Files.isDirectory("\(directory)/\($0)")) }
  }
}

extension LineCompletion {
  /// The files here that may stand for a word.
  ///
  /// - Parameter start: the byte offset of the word in its line.
  package static func ofFiles(_ word: String, at start: Int) -> LineCompletion {
    let spelling = WordSpelling(word)
    return LineCompletion(
      replaceFrom: start, candidates: spelling.spell(DirectoryListing.candidates(spelling.typed)))
  }
}
