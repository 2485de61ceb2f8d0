import StoreCore
import StoreSchema

/// A line of a listing of the log: an entry, or a run of one quiet action from one place.
public struct FoldedEntry: Sendable {
  /// The first entry of the run.
  public let first: LoggedEntry
  /// The last entry of the run; its time is the line's.
  public private(set) var last: LoggedEntry
  /// The number of entries that the line stands for.
  public private(set) var count = 1
  /// The paths that the run changed, in the order of their first change.
  public private(set) var paths: [Path] = []
  /// The paths among them that lead to elements which only got another place.
  public private(set) var moved: Set<Path> = []
  /// True if the run changed more places than ``paths`` tells.
  package private(set) var isCut = false
  private var known: Set<Path> = []

  /// A line for one entry.
  public init(_ entry: LoggedEntry) {
    first = entry
    last = entry
    add(entry.changes)
  }

  /// A line for a long run; nil if there is no first entry.
  ///
  /// - Parameters:
  ///   - beginning: the first entries of the run, whose places the line tells.
  ///   - last: the last entry of the run.
  ///   - isCut: whether the run changed other places as well.
  package init?(_ beginning: [LoggedEntry], upTo last: LoggedEntry, isCut: Bool) {
    guard let first = beginning.first else { return nil }
    self.init(first)
    for entry in beginning.dropFirst() { add(entry.changes) }
    (self.last, count, self.isCut) = (last, last.number - first.number + 1, isCut)
  }

  /// Takes an entry into the run, if it belongs to it.
  package mutating func absorb(_ entry: LoggedEntry) -> Bool {
    guard last.folds(with: entry) else { return false }
    last = entry
    count += 1
    // The places that follow the gap would seem to follow those before it.
    if !isCut { add(entry.changes) }
    return true
  }

  /// Takes a later line into the run, if it belongs to it.
  package mutating func absorb(_ line: FoldedEntry) -> Bool {
    guard last.folds(with: line.first) else { return false }
    last = line.last
    count += line.count
    if !isCut { for path in line.paths { add(path, isMove: line.moved.contains(path)) } }
    isCut = isCut || line.isCut
    return true
  }

  private mutating func add(_ changes: [Change]) {
    for change in changes {
      let isMove = if case .move = change.kind { true } else { false }
      add(change.path, isMove: isMove)
    }
  }

  private mutating func add(_ path: Path, isMove: Bool) {
    if known.insert(path).inserted {
      paths.append(path)
      if isMove { moved.insert(path) }
    } else if !isMove {
      moved.remove(path)
    }
  }
}

extension LoggedEntry {
  /// True if the next entry belongs to the same run.
  public func folds(with next: LoggedEntry) -> Bool { isQuiet && next.isQuiet && isAlike(next) }

  /// True if the next entry is of the same action, from the same place.
  func isAlike(_ next: LoggedEntry) -> Bool { FoldMark(self).isAlike(FoldMark(next)) }
}

/// What of an entry tells whether it belongs to a run.
struct FoldMark {
  let number: Int
  let action: String
  let source: ActionSource
  let isQuiet: Bool
  let droppedBy: String?
  /// True if it was applied as it came, or dropped.
  let isSingle: Bool

  init(_ entry: LoggedEntry) {
    (number, action, source, isQuiet) = (entry.number, entry.action, entry.source, entry.isQuiet)
    droppedBy = entry.droppedBy
    isSingle = entry.failure == nil && entry.original == nil
  }

  /// The mark of a plain action.
  init(_ number: Int, _ action: String, _ source: ActionSource) {
    (self.number, self.action, self.source, isQuiet) = (number, action, source, false)
    (droppedBy, isSingle) = (nil, true)
  }

  /// True if the next entry is of the same action, from the same place.
  func isAlike(_ next: FoldMark) -> Bool {
    action == next.action && isSingle && next.isSingle && droppedBy == next.droppedBy
      && source.kind == next.source.kind && source.plugin == next.source.plugin && source.unit == next.source.unit
      && source.function == next.source.function && next.number == number + 1
  }
}

extension Sequence<LoggedEntry> {
  /// The lines of a listing: runs of one quiet action from one place fold into one.
  public func folded() -> [FoldedEntry] {
    var lines: [FoldedEntry] = []
    for entry in self {
      if let last = lines.indices.last, lines[last].absorb(entry) { continue }
      lines.append(FoldedEntry(entry))
    }
    return lines
  }
}
