import Platform
import StoreCore
import Synchronization

/// The clock that a session's tasks wait by. The session moves it, on its own thread: a virtual one only while somebody
/// waits. A real one moves whenever the session waits for something, be it a line at the prompt.
final class SessionClock {
  private enum Kind {
    case real(RealClock)
    case virtual(VirtualClock)
  }

  private let kind: Kind
  private let wake = WakeSignal()

  /// The time by the clock on the wall, from any moment on; it passes also where the clock is virtual.
  var wallTime: () -> Duration = {
    let start = ContinuousClock.now
    return { start.duration(to: .now) }
  }()

  init(isVirtual: Bool) {
    kind = isVirtual ? .virtual(VirtualClock()) : .real(RealClock(driver: .host(wake: { [wake] in wake.send() })))
  }

  var clock: any StoreClock {
    switch kind {
    case .real(let clock): clock
    case .virtual(let clock): clock
    }
  }

  /// Readable when another thread has scheduled something that is due earlier than all else.
  var wakeDescriptor: Int32 { wake.descriptor }

  /// Ends the wait of the session's thread, from any other.
  var wakeUp: @Sendable () -> Void { { [wake] in wake.send() } }

  /// The earliest deadline that somebody waits for.
  var nextDeadline: Duration? {
    switch kind {
    case .real(let clock): clock.nextDeadline
    case .virtual(let clock): clock.nextDeadline
    }
  }

  /// True if the clock stands still, because an earlier state is shown. A virtual clock moves only while somebody waits
  /// anyway.
  var isPaused: Bool {
    get {
      if case .real(let clock) = kind { return clock.isPaused }
      return false
    }
    set {
      guard case .real(let clock) = kind else { return }
      if newValue { clock.pause() } else { clock.resume() }
    }
  }

  /// True if time passes while somebody waits.
  var passesByItself: Bool { if case .real = kind { true } else { false } }

  /// The time until something falls due by itself.
  var untilNext: Duration? {
    guard case .real(let clock) = kind, !clock.isPaused else { return nil }
    return clock.nextDeadline.map { max($0 - clock.now, .zero) }
  }

  /// Runs what is due by itself.
  func runDue() {
    wake.take()
    if case .real(let clock) = kind { clock.runDue() }
  }

  /// Lets time pass to the next deadline or to a limit, whichever comes first, and runs what is due then.
  ///
  /// - Parameters:
  ///   - interrupt: a descriptor that ends the wait when it becomes readable.
  ///   - wake: more of them.
  ///   - longest: the longest time to wait, by the real clock.
  /// - Returns: false: nothing will ever happen.
  func pass(until limit: Duration?, interrupt: Int32, wake: [Int32], atMost longest: Duration?) -> Bool {
    let next = [nextDeadline, limit].compactMap { $0 }.min()
    switch kind {
    case .virtual(let clock):
      guard let next else { return false }
      clock.advance(by: next - clock.now)
    case .real(let clock):
      // Other threads may start something without telling: nobody waits longer than this without looking.
      let wait = min(
        next.map { max($0 - clock.now, .zero) } ?? .milliseconds(100), longest ?? .seconds(60), .seconds(60))
      var sources = ([interrupt] + wake).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let (seconds, attoseconds) = wait.components
      poll(
        &sources, nfds_t(sources.count),
        Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
      runDue()
    }
    return true
  }
}

/// A descriptor that becomes readable when another thread than the one that made it says so.
private final class WakeSignal: Sendable {
  private let ends = Pipe()
  private let owner = pthread_self()
  /// Spares whoever takes a system call.
  private let isSent = Atomic<Bool>(false)

  init() {
    if let ends { for end in [ends.read, ends.write] { _ = fcntl(end, F_SETFL, O_NONBLOCK) } }
  }

  deinit { ends?.close() }

  var descriptor: Int32 { ends?.read ?? -1 }

  func send() {
    guard pthread_equal(owner, pthread_self()) == 0 else { return }
    isSent.store(true, ordering: .releasing)
    _ = write(ends?.write ?? -1, [1], 1)
  }

  func take() {
    guard isSent.load(ordering: .relaxed), isSent.exchange(false, ordering: .acquiring) else { return }
    var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
