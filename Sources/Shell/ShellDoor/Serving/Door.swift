import Platform
import ShellLanguage
import StoreCore
import StoreHost
import StoreSchema
import StoreShell

/// A way in to a live store for other processes: a socket at which they speak JSON lines, while the program that owns the store goes
/// on.
///
/// A door ends with its host, with ``close()`` and when nobody holds it any more.
public final class Door: Sendable {
  /// The place that it listens at; of a port, the one that the system chose.
  public let address: DoorAddress
  /// The token that a client must give first; nil where the system knows who comes.
  public let token: String?
  let loop: DoorLoop
  private let keeper: PluginKeeper

  /// Opens a door to a host's store.
  ///
  /// - Parameters:
  ///   - address: the place of the socket.
  ///   - rights: the rights of the host's own user, and of all who come in by a port.
  ///   - users: the rights of other users by their logins, for a socket with a group.
  ///   - group: the group of the system whose users may connect to the socket; nil: the host's own user alone may.
  ///   - options: the options of their sessions, such as where plugins are found and which are granted.
  ///   - token: the token of a port; nil: 128 random bits. A socket in the file system has none: it is its user's own.
  ///   - limits: what one client, and all together, may ask of the process.
  ///   - isOpen: false: clients that come wait for their greeting until ``open()``.
  /// - Throws: `ShellError` where the host was closed, another process listens there, or the system refuses.
  public init<Action: SchematicUnion, State: SchematicRecord>(
    _ host: StoreHost<Action, State>, at address: DoorAddress, allow rights: [Right],
    users: [String: [Right]] = [:], group: String? = nil, options: SessionOptions = SessionOptions(),
    token: String? = nil, limits: DoorLimits = DoorLimits(),
    isOpen: Bool = true
  ) throws(ShellError) {
    guard host.live.isOpen else { throw ShellError(describing: StoreError.closed) }
    var options = options
    options.rights = Rights(rights)
    options.name = host.live.program
    options.journal = nil
    options.usesColor = false
    // It would run beside the store, with the terminal of whoever started that.
    options.allowsExecution = false
    options.allowsUnsafeLua = false
    options.shareLuaMemory(limit: limits.luaBytes)
    if case .unix(let path) = address {
      // To look into the file of this store would drop the locks by which SQLite guards it.
      guard !(host.live.turn { host.live.journal?.plan.owns(path) } ?? false), !JournalPlan.isOfStore(path) else {
        throw ShellError(
          code: .notAllowed, message: "\(path) is the file of a store, or one that SQLite keeps beside it",
          hint: "name another path", status: 2)
      }
    }
    let socket = try DoorSocket(
      address, group: try group.map { (name) throws(ShellError) in try Self.number(ofGroup: name) })
    _ = host.live.hasDoor.set(true)
    self.address = socket.address
    if case .loopback = address { self.token = token ?? DoorToken.random() } else { self.token = nil }
    do {
      loop = try DoorLoop(
        DoorHost(live: host.live, options: options, users: users.mapValues(Rights.init), admitsOthers: group != nil) {
          options, width, wake, output in
          try Session(throughDoorOf: host, options: options, width: width, wake: wake, output: output)
        }, at: socket, token: self.token, limits: limits)
    } catch {
      socket.close()
      throw error
    }
    keeper = PluginKeeper(host.live, options: options)
    let reason = "the store was closed by the program that owns it"
    host.live.whenClosed { [weak loop] in
      loop?.beginClosing(because: reason)
    } end: { [weak loop, weak keeper] in
      keeper?.end()
      loop?.close(because: reason)
    }
    if isOpen { open() }
  }

  private static func number(ofGroup name: String) throws(ShellError) -> UInt32 {
    if let number = SystemUser.group(name) { return number }
    throw ShellError(
      code: .failed, message: "this system has no group '\(name)'", hint: "groups lists yours", status: 2)
  }

