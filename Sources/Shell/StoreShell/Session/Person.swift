import Platform

/// The person who gives a session its lines, where there is one.
struct Person {
  /// Asks a question; nil: there is nobody to ask.
  var ask: ((_ question: String) -> String?)?
  /// Keeps a line that was no answer to a question until the next prompt; nil: there is none.
  var postpone: ((_ line: String) -> Void)?
  /// Gives past lines, oldest first; set by the prompt.
  var pastLines: () -> [PastLine] = { [] }
  /// The clock that times of day are shown by.
  var clock = LocalTime.own
  /// The names of actions, for the look of the line.
  let actionNames = ActionNameIndex()
  /// The lines that a client gave before, which are kept at its own end too.
  var kept: [PastLine] = []
  /// The number of lines before those, which are kept there alone.
  var left = 0
  /// The screen of a client, on which it draws what it is sent; nil: it has none.
  var screen: ClientScreen?
  /// The files of the client, which its statements read and write; nil: they are those of the program.
  var files: ClientFiles?
  /// The statement that a client types, so far.
  var typed = ""

  /// Takes in lines that a client gives.
  ///
  /// - Parameter first: the number of the first among all of the client's lines; nil: they go on where the last ones ended.
  mutating func take(_ lines: [PastLine], from first: Int?) {
    guard !lines.isEmpty else { return }
    let last = (first.map { $0 - 1 } ?? left + kept.count) + lines.count
    kept = PastLines.newest(of: kept + lines)
    left = max(last - kept.count, 0)
  }

  /// The lines that a client gave, with the one that it gives now.
  var pastAndTyped: [PastLine] {
    let line = String(typed.dropLast(typed.hasSuffix("\n") ? 1 : 0))
    return PastLines.keeps(line, after: kept.last?.text) ? kept + [PastLine(line, at: time(nil))] : kept
  }
}
