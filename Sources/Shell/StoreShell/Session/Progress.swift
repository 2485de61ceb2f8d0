import ShellLanguage

/// Says on a terminal how far a long command has come, and looks whether it is to stop.
struct Progress {
  /// The number of steps after which there may be something to do.
  static let interval = 256
  /// The number of steps; 0: not known.
  var total = 0
  private let session: Session
  private let verb: String
  private let isShown: Bool

  /// - Parameter verb: the work, such as `replaying`.
  init(_ session: Session, _ verb: String) {
    self.session = session
    self.verb = verb
    isShown = session.console.showsProgress
  }

  /// Takes note that so many steps are done.
  ///
  /// - Throws: `ShellError` where Ctrl-C was pressed.
  func step(_ count: Int) throws {
    guard count.isMultiple(of: Self.interval) else { return }
    if session.isInterrupted {
      clear()
      throw ShellError.interrupted
    }
    guard isShown, count.isMultiple(of: 1 << 14) else { return }
    session.console.showProgress("\(verb) \(count)\(total > 0 ? " of \(total)" : "")")
  }

  /// Takes the line away.
  func clear() { session.console.hideProgress() }
}
