import Dispatch
import Glibc
import Testing

@testable import StoreCore

/// R34 and R39: threads that share a store are led into every order of their steps. No hand-over is lost in any: each thread goes on,
/// and the store is nobody's in the end.
@Suite struct HandOverOrderTests {
  /// What a thread does with the store.
  enum Deed: CaseIterable {
    case turn, turnAnywhere, look, dispatch, dispatchAndBlock, exclusively

    /// How many actions it dispatches.
    var actions: Int {
      switch self {
      case .turn, .turnAnywhere: 2
      case .dispatch, .dispatchAndBlock: 1
      case .look, .exclusively: 0
      }
    }

    func perform(_ store: Counting, _ lockstep: Lockstep) {
      switch self {
      case .turn:
        store.turn {
          let before = store.state
          for _ in 0..<2 { store.dispatch(.named("A")) }
          lockstep.pass()
          if store.state != before + 2 { lockstep.noteTornTurn() }
        }
      case .turnAnywhere: store.turnAnywhere { for _ in 0..<2 { store.dispatch(.named("A")) } }
      case .look: store.look { lockstep.pass() }
      case .dispatch: store.dispatch(.named("A"))
      case .dispatchAndBlock: store.dispatchAndBlock(DispatchedAction(.named("A"), source: .nowhere))
      case .exclusively: store.setInterruption(nil)
      }
    }
  }

  /// Two threads, in orders that a seed determines; `STSH_HAND_OVERS` says how many of each pair.
  @Test(arguments: Deed.allCases) func twoThreadsLoseNoHandOver(first: Deed) throws {
    let rounds = getenv("STSH_HAND_OVERS").flatMap { UInt64(String(cString: $0)) } ?? 32
    for second in Deed.allCases {
      for seed in 0..<rounds { try Self.run([[first], [second]], by: Lockstep(seed: seed)) }
    }
  }

  /// Three and four threads that come again, in orders that a seed determines. By the last of them an action in a turn was answered and
  /// not done: a visit that had come with the last look of the thread before was counted as nobody's.
  @Test(arguments: [UInt64](0..<64) + [5472]) func manyThreadsLoseNoHandOver(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let deeds = (0..<Int.random(in: 3...4, using: &random)).map { _ in
      (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in Deed.allCases.randomElement(using: &random) }
    }
    try Self.run(deeds, by: Lockstep(seed: seed))
  }

  private static func run(_ deeds: [[Deed]], by lockstep: Lockstep) throws {
    let store = try Counting(
      initial: 0,
      reducer: CountReducer("count") { action, count in
        if case .named = action { lockstep.pass() }
        count += 1
      })
    let keeper = Notes<Int>()
    store.setKeeper { keeper }
    store.steps = { lockstep.take($0) }
    lockstep.await(deeds.count)
    let threads = deeds.enumerated().map { index, deeds in
      onThread {
        lockstep.begin(as: index)
        for deed in deeds { deed.perform(store, lockstep) }
        lockstep.finish()
      }
    }
    let isStuck = lockstep.waitForEnd()
    let told = Comment(rawValue: "\(deeds), choices \(lockstep.choices)")
    try #require(!isStuck, told)
    for thread in threads { thread.wait() }
    withExtendedLifetime(keeper) {}
    #expect(store.ownership.owner.word.load(ordering: .relaxed) == 0, told)
    #expect(!store.ownership.hasIncoming && store.isDone, told)
    #expect(store.state == deeds.joined().map(\.actions).reduce(0, +), told)
    #expect(!lockstep.isTurnTorn, told)
  }
}

/// Has one of several threads run at a time: at each step a seed chooses which goes on.
final class Lockstep: @unchecked Sendable {
  // Safe: all that changes is used under the lock.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var random: SeededGenerator
  private(set) var choices: [Int] = []
  private(set) var isTurnTorn = false
  /// The thread that runs.
  private var running: UInt?
  /// The threads that may go on.
  private var ready: [UInt] = []
  /// The places of threads among those that are chosen from; the worker thread comes last.
  private var places: [UInt: Int] = [:]
  /// The signals that threads wait for, and those that came before.
  private var waiting: Set<ObjectIdentifier> = []
  private var early: Set<ObjectIdentifier> = []
  /// All signals so far: none gets the address of another.
  private var signals: [DispatchSemaphore] = []
  /// The number of threads that are about to come here.
  private var coming = 0
  /// True while the worker thread has a job, and if it has been given the next one.
  private var (isWorkerBusy, comesAgain) = (false, false)
  /// Has a thread go on.
  private var turns: [UInt: DispatchSemaphore] = [:]
  /// Signalled once no thread can go on.
  private let end = DispatchSemaphore(value: 0)

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Waits for so many threads before one goes on.
  func await(_ count: Int) { coming = count }

  /// Begins a thread.
  func begin(as place: Int) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    places[StoreThread.current] = place
    coming -= 1
    rest(StoreThread.current)
  }

  /// Ends a thread.
  func finish() {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    leave()
  }

  func pass() { take(.passes) }

  func noteTornTurn() {
    pthread_mutex_lock(lock)
    isTurnTorn = true
    pthread_mutex_unlock(lock)
  }

  func take(_ step: HandOverStep) {
    let own = StoreThread.current
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    switch step {
    case .passes: rest(own)
    case .waits(let signal):
      guard early.remove(ObjectIdentifier(signal)) == nil else { return }
      note(signal, in: &waiting)
      leave()
    case .isAwake where running == own: break
    case .isAwake:
      coming -= 1
      rest(own)
    case .begins:
      coming -= 1
      isWorkerBusy = true
      rest(own)
    case .wakes(let signal):
      if waiting.remove(ObjectIdentifier(signal)) != nil { coming += 1 } else { note(signal, in: &early) }
    case .hands where isWorkerBusy: comesAgain = true
    case .hands: coming += 1
    case .ends:
      isWorkerBusy = false
      if comesAgain { coming += 1 }
      comesAgain = false
      leave()
    }
  }

  private func note(_ signal: DispatchSemaphore, in set: inout Set<ObjectIdentifier>) {
    signals.append(signal)
    set.insert(ObjectIdentifier(signal))
  }

  /// Goes on when it is chosen.
  private func rest(_ own: UInt) {
    ready.append(own)
    if running == own { running = nil }
    let turn = turns[own] ?? DispatchSemaphore(value: 0)
    turns[own] = turn
    choose()
    pthread_mutex_unlock(lock)
    turn.wait()
    pthread_mutex_lock(lock)
  }

  private func leave() {
    running = nil
    choose()
  }

  private func choose() {
    guard running == nil, coming == 0 else { return }
    guard !ready.isEmpty else {
      end.signal()
      return
    }
    // Threads come in any order where several come at once.
    ready.sort { places[$0] ?? .max < places[$1] ?? .max }
    let choice = Int.random(in: ready.indices, using: &random)
    choices.append(choice)
    let chosen = ready.remove(at: choice)
    running = chosen
    turns[chosen]?.signal()
  }

  /// Waits until no thread can go on.
  ///
  /// - Returns: true if some wait for others.
  func waitForEnd() -> Bool {
    end.wait()
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return !waiting.isEmpty
  }
}
