/// The keys of the terminal at standard input, taken one by one and not shown, for as long as it lives. Ctrl-C stays a signal.
package final class TerminalKeys {
  private var former = termios()
  /// True once a key was taken.
  package private(set) var isTaken = false
  private var isOver = false

  /// Nil where standard input is no terminal.
  package init?() {
    guard tcgetattr(0, &former) == 0, takeModes() else { return nil }
  }

  private static let lines = tcflag_t(ICANON | ECHO)

  private func takeModes() -> Bool {
    var modes = former
    modes.c_lflag &= ~Self.lines
    return tcsetattr(0, TCSADRAIN, &modes) == 0
  }

  /// Takes the terminal's modes anew, where the shell that the program was stopped in has set its own.
  ///
  /// - Returns: true if it had: what was drawn stands above that shell's lines.
  package func takeBack() -> Bool {
    var modes = termios()
    // A job in the background would be stopped.
    guard tcgetpgrp(0) == getpgrp(), tcgetattr(0, &modes) == 0, modes.c_lflag & Self.lines != 0 else { return false }
    return takeModes()
  }

  deinit { end() }

  /// The rows of the terminal; 24 where it does not say.
  package var rows: Int {
    var size = winsize()
    guard ioctl(0, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }

  /// Takes a key, if one was pressed.
  package func isPressed() -> Bool {
    var source = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&source, 1, 0) > 0 else { return isTaken }
    var byte: UInt8 = 0
    // At the end of input nobody will press any.
    if read(0, &byte, 1) >= 0 { isTaken = true }
    return isTaken
  }

  /// Gives the terminal back as it was.
  package func end() {
    guard !isOver else { return }
    isOver = true
    tcflush(0, TCIFLUSH)
    tcsetattr(0, TCSADRAIN, &former)
  }
}
