import Dispatch
import Glibc
import StandardModules
import StoreCore
@testable import StoreHost
import StoreSchema
@testable import StoreShell
import Testing

/// An argument that does something when the action that has it is described.
struct Probe: Schematic {
  let look: @Sendable () -> Void

  static let schema = Schema.scalar(Probe.self, .int(minimum: nil, maximum: nil)) { probe in
    probe.look()
    return .int(0)
  }

  init(_ look: @escaping @Sendable () -> Void) { self.look = look }

  init(schemaValue value: Value) throws(SchemaError) { self.init {} }
}

@Schema
struct Meter: Sendable { var count = 0 }

@Schema
enum MeterAction: Sendable {
  case add
  case probe(Probe)
}

@Schema
struct Desk: Sendable { var moves = 0 }

@Schema
enum DeskAction: Sendable { case move }

@Schema
struct Plant: Sendable { var meter = Meter(), desk = Desk() }

@Schema
enum PlantAction: Sendable {
  case meter(MeterAction)
  case desk(DeskAction)
}

/// A clock that does something whenever an action is stamped.
private final class HookedClock: StoreClock {
  private let clock = VirtualClock()
  private let hook = Lock<(@Sendable () -> Void)?>(nil)

  var now: Duration {
    let hook = hook.withLock { hook in
      defer { hook = nil }
      return hook
    }
    hook?()
    return clock.now
  }

  func schedule(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> ScheduledTimer {
    clock.schedule(at: deadline, body)
  }

  /// Does something once, at the next action.
  func next(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0 = body } }
}

/// What other threads do between a look and an act, at moments that the tests choose (R34, R39).
@Suite struct SharedOrderTests {
  private typealias Works = StoreHost<PlantAction, Plant>

  private static let plant = application {}

  /// - Parameter note: called whenever the reducer of the meter runs.
  private static func application(_ note: @escaping @Sendable () -> Void) -> Application<PlantAction, Plant> {
    Application(
      initial: Plant(),
      reducer: .compose(
        Reducer<MeterAction, Meter>("meter") { _, meter in
          note()
          meter.count += 1
        }.lift(action: \.meter, state: \.meter),
        Reducer<DeskAction, Desk>("desk") { _, desk in desk.moves += 1 }.lift(action: \.desk, state: \.desk)))
  }

