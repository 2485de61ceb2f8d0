import Synchronization

/// An effect that was started and has neither ended nor been cancelled.
@usableFromInline
final class EffectEntry: @unchecked Sendable {
  // Safe: everything that changes, but for the flag, is used only on the thread that owns the store, and in the store's
  // `deinit`, when there is none.

  /// What makes it different from all others of its unit; ascending in the order of starting.
  let order: Int
  let key: EffectKey?
  let path: [EffectToken]
  /// The number of the action that started it; 0: none.
  let number: Int
  let root: Int
  let startedAt: Duration
  /// The call that started it: effects of one call do not replace each other.
  let generation: Int
  @exclusivity(unchecked) var task: Task<Void, Never>?
  /// What it runs, where it does so in steps and has begun.
  @exclusivity(unchecked) var steps: (any EffectSteps)?
  @exclusivity(unchecked) var timer: ScheduledTimer?
  /// Tells its waits for the clock from each other.
  @exclusivity(unchecked) private var waits = 0
  /// What it means to it when it is resumed.
  @exclusivity(unchecked) var resumption = Resumption.ignored
  /// When it goes on, while it waits for the clock.
  @exclusivity(unchecked) var wakesAt: Duration?
  /// Whether the unit states that it should be running, so that it closes when the unit no longer does.
  var isSupervised = false
  /// Takes values, where it is a long-lived effect with an inbox.
  var channel: OpenChannel?
  @usableFromInline let over = Atomic<Bool>(false)

  /// What resuming an effect means.
  enum Resumption {
    /// Nothing: it waits for something else.
    case ignored
    /// It will mean something if it comes to wait for this: a step runs.
    case noticed
    /// It was resumed while a step ran.
    case early
    /// It goes on.
    case awaited
  }

  init(
    order: Int, key: EffectKey?, path: [EffectToken], number: Int, root: Int, startedAt: Duration, generation: Int
  ) {
    self.order = order
    self.key = key
    self.path = path
    self.number = number
    self.root = root
    self.startedAt = startedAt
    self.generation = generation
  }

  /// Whether it has ended or been cancelled.
  @inlinable var isOver: Bool { over.load(ordering: .relaxed) }

  /// Goes on after a while, unless it was cancelled or resumed by then.
  ///
  /// - Parameters:
  ///   - effects: those that it is one of.
  ///   - body: what it does then. A closure of its own only for those that wait once; nil: it takes its next step.
  func wait(_ duration: Duration, _ effects: UnitEffects, _ body: (@Sendable () -> Void)? = nil) {
    let clock = effects.runtime.clock
    let deadline = clock.now + duration
    wakesAt = deadline
    waits += 1
    let wait = waits
    timer = clock.schedule(at: deadline) { [self] in
      effects.runtime.enqueue(
        Job { [self] in
          guard !isOver, waits == wait else { return }
          // It is the one that has run: there is nothing to cancel.
          timer = nil
          stopWaiting()
          if let body { body() } else { effects.advance(self) }
        })
    }
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
}
