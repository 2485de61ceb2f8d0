import Synchronization

/// An effect that was started and has neither ended nor been cancelled. All that its unit knows of it is
/// in this one object.
@usableFromInline
final class EffectEntry: @unchecked Sendable {
  // Safe: everything that changes, but for the two atomics, is used only on the thread that owns the store, and in the store's
  // `deinit`, when there is none.

  /// A number that no other effect of the unit has.
  let id: Int
  let key: EffectKey?
  let path: [EffectToken]
  /// How it was started last.
  @exclusivity(unchecked) private(set) var start: Start
  /// The work that begins when its time has come; nil: it has begun.
  @exclusivity(unchecked) var opening: Opening?
  @exclusivity(unchecked) var task: Task<Void, Never>?
  /// The steps it runs, once they have begun; nil for effects without steps.
  @exclusivity(unchecked) var steps: (any EffectSteps)?
  @exclusivity(unchecked) var timer: ScheduledTimer?
  /// Tells its waits for the clock from each other.
  @exclusivity(unchecked) private var waits = 0
  /// The meaning of a resumption at present.
  @exclusivity(unchecked) var resumption = Resumption.ignored
  /// The time at which it goes on, while it waits for the clock.
  @exclusivity(unchecked) var wakesAt: Duration?
  /// True if the unit states that the effect should be running; the effect closes when the unit no longer does.
  @exclusivity(unchecked) var isSupervised = false
  /// Takes values, where it is a long-lived effect with an inbox.
  var channel: OpenChannel?
  @usableFromInline let over = Atomic<Bool>(false)
  /// The number of jobs of the effect that other threads have brought to the store and that it has not run yet.
  @usableFromInline let brought = Atomic<Int>(0)

  /// A long-lived effect that waits for its time, and the action that opened it. Not with the context of the action: the store
  /// takes a new one for the next action where somebody keeps one.
  struct Opening {
    let effect: StatedEffect
    let source: ActionSource
    let time: Duration
    let output: StatedEffect.Output
  }

  /// The start of an effect.
  struct Start {
    /// Ascends with the effects of the unit that start.
    let order: Int
    /// The number of the action that started it; 0: none.
    let number: Int
    let root: Int
    let time: Duration
    /// The call that started it: effects of one call do not replace each other.
    let generation: Int
  }

  /// The meaning of resuming an effect.
  enum Resumption {
    /// Nothing: it waits for something else.
    case ignored
    /// A step runs: resuming counts if the effect comes to wait for this.
    case noticed
    /// A resumption came while a step ran.
    case early
    /// The effect goes on.
    case awaited
  }

  init(key: EffectKey?, path: [EffectToken], _ start: Start) {
    id = start.order
    self.key = key
    self.path = path
    self.start = start
  }

  /// Starts an effect anew that has not begun.
  func restart(_ start: Start) { self.start = start }

  /// True if it has ended or been cancelled.
  @inlinable var isOver: Bool { over.load(ordering: .relaxed) }

  /// Goes on after a while, unless it was cancelled or resumed by then.
  ///
  /// - Parameters:
  ///   - effects: those that it is one of.
  ///   - body: what it does then. A closure of its own only for those that wait once; nil: it takes its next step.
  func wait(_ duration: Duration, _ effects: UnitEffects, _ body: (@Sendable () -> Void)? = nil) {
    wait(until: effects.runtime.clock.now + duration, effects, body)
  }

  /// Goes on at a time of the store's clock, unless it was cancelled or resumed by then.
  func wait(until deadline: Duration, _ effects: UnitEffects, _ body: (@Sendable () -> Void)? = nil) {
    wakesAt = deadline
    waits += 1
    let wait = waits
    timer = effects.runtime.clock.schedule(at: deadline) { [self] in
      effects.runtime.enqueue(
        Job { [self] in
          guard !isOver, waits == wait else { return }
          // This timer has run: there is nothing to cancel.
          timer = nil
          stopWaiting()
          if let body { body() } else { effects.advance(self) }
        })
    }
  }

  /// Goes on at a later time than the one that it waits for.
  ///
  /// - Returns: false: it waits for no time, or not for an earlier one.
  func postpone(to deadline: Duration) -> Bool {
    guard let timer, timer.postpone(to: deadline) else { return false }
    wakesAt = deadline
    return true
  }

  /// Lets go of what it waits for.
  func stopWaiting() {
    waits += 1
    resumption = .ignored
    wakesAt = nil
    timer?.cancel()
    timer = nil
  }

  /// Marks it as over and stops what it waits for.
  func end() {
    over.store(true, ordering: .relaxed)
    stopWaiting()
    steps = nil
    opening = nil
    channel?.close()
    channel = nil
    let task = task
    self.task = nil
    task?.cancel()
  }
}

/// Under what an effect is registered: a token is private to the element of a collection (R17), and long-lived effects have
/// ids of their own.
struct EffectKey: Hashable, Sendable {
  let path: [EffectToken]
  let token: EffectToken
  let isChannel: Bool

  static func == (left: EffectKey, right: EffectKey) -> Bool {
    left.token == right.token && left.isChannel == right.isChannel && left.path == right.path
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(token)
    for element in path { hasher.combine(element) }
  }
}