  /// Does something on another thread, and waits until it is done.
  @discardableResult
  private static func elsewhere<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
    let answer = Lock<Result?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    // A thread of its own: those of the pool may all be busy with other tests.
    DispatchQueue(label: "elsewhere").async {
      let result = body()
      answer.withLock { $0 = result }
      isDone.signal()
    }
    isDone.wait()
    return answer.withLock { $0 }
  }

  private static func text(_ result: DispatchResult?) -> String {
    switch result?.outcome {
    case .done: "done"
    case .queued: "queued"
    case .stopped(.closed): "closed"
    default: "another"
    }
  }

  // MARK: Decided and done in one turn

  /// A return to a point is found, another thread acts, and the return is done: what that thread did stays.
  @Test func aReturnLosesNothingThatComesBetweenFindingAndDoingIt() async throws {
    let host = try SharedStoreTests.host()
    let shell = try SharedStoreTests.shell(host)
    shell.say("dispatch tasks.add milk --quiet")
    let store = shell.session.store
    _ = try store.change { _ in
      let step = try store.undoStep(1, any: true)
      #expect(Self.text(Self.elsewhere { host.store.dispatch(.counter(.increment())) }) == "queued")
      return try store.restore(to: step.step.target, source: .here())
    }
    await host.store.dispatchAndWait(.counter(.setStep(to: 1)))
    #expect(host.store.state.tasks.items.isEmpty)
    #expect(host.store.state.counter.value == 1, "an action that was answered with queued")
  }

  /// From the beginning of a turn to its end no other party acts.
  @Test func aTurnSeesNothingOfOthers() async throws {
    let host = try SharedStoreTests.host()
    let client = StoreClient(of: host.live)
    try client.change { live in
      #expect(Self.text(Self.elsewhere { host.store.dispatch(.counter(.increment())) }) == "queued")
      #expect(client.dispatch(.setRunaway(5), .here()).number == 1)
      let state: StandardState? = live.state.app.typed()
      #expect(state?.counter.value == 0)
    }
    await host.store.dispatchAndWait(.counter(.increment()))
    #expect(host.store.state.counter.value == 2)
  }

  /// What was made from the state is refused behind another action.
  @Test func whatWasMadeFromTheStateIsRefusedBehindAnother() throws {
    let host = try SharedStoreTests.host()
    let live = host.live
    host.store.dispatch(.tasks(.add(title: "milk")))
    let state = live.state
    host.store.dispatch(.counter(.increment()))
    for (number, action) in [
      ShellAction.restore(to: 1, state: state), .takeBack([2], state: state),
      .importState(file: "f", state, modules: nil, added: []),
    ].enumerated() {
      let report = live.turn { live.dispatch(HostAction(action, basis: 1), .here()) }
      let message = report.failure.map { HostError(describing: $0).message } ?? "none"
      #expect(message.hasSuffix("was made after #1, and #\(number + 2) has come since; nothing was changed"))
      #expect(report.entry?.failure != nil)
      #expect(host.store.state.counter.value == 1)
    }
    #expect(live.dispatch(.restore(to: 1, state: state), .here()).failure == nil)
    #expect(host.store.state.counter.value == 0)
  }

  /// A store file that is opened after actions have happened begins with their state; one that holds another state is refused.
  @Test func aFileIsOpenedWithTheStateOfTheMoment() throws {
    let path = Self.file()
    defer { Self.remove(path) }
    let host = try Works(Self.plant, clock: VirtualClock(), program: "works")
    for _ in 0..<3 { host.store.dispatch(.meter(.add)) }
    let shell = try Self.keeping(host, path)
    host.store.dispatch(.meter(.add))
    try host.close()
    withExtendedLifetime(shell) {}
    let again = try Works(Self.plant, clock: VirtualClock(), program: "works")
    _ = try Self.keeping(again, path)
    #expect(again.store.state.meter.count == 4)
    #expect(again.live.head == 4)
    try again.close()
    let late = try Works(Self.plant, clock: VirtualClock(), program: "works")
    late.store.dispatch(.meter(.add))
    let conversation = try Conversation(with: late)
    conversation.session.options.journal = JournalPlan(path: path)
    #expect(conversation.session.openJournal() != 0)
    #expect(conversation.say().errors.contains("error[not-fresh]: \(path) holds a state"))
    #expect(late.store.state.meter.count == 1)
  }

  // MARK: Planned outside the turn

  /// A host on which a session has moved the desk and others have added to the meter since.
  ///
  /// - Parameters:
  ///   - limit: how much memory keeps.
  ///   - count: how often others have added.
  ///   - meanwhile: how often they add while an undo is planned.
  ///   - path: the store file; nil: there is none.
  /// - Returns: the host, the session, and the number of times that the meter's reducer has run.
  private static func shared(
    limit: String, adding count: Int, meanwhile: Int, keptIn path: String? = nil
  ) throws -> (host: Works, shell: Conversation, runs: () -> Int) {
    let runs = Lock(0)
    let hook = Lock<(@Sendable () -> Void)?>(nil)
    let host = try Works(
      application {
        runs.withLock { $0 += 1 }
        let hook = hook.withLock { hook in
          defer { hook = nil }
          return hook
        }
        hook?()
      }, clock: VirtualClock(), program: "works")
    let shell = try path.map { try keeping(host, $0) } ?? Conversation(with: host)
    shell.say("set journal.limit \"\(limit)\"", "dispatch desk.move --quiet")
    for _ in 0..<count { host.store.dispatch(.meter(.add)) }
    hook.withLock { [store = host.store] in
      $0 = { elsewhere { for _ in 0..<meanwhile { store.dispatch(.meter(.add)) } } }
    }
    return (host, shell, { runs.withLock { $0 } })
  }

  /// What comes while an undo is planned is added to the plan, which is not made anew.
  @Test func anUndoAmongOthersCostsItsOwnPart() throws {
    let (host, shell, runs) = try Self.shared(limit: "10000", adding: 200, meanwhile: 100)
    let outcome = shell.say("undo --quiet")
    #expect(outcome.errors.isEmpty && outcome.status == 0, "\(outcome)")
    #expect(host.store.state.desk.moves == 0)
    #expect(host.store.state.meter.count == 300)
    #expect(runs() == 2 * 300, "each action runs when it is dispatched, and once more")
  }

  /// What comes while an undo is planned stays in memory until it is in the plan, beyond the limit; then it goes.
  @Test func memoryKeepsWhatComesWhileAnUndoIsPlanned() throws {
    let (host, shell, runs) = try Self.shared(limit: "16", adding: 8, meanwhile: 1000)
    let outcome = shell.say("undo --quiet")
    #expect(outcome.errors.isEmpty && outcome.status == 0, "\(outcome)")
    #expect(host.store.state.desk.moves == 0)
    #expect(host.store.state.meter.count == 1008)
    #expect(runs() == 2 * 1008, "each action runs when it is dispatched, and once more")
    for _ in 0..<8 { host.store.dispatch(.meter(.add)) }
    #expect(host.live.recent().count < 24)
  }

  /// Where memory has no room for it, the undo ends at once, and says what gives it room, by what its user may do.
  @Test func anUndoThatMemoryHasNoRoomForEndsAtOnce() throws {
    for mayRead in [true, false] {
      let (host, shell, runs) = try Self.shared(limit: "10000, 64KiB", adding: 100, meanwhile: 20_000)
      if !mayRead {
        shell.session.store.refusal = { $0.hasPrefix("shell.set") ? HostError(code: .notAllowed, message: $0) : nil }
      }
      let outcome = shell.say("undo")
      #expect(outcome.errors.contains("error[undo-conflict]: memory has no room for the 20000 actions"), "\(outcome)")
      let hint =
        mayRead ? "`set journal.limit \"10000, 512KiB\"`" : "`StoreHost(…, memory:)` in the program of the store"
      #expect(outcome.errors.contains("hint: \(hint) gives it room"), "\(outcome)")
      #expect(host.store.state.desk.moves == 1)
      #expect(host.store.state.meter.count == 20_100)
      #expect(runs() < 20_100 + 2 * StoreClient.part)
    }
  }

  /// The program says how much memory holds, in a store that it opens again, too.
  @Test func theProgramSaysHowMuchMemoryHolds() throws {
    let path = Self.file()
    defer { Self.remove(path) }
    for entries in [16, 32, 32] {
      let host = try Works(
        Self.plant, clock: VirtualClock(), program: "works", memory: HistoryLimits(entries: entries),
        journal: JournalPlan(path: path))
      #expect(host.live.historyLimits == HistoryLimits(entries: entries))
      try host.close()
    }
    let host = try Works(Self.plant, program: "works", memory: HistoryLimits(entries: 8))
    #expect(host.live.historyLimits.entries == 8)
    #expect(host.live.head == 1)
  }

  /// Where a file keeps what memory forgets meanwhile, the undo reads it there.
  @Test func anUndoReadsFromTheFileWhatMemoryForgets() throws {
    let path = Self.file()
    defer { Self.remove(path) }
    let (host, shell, _) = try Self.shared(limit: "16", adding: 40, meanwhile: 100, keptIn: path)
    let outcome = shell.say("undo --quiet")
    #expect(outcome.errors.isEmpty && outcome.status == 0, "\(outcome)")
    #expect(host.store.state.desk.moves == 0)
    #expect(host.store.state.meter.count == 140)
    try host.close()
  }

  // MARK: The end

  private static func file() -> String { "/tmp/stsh-order-\(getpid())-\(UInt64.random(in: 0 ... .max)).db" }

  private static func remove(_ path: String) { for end in ["", "-wal", "-shm"] { unlink(path + end) } }

  private static func keeping(_ host: Works, _ path: String) throws -> Conversation {
    let conversation = try Conversation(with: host)
    conversation.session.options.journal = JournalPlan(path: path)
    #expect(conversation.session.openJournal() == 0)
    return conversation
  }

  private static func kept(in path: String) throws -> Int {
    let host = try Works(plant, clock: VirtualClock(), program: "works")
    let conversation = try keeping(host, path)
    defer { withExtendedLifetime(conversation) {} }
    try host.close()
    return host.store.state.meter.count
  }

  /// A thread dispatches while the store takes what was brought before its end: it is refused, or its action is kept.
  @Test func whatIsAnsweredWhileTheStoreClosesIsKept() throws {
    let path = Self.file()
    defer { Self.remove(path) }
    let clock = HookedClock()
    let host = try Works(Self.plant, clock: clock, program: "works")
    let conversation = try Self.keeping(host, path)
    let answers = Lock<[String]>([])
    try host.live.turn {
      let first = Self.elsewhere { host.store.dispatch(.meter(.add)) }
      #expect(Self.text(first) == "queued")
      clock.next {
        let text = Self.text(Self.elsewhere { host.store.dispatch(.meter(.add)) })
        answers.withLock { $0.append(text) }
      }
      try host.close()
    }
    let count = host.store.state.meter.count
    #expect(answers.withLock { $0 } == ["closed"])
    #expect(count == 1)
    #expect(try Self.kept(in: path) == 1)
    #expect(host.store.state.meter.count == count, "after the end nothing changes")
    withExtendedLifetime(conversation) {}
  }

  /// The wait for the action in progress belongs to the end: what comes meanwhile is refused, and need not be processed.
  @Test func onceAStoreBeginsToCloseItTakesNoMore() throws {
    let (hasBegun, mayEnd, isClosed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
    let host = try Works(Self.plant, clock: VirtualClock(), program: "works")
    DispatchQueue.global().async(group: isClosed) {
      host.live.turn {
        hasBegun.signal()
        mayEnd.wait()
      }
    }
    hasBegun.wait()
    DispatchQueue.global().async(group: isClosed) { try? host.close() }
    while !host.live.attendance.isEnding.isSet { usleep(1000) }
    var (queued, isRefused) = (0, false)
    // A queue has no room for more.
    while queued < 9000, !isRefused {
      switch Self.text(host.store.dispatch(.meter(.add))) {
      case "queued": queued += 1
      case "closed": isRefused = true
      default: break
      }
      usleep(1000)
    }
    #expect(isRefused, "the store took \(queued) while it closed")
    mayEnd.signal()
    isClosed.wait()
    #expect(host.store.state.meter.count == queued)
  }

  /// A thread has begun to dispatch when another one closes the store: its action comes after the end, and is refused.
  @Test func anActionOnItsWayIsRefusedOnceTheStoreIsClosed() throws {
    let path = Self.file()
    defer { Self.remove(path) }
    let host = try Works(Self.plant, clock: VirtualClock(), program: "works")
    let conversation = try Self.keeping(host, path)
    let failures = Lock(0)
    let result = host.store.dispatch(
      .meter(
        .probe(
          Probe {
            do { try host.close() } catch { failures.withLock { $0 += 1 } }
          })))
    #expect(Self.text(result) == "closed")
    #expect(failures.withLock { $0 } == 0)
    #expect(host.store.state.meter.count == 0)
    #expect(try Self.kept(in: path) == 0)
    withExtendedLifetime(conversation) {}
  }

  /// Within the processing of an action the store closes behind what was brought before, and refuses what comes later.
  @Test func withinAnActionTheStoreClosesBehindWhatWasBrought() async throws {
    let path = Self.file()
    defer { Self.remove(path) }
    let clock = HookedClock()
    let host = try Works(Self.plant, clock: clock, program: "works")
    let conversation = try Self.keeping(host, path)
    let answers = Lock<[String]>([])
    clock.next {
      for isClosing in [false, true] {
        if isClosing { try? host.close() }
        let text = Self.text(Self.elsewhere { host.store.dispatch(.meter(.add)) })
        answers.withLock { $0.append(text) }
      }
    }
    host.store.dispatch(.meter(.add))
    // Behind the end.
    let last = await host.store.dispatchAndWait(.meter(.add))
    #expect(answers.withLock { $0 } == ["queued", "closed"])
    #expect(Self.text(last) == "closed")
    #expect(host.store.state.meter.count == 2)
    // Waits until the first end has written everything.
    try host.close()
    #expect(try Self.kept(in: path) == 2)
    withExtendedLifetime(conversation) {}
  }

  /// Threads in a closed loop: each counts what was answered, and all of it is in the state and in the file.
  @Test func threadsInAClosedLoopAgreeWithTheEnd() throws {
    for round in 0..<6 {
      let path = Self.file()
      defer { Self.remove(path) }
      let host = try Works(Self.plant, clock: VirtualClock(), program: "works")
      if round.isMultiple(of: 2) { host.start() }
      let conversation = try Self.keeping(host, path)
      let accepted = Lock((count: 0, late: 0))
      let threads = DispatchGroup()
      for thread in 0..<4 {
        DispatchQueue(label: "loop \(thread)").async(group: threads) {
          var (count, refused, late) = (0, 0, 0)
          while refused < 20 {
            switch host.store.dispatch(.meter(.add)).outcome {
            case .done, .queued:
              count += 1
              if refused > 0 { late += 1 }
            case .stopped(.closed): refused += 1
            default: usleep(100)
            }
          }
          accepted.withLock { [count, late] in $0 = ($0.count + count, $0.late + late) }
        }
      }
      usleep(5_000)
      try host.close()
      let count = host.store.state.meter.count
      threads.wait()
      #expect(accepted.withLock { $0.count } == count)
      #expect(accepted.withLock { $0.late } == 0)
      #expect(host.store.state.meter.count == count)
      #expect(try Self.kept(in: path) == count)
      withExtendedLifetime(conversation) {}
    }
  }
}
