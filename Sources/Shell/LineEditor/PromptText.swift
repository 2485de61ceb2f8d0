/// A prompt as readline wants it: what takes no room on the screen stands between the bytes 1 and 2.
enum PromptText {
  /// Marks control sequences (ESC `[` ... letter) as invisible, or leaves them out for a terminal that knows none.
  static func marked(_ prompt: String, isDumb: Bool) -> String {
    var result = ""
    var rest = Substring(prompt)
    while let start = rest.firstIndex(of: "\u{1B}") {
      result += rest[..<start]
      let body = rest[start...].dropFirst(2)
      let end = body.firstIndex { $0.isLetter }.map(body.index(after:)) ?? body.endIndex
      if !isDumb { result += "\u{1}" + rest[start..<end] + "\u{2}" }
      rest = rest[end...]
    }
    return result + rest
  }
}
