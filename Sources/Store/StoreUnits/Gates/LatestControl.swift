import StoreCore
import Synchronization

/// The decision that several units under one gate share. The control map is evaluated once an action, when the first of
/// them is asked.
final class LatestControl: Sendable {
  private let number = Atomic<Int>(0)
  private let wasControl = Atomic<Bool>(false)

  /// True if an action is a control action.
  func isControl(_ number: Int, _ evaluate: () -> Bool) -> Bool {
    if self.number.load(ordering: .relaxed) == number { return wasControl.load(ordering: .relaxed) }
    let isControl = evaluate()
    wasControl.store(isControl, ordering: .relaxed)
    self.number.store(number, ordering: .relaxed)
    return isControl
  }
}

/// A ``LatestControl`` for each store that the units are attached to: every store counts its actions from 1.
final class LatestControls: Sendable {
  private struct Entry {
    weak var trace: TracePoint?
    let latest: LatestControl
  }

  private let entries = Lock<[Entry]>([])

  /// The one of the store that a trace point belongs to.
  func latest(of trace: TracePoint) -> LatestControl {
    entries.withLock { entries in
      entries.removeAll { $0.trace == nil }
      if let entry = entries.first(where: { $0.trace === trace }) { return entry.latest }
      let entry = Entry(trace: trace, latest: LatestControl())
      entries.append(entry)
      return entry.latest
    }
  }
}
