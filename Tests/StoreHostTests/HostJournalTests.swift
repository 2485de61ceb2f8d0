import Foundation
import StoreCore
@testable import StoreHost
import StoreSchema
@testable import StoreShell
import StoreUnits
import Testing

@Schema
private struct Ledger: Equatable, Sendable {
  var count = 0
  var due: PersistentMap<Int, Duration> = [:]
}

@Schema
private enum LedgerAction: Sendable {
  case add(by: Int = 1)
  case plan(id: Int, at: Duration)
  case expire(id: Int)
  case refuse(why: String)
}

@Schema
private struct Firm: Equatable, Sendable { var ledger = Ledger() }

@Schema
private enum FirmAction: Sendable { case ledger(LedgerAction) }

/// The store in a later version, whose state has another type.
@Schema
private struct Till: Equatable, Sendable { var size = 1 }

@Schema
private struct LaterFirm: Equatable, Sendable { var ledger = Till() }

private struct Refusal: Error, CustomStringConvertible { let description: String }

/// A store that its program alone keeps in a file, without a session.
@Suite struct HostJournalTests {
  private typealias Host = StoreHost<FirmAction, Firm>

  private static let application: Application<FirmAction, Firm> = {
    let reducer = Reducer<LedgerAction, Ledger>.throwing("ledger") { action, ledger, _ in
      switch action {
      case .add(let amount): ledger.count += amount
      case .plan(let id, let time): ledger.due[id] = time
      case .expire(let id): ledger.due[id] = nil
      case .refuse(let why): throw Refusal(description: why)
      }
    }
    let expiring = Middleware<LedgerAction, LedgerAction, Ledger>.supervising("expiring", over: \.due) { id, time in
      Supervised(id, at: time) { $0.send(.expire(id: id)) }
    }
    return Application(
      initial: Firm(), reducer: reducer.lift(action: \.ledger, state: \.ledger),
      middleware: expiring.lift(action: \.ledger, state: \.ledger))
  }()

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stsh-host-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  private func open(
    _ path: String, durability: Durability = .normal, onFault: (@Sendable (any Error) -> Void)? = nil
  ) throws -> Host {
    try Host(
      Self.application, clock: VirtualClock(), program: "firm",
      journal: JournalPlan(path: path, durability: durability), onFault: onFault)
  }

  @Test func itGoesOnFromWhatTheFileHolds() throws {
    try withFolder { folder in
      let path = "\(folder)/firm.db"
      let first = try open(path)
      #expect(first.notes == [])
      first.store.dispatch(.ledger(.add(by: 3)))
      first.store.dispatch(.ledger(.refuse(why: "not today")))
      try first.close()

      let second = try open(path)
      #expect(second.notes == [])
      #expect(second.store.state.ledger.count == 3)
      #expect(second.store.lastCommitted == second.store.state)
      #expect(second.store.dispatch(.ledger(.add())).number == 3, "numbers go on")
      let session = try Conversation(with: second)
      let log = session.say("log", "undo --any", "show ledger.count").output
      #expect(log.contains("HostJournalTests.swift"))
      #expect(log.contains("failed: not today"))
      #expect(log.hasSuffix("3\n"))
      try second.close()
      #expect(try open(path).store.state.ledger.count == 3)
    }
  }

  @Test func unfinishedTasksStartAgain() throws {
    try withFolder { folder in
      let path = "\(folder)/firm.db"
      let first = try open(path)
      first.store.dispatch(.ledger(.plan(id: 7, at: .seconds(60))))
      try first.close()

      let second = try open(path)
      #expect(second.store.state.ledger.due.count == 1)
      try #require(second.clock as? VirtualClock).advance(by: .seconds(61))
      #expect(second.store.state.ledger.due.isEmpty)
      try second.close()
    }
  }

