import DequeModule
import Dispatch
import Platform
import StoreCore

/// The store of a node, as its ``ReplicaRunner`` drives it. No two of the calls come at once.
package protocol ReplicatedStore: AnyObject, Sendable {
  /// Runs commands on the last committed state, each on the results of those before, so that nothing of it shows.
  ///
  /// - Parameters:
  ///   - sequence: the number of the log's last record, which the results repeat.
  ///   - makesKeeper: true when there are no commands, and the one action makes this node the keeper.
  /// - Returns: the results of all commands, or of the first of them when a message holds no more
  ///   (``LogMessage/mostEntryBytes``); of one at least.
  func attempt(_ commands: [CommandID], makesKeeper: Bool, on sequence: UInt64) -> ReplicaAttempt

  /// Runs commands on the results of the attempt that is on its way to the log, so that the next attempt finds them done. Nothing of it
  /// may show, and it goes if the attempt does.
  ///
  /// - Parameter commands: those of the last call for this attempt, and others behind them.
  /// - Returns: false: no more may run.
  func prepare(_ commands: [CommandID]) -> Bool

  /// Drops the results of the attempt.
  func discard()

  /// Commits the results of the attempt, which lead to a position: notifies watchers, runs IO.
  func commit(firstAction: UInt64, reaching position: Replica.Position)

  /// Reduces the entries of another node's message, which lead to a position.
  ///
  /// - Returns: the first action and path at which the changes differ from those of the message; nil: they are equal.
  func apply(_ message: LogMessage, reaching position: Replica.Position) -> ChangeDifference?

  /// The store has the state of a position, unless ``apply(_:reaching:)`` found a difference; so many bytes of entries led to it from the
  /// message before.
  func reached(_ position: Replica.Position, bytes: Int)

  /// Takes over the newest snapshot of the log, if it stands for more records than so many. Waits for the log.
  func restore(behind sequence: UInt64) -> Restoration

  /// The outcome of a command.
  func settle(_ command: CommandID, as settlement: Settlement)

  /// Runs the supervised tasks of a term; nil: ends them.
  func runTasks(ofTerm term: UInt64?)

  /// A node told of itself, after ``ReplicaRunner/askNodes()`` here or elsewhere.
  func show(_ report: NodeReport)

  /// The node's way to the log has changed: it is up to date, cut off, or stopped.
  func linkChanged(_ replica: Replica)
}

/// The first place at which the changes of an entry differ from the store's own (R44).
package struct ChangeDifference: Hashable, Sendable {
  package var action: UInt64
  /// The path, as users write it.
  package var path: String

  package init(action: UInt64, path: String) {
    self.action = action
    self.path = path
  }
}

/// The lengths of a node's waits.
package struct ReplicaTiming: Hashable, Sendable {
  /// The first wait for an answer. Each further one is twice as long, up to five times this.
  package var answer: Duration
  /// The least time that a node is given for its turn, and the range of the pause after a message that could not be sent, which doubles
  /// with each further one, up to 4,096 times this.
  package var turn: Duration
  /// A keeper that is silent for so long is replaced.
  package var timeToLive: Duration

  package init(answer: Duration = .seconds(2), turn: Duration = .microseconds(400), timeToLive: Duration = .seconds(2))
  {
    self.answer = answer
    self.turn = turn
    self.timeToLive = timeToLive
  }

  /// A node that takes longer for its turn is waited for no longer.
  var longestTurn: Duration { timeToLive / 4 }

  /// The tick of the replica.
  package var tick: Duration { timeToLive / 6 }
}

