import Platform
import ShellLanguage
import StoreCore
import StoreShell
import Synchronization

/// While a run goes on: SIGTERM, SIGHUP, SIGQUIT and, without a prompt, SIGINT, and the end of its time, end it in an orderly
/// way. A signal behind them ends the process at once; but a terminal that is closed sends more than one SIGHUP. Once it is
/// over they do not end the process either, so that the history is kept. The next run, if there is one, is told.
final class RunSignals {
  private static let ends: (read: Int32, write: Int32) = Pipe().map { ($0.read, $0.write) } ?? (-1, -1)
  private static let count = Atomic<Int>(0)
  /// The number of signals of which the run has heard.
  private static let told = Atomic<Int>(0)
  /// True while a thread tells of them.
  private static let isListening = Atomic<Bool>(false)
  /// The number of signals that are passed on.
  private static let most = Atomic<Int>(1)
  private var thread: WorkerThread?

  /// - Parameters:
  ///   - handlesInterrupt: true if SIGINT is such a signal.
  ///   - most: the number of signals that the run is told of.
  ///   - breaksCalls: true if calls of the system that block this thread are to end with the run: libraries of Lua that read
  ///     a pipe wait for nothing else.
  /// - Throws: `ShellError` where the system gives no thread: nothing could end the run then.
  init(_ stop: RunStop, timeout: Duration?, handlesInterrupt: Bool, most: Int = 1, breaksCalls: Bool = false)
    throws
  {
    RunSignals.most.store(most, ordering: .relaxed)
    let ends = RunSignals.ends
    for number in [SIGTERM, SIGHUP, SIGQUIT] + (handlesInterrupt ? [SIGINT] : []) {
      var action = sigaction()
      var old = sigaction()
      // Async-signal-safe: an atomic, `write` and `_exit` alone.
      action.__sigaction_handler.sa_handler = { number in
        let before = RunSignals.count.add(1, ordering: .relaxed).oldValue
        if before >= RunSignals.most.load(ordering: .relaxed), number != SIGHUP { _exit(128 + number) }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(RunSignals.ends.write, &byte, 1)
      }
      sigaction(number, nil, &old)
      // Whoever started the program in the background had it ignore Ctrl-C.
      if RunSignals.isIgnored(old) { continue }
      sigaction(number, &action, nil)
    }
    if breaksCalls {
      // Does nothing, but a call that it meets ends with EINTR.
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      sigaction(SIGURG, &action, nil)
    }
    let caller = breaksCalls ? pthread_self() : nil
    if breaksCalls {
      stop.setAwaitSignals {
        while RunSignals.isListening.load(ordering: .acquiring),
          RunSignals.told.load(ordering: .acquiring) < RunSignals.count.load(ordering: .acquiring)
        { usleep(200) }
      }
    }
    RunSignals.isListening.store(true, ordering: .releasing)
    do throws(WorkerThread.Refusal) {
      thread = try WorkerThread { RunSignals.wait(ends.read, stop, timeout, caller) }
    } catch {
      throw ShellError(code: .failed, message: error.reason)
    }
  }

  /// `SIG_IGN` is no function but the address 1, so that only its bits can be compared.
  private static func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Passes them on no more; may be called again.
  func finish() {
    guard let thread else { return }
    self.thread = nil
    RunSignals.isListening.store(false, ordering: .releasing)
    // Ends the thread; the next one must not take the byte.
    _ = write(RunSignals.ends.write, [0], 1)
    thread.join()
  }

  /// Waits for a signal or for the end of the time.
  ///
  /// - Parameter caller: the thread whose calls of the system are to end with the run; nil: none.
  private static func wait(_ descriptor: Int32, _ stop: RunStop, _ timeout: Duration?, _ caller: pthread_t?) {
    let end = timeout.map { ContinuousClock.now + $0 }
    var isTimed = end != nil
    var isStopped = false
    while true {
      var milliseconds: Int32 = -1
      if isStopped, let caller {
        // A call may begin right behind a signal.
        pthread_kill(caller, SIGURG)
        milliseconds = 20
      } else if let end, isTimed {
        let left = (end - .now) / .milliseconds(1)
        milliseconds = Int32(max(0, min(left.rounded(.up), 1_000_000)))
      }
      var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&source, 1, milliseconds)
      if count > 0 {
        var byte: UInt8 = 0
        guard read(descriptor, &byte, 1) == 1, byte != 0 else { return }
        if !isStopped || Int32(byte) != SIGHUP { stop.stop(.signal(Int32(byte))) }
        RunSignals.told.add(1, ordering: .acquiringAndReleasing)
        isStopped = true
      } else if let timeout, let end, isTimed, .now >= end {
        stop.stop(.timeOver(timeout))
        isTimed = false
        isStopped = true
      }
    }
  }
}
