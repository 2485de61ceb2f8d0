import StoreCore
import StoreSchema

/// An action of the log: its name and arguments, its source, its effect (R12, R22).
///
/// Extensions ask one question of it a file, as folding, undo and journals do.
public final class LoggedEntry: Sendable {
  /// The action's sequence number.
  public let number: Int
  /// The time of the store, in seconds and fractions.
  public let time: Duration
  /// The time of day when it was processed, in milliseconds since 1970 (UTC); nil: it is not known, as on a virtual clock.
  public var wallTime: Int? { wall == .min ? nil : wall }
  private let wall: Int
  /// The source of the action.
  public let source: ActionSource
  /// The action's full name, such as `tasks.add`.
  public let action: String
  /// Its arguments in declared order; a nil one is an argument that was left out.
  public let arguments: Record
  /// True if runs of the action fold into one line of a listing.
  public let isQuiet: Bool
  /// The changes that it made, in schema order.
  public let changes: [Change]
  /// The members that few entries have; nil: the entry has none of them. Apart, so that millions of others are small.
  private let rarities: Rarities?

  /// True if the entry has any of these rare members.
  package var hasRarities: Bool { rarities != nil }
  /// True if the entry has none of these and its changes tell all that it changed.
  var isPlain: Bool { rarities == nil && !isWhole }
  /// The error's code, if a reducer failed; then nothing was changed.
  public var failure: String? { rarities?.failure }
  /// The text of the error, if it is one of the application's or a plugin's own, which no code tells apart.
  public var reason: String? { rarities?.reason }
  /// A digest of the code that came into the store by the action, where it loaded or reloaded a plugin.
  public var digest: String? { rarities?.digest }
  /// The action as it was dispatched, where an interceptor passed on another (R5).
  public var original: Original? { rarities?.original }
  /// The interceptor that took the action out, if one did: nothing was reduced (R5).
  public var droppedBy: String? { rarities?.droppedBy }

  private final class Rarities: Sendable {
    let failure: String?
    let reason: String?
    let digest: String?
    let original: Original?
    let droppedBy: String?

    init(failure: String?, reason: String?, digest: String?, original: Original?, droppedBy: String?) {
      self.failure = failure
      self.reason = reason
      self.digest = digest
      self.original = original
      self.droppedBy = droppedBy
    }
  }

  /// The greatest number that an action may have. Programs that read JSON as JavaScript does round greater ones, and it
  /// leaves more room behind it than a store will ever fill.
  public static var greatestNumber: Int { 1 << 53 - 1 }

  /// True if the action carries a thunk, which an interceptor takes in any case (R20).
  public var isThunk: Bool { action.hasPrefix(Self.thunkPrefix) }

  /// The prefix before the name of a thunk, if an action carries it.
  public static var thunkPrefix: String { "thunk:" }

  /// True if it changed more than `changes` tell, such as a gate, a setting or the set of loaded plugins. Only the
  /// whole state shows the changes of the shell to its own slice.
  public let isWhole: Bool

  /// The failure in one line, as listings show it: the first line of the error's own text or, where none is kept, its code.
  public var failureText: String? {
    failure.map { code in reason.flatMap { $0.split(separator: "\n").first.map(String.init) } ?? code }
  }

  /// An action in whose place another went on.
  public struct Original: Equatable, Sendable {
    /// The action's full name.
    public let action: String
    /// Its arguments in declared order.
    public let arguments: Record

    /// Joins the two.
    public init(action: String, arguments: Record) {
      self.action = action
      self.arguments = arguments
    }
  }

  /// Makes an entry of an action that was applied as it came, and that is none of the shell: it has no rare members.
  package init(
    applied number: Int, time: Duration, wallTime: Int?, source: ActionSource, action: String, arguments: Record,
    isQuiet: Bool, changes: [Change]
  ) {
    self.number = number
    self.time = time
    wall = wallTime ?? .min
    self.source = source
    self.action = action
    self.arguments = arguments
    self.isQuiet = isQuiet
    self.changes = changes
    isWhole = false
    rarities = nil
  }

  /// Whether the action is one of the shell's own. The values of such may be of any type.
  package var isOfShell: Bool { Self.isOfShell(action) }

  private static func isOfShell(_ action: String) -> Bool {
    // Nearly all others end at the first letter.
    action.utf8.first == UInt8(ascii: "s") && action.hasPrefix("shell.")
  }

  /// Makes an entry.
  public init(
    number: Int, time: Duration, source: ActionSource, action: String, arguments: Record, isQuiet: Bool,
    changes: [Change], failure: String?, reason: String? = nil, digest: String? = nil, original: Original? = nil,
    droppedBy: String? = nil, wallTime: Int? = nil
  ) {
    // Before the parts are taken over: what is asked afterwards would be a copy.
    let hasRarities = failure != nil || digest != nil || original != nil || droppedBy != nil
    isWhole = Self.isOfShell(action) && failure == nil && droppedBy == nil
    self.number = number
    self.time = time
    wall = wallTime ?? .min
    self.source = source
    self.action = action
    self.arguments = arguments
    self.isQuiet = isQuiet
    self.changes = changes
    rarities =
      hasRarities
      ? Rarities(failure: failure, reason: reason, digest: digest, original: original, droppedBy: droppedBy) : nil
  }
}

extension LoggedEntry: Equatable {
  /// True if all that is known of two actions is the same.
  public static func == (left: LoggedEntry, right: LoggedEntry) -> Bool {
    if left === right { return true }
    return left.number == right.number && left.time == right.time && left.wall == right.wall
      && left.source == right.source
      && left.action == right.action && left.arguments == right.arguments && left.isQuiet == right.isQuiet
      && left.changes == right.changes && left.failure == right.failure && left.reason == right.reason
      && left.digest == right.digest && left.original == right.original && left.droppedBy == right.droppedBy
  }
}

extension LoggedEntry {
  /// The bytes of the longest packed entry.
  static let longestPacked = 1024

  /// About how many bytes the entry takes as an object, with the state that is kept after one that changed more than it tells.
  package var footprint: Int {
    var bytes = 256
    for index in arguments.values.indices { bytes += arguments.values[index].footprint }
    if let info = source.info { bytes += info.utf8.count }
    if isWhole { bytes += 512 }
    if hasRarities {
      bytes += 112 + (reason?.utf8.count ?? 0)
      for value in original?.arguments.values ?? [] { bytes += 16 + value.footprint }
    }
    for index in changes.indices {
      bytes += 120 + 48 * changes[index].path.steps.count + changes[index].kind.footprint
    }
    return bytes
  }
}

extension Change.Kind {
  /// About how many bytes the values take beside their places.
  fileprivate var footprint: Int {
    switch self {
    case .replace(let old, let new): old.footprint + new.footprint
    case .add(let value), .remove(let value): value.footprint
    case .move: 0
    }
  }
}

extension Value {
  /// About how many bytes the value takes beside its place.
  @inline(__always)
  fileprivate var footprint: Int {
    switch self {
    case .none, .bool, .int, .double, .decimal: 0
    default: ownBytes
    }
  }

  private var ownBytes: Int {
    switch self {
    case .none, .bool, .int, .double, .decimal: 0
    case .string(let text): text.utf8.count < 16 ? 0 : 32 + text.utf8.count
    case .list(let list): list.reduce(64) { $0 + 16 + $1.footprint }
    case .map(let map): map.reduce(64) { $0 + 48 + $1.value.footprint }
    case .record(let record): record.values.reduce(48) { $0 + 16 + $1.footprint }
    case .variant(let variant): variant.payload.values.reduce(80) { $0 + 16 + $1.footprint }
    }
  }
}
