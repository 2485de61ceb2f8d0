/// Who gives a session its lines, where that is somebody.
struct Person {
  /// Asks a question; nil: there is nobody to ask.
  var ask: ((_ question: String) -> String?)?
  /// Gives past lines, oldest first; set by the prompt.
  var pastLines: () -> [String] = { [] }
}
