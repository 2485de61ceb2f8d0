import ShellLanguage
import StoreHost
import StoreHistory

/// The number of an action that a line says, as `17` or `#17`.
struct ActionNumber {
  private let number: Given<Int>
  fileprivate let place: ShellError.Place

  fileprivate init(_ number: Given<Int>, at place: ShellError.Place) {
    self.number = number
    self.place = place
  }

  /// The number, which must not be beyond the last action.
  ///
  /// - Parameter oldest: the oldest number that may be named; nil: that whose state can be made.
  func value(in session: Session, since oldest: Int? = nil) throws -> Int {
    let (number, store) = (try number.value(in: session), session.store)
    let (head, oldest) = (store.live.head, oldest ?? store.live.oldest)
    let error: HistoryError? =
      number > head
      ? .beyondHead(number, head: head) : number < oldest ? store.live.beforeBeginning(number, oldest: oldest) : nil
    guard let error else { return number }
    var described = ShellError(describing: error)
    described.place = place
    // Of what had another type before, nothing is known before the oldest action.
    let known = store.live.oldestEntry
    if number < oldest, number > known || known >= store.live.oldest { described.hint = store.live.hintAtBeginning }
    throw described
  }
}

extension CommandReader {
  /// The number that a text says.
  ///
  /// - Parameter word: the word that may stand there instead, such as `head`; nil: nothing else may.
  func number(_ text: Given<String>, at place: Word?, or word: String? = nil) throws -> ActionNumber {
    let span = place.map { ShellError.Place.span($0.span) } ?? .command
    return ActionNumber(
      try text.map { text in
        if let number = Int(action: text) { return number }
        throw ShellError(
          code: .typeMismatch,
          message: "\(definition.verb) takes the number of an action\(word.map { " or \($0)" } ?? ""), got '\(text)'",
          place: span, hint: "usage: \(usage)")
      }, at: span)
  }

  func number(_ index: Int, or word: String? = nil) throws -> ActionNumber {
    let text = try required(index, "the number of an action\(word.map { ", or \($0)" } ?? "")")
    return try number(text, at: operands[index], or: word)
  }
}

extension Int {
  /// The number of an action as people write it, `17` or `#17`; nil: it is none.
  init?(action text: String) {
    self.init(text.hasPrefix("#") ? String(text.dropFirst()) : text)
    if self < 0 { return nil }
  }
}
