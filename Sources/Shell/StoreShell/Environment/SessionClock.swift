import Platform
import StoreCore
import StoreHost
import Synchronization

/// The clock that a session waits by. A session with a store of its own moves it, on its own thread: a virtual one only
/// while it waits, a real one whenever it waits for something, be it a line at the prompt. The clock of a store that others
/// share moves by itself, or, a virtual one, while all of them wait.
final class SessionClock {
  private enum Kind {
    case real(RealClock)
    case virtual(VirtualClock)
    case shared(any StoreClock)
  }

  /// The last time that a virtual clock shows: what is recorded counts nanoseconds.
  static let end = Duration.nanoseconds(Int64.max)

  private let kind: Kind
  /// The real clock, whose timers each statement asks for.
  private let timers: RealClock?
  private let signal: WakeSignal?
  /// Ends the rests of a session that a door runs; nil: descriptors do.
  let bell: WaitBell?
  /// Ends the wait of the session's thread, from any other.
  let wakeUp: @Sendable () -> Void

  /// The time by the clock on the wall, from any moment on; it passes also where the clock is virtual.
  var wallTime: () -> Duration = {
    let start = ContinuousClock.now
    return { start.duration(to: .now) }
  }()

  init(isVirtual: Bool) {
    let signal = WakeSignal()
    (self.signal, bell) = (signal, nil)
    wakeUp = { signal.send() }
    timers = isVirtual ? nil : RealClock(driver: .host(wake: wakeUp))
    kind = timers.map { .real($0) } ?? .virtual(VirtualClock())
  }

  /// Follows the clock of a store that others share.
  ///
  /// - Parameter wakeUp: has the session look soon, where no thread of its own waits; nil: one does.
  init(of clock: any StoreClock, wakeUp: (@Sendable () -> Void)? = nil) {
    let signal = wakeUp == nil ? WakeSignal() : nil
    self.signal = signal
    let bell = wakeUp.map { _ in WaitBell() }
    self.bell = bell
    self.wakeUp = {
      bell?.ring()
      if let wakeUp { wakeUp() } else { signal?.send() }
    }
    kind = (clock as? VirtualClock).map { .virtual($0) } ?? .shared(clock)
    timers = nil
  }

  /// The clock, where it moves only while everybody waits.
  var virtual: VirtualClock? { if case .virtual(let clock) = kind { clock } else { nil } }

  /// True if others move it.
  var isShared: Bool { if case .shared = kind { true } else { false } }

  var clock: any StoreClock {
    switch kind {
    case .shared(let clock): clock
    case .real(let clock): clock
    case .virtual(let clock): clock
    }
  }

  /// Readable when another thread has scheduled something that is due earlier than all else.
  var wakeDescriptor: Int32 { signal?.descriptor ?? -1 }

  /// The earliest deadline that somebody waits for.
  var nextDeadline: Duration? {
    switch kind {
    case .real(let clock): clock.nextDeadline
    case .virtual(let clock): clock.nextDeadline
    case .shared: nil
    }
  }

  /// True if time passes while somebody waits.
  var passesByItself: Bool { virtual == nil }

  /// The time until something falls due by itself.
  var untilNext: Duration? {
    guard case .real(let clock) = kind else { return nil }
    return clock.nextDeadline.map { max($0 - clock.now, .zero) }
  }

  /// Forgets that it was woken.
  ///
  /// - Returns: false: nothing waits, and ``runDue(while:)`` would do nothing.
  func clearWake() -> Bool {
    signal?.take()
    // Unmanaged: each statement asks.
    if let timers = timers.map({ Unmanaged.passUnretained($0) }) {
      return timers._withUnsafeGuaranteedRef { $0.hasTimers }
    }
    if case .virtual = kind { return true }
    return false
  }

