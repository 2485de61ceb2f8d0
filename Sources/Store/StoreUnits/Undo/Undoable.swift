import StoreSchema

/// A slice of a state together with what it was and what it could be again.
///
/// Past and future are persistent lists, so that a copy of the whole is O(1). If the slice holds persistent
/// collections, its states share the unchanged parts.
public struct Undoable<Slice> {
  /// The states before the steps that can be taken back, oldest first.
  public private(set) var past: PersistentList<Slice> = []
  /// The slice now. Changes outside of an undoable reducer make no step.
  public var present: Slice
  /// The states that were taken back, the nearest first.
  public private(set) var future: PersistentList<Slice> = []
  /// The group of the latest step, while more actions may join it.
  public private(set) var latest: UndoGroup?

  /// A slice without a past.
  public init(_ present: Slice) { self.present = present }

  init(past: PersistentList<Slice>, present: Slice, future: PersistentList<Slice>, latest: UndoGroup?) {
    self.past = past
    self.present = present
    self.future = future
    self.latest = latest
  }

  /// True if there is a step to take back.
  public var canUndo: Bool { !past.isEmpty }

  /// True if there is a step to do again.
  public var canRedo: Bool { !future.isEmpty }

  /// Goes back, forward, or forgets; see ``UndoAction``.
  public mutating func apply(_ action: UndoAction) {
    switch action {
    case .undo: move(by: -1)
    case .redo: move(by: 1)
    case .jump(let steps): move(by: steps)
    case .jumpToPast(let index): if past.indices.contains(index) { move(by: index - past.count) }
    case .jumpToFuture(let index): if future.indices.contains(index) { move(by: index + 1) }
    case .clear:
      past = []
      future = []
      latest = nil
    }
  }

  /// Notes that the present came from another state. The future is forgotten.
  ///
  /// - Parameters:
  ///   - before: the state before the action.
  ///   - group: the marks shared with other actions; a part of the latest step makes no step of its own.
  ///   - limit: the number of steps kept; the oldest go first.
  ///   - areEqual: tells whether a step came to nothing, which then is none.
  mutating func record(
    _ before: Slice, _ group: UndoGroup, limit: Int, areEqual: (Slice, Slice) -> Bool
  ) {
    future = []
    if let step = latest, step.takes(group) {
      latest = UndoGroup(root: group.root ?? step.root, key: step.key ?? group.key)
      guard let start = past.last, areEqual(start, present) else { return }
      past.remove(at: past.count - 1)
      latest = nil
    } else {
      past.append(before)
      latest = group
      while past.count > max(limit, 0) { past.remove(at: 0) }
    }
  }

  private mutating func move(by steps: Int) {
    guard steps != 0, steps >= -past.count, steps <= future.count else { return }
    latest = nil
    for _ in stride(from: steps, to: 0, by: 1) {
      future.insert(present, at: 0)
      present = past.remove(at: past.count - 1)
    }
    for _ in stride(from: 0, to: steps, by: 1) {
      past.append(present)
      present = future.remove(at: 0)
    }
  }
}

extension Undoable: Sendable where Slice: Sendable {}
extension Undoable: Equatable where Slice: Equatable {}
extension Undoable: Hashable where Slice: Hashable {}

extension Undoable: CustomStringConvertible {
  /// Past, present and future: `[0, 1] 2 [3]`.
  public var description: String { "\(past) \(present) \(future)" }
}
