import Platform
import StoreCore
import StoreSchema

/// The items appended to a journal and not yet written, and the thread that takes them from there.
final class JournalQueue: @unchecked Sendable {
  // Safe: all that changes is used under the lock of the condition.
  /// An item to write.
  enum Item: Sendable {
    case entry(LoggedEntry)
    /// An action of the shell that changed nothing but what the entry tells.
    case told(LoggedEntry)
    case plain(PlainEntries)
    // Behind a reference, as most are entries: those are copied at once then.
    indirect case snapshot(number: Int, slices: [StateSlice])
    /// The state at the end, which is left out where it would weigh too much.
    indirect case lastSnapshot(number: Int, slices: [StateSlice])
    indirect case plugin(JournaledPlugin)
    indirect case code(JournaledCode)
    indirect case effect(EndedEffect, EffectNote)
    /// A run of statements has begun with an action, or has ended.
    indirect case run(Int, isOpen: Bool)
    /// All that was written before goes.
    indirect case restart(after: Int)
    /// Up to here it has all of a place in a shared log.
    indirect case place(String)

    /// The last action that is in the file once the item is; nil: it makes no difference.
    var last: Int? {
      switch self {
      case .entry(let entry), .told(let entry): entry.number
      case .plain(let entries): entries.last
      case .snapshot(let number, _): number
      case .lastSnapshot, .plugin, .code, .effect, .run, .restart, .place: nil
      }
    }

    /// The number of items for which it stands.
    var weight: Int { if case .plain(let entries) = self { entries.count } else { 1 } }

    /// True if it is of an action that was appended, or of another history.
    var isOfHistory: Bool {
      switch self {
      case .entry, .told, .plain, .plugin, .code, .restart: true
      case .snapshot, .lastSnapshot, .effect, .run, .place: false
      }
    }

    /// True if it is a place in a shared log.
    var isPlace: Bool {
      if case .place = self { return true }
      return false
    }

    /// True if all earlier items go.
    var isRestart: Bool {
      if case .restart = self { return true }
      return false
    }
  }

  /// From how many on whoever appends writes them himself: memory stays bounded, and so does what the end of a store has to write.
  static let bound = 4096
  /// From how many on the thread does not wait for more.
  private static let plenty = 1024
  /// The time that the thread waits for more, in nanoseconds: appending wakes it no more often than that.
  private static let linger = 5_000_000

  private let arrival = TimedCondition()
  @exclusivity(unchecked) private var items: [Item] = []
  /// The last item, if it is one of plain actions; the items keep it.
  @exclusivity(unchecked) private var plain: Unmanaged<PlainEntries>?
  /// The number of items, each plain action for one.
  @exclusivity(unchecked) private var count = 0
  private var isClosed = false
  /// True if the thread waits for the first item; while it lingers for more, it looks again by itself.
  @exclusivity(unchecked) private var isAwaited = false

  /// Adds something behind the rest, and more that is written in one transaction with it.
  ///
  /// - Returns: true if there is so much now that the caller should write it.
  func append(_ item: consuming Item, _ more: [Item]) -> Bool {
    arrival.lock()
    plain = nil
    items.append(item)
    if !more.isEmpty { items.append(contentsOf: more) }
    return didAppend(1 + more.count)
  }

  /// Adds a plain action behind the rest.
  ///
  /// - Returns: true if there is so much now that the caller should write it.
  func append(
    _ number: Int, at nanoseconds: Int, _ wallTime: Int?, _ source: ActionSource, _ type: AnyObject,
    _ action: String, _ layout: RecordLayout, _ arguments: [Value], _ edit: PlainEdit
  ) -> Bool {
    arrival.lock()
    let isFull = plain?._withUnsafeGuaranteedRef { $0.isFull }
    if isFull ?? true { beginPlain() }
    plain?._withUnsafeGuaranteedRef {
      $0.append(number, at: nanoseconds, wallTime, source, type, action, layout, arguments, edit)
    }
    return didAppend(1)
  }

  @inline(never)
  private func beginPlain() {
    let new = PlainEntries()
    plain = .passUnretained(new)
    items.append(.plain(new))
  }

  /// Ends what was added under the lock.
  @inline(__always)
  private func didAppend(_ added: Int) -> Bool {
    let before = count
    count += added
    let all = count
    let wakes = isAwaited || (before < JournalQueue.plenty && all >= JournalQueue.plenty)
    isAwaited = false
    arrival.unlock()
    if wakes { arrival.signal() }
    return all >= JournalQueue.bound
  }

  /// Takes all that there is.
  func take() -> [Item] {
    arrival.lock()
    defer { arrival.unlock() }
    var taken: [Item] = []
    swap(&taken, &items)
    (plain, count) = (nil, 0)
    return taken
  }

  /// Has the thread end.
  func close() {
    arrival.lock()
    isClosed = true
    arrival.unlock()
    arrival.signal()
  }

  /// Waits for some nanoseconds, or until there is something.
  ///
  /// - Returns: true if there was nothing, and the queue is open.
  func isIdle(for duration: Int) -> Bool {
    arrival.lock()
    defer { arrival.unlock() }
    let until = TimedCondition.time(in: duration)
    while items.isEmpty, !isClosed {
      isAwaited = true
      guard arrival.wait(until: until) else { break }
    }
    return items.isEmpty && !isClosed
  }

  /// Waits until there is something, and a little longer for more.
  ///
  /// - Parameter longest: after so many nanoseconds it waits no longer, though there is nothing.
  /// - Returns: false: the queue was closed.
  func wait(atMost longest: Int) -> Bool {
    arrival.lock()
    defer { arrival.unlock() }
    let end = TimedCondition.time(in: longest)
    while items.isEmpty, !isClosed {
      isAwaited = true
      guard arrival.wait(until: end) else { break }
    }
    if items.isEmpty { return !isClosed }
    let until = TimedCondition.time(in: JournalQueue.linger)
    while count < JournalQueue.plenty, !isClosed {
      guard arrival.wait(until: until) else { break }
    }
    return !isClosed
  }
}
