/// The values that an argument may have.
enum ArgumentValues {
  /// All of them: cases, truth values.
  case listed([String])
  /// Elements that are there.
  case items(KnownElements.Found)

  func candidates(behind prefix: String = "") -> [LineCompletion.Candidate] {
    switch self {
    case .listed(let texts): texts.map { LineCompletion.Candidate(text: prefix + $0, display: $0) }
    case .items(let found): found.candidates(behind: prefix)
    }
  }

  var candidates: [LineCompletion.Candidate] { candidates() }
}

extension KnownElements.Found {
  func candidates(behind prefix: String = "") -> [LineCompletion.Candidate] {
    values.map { LineCompletion.Candidate(text: prefix + $0.text, display: $0.text, meaning: $0.label) }
  }

  /// The way to fewer of them.
  private var advice: String {
    guard let labelName else { return "type the start of one" }
    return "type the start of an id or of a \(labelName)"
  }

  func rest(behind prefix: String = "") -> LineCompletion.Rest? {
    guard leftOut != 0 else { return nil }
    return LineCompletion.Rest(count: leftOut, common: prefix + (common ?? ""), advice: advice)
  }
}
