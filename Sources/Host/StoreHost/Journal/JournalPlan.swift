import Platform
import StoreHistory

/// What a journal promises of an action that was acknowledged.
public typealias Durability = StoreHistory.Durability

/// Whether and where a session keeps what happens.
public struct JournalPlan: Sendable {
  /// The file; of a link that the plan was made with, the file that it leads to.
  public var path: String
  /// What is promised of an action whose result was printed.
  public var durability: Durability
  /// When the file is opened.
  public var opening: Opening
  /// The clock on the wall, since 1970: the time of a store goes on by it while the store is closed.
  public var wallTime: @Sendable () -> Duration
  /// The time since the machine started, by a clock that nobody sets: the store goes on by it where a program was killed and the
  /// machine has not been started anew. Nil: no such clock belongs to the one on the wall.
  package var bootTime: (@Sendable () -> Duration)?

  /// When a journal's file is opened.
  public enum Opening: Equatable, Sendable {
    /// Before the first statement; what it holds is restored.
    case atOnce
    /// With the first action: a session in which nothing happens leaves nothing behind.
    case withFirstAction
    /// Before the first statement, to be read: what it holds is restored, up to an action where one is given, and nothing is
    /// added to it.
    case readOnly(upTo: Int? = nil)
  }

  /// Whether a path leads to the file, or to one that SQLite keeps beside it.
  public func owns(_ path: String) -> Bool {
    // Nothing may be there yet.
    let place = Files.destination(path)
    return Journal.endings.contains { ending in
      let own = Files.destination(self.path) + ending
      return Files.areSame(own, place) || Files.areOnePlace(own, place)
    }
  }

  /// Whether a path leads to the file of a store that this process does not have open, or to one that SQLite keeps beside it.
  package static func isOfStore(_ path: String) -> Bool { Journal.store(at: path) != nil }

  /// The time by the system's clock, since 1970.
  @Sendable
  public static func systemTime() -> Duration { time(by: CLOCK_REALTIME) }

  private static func time(by clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The time that the namespace of times of the process adds to the clock of the machine's run: another namespace adds another.
  private static let addedToBootTime: Duration = {
    let offsets = (try? Files.read("/proc/self/timens_offsets")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    for line in offsets.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, words[0] == "boottime", let seconds = Int64(words[1]), let besides = Int64(words[2])
      else {
        continue
      }
      return .seconds(seconds) + .nanoseconds(besides)
    }
    return .zero
  }()

  /// Plans a journal.
  ///
  /// - Parameter wallTime: the clock on the wall, since 1970; nil: the system's. A time beyond 292 years from there counts as that.
  public init(
    path: String, durability: Durability = .normal, opening: Opening = .atOnce,
    wallTime: (@Sendable () -> Duration)? = nil
  ) {
    self.path = Files.behindLink(path)
    self.durability = durability
    self.opening = opening
    // No clock of the system goes further, and what is reckoned with two of these times fits everywhere.
    let most = Duration.seconds(9_223_372_036)
    if wallTime == nil { bootTime = { JournalPlan.time(by: CLOCK_BOOTTIME) - JournalPlan.addedToBootTime } }
    let time = wallTime ?? JournalPlan.systemTime
    self.wallTime = { min(max(time(), .zero - most), most) }
  }
}
