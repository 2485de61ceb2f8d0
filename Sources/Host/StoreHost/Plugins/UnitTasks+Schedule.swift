import StoreCore
import StorePlugins

/// Tasks of entries that start at times which the entries say.
extension UnitTasks {
  /// The id of the effect that starts them, as listings show it.
  private static let dueID = EffectToken("due")

  /// Leaves out the tasks whose time has not come, and adds those whose time has, the earliest first.
  func schedule(_ change: inout EntryTaskChange) {
    if change.isWhole { schedule.removeAll() }
    for key in change.gone { schedule.remove(key) }
    let now = surroundings.now()
    var due: [(time: Duration, start: PluginTaskStart)] = []
    for start in change.started {
      guard let time = start.due else { continue }
      if time > now { schedule.insert(start.key, at: time) } else { due.append((time, start)) }
    }
    for (time, key) in schedule.takeDue(by: now) {
      if let start = plugin.middlewares.entryTask(index, key) { due.append((time, start)) }
    }
    change.started = due.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element.start)
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
    waitsUntil = nil
    // Those whose time has come start as where the state changes.
    if let next = tasks.schedule.next, next <= tasks.surroundings.now() { tasks.surroundings.reconcile() }
    guard let next = tasks.schedule.next else { return .resumption() }
    waitsUntil = next
    return .resumption(within: max(next - tasks.surroundings.now(), .zero))
  }
}
