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
  public private(set) var paths: [Path]

  /// A line for one entry.
  public init(_ entry: LoggedEntry) {
    first = entry
    last = entry
    paths = []
    add(entry.changes)
  }

  /// Takes an entry into the run, if it belongs to it.
  mutating func absorb(_ entry: LoggedEntry) -> Bool {
    guard first.isQuiet, entry.isQuiet, entry.action == first.action, entry.failure == nil, first.failure == nil,
      entry.droppedBy == first.droppedBy, entry.original == nil, first.original == nil,
      entry.source.kind == first.source.kind, entry.source.plugin == first.source.plugin,
      entry.source.unit == first.source.unit, entry.source.function == first.source.function,
      entry.number == last.number + 1
    else { return false }
    last = entry
    count += 1
    add(entry.changes)
    return true
  }

  private mutating func add(_ changes: [Change]) {
    for change in changes where !paths.contains(change.path) { paths.append(change.path) }
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