  /// Lets in all clients that wait, and those that come later. A program calls it once its store is ready, where the door
  /// was made with `isOpen: false`.
  public func open() { loop.open() }

  /// Ends it, and all conversations, with a line that says so.
  public func close() {
    keeper.end()
    loop.close(because: "the door was closed")
  }

  deinit { close() }
}

/// The store behind a door, whatever its types.
struct DoorHost: Sendable {
  let live: LiveStore
  let options: SessionOptions
  /// The rights of other users, by their logins.
  let users: [String: Rights]
  /// True if other users may connect.
  let admitsOthers: Bool
  /// The login of the host's own user.
  let ownUser = SystemUser.current
  /// Starts a session.
  let makeSession:
    @Sendable (
      SessionOptions, _ width: @escaping @Sendable () -> Int?, _ wake: @escaping @Sendable () -> Void,
      DoorOutput
    ) throws -> Session
}

extension DoorHost {
  /// The rights of a client, and its user's login where the kernel knows it.
  ///
  /// - Returns: nil: it may not come in.
  func admission(of peer: DoorPeer) -> (user: String?, rights: Rights)? {
    guard let id = peer.user else { return (nil, options.rights) }
    guard id != geteuid() || !users.isEmpty || admitsOthers else { return (ownUser, options.rights) }
    guard id == geteuid() || admitsOthers else { return nil }
    let user = SystemUser.name(of: id)
    if let rights = users[user] { return (user, rights) }
    return id == geteuid() ? (user, options.rights) : nil
  }
}

/// The bounds of what clients of a door may ask of its process.
public struct DoorLimits: Hashable, Sendable {
  /// The most conversations at a time.
  public var conversations = 4096
  /// The most bytes in one line.
  public var lineBytes = 8 << 20
  /// The most bytes of lines that wait in one conversation before it is read no further: an interruption behind them is not heard.
  public var waitingBytes = 8 << 20
  /// The most bytes that wait in all of them.
  public var allBytes = 256 << 20
  /// The most bytes that the Lua of all conversations takes; each has a limit of its own besides, and 128 KiB in any case.
  public var luaBytes = 256 << 20
  /// The most bytes that wait for a client to read them before nothing more is done for it.
  public var outboxBytes = 1 << 20
  /// The most bytes that wait in the middle of an answer before the statement that makes it waits, too.
  public var answerBytes = 8 << 20
  /// The most bytes that wait for all clients to read them, beyond 64 KiB for each. While more do, no more than those are made for a
  /// client before it reads, and one for which more wait is given up if it takes nothing for ``shortPatience``.
  public var allAnswerBytes = 128 << 20
  /// The number of lines in a row that are no requests after which the conversation ends.
  public var faults = 3
  /// The most threads of statements that run: of one less run at a time, and others are queued. A statement that waits, for time
  /// or an action, is none of them and keeps a thread of its own, as one of ``waits``; so do ``slowReaders`` of those that wait for a reader. A thread
  /// that has nothing to do for a second ends, but for a few.
  public var threads = 64
  /// The most statements that wait for their clients to read and give their places to others meanwhile. While so many do, a client
  /// is given up that takes nothing for ``shortPatience``.
  public var slowReaders = 16
  /// The most statements that wait at a time; a further one is refused.
  public var waits = 1024
  /// The longest time for which the requests of a client go on that has closed its socket.
  public var unattended = Duration.seconds(1)
  /// The time after which a client reads why its conversation ends, although an action that does not end keeps the store from closing.
  public var ending = Duration.seconds(1)
  /// The longest time that the rest of a request, a token, or room for an answer is waited for.
  public var patience = Duration.seconds(30)
  /// The same of room for an answer, while too many wait for that or too much waits to be read.
  public var shortPatience = Duration.seconds(1)

  /// The usual bounds.
  public init() {}
}

enum DoorToken {
  /// 128 random bits.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Compares without telling by the time how much of it is right.
  static func areEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
