import StoreCore
import StorePlugins

/// Tasks of entries that start at times which the entries say.
extension UnitTasks {
  /// So many start together: each takes kilobytes until it has come to its end.
  private static let batch = 256

  /// The id of the effect that starts them, as listings show it.
  private static let dueID = EffectToken("due")

  /// Has tasks wait for their times: also those whose time is past, so that no action causes more than it asks for.
  ///
  /// - Returns: those that start now. The clock starts what is due, the earliest first, some at a time; of a task that had ended when the
  ///   store was left, only this is said.
  func schedule(_ starts: [PluginTaskStart]) -> [PluginTaskStart] {
    var started: [PluginTaskStart] = []
    for start in starts {
      if isPromised(start.key), let due = start.due {
        schedule.insert(start.key, at: due)
      } else {
        started.append(start)
      }
    }
    guard isOfClock else { return started }
    return started
      + schedule.takeDue(by: surroundings.now(), atMost: Self.batch).compactMap {
        plugin.middlewares.entryTask(index, $0)
      }
  }

  /// Starts the tasks whose time has come. Each is a cause of its own (R30).
  func startDue() {
    isOfClock = true
    defer { isOfClock = false }
    surroundings.reconcile()
  }

  /// Forgets the times of all tasks, as the effect that waits for them was cancelled by hand.
  func dropSchedule(of effect: DueEffect) {
    guard dueEffect === effect else { return }
    dueEffect = nil
    for key in schedule.keys { leave(key) }
    schedule.removeAll()
  }

  /// Has an effect wait for the next of them, as long as there are any.
  func followSchedule(
    _ started: inout [Supervised<HostAction>], _ gone: inout [EffectToken], isWhole: Bool
  ) {
    guard let next = schedule.next else {
      if dueEffect != nil, !isWhole { gone.append(Self.dueID) }
      dueEffect = nil
      return
    }
    dueEffect?.wake(by: next)
    if dueEffect != nil, !isWhole { return }
    let effect = dueEffect ?? DueEffect(self)
    // Of one that was cancelled, it is still known that it was asked for.
    if dueEffect == nil, !isWhole { gone.append(Self.dueID) }
    dueEffect = effect
    started.append(Supervised(Self.dueID, steps: { effect.begin($0) }))
  }
}

/// The effect that waits until the next task of an entry is to start.
final class DueEffect: EffectSteps, @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where effects run too.
  private unowned let tasks: UnitTasks
  private var context: EffectContext<Void, HostAction>?
  /// The time until which it waits; nil: it does not wait.
  private var waitsUntil: Duration?
  /// The last of those that were there when the clock woke it: all of them that are due start before the clock looks at anything
  /// else, and what they bring about itself waits its turn. 0: it was not woken.
  private var backlog = 0

  init(_ tasks: UnitTasks) { self.tasks = tasks }

  func begin(_ context: EffectContext<Void, HostAction>) -> DueEffect {
    self.context = context
    return self
  }

  /// Has it look by a time.
  func wake(by time: Duration) {
    guard let waitsUntil, time < waitsUntil else { return }
    self.waitsUntil = nil
    context?.resume()
  }

  func step() -> EffectWait {
    let isOfClock = waitsUntil.map { $0 <= tasks.surroundings.now() } ?? false
    waitsUntil = nil
    if isOfClock {
      if backlog == 0 { backlog = tasks.schedule.lastOrder }
      tasks.startDue()
    }
    waitsUntil = tasks.schedule.next
    guard let next = waitsUntil else {
      backlog = 0
      return .resumption()
    }
    let wait = next - tasks.surroundings.now()
    if wait <= .zero, tasks.schedule.nextOrder <= backlog { return .resumptionBy(next) }
    backlog = 0
    return .resumption(within: max(wait, .zero))
  }

  func cancel() { tasks.dropSchedule(of: self) }
}
