/// Effects that wait for times that are past, as after a store was closed for a while. They go on in the order of these times,
/// once those that start with them have said for which time they wait.
@usableFromInline
final class OverdueEffects: @unchecked Sendable {
  // Safe: used only on the thread that owns the store.
  private var waiting: [(time: Duration, entry: EffectEntry, unit: UnitEffects)] = []

  @usableFromInline
  init() {}

  /// Has an effect go on behind what is queued, and behind those that wait for an earlier time.
  func add(_ entry: EffectEntry, of unit: UnitEffects, since time: Duration) {
    waiting.append((time, entry, unit))
    guard waiting.count == 1 else { return }
    let runtime = unit.runtime
    runtime.enqueue(
      Job {
        let due = runtime.overdue.take()
        for (_, entry, unit) in due where !entry.isOver { unit.advance(entry) }
      })
  }

  /// Those that wait, the earliest time first; with one time, in the order in which they came.
  private func take() -> [(time: Duration, entry: EffectEntry, unit: UnitEffects)] {
    defer { waiting = [] }
    return waiting.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }
}
