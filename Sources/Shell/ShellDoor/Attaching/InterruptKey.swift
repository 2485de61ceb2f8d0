import Platform

/// Ctrl-C as a signal while a line is edited, in which it is a key like any other: whoever waits there for something else than
/// keys does not hear of those.
struct InterruptKey {
  private let former: termios
  private static let key: UInt8 = 0x03
  /// The key of a signal that has none.
  private static let none: UInt8 = 0

  /// Has it be a signal; nil: there is no terminal, or it is one already.
  init?() {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    former = settings
    let isSignal = withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      defer { keys[Int(VINTR)] = Self.key }
      return keys[Int(VINTR)] != Self.none
    }
    guard !isSignal else { return nil }
    // The keys before it stay.
    settings.c_lflag |= tcflag_t(NOFLSH)
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Has it be a key again.
  func release() {
    var former = former
    tcsetattr(STDIN_FILENO, TCSANOW, &former)
  }
}
