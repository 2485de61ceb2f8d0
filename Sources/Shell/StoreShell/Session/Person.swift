/// The person who gives a session its lines, where there is one.
struct Person {
  /// Asks a question; nil: there is nobody to ask.
  var ask: ((_ question: String) -> String?)?
  /// Gives past lines, oldest first; set by the prompt.
  var pastLines: () -> [String] = { [] }
  /// Gives the times of past lines, in seconds since 1970; none where they are not known.
  var pastTimes: () -> [Int?] = { [] }
  /// The names of actions, for the look of the line.
  let actionNames = ActionNameIndex()
  /// The lines that a client gave before, which are kept at its own end too.
  var kept: [String] = []
  /// The statement that a client types, so far.
  var typed = ""

  /// The lines that a client gave, with the one that it gives now.
  var pastAndTyped: [String] {
    let line = String(typed.dropLast(typed.hasSuffix("\n") ? 1 : 0))
    return PastLines.keeps(line, after: kept.last) ? kept + [line] : kept
  }
}