/// Carries events of a log, a clock and a store to a ``Replica``, and its effects to them, one after another.
///
/// An input may come from any thread, also from within an effect. The thread that finds the runner idle runs all effects, those of
/// inputs that come meanwhile included.
package final class ReplicaRunner: Sendable {
  private struct State {
    var replica: Replica
    var inbox: Deque<Input> = []
    var isBusy = false
    /// The commands that ran behind the message on its way; nil: none may.
    var ahead: Int?
    var reading: UInt64 = 0
    var wait: ScheduledTimer?
    /// The number of the wait; an earlier one is off.
    var waits: UInt64 = 0
    /// The waits of either kind since the last commit.
    var answerWaits = 0
    var pauses = 0
    /// The moment since which the store has the last message.
    var lastMessage = Duration.zero
    /// The moment since which this node waits for its turn; nil: it did not since then.
    var turnAwaited: Duration?
    /// The time that a node takes for its turn, as seen from here.
    var turn = Duration.zero
    /// The time that this node has worked on its next message, and did on its last one: another takes about as long to take it over.
    var work = Duration.zero
    var lastWork = Duration.zero
    var lastTick = Duration.zero
    var isClosed = false
  }

  private enum Input {
    case replica(ReplicaInput)
    case log(LogEvent)
    case tick
    case waited(UInt64)
  }

  private let state: Lock<State>
  private let log: any SharedLog
  private let store: any ReplicatedStore
  private let clock: any StoreClock
  private let order: any StoreOrder
  private let timing: ReplicaTiming
  /// The records that may wait in the inbox.
  private let room = DispatchSemaphore(value: 0)
  private static let room = 64
  /// Whether a thread waits for what others leave to it, and what wakes it.
  private let (worker, work) = (Lock(false), CountedSignal())

  /// So many commands run behind the message on its way before the inbox is looked at again, and no fewer: a few are run as soon by the
  /// next attempt.
  private static let ahead = (least: 64, most: 256)

  /// Drives a replica that has read the log up to its position.
  package init(
    _ replica: Replica, log: any SharedLog, store: any ReplicatedStore, clock: any StoreClock, order: any StoreOrder,
    timing: ReplicaTiming = ReplicaTiming()
  ) {
    state = Lock(State(replica: replica))
    self.log = log
    self.store = store
    self.clock = clock
    self.order = order
    self.timing = timing
    // Counted up from 0: a semaphore must not end below the number that it begins with.
    for _ in 0..<ReplicaRunner.room { room.signal() }
  }

  /// Begins to follow the log.
  package func start() {
    state.withLock { $0.lastTick = clock.now }
    scheduleTick()
    log.start { [weak self] event in
      guard let self else { return }
      // A log that delivers faster than the store reduces waits here.
      if case .delivered = event { room.wait() }
      take(.log(event))
    }
  }

  /// Takes a command or another input of the store.
  package func take(_ input: ReplicaInput) {
    guard begin({ $0.append(.replica(input)) }) else { return }
    while proceed(mayRunAhead: false) {}
  }

  /// Takes several inputs of a thread that has more to bring: another one does what they call for.
  package func take(_ inputs: [ReplicaInput]) {
    guard begin({ $0.append(contentsOf: inputs.lazy.map { .replica($0) }) }) else { return }
    if hasWorker() { work.signal() } else { while proceed(mayRunAhead: false) {} }
  }

  /// Starts the thread that does what others leave to it, unless it runs already.
  ///
  /// - Returns: false: the system has none to give.
  private func hasWorker() -> Bool {
    worker.withLock { runs in
      if runs { return true }
      do throws(WorkerThread.Refusal) {
        try WorkerThread { [work] in
          while work.wait(atMost: .seconds(1 << 30)), !self.state.withLock({ $0.isClosed }) {
            while self.proceed(mayRunAhead: true) {}
          }
        }.detach()
        runs = true
      } catch {}
      return runs
    }
  }

  /// Asks which nodes there are. Those that can be reached answer, this one included.
  package func askNodes() { log.say(NodeWord.question.bytes) }

  /// The replica as it is.
  package var replica: Replica { state.withLock { $0.replica } }

  /// Ends all: the log's connection, the waits.
  package func close() {
    let wait = state.withLock { state in
      state.isClosed = true
      return state.wait
    }
    wait?.cancel()
    work.signal()
    log.close()
  }

  // MARK: Inputs

  private func take(_ input: Input) {
    if !begin({ $0.append(input) }) {
      if state.withLock({ $0.isClosed }), case .log(.delivered) = input { room.signal() }
      return
    }
    // Not the thread that brings commands: it has more of them.
    while proceed(mayRunAhead: true) {}
  }

  /// Fills the inbox.
  ///
  /// - Returns: true if the runner was idle, and this thread has to proceed.
  private func begin(_ fill: (inout Deque<Input>) -> Void) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      fill(&state.inbox)
      defer { state.isBusy = true }
      return !state.isBusy
    }
  }

  /// Takes what stands in the inbox, or else runs commands behind the message on its way.
  ///
  /// - Returns: false: there was nothing to do, and the runner is idle.
  private func proceed(mayRunAhead: Bool) -> Bool {
    while let effects = nextEffects() {
      for effect in effects { perform(effect) }
    }
    let commands: [CommandID]? = state.withLock { state in
      guard state.inbox.isEmpty else { return [] }
      if mayRunAhead, let done = state.ahead,
        case let commands = state.replica.waiting(done + Self.ahead.most), commands.count >= done + Self.ahead.least
      {
        state.ahead = commands.count
        return commands
      }
      state.isBusy = false
      return nil
    }
    guard let commands else { return false }
    if !commands.isEmpty, !measured({ store.prepare(commands) }) { state.withLock { $0.ahead = nil } }
    return true
  }

  /// The effects of the next input that has any; nil: there is none.
  private func nextEffects() -> [ReplicaEffect]? {
    state.withLock { state in
      while let next = state.inbox.popFirst() {
        if case .log(.delivered) = next { room.signal() }
        guard let input = self.input(next, &state) else { continue }
        let link = state.replica.link
        let effects = state.replica.take(input)
        if state.replica.link != link, case .away = state.replica.link { return effects + [.ready] }
        if !effects.isEmpty { return effects }
      }
      return nil
    }
  }

  private func input(_ input: Input, _ state: inout State) -> ReplicaInput? {
    switch input {
    case .replica(let input): return input
    case .waited(let number): return number == state.waits ? .waited : nil
    case .tick:
      let passed = clock.now - state.lastTick
      let ticks = UInt64(max(passed / timing.tick, 0))
      guard ticks > 0 else { return nil }
      state.lastTick += timing.tick * Int(ticks)
      return .ticked(ticks)
    case .log(let event): return self.input(event, reading: state.reading)
    }
  }

  private func input(_ event: LogEvent, reading: UInt64) -> ReplicaInput? {
    switch event {
    case .connected(let first, let last): .connected(first: first, last: last)
    case .disconnected(let reason): .disconnected(reason: reason)
    case .delivered(let read, let sequence, let bytes):
      read == reading ? .delivered(sequence: sequence, LogMessage.read(bytes)) : nil
    case .acknowledged(let id, let sequence): .acknowledged(id, sequence: sequence)
    case .stale(let id): .stale(id)
    case .unsent(let id, let reason): .unsent(id, reason: reason)
    case .failed(let id, let reason): .failed(id, reason: reason)
    case .clockAhead(let milliseconds): .clockAhead(milliseconds: milliseconds)
    case .heard(let bytes):
      switch NodeWord(bytes) {
      case .alive(let node, let beat): .heard(node, beat: beat)
      case .waiting(let node): .turnAsked(node)
      case .question: .asked
      case .report(let report): .reported(report)
      case nil: nil
      }
    }
  }

  // MARK: Effects

  private func perform(_ effect: ReplicaEffect) {
    switch effect {
    case .follow(let sequence):
      let reading = state.withLock { state in
        state.reading += 1
        return state.reading
      }
      log.follow(from: sequence, reading: reading)
    case .append(let message, let expecting):
      state.withLock { $0.ahead = $0.ahead ?? 0 }
      log.append(message.bytes, id: message.id, expecting: expecting)
    case .say(let beat): log.say(NodeWord.alive(replica.node, beat: beat).bytes)
    case .askTurn: log.say(NodeWord.waiting(replica.node).bytes)
    case .report(let report): log.say(NodeWord.report(report).bytes)
    case .show(let report): store.show(report)
    case .attempt(let sequence, let commands, let makesKeeper):
      // Before anything else: the store has the results of this attempt and of no other.
      let attempt = measured { store.attempt(commands, makesKeeper: makesKeeper, on: sequence) }
      state.withLock { $0.inbox.prepend(.replica(.attempted(attempt))) }
    case .discard:
      state.withLock { ($0.ahead, $0.work) = (nil, .zero) }
      store.discard()
    case .commit(let first, let position):
      state.withLock { ($0.answerWaits, $0.pauses, $0.ahead) = (0, 0, nil) }
      measured { store.commit(firstAction: first, reaching: position) }
      state.withLock { ($0.lastWork, $0.work) = ($0.work, .zero) }
      noteMessage()
    case .apply(let message, let position):
      noteTurn()
      defer { noteMessage() }
      if let difference = store.apply(message, reaching: position) {
        take(.replica(.differs(action: difference.action, path: difference.path)))
      }
    case .reached(let position, let bytes): store.reached(position, bytes: bytes)
    case .restore(let sequence):
      // Before anything else: the store may have another state now.
      let outcome = store.restore(behind: sequence)
      state.withLock { $0.inbox.prepend(.replica(.restored(outcome))) }
    case .settle(let command, let settlement): store.settle(command, as: settlement)
    case .tasks(let term): store.runTasks(ofTerm: term)
    case .ready, .stopped: store.linkChanged(replica)
    case .wait(let wait): schedule(wait)
    }
  }

  /// Does work on this node's message.
  private func measured<Result>(_ work: () -> Result) -> Result {
    let start = clock.now
    let result = work()
    let passed = clock.now - start
    state.withLock { $0.work += passed }
    return result
  }

  /// The store has a message.
  private func noteMessage() { state.withLock { ($0.lastMessage, $0.turnAwaited) = (clock.now, nil) } }

  /// A message of another node has come: that tells how long a turn takes, if this node waited for its own.
  private func noteTurn() {
    state.withLock { state in
      guard let begin = state.turnAwaited else { return }
      state.turn = (state.turn * 3 + min(clock.now - begin, timing.longestTurn)) / 4
    }
  }

  private func schedule(_ wait: ReplicaWait) {
    let (least, range) = state.withLock { state -> (Duration, Duration) in
      switch wait {
      case .answer:
        defer { state.answerWaits += 1 }
        let wait = min(timing.answer * (1 << min(state.answerWaits, 3)), timing.answer * 5)
        return (wait, wait / 4)
      case .turn(let others):
        let now = clock.now
        (state.answerWaits, state.turnAwaited) = (0, state.turnAwaited ?? now)
        // Twice as long as it seems to take: an attempt out of turn spoils that of another. It has to take over the last message first.
        let turn = max(state.turn, timing.turn, min(state.lastWork, timing.longestTurn))
        return (state.lastMessage + turn * (2 * others) - now, .zero)
      case .pause:
        defer { state.pauses += 1 }
        state.answerWaits = 0
        return (.zero, timing.turn * (1 << min(state.pauses, 12)))
      }
    }
    let steps = 1_000
    let delay = least + range * order.chosen(among: steps) / steps
    let number = state.withLock { state in
      state.waits += 1
      return state.waits
    }
    guard delay > .zero else { return take(.waited(number)) }
    let timer = clock.schedule(after: delay) { [weak self] in self?.take(.waited(number)) }
    state.withLock { state in
      defer { state.wait = timer }
      return state.wait
    }?.cancel()
  }

  private func scheduleTick() {
    clock.schedule(after: timing.tick) { [weak self] in
      guard let self, !state.withLock({ $0.isClosed }) else { return }
      take(.tick)
      scheduleTick()
    }
  }
}
