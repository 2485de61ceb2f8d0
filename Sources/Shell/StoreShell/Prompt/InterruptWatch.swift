import Platform
import StoreCore

/// Stops Lua when Ctrl-C is pressed while a command runs: the command's own thread is busy, so another one waits for it.
enum InterruptWatch {
  /// Runs a command; meanwhile a thread waits for interrupts.
  ///
  /// - Parameters:
  ///   - descriptor: gets a byte at each interrupt.
  ///   - interrupts: the functions that stop the Lua that may be running.
  /// - Returns: the number of times that the command was interrupted.
  static func run(_ descriptor: Int32, _ interrupts: [@Sendable () -> Void], _ command: () -> Void) -> Int {
    guard descriptor >= 0, let ends = Pipe() else {
      command()
      return 0
    }
    let count = Lock(0)
    let watch = try? WorkerThread {
      wait(for: descriptor, until: ends.read) { presses in
        count.withLock { $0 += presses }
        for interrupt in interrupts { interrupt() }
      }
    }
    command()
    close(ends.write)
    watch?.join()
    close(ends.read)
    return count.withLock { $0 }
  }

  private static func wait(for descriptor: Int32, until end: Int32, _ interrupt: (_ presses: Int) -> Void) {
    var waiting: Int32 = 0
    while !hasEnded(end, descriptor, isInterrupted: waiting > 0) {
      // An interrupt that waits to be taken keeps the descriptor readable; one more byte is one more interrupt.
      let before = waiting
      guard ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 else { return }
      if waiting > before { interrupt(Int(waiting - before)) }
    }
  }

  /// Waits for an interrupt or the end of the command; while an interrupt waits to be taken, for a moment at most.
  ///
  /// - Returns: true if the command has ended.
  private static func hasEnded(_ end: Int32, _ descriptor: Int32, isInterrupted: Bool) -> Bool {
    var sources = [end, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&sources, isInterrupted ? 1 : 2, isInterrupted ? 20 : -1) < 0, errno == EINTR {}
    return sources[0].revents != 0
  }
}
