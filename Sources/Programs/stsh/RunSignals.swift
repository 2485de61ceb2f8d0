import Platform
import StoreCore
import StoreShell
import Synchronization

/// While a run goes on: SIGTERM, SIGHUP and, without a prompt, SIGINT, and the end of its time, end it in an orderly
/// way. A second signal ends the process at once; but a terminal that is closed sends more than one SIGHUP. Once it is
/// over they do not end the process either, so that the history is kept. The next run, if there is one, is told.
final class RunSignals {
  private static let ends: (read: Int32, write: Int32) = Pipe().map { ($0.read, $0.write) } ?? (-1, -1)
  private static let count = Atomic<Int>(0)
  private var thread: WorkerThread?

  /// - Parameter handlesInterrupt: true if SIGINT is such a signal.
  init(_ stop: RunStop, timeout: Duration?, handlesInterrupt: Bool) {
    let ends = RunSignals.ends
    for number in [SIGTERM, SIGHUP] + (handlesInterrupt ? [SIGINT] : []) {
      var action = sigaction()
      var old = sigaction()
      // Async-signal-safe: an atomic, `write` and `_exit` alone.
      action.__sigaction_handler.sa_handler = { number in
        if RunSignals.count.add(1, ordering: .relaxed).oldValue > 0, number != SIGHUP { _exit(128 + number) }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(RunSignals.ends.write, &byte, 1)
      }
      sigaction(number, nil, &old)
      // Whoever started the program in the background had it ignore Ctrl-C.
      if RunSignals.isIgnored(old) { continue }
      sigaction(number, &action, nil)
    }
    thread = try? WorkerThread { RunSignals.wait(ends.read, stop, timeout) }
  }

  /// `SIG_IGN` is no function but the address 1, so that only its bits can be compared.
  private static func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Passes them on no more; may be called again.
  func finish() {
    guard let thread else { return }
    self.thread = nil
    // Ends the thread; the next one must not take the byte.
    _ = write(RunSignals.ends.write, [0], 1)
    thread.join()
  }

  /// Waits for a signal or for the end of the time.
  private static func wait(_ descriptor: Int32, _ stop: RunStop, _ timeout: Duration?) {
    let end = timeout.map { ContinuousClock.now + $0 }
    var isTimed = end != nil
    while true {
      var milliseconds: Int32 = -1
      if let end, isTimed {
        let left = (end - .now) / .milliseconds(1)
        milliseconds = Int32(max(0, min(left.rounded(.up), 1_000_000)))
      }
      var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&source, 1, milliseconds)
      if count > 0 {
        var byte: UInt8 = 0
        guard read(descriptor, &byte, 1) == 1, byte != 0 else { return }
        stop.stop(.signal(Int32(byte)))
      } else if let timeout, let end, isTimed, .now >= end {
        stop.stop(.timeOver(timeout))
        isTimed = false
      }
    }
  }
}
