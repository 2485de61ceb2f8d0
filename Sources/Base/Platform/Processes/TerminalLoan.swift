/// The terminal, lent to a program that asks for it.
///
/// A program in a group of its own is stopped when it wants to read from the terminal or to change its modes. Pagers
/// and menus do so: such a program gets the terminal then, and Ctrl-C is its own from there on. Others never take it
/// from those who share a pipeline with us.
package struct TerminalLoan {
  private var terminal: Int32 = -1
  /// True if somebody has the terminal.
  package var isLent: Bool { terminal >= 0 }

  /// Lends the terminal to a group.
  ///
  /// - Returns: false where it is not ours to give: there is none, or another group has it.
  package mutating func lend(to group: pid_t) -> Bool {
    if !isLent {
      let opened = open("/dev/tty", O_RDWR | O_CLOEXEC)
      guard opened >= 0, tcgetpgrp(opened) == getpgrp() else {
        if opened >= 0 { close(opened) }
        return false
      }
      terminal = opened
    }
    give(to: group)
    return true
  }

  /// Takes it back.
  package mutating func end() {
    guard isLent else { return }
    give(to: getpgrp())
    close(terminal)
    terminal = -1
  }

  private func give(to group: pid_t) {
    // A process in the background is stopped for such a call, unless the signal is blocked.
    var blocked = sigset_t()
    var former = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &blocked, &former)
    tcsetpgrp(terminal, group)
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }
}