  /// Runs what is due by itself.
  ///
  /// - Parameter goesOn: asked before each piece of it by the real clock; false leaves the rest for the next call.
  func runDue(while goesOn: () -> Bool = { true }) {
    signal?.take()
    switch kind {
    case .real(let clock): clock.runDue(while: goesOn)
    case .virtual(let clock): clock.advance(by: .zero)
    case .shared: break
    }
  }

  /// Lets time pass to the next deadline or to a limit, whichever comes first, and runs what is due then.
  ///
  /// - Parameters:
  ///   - interrupt: a descriptor that ends the wait when it becomes readable.
  ///   - wake: more of them.
  ///   - longest: the longest time to wait, by the real clock.
  ///   - glance: the longest time without a look at a store that others change.
  /// - Returns: false: nothing will ever happen.
  func pass(
    until limit: Duration?, interrupt: Int32, wake: [Int32], atMost longest: Duration?, glance: Duration = glance
  ) -> Bool {
    let next = [nextDeadline, limit].compactMap { $0 }.min()
    switch kind {
    case .virtual(let clock):
      guard let next else { return false }
      clock.advance(by: next - clock.now)
    case .real(let clock):
      // Other threads may start something without telling: nobody waits longer than this without looking.
      let wait = min(
        next.map { max($0 - clock.now, .zero) } ?? .milliseconds(100), longest ?? .seconds(60), .seconds(60))
      rest(for: wait, interrupt: interrupt, wake: wake)
    case .shared(let clock):
      // Others dispatch without telling.
      let wait = min(next.map { max($0 - clock.now, .zero) } ?? glance, longest ?? glance, glance)
      rest(for: wait, interrupt: interrupt, wake: wake)
    }
    return true
  }

  /// The longest time for which a session that waits does not look at a store that others change.
  static let glance = Duration.milliseconds(20)

  /// Waits for a while by the clock on the wall, or until a descriptor can be read, and runs what is due then.
  func rest(for wait: Duration = glance, interrupt: Int32, wake: [Int32]) {
    if let bell {
      bell.wait(atMost: wait)
      return runDue()
    }
    var sources = ([interrupt] + wake).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let (seconds, attoseconds) = wait.components
    poll(
      &sources, nfds_t(sources.count),
      Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    runDue()
  }
}

/// A descriptor that becomes readable when another thread than the one that made it says so.
private final class WakeSignal: Sendable {
  private let ends = Pipe()
  /// The thread that waits.
  private let owner = Atomic<UInt>(UInt(pthread_self()))
  /// Spares whoever takes a system call.
  private let isSent = Atomic<Bool>(false)

  init() {
    if let ends { for end in [ends.read, ends.write] { _ = fcntl(end, F_SETFL, O_NONBLOCK) } }
  }

  deinit { ends?.close() }

  var descriptor: Int32 { ends?.read ?? -1 }

  func send() {
    guard owner.load(ordering: .relaxed) != UInt(pthread_self()) else { return }
    isSent.store(true, ordering: .releasing)
    _ = write(ends?.write ?? -1, [1], 1)
  }

  func take() {
    owner.store(UInt(pthread_self()), ordering: .relaxed)
    guard isSent.load(ordering: .relaxed), isSent.exchange(false, ordering: .acquiring) else { return }
    var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }
}

/// Ends the rests of a session that waits on a thread of a door. It is rung, from any thread, by what may end the wait: an action,
/// a message, an interruption. So a thousand waits cost nothing while nothing happens.
final class WaitBell: Sendable {
  private let rings = CountedSignal()
  private let isArmed = SharedFlag()

  func ring() { rings.signal() }

  /// Forgets the rings so far; what they told of is looked at behind this.
  func clear() { rings.clear() }

  /// Has the next action ring it.
  func arm(by actions: ActionSignal) {
    guard !isArmed.set(true) else { return }
    actions.next { [self] in
      _ = isArmed.set(false)
      ring()
    }
  }

  /// Waits for a ring, for some time at most.
  func wait(atMost time: Duration) { rings.wait(atMost: time) }
}
