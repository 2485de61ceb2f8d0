import Dispatch
import Glibc
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import StoreUnits
import Testing

@Schema
struct Tally: Sendable { var count = 0 }

@Schema
enum TallyAction: Sendable {
  case start
  case add
}

@Schema
struct Shop: Sendable { var tally = Tally() }

@Schema
enum ShopAction: Sendable { case tally(TallyAction) }

/// Effects that resume on threads of the system's pool, beside the thread of a session (R34, R35).
@Suite struct ForeignThreadTests {
  private static let application: Application<ShopAction, Shop> = {
    let reducer = Reducer<TallyAction, Tally>("tally") { action, tally in
      if case .add = action { tally.count &+= 1 }
    }
    let adding = Middleware<TallyAction, TallyAction, Tally>.effects("adding") { action, _, _ in
      guard case .start = action else { return .none }
      return .run { context in
        // A thread of its own: those of the pool may all be busy with other tests.
        await withCheckedContinuation { continuation in
          DispatchQueue(label: "prices").async {
            for _ in 0..<20 {
              usleep(200)
              context.send(.add)
            }
            continuation.resume()
          }
        }
      }
    }
    return Application<ShopAction, Shop>(
      initial: Shop(), reducer: reducer.lift(action: \.tally, state: \.tally),
      middleware: adding.lift(input: \.tally, output: \.tally, state: \.tally))
  }()

  private static func text(of file: UnsafeMutablePointer<FILE>) -> String {
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// The last reference to a host goes while four threads emit, and a client with it.
  @Test func aHostGoesWhileFourThreadsEmit() throws {
    let threads = (0..<4).map { DispatchQueue(label: "emitting \($0)") }
    for round in 0..<500 {
      let group = DispatchGroup()
      let connection = try Self.emitting(on: threads, group, withClient: round % 2 == 0)
      group.wait()
      // The store's own thread may be at the end of what was handed to it.
      var looks = 0
      while looks < 10_000, connection.isOpen() {
        looks += 1
        usleep(100)
      }
      try #require(!connection.isOpen(), "the host is still there in round \(round)")
      #expect(connection.dispatch(DispatchedAction(.tally(.add), source: .here())) == nil)
    }
  }

  /// Has threads emit into a host, of which nothing is kept.
  private static func emitting(
    on threads: [DispatchQueue], _ group: DispatchGroup, withClient: Bool
  ) throws -> StoreConnection<ShopAction, Shop> {
    let host = try StoreHost(application)
    let client = withClient ? StoreClient(of: host.live) : nil
    let connection = host.store.connection
    for thread in threads {
      thread.async(group: group) {
        for _ in 0..<8 { _ = connection.dispatch(DispatchedAction(.tally(.add), source: .here())) }
      }
    }
    _ = client?.turn { host.store.dispatch(.tally(.add)) }
    return connection
  }

  /// The session waits on a thread of its own: the effects begin on the pool's, which may be two, and both have other tests.
  @Test func whatEffectsOnOtherThreadsCauseIsWholeAndTold() async throws {
    for _ in 0..<10 {
      let answer = try await withCheckedThrowingContinuation { continuation in
        do throws(WorkerThread.Refusal) {
          try WorkerThread { continuation.resume(with: Result { try Self.waitForEffects() }) }.detach()
        } catch {
          continuation.resume(throwing: error)
        }
      }
      #expect(answer.status == 0)
      let watched = answer.text.split(separator: "\n").filter { $0.hasPrefix("[watch 1]") }
      #expect(watched.count == 100)
      #expect(watched.last?.contains("99 -> 100") == true)
      #expect(answer.text.contains("\n100\n"))
    }
  }

  /// An effect goes on at once that waits for another thread when that is done already. It ends behind what it sent from there.
  @Test func whatAnEffectSentFromAnotherThreadIsTakenBeforeItsEnd() throws {
    let reducer = Reducer<TallyAction, Tally>("tally") { action, tally in
      if case .add = action { tally.count &+= 1 }
    }
    let adding = Middleware<TallyAction, TallyAction, Tally>.effects("adding") { action, _, _ in
      guard case .start = action else { return .none }
      return .run { context in
        await withCheckedContinuation { continuation in
          let isDone = DispatchSemaphore(value: 0)
          DispatchQueue(label: "prices").async {
            for _ in 0..<20 { context.send(.add) }
            continuation.resume()
            isDone.signal()
          }
          isDone.wait()
        }
        context.send(.add)
      }
    }
    let host = try StoreHost(
      Application<ShopAction, Shop>(
        initial: Shop(), reducer: reducer.lift(action: \.tally, state: \.tally),
        middleware: adding.lift(input: \.tally, output: \.tally, state: \.tally)))
    host.store.dispatch(.tally(.start))
    host.live.store.settle()
    #expect(host.store.state.tally.count == 21)
    try host.close()
  }

  private static func waitForEffects() throws -> (status: Int32, text: String) {
    let file = try #require(tmpfile())
    defer { fclose(file) }
    let session = try Session(application, console: Console(output: fileno(file), error: fileno(file)))
    var commands = ["watch tally.count"]
    for _ in 0..<5 { commands += ["dispatch tally.start --quiet", "show tally.count", "log 2", "wait 1ms"] }
    commands += ["wait until state.tally.count == 100", "show tally.count", "why tally.count"]
    let status = session.run(commands: commands)
    session.console.flush()
    return (status, text(of: file))
  }

  /// The history goes on, and lets go of its beginning, while a command walks along it.
  @Test func theBeginningThatIsKeptMovesOnBesideAWalk() throws {
    let host = try StoreHost(Self.application)
    let file = try #require(tmpfile())
    defer { fclose(file) }
    let session = try Session(host, console: Console(output: fileno(file), error: fileno(file)))
    #expect(session.run(commands: ["set journal.limit 4"]) == 0)
    let isOver = Lock(false)
    let adding = DispatchGroup()
    DispatchQueue(label: "adding").async(group: adding) {
      while !isOver.withLock({ $0 }) {
        host.store.dispatch(.tally(.add))
        usleep(500)
      }
    }
    for _ in 0..<10 {
      let status = session.run(commands: [
        "try bisect state.tally.count < 0", "try plot state.tally.count", "try log 3", "try why tally.count",
        "try diff 1 2", "try undo",
      ])
      #expect(status == 0)
    }
    isOver.withLock { $0 = true }
    adding.wait()
    session.console.flush()
    // A bisection looks at one moment: what memory lets go of meanwhile is there.
    let text = Self.text(of: file)
    #expect(text.split(separator: "\n").filter { $0.contains("error[never-held]") }.count == 10, "\(text)")
    try host.close()
  }
}
