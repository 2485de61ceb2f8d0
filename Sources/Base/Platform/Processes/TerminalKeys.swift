/// The keys of the terminal at standard input, taken one by one and not shown, for as long as it lives. Ctrl-C stays a signal.
/// Ctrl-Z stops the program with the terminal as it was before. Once the program goes on, the next look takes the keys again.
package final class TerminalKeys {
  private var former = termios()
  /// True once a key was taken.
  package private(set) var isTaken = false
  private var isOver = false
  private var wasAway = false

  /// Nil where standard input is no terminal.
  package init?() {
    guard tcgetattr(0, &former) == 0, takeModes() else { return nil }
  }

  private static let lines = tcflag_t(ICANON | ECHO)

  private func takeModes() -> Bool {
    var modes = former
    modes.c_lflag &= ~Self.lines
    // The key that stops a program would leave the terminal as it is now to the shell.
    Self.setStop(nil, in: &modes)
    return tcsetattr(0, TCSADRAIN, &modes) == 0
  }

  private static func setStop(_ key: UInt8?, in modes: inout termios) {
    // The value of a key that is none.
    withUnsafeMutableBytes(of: &modes.c_cc) { $0[Int(VSUSP)] = key ?? 0 }
  }

  /// The key that stops the program; 0: there is none.
  private var stopKey: UInt8 { withUnsafeBytes(of: former.c_cc) { $0[Int(VSUSP)] } }

  /// Takes the terminal's modes anew, where the shell that the program was stopped in has set its own.
  private func takeBack() {
    var modes = termios()
    // A job in the background would be stopped.
    guard tcgetpgrp(0) == getpgrp(), tcgetattr(0, &modes) == 0, modes.c_lflag & Self.lines != 0, takeModes() else {
      return
    }
    wasAway = true
  }

  /// Stops the program and those that it shares a pipeline with, as the terminal does.
  private func suspend() {
    tcsetattr(0, TCSADRAIN, &former)
    kill(0, SIGTSTP)
  }

  /// True, once, if the program was stopped and goes on: what was drawn stands above the lines of the shell.
  package func takeReturn() -> Bool {
    defer { wasAway = false }
    return wasAway
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
    takeBack()
    var source = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&source, 1, 0) > 0 else { return isTaken }
    var byte: UInt8 = 0
    let count = read(0, &byte, 1)
    if count == 1, stopKey != 0, byte == stopKey {
      suspend()
    } else if count >= 0 {
      // At the end of input nobody will press any.
      isTaken = true
    }
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
