/// The person who gives a session its lines, where there is one.
struct Person {
  /// Asks a question; nil: there is nobody to ask.
  var ask: ((_ question: String) -> String?)?
  /// Gives past lines, oldest first; set by the prompt.
  var pastLines: () -> [String] = { [] }
}
