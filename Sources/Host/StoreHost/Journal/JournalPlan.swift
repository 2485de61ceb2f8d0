import Platform
import StoreHistory
import StorePlugins

/// What a journal promises of an action that was acknowledged.
public typealias Durability = StoreHistory.Durability

/// Whether and where a session keeps what happens.
public struct JournalPlan: Sendable {
  /// The file.
  public var path: String
  /// What is promised of an action whose result was printed.
  public var durability: Durability
  /// When the file is opened.
  public var opening: Opening
  /// The clock on the wall, since 1970: the time of a store goes on by it while the store is closed.
  public var wallTime: @Sendable () -> Duration

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

  /// The time by the system's clock, since 1970.
  @Sendable
  public static func systemTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Plans a journal.
  ///
  /// - Parameter wallTime: the clock on the wall, since 1970. A time beyond 292 years from there counts as that.
  public init(
    path: String, durability: Durability = .normal, opening: Opening = .atOnce,
    wallTime: @escaping @Sendable () -> Duration = JournalPlan.systemTime
  ) {
    self.path = path
    self.durability = durability
    self.opening = opening
    // No clock of the system goes further, and what is reckoned with two of these times fits everywhere.
    let most = Duration.seconds(9_223_372_036)
    self.wallTime = { min(max(wallTime(), .zero - most), most) }
  }
}
