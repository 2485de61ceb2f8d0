/// Decides after which actions the whole state is written.
///
/// The schedule weighs two things. A walk to any action starts at the snapshot before it, so the actions between two
/// snapshots must be few. And snapshots must not outweigh the actions themselves. A snapshot is due once at least
/// ``shortest`` actions have passed and their rows weigh eight times the snapshot. After ``longest`` actions, rows
/// of the snapshot's own weight are enough. A snapshot adds only the modules that changed.
struct SnapshotSchedule {
  static let shortest = 256
  static let longest = 8192

  private var actions = 0
  private var bytes = 0
  /// The modules that changed since the last snapshot.
  private(set) var changed: Set<String> = []
  /// Those of them that were named last: actions of few modules come in turns.
  private var recent: [String] = []
  /// True if a snapshot was asked for and is still to come.
  private var isAsked = false
  /// The size, in bytes, of each module's state when it was last written.
  private var sizes: [String: Int] = [:]

  /// Takes note of actions that were written.
  mutating func add(_ number: Int, bytes count: Int) {
    actions += number
    bytes += count
  }

  /// Takes note of a module that an action changed.
  mutating func change(_ module: String) {
    for index in recent.indices where recent[index] == module { return }
    if recent.count < 4 { recent.append(module) }
    changed.insert(module)
  }

  /// Takes note of the size of what was written for a module.
  mutating func wrote(_ module: String, bytes count: Int) { sizes[module] = count }

  /// Starts anew behind a snapshot.
  mutating func restart() {
    actions = 0
    bytes = 0
    changed = []
    recent = []
    isAsked = false
  }

  /// The size of the next snapshot, in bytes, by the sizes of its modules when they were last written.
  private var weight: Int { changed.reduce(0) { $0 + (sizes[$1] ?? 0) } }

  /// True if a snapshot takes little, or less than reading the actions again that it stands for: it may then end a session,
  /// so that the next one starts at once.
  var isLight: Bool { actions > 0 && (max(weight, bytes) < 1 << 20 || bytes * 4 >= weight) }

  /// True if a snapshot should be asked for behind the last action; true once, as it comes only behind the items queued
  /// by then.
  mutating func takeIsDue() -> Bool {
    guard !isAsked, isDue else { return false }
    isAsked = true
    return true
  }

  /// True if a snapshot should follow the last action.
  var isDue: Bool {
    guard actions >= SnapshotSchedule.shortest else { return false }
    let weight = weight
    return bytes >= weight * 8 || (actions >= SnapshotSchedule.longest && bytes >= weight)
  }
}