  @Test func whatWasSettledOutlivesAProgramThatDoesNotClose() throws {
    try withFolder { folder in
      let path = "\(folder)/firm.db"
      let host = try open(path, durability: .full)
      for _ in 0..<5 { host.store.dispatch(.ledger(.add())) }
      host.settle()
      // The files as a killed program leaves them.
      let left = "\(folder)/left.db"
      for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix) }
      let again = try open(left)
      #expect(again.notes == ["\(left) ended unexpectedly after #5"])
      #expect(again.store.state.ledger.count == 5)
      try again.close()
      try host.close()
    }
  }

  /// A host that its program lets go of ends its file as one that is closed does.
  @Test func aHostThatIsLetGoOfEndsItsFile() throws {
    try withFolder { folder in
      let path = "\(folder)/firm.db"
      for round in 1...3 {
        let host = try open(path)
        #expect(host.notes == [])
        let session = try Conversation(with: host)
        session.say("set journal.limit 16")
        for _ in 0..<100 { host.store.dispatch(.ledger(.add())) }
        // Reads what memory has forgotten.
        #expect(session.say("goto 5", "show ledger.count", "goto head", "log 200").status == 0)
        #expect(host.store.state.ledger.count == 100 * round)
      }
    }
  }

  /// What memory has forgotten is read from the file while another thread has the turn: a command takes it once, for a snapshot.
  @Test func theForgottenPastIsReadWithoutTheTurn() throws {
    final class Reader: @unchecked Sendable {
      // Safe: the thread that has the turn makes it, and one other thread uses it.
      let moment: Moment
      init(_ client: StoreClient) { moment = Moment(of: client) }
      func read() throws -> (entries: Int, count: Int?, oldest: Int?) {
        let state: Firm? = try moment.state(at: 5).app.typed()
        return (
          try moment.entries(1...1000).count, state?.ledger.count, try moment.run(upTo: 40, .all, most: 8)?.before
        )
      }
    }
    try withFolder { folder in
      let host = try open("\(folder)/firm.db")
      let session = try Conversation(with: host)
      session.say("set journal.limit 16")
      for _ in 0..<1000 { host.store.dispatch(.ledger(.add())) }
      let read = Lock<(entries: Int, count: Int?, oldest: Int?)?>(nil)
      host.live.turn {
        let reader = Reader(session.session.store)
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue(label: "reader").async {
          let found = try? reader.read()
          read.withLock { $0 = found }
          isDone.signal()
        }
        // Without end where it waits for the turn.
        #expect(isDone.wait(timeout: .now() + 60) == .success)
      }
      let found = read.withLock { $0 }
      #expect(found?.entries == 1000)
      #expect(found?.count == 4, "the first action set a limit")
      #expect(found?.oldest == 33)
      try host.close()
    }
  }

  @Test func aFileInUseIsRefused() throws {
    try withFolder { folder in
      let path = "\(folder)/firm.db"
      let first = try open(path)
      let error = #expect(throws: HostError.self) { try open(path) }
      #expect(error?.code == .storeInUse)
      #expect(error?.hint?.hasPrefix("to look at its actions meanwhile: sqlite3 -readonly ") == true)
      #expect(error.map { "\($0)" } == error.map { "\($0.message)\nhint: \($0.hint ?? "")" }, "printed it is whole")
      first.store.dispatch(.ledger(.add()))
      try first.close()
      #expect(try open(path).store.state.ledger.count == 1)
    }
  }

  @Test func noHintNamesAnOptionThatTheProgramLacks() throws {
    try withFolder { folder in
      let path = "\(folder)/firm.db"
      let host = try open(path)
      host.store.dispatch(.ledger(.add()))
      try host.close()
      let copy = "\(path).before-1"
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let error = #expect(throws: HostError.self) {
        try StoreHost(
          Application<FirmAction, LaterFirm>(initial: LaterFirm(), reducer: .identity), clock: VirtualClock(),
          program: "firm", journal: JournalPlan(path: copy))
      }
      #expect(error?.code == .storeSchema)
      #expect(error?.hint == "to go on from it: copy it to another name, and open that")

      let inMemory = try Host(Self.application, clock: VirtualClock(), program: "firm")
      let session = try Conversation(with: inMemory)
      session.say("set journal.limit 16")
      for _ in 0..<1000 { inMemory.store.dispatch(.ledger(.add())) }
      let errors = session.say("goto 3").errors
      #expect(errors.hasSuffix("hint: set journal.limit says how much is kept; a journal keeps all of it\n"))
      try inMemory.close()
    }
  }

  @Test func aSessionKeepsWhatItsProgramKeepsNowhereElse() throws {
    try withFolder { folder in
      let host = try open("\(folder)/firm.db")
      var options = SessionOptions(program: "firm")
      options.journal = JournalPlan(path: "\(folder)/other.db")
      let session = try Session(host, options: options)
      #expect(session.openJournal() != 0)
      #expect(access("\(folder)/other.db", F_OK) != 0)
      host.store.dispatch(.ledger(.add()))
      try host.close()
    }
  }

  @Test func theProgramHearsThatTheFileCannotBeWritten() throws {
    try withFolder { folder in
      let path = "\(folder)/firm.db"
      let faults = Lock<[String]>([])
      let host = try open(path) { error in faults.withLock { $0.append("\(error)") } }
      host.store.dispatch(.ledger(.add()))
      host.settle()
      unlink(path)
      host.store.dispatch(.ledger(.add()))
      host.settle()
      host.store.dispatch(.ledger(.add()))
      let told = faults.withLock { $0 }
      #expect(told.count == 1)
      #expect(told.first?.contains("from now on everything is kept in memory only") == true)
      #expect(host.store.state.ledger.count == 3)
      #expect(!host.settle())
      #expect(throws: HostError.self) { try host.close() }
      // What the file lacks it lacks for good, and every call says so.
      #expect(!host.settle())
      #expect(throws: HostError.self) { try host.close() }
    }
  }

  /// A program that ends where its file cannot be written does so in the middle of an action.
  @Test func whatIsNotInTheFileAtTheEndIsNeverSettled() throws {
    try withFolder { folder in
      let path = "\(folder)/firm.db"
      let ending = Lock<(@Sendable () -> Void)?>(nil)
      let host = try open(path) { _ in ending.withLock { $0 }?() }
      ending.withLock { $0 = { [host] in try? host.close() } }
      host.store.dispatch(.ledger(.add()))
      #expect(host.settle())
      unlink(path)
      host.store.dispatch(.ledger(.add()))
      host.settle()
      host.store.dispatch(.ledger(.add()))
      #expect(!host.settle())
      #expect(throws: HostError.self) { try host.close() }
      ending.withLock { $0 = nil }
    }
  }

  @Test func unitsOfOneNameAreTheHostsError() throws {
    try withFolder { folder in
      let twice = Application<FirmAction, Firm>(
        initial: Firm(), reducer: .identity, middleware: .compose(.logger("a") { _ in }, .logger("a") { _ in }))
      let error = #expect(throws: HostError.self) {
        try Host(twice, journal: JournalPlan(path: "\(folder)/firm.db"))
      }
      #expect(error?.code == .duplicateUnit)
      #expect(access("\(folder)/firm.db", F_OK) != 0)
    }
  }
}
