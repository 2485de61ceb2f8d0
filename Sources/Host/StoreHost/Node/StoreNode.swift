import DequeModule
import Platform
import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreReplication
import StoreSchema

/// A store's part in a shared one (R40): what is dispatched here is attempted on the last committed state and appended to the log
/// (R41); what other nodes appended goes through the reducers (R42).
///
/// The protocol is that of `Replica`; this carries out what it wants of the store. It needs the store's turn for
/// attempts, commits and entries of others, and for nothing else: while an append is under way, the turn is free.
package final class StoreNode: SharedNode, ReplicatedStore, @unchecked Sendable {
  // Safe: what stands behind `state` is guarded by it; runs are the runner's, which makes one call at a time. The rest is read and
  // changed only by the thread that holds the store's turn; exclusive access as in ``LiveStore``.
  private struct State {
    var commands = OpenCommands()
    /// The families whose first action is committed and may cause more, by its number.
    var families: [Int: NodeFamily] = [:]
    var reports: [NodeReport] = []
  }

  /// The commands that are on their way. They have ascending numbers, and end nearly in that order.
  private struct OpenCommands {
    private var commands: Deque<NodeCommand?> = []
    private var first: CommandID = 1

    var next: CommandID { first + CommandID(commands.count) }

    var all: some Sequence<NodeCommand> { commands.lazy.compactMap(\.self) }

    subscript(id: CommandID) -> NodeCommand? { id >= first && id < next ? commands[Int(id - first)] : nil }

    mutating func append(_ command: NodeCommand) { commands.append(command) }

    /// Takes a command away.
    mutating func remove(_ id: CommandID) {
      guard id >= first, id < next else { return }
      commands[Int(id - first)] = nil
      while let oldest = commands.first, oldest == nil {
        commands.removeFirst()
        first += 1
      }
    }
  }

  private struct Result {
    let command: NodeCommand
    let attempt: ActionAttempt<HostAction, HostState>
    /// What went wrong beside the state.
    let notes: [() -> Void]
    let wallTime: Int?
    /// What the log has of it; nil: an interceptor misbehaved before.
    let made: Made?
  }

  /// The entry of an action, packed with others.
  private enum Made {
    /// It is there as an object as well.
    case entry(LoggedEntry)
    /// That of a plain action, and which of ``changedSlices`` it changed, a bit each.
    case plain(changed: UInt64)
  }

  /// Commands that ran one on the results of another, so that nothing shows yet, and what the log is to have of them.
  private struct Run {
    /// The number and time of the last action behind which they ran, and later of the last of them; the state is the one behind it.
    var number: Int
    var time: Duration
    var state: HostState
    /// The number of the last action before them.
    let base: Int
    /// The changes of the plugins that had been made by then.
    let plugins: Int
    var results: [Result] = []
    var commands: [ReplicaAttempt.Command] = []
    var entries: [UInt8] = []
    /// The entries of the results, in their order.
    var chunks: [EntryChunk] = []
    /// What units noted beside the state.
    var notes: [() -> Void] = []
    /// True if a message takes no more behind them.
    var isFull = false
    /// True if others may run behind them only once they are committed.
    var isFence = false
  }

  private struct Saving {
    /// The bytes of the last one.
    var size = 0
    var isUnderway = false
  }

  /// A megabyte of entries is read in less time than a snapshot is worth.
  package static let leastUnsaved = 1 << 20

  /// The most time that a caller waits for the log.
  private static let patience = Duration.seconds(10)

  /// The name that other nodes see.
  package let name: String
  private let lease: Lease<LiveStore>
  private let log: any SharedLog
  private let snapshots: LogSnapshots
  /// The least bytes of entries between two snapshots.
  private let leastUnsaved: Int
  /// Whether this node's user lets a plugin have what it asks for.
  private let isGranted: @Sendable (PluginSource) -> Bool
  private let state = Lock(State())
  private let runner: Lock<ReplicaRunner?> = Lock(nil)
  @exclusivity(unchecked) private var lacksUnits = false
  /// The results of the attempt, and those that ran behind them meanwhile; nil: there are none.
  @exclusivity(unchecked) private var attempted: Run?
  @exclusivity(unchecked) private var ahead: Run?
  /// What the log is to have of the action that is attempted at present, once its outcome is known; the bytes that it takes, and the
  /// slices beside it.
  @exclusivity(unchecked) private var made: (Made, size: Int, [JournalSnapshot.Slice])?
  /// True while entries of plain actions are packed without an object.
  @exclusivity(unchecked) private var packsPlain = false
  /// The names of slices that plain actions changed, each with the number of its shape.
  @exclusivity(unchecked) private var changedSlices: [(id: Int, name: String)] = []
  /// Packs the entries of the commands that run in one turn.
  @exclusivity(unchecked) private var packer = EntryPacker()
  /// The number of the last committed action.
  @exclusivity(unchecked) private var last = 0
  /// The digest of all entries up to there.
  @exclusivity(unchecked) private var digest: UInt64 = 0
  @exclusivity(unchecked) private var lastTime = Duration.zero
  /// True while an action of another node is taken over.
  @exclusivity(unchecked) package private(set) var isFollowing = false
  /// The time of day that the action being committed has.
  @exclusivity(unchecked) private var wallTime: Int??
  /// The time of day of the last committed action.
  @exclusivity(unchecked) private var lastWallTime: Int?
  /// The code that entries about to be taken over bring, by its digest.
  @exclusivity(unchecked) private var code: [String: PluginSource] = [:]
  /// True once an entry of another node was found to differ.
  @exclusivity(unchecked) private var hasDiffered = false
  /// The bytes of the entries behind the last snapshot that this node made, or started from.
  @exclusivity(unchecked) private var unsaved = 0
  private let saving = Lock(Saving())
  private let isClosed = SharedFlag()
  /// Counts the changes of the way to the log that no one has waited for yet.
  private let changes = CountedSignal()
  private let answers = CountedSignal()
  /// Reads the entries of others, as long as the plugins are those of some change.
  @exclusivity(unchecked) private var reader: (changes: Int, reader: EntryReader)?
  /// The term in which the tasks of the store run here; nil: they do not.
  private let term = Lock<UInt64?>(nil)

  fileprivate init(
    _ live: LiveStore, _ name: String, _ log: any SharedLog, from place: NodePlace?, leastUnsaved: Int,
    isGranted: @escaping @Sendable (PluginSource) -> Bool
  ) {
    lease = live.lease
    (self.name, self.log, self.leastUnsaved, self.isGranted) = (name, log, leastUnsaved, isGranted)
    snapshots = LogSnapshots(of: log, digest: Self.digest)
    guard let place else { return }
    (last, digest, lastTime) = (Int(place.position.action), place.position.digest, place.time)
    noteTime(place.time, place.wallTime, in: live)
  }

  /// The digest under which the log has bytes.
  private static let digest: @Sendable ([UInt8]) -> String = { bytes in
    var hash = StableHash()
    hash.add(bytes[...])
    return StableHash.text(of: hash.value)
  }

  /// The node as the protocol knows it.
  package var replica: Replica? { runner.withLock { $0 }?.replica }

  fileprivate func start(_ runner: ReplicaRunner) {
    self.runner.withLock { $0 = runner }
    runner.start()
  }

  package func close() {
    _ = isClosed.set(true)
    runner.withLock { $0 }?.close()
  }

  package func note(lacksUnits: Bool) {
    guard self.lacksUnits != lacksUnits else { return }
    self.lacksUnits = lacksUnits
    take(.mayKeep(!lacksUnits))
  }

  private func take(_ input: ReplicaInput) { runner.withLock { $0 }?.take(input) }

  // MARK: Dispatching

  /// Has an action appended, with all that it causes, and waits until that is committed. The turn, which this thread holds, is
  /// given away meanwhile.
  ///
  /// - Returns: nil while this thread processes another action, which causes this one.
  package func dispatch(_ action: HostAction, _ source: ActionSource, for client: StoreClient?) -> DispatchResult? {
    guard let live = lease.object, live.store.holdsTurn else { return nil }
    if let refusal = refusal(in: live) { return .refused(refusal) }
    let (holder, family) = (live.attendance.holder, NodeFamily(isAwaited: true))
    live.attendance.holder = nil
    defer { live.attendance.holder = holder }
    return live.store.withoutTurn {
      guard enter(action, source, into: family, limit: .max, isRoot: true, nil) != nil else { return .cancelled }
      return wait(for: family, atMost: Self.patience, endedBy: client?.interruption)
    }
  }

  /// The reason why nothing can be dispatched here, whatever the log does; nil: there is none.
  func refusal(in live: LiveStore) -> HostError? {
    do {
      try bringGranted(in: live)
    } catch {
      return HostError(describing: error)
    }
    guard let hosted = live.plugins.first(where: { $0.lacksUnits }) else { return nil }
    let name = hosted.plugin.module.name
    return HostError(
      code: .pluginGrant, message: "this node only follows: \(name) asks for what is not granted here",
      hint: "plugin grant \(name), or start with --grant \(name)", status: 4)
  }

  /// Brings the rest of plugins that this node's user has granted since they came (R46).
  package func bringGranted() throws {
    if let live = lease.object { try live.turn { try bringGranted(in: live) } }
  }

  private func bringGranted(in live: LiveStore) throws {
    if live.plugins.contains(where: { $0.lacksUnits && isGranted($0.plugin.source) }) {
      try live.bringUnits(where: isGranted)
    }
  }

  /// Hands actions of a series on to the log, without the turn.
  func begin(_ actions: [(HostAction, ActionSource)], in series: DispatchSeries) -> [PendingDispatch] {
    let commands = state.withLock { state in
      actions.map { action, source in
        let family = NodeFamily(isAwaited: true, of: series)
        let command = NodeCommand(state.commands.next, action, source, of: family, isRoot: true, nil, series)
        state.commands.append(command)
        return command
      }
    }
    runner.withLock { $0 }?.take(commands.map { .command($0.id, term: nil) })
    return commands.map { PendingDispatch(command: $0) }
  }

  /// Waits for an action of a series, without the turn.
  func result(of pending: PendingDispatch, endedBy interruption: Interruption) -> DispatchResult {
    wait(for: pending.command.family, of: pending.command.series, atMost: Self.patience, endedBy: interruption)
  }

  /// Waits until this node has all that the log held when it was called: until the log has acknowledged an append.
  ///
  /// - Parameter interruption: ends it early.
  /// - Throws: ``HostError`` where the log does not answer.
  package func synchronize(atMost duration: Duration?, endedBy interruption: Interruption) throws {
    let family = NodeFamily(isAwaited: true)
    guard enter(nil, .here(), into: family, limit: .max, isRoot: true, nil) != nil else { return }
    // Nothing of it may happen yet.
    let result = wait(
      for: family, atMost: duration ?? Self.patience, grace: .milliseconds(50), endedBy: interruption)
    try interruption.check()
    if case .failed(let error as HostError) = result.outcome,
      error.code == .interrupted || error.code == .outcomeUnknown
    {
      throw HostError(code: .timedOut, message: "the log has not answered in time", status: 5)
    }
    try result.get()
  }

  /// - Parameters:
  ///   - series: the series of the action: once the log has failed it, none of the others is waited for as long.
  ///   - grace: how long the node may take to say what became of an action that is not waited for any more.
  private func wait(
    for family: NodeFamily, of series: DispatchSeries? = nil, atMost duration: Duration,
    grace: Duration = .seconds(1), endedBy interruption: Interruption?
  ) -> DispatchResult {
    var end = ContinuousClock.now + duration
    var isWithdrawn = false
    while true {
      let hasFailed = series?.cutOff != nil
      if hasFailed && !isWithdrawn ? family.isAnswered : family.wait() { break }
      let isLate = ContinuousClock.now > end || (hasFailed && !isWithdrawn)
      guard isLate || !isWithdrawn && interruption?.isRequested() ?? false else { continue }
      // The node has ended.
      if isWithdrawn { return .refused(HostError.unknownOutcome(nil)) }
      isWithdrawn = true
      end = ContinuousClock.now + (hasFailed ? .milliseconds(50) : grace)
      family.interrupt()
      let open = state.withLock { $0.commands.all.filter { $0.family === family } }
      for command in open { take(.withdrawn(command.id)) }
    }
    return family.result
  }

  /// Takes what units and other threads dispatch.
  fileprivate func take(_ outgoing: OutgoingAction<HostAction>, limit: Int) {
    let family = outgoing.root == 0 ? nil : state.withLock { $0.families[outgoing.root] }
    let isRoot = family == nil
    _ = enter(
      outgoing.action, outgoing.source, into: family ?? NodeFamily(isAwaited: false), limit: limit, isRoot: isRoot,
      outgoing.onDone)
  }

  /// Has a command run.
  ///
  /// - Parameter limit: how many actions its family may cause.
  private func enter(
    _ action: HostAction?, _ source: ActionSource, into family: NodeFamily, limit: Int, isRoot: Bool,
    _ onDone: (@Sendable (DispatchResult) -> Void)?, in series: DispatchSeries? = nil
  ) -> CommandID? {
    let id = state.withLock { state -> CommandID? in
      guard family.enter(isRoot: isRoot, limit: limit, action, source) else { return nil }
      let id = state.commands.next
      state.commands.append(NodeCommand(id, action, source, of: family, isRoot: isRoot, onDone, series))
      return id
    }
    guard let id else {
      family.series?.noteFailure()
      onDone?(.cancelled)
      return nil
    }
    // What a supervised task dispatches is of its term.
    let isOfTask = isRoot && !family.isAwaited && (source.kind == .effect || source.kind == .plugin)
    take(action == nil ? .sync(id) : .command(id, term: isOfTask ? term.withLock { $0 } : nil))
    return id
  }

  package func settle(_ id: CommandID, as settlement: Settlement) {
    guard let command = state.withLock({ $0.commands[id] }) else { return }
    switch settlement {
    case .committed:
      if let error = command.refusal { refuse(command, error) } else { end(command, command.result ?? .acknowledged) }
    case .refused(let refusal):
      var error = HostError(refusal)
      // It was withdrawn since another one did not come to the log.
      if refusal == .withdrawn, let reason = command.family.series?.cutOff { error = reason }
      // What else the statement dispatched may have happened.
      if let action = command.action {
        let what = command.isRoot ? "the action" : "\(action.call.type.fullName), which it caused,"
        error.hint = ["\(what) did not happen", error.hint].compactMap(\.self).joined(separator: "; ")
      }
      refuse(command, error)
    case .unknown(let reason):
      let error = HostError.unknownOutcome(reason)
      command.family.series?.noteCutOff(HostError(Refusal.cutOff(reason: reason ?? "it does not answer")))
      if !command.isRoot { note(error, beside: command) }
      command.family.answer(.refused(error))
    }
  }

  /// Has an error told that an action met which another one caused, or for which no caller waits.
  private func note(_ error: HostError, beside command: NodeCommand) {
    if command.family.series == nil { note(error) } else { command.family.note([error]) }
  }

  private func refuse(_ command: NodeCommand, _ error: HostError) {
    // Of those behind it, none is to happen of which its caller does not know.
    if [.cutOff, .nodeStopped].contains(error.code) {
      command.family.series?.noteCutOff(HostError(code: error.code, message: error.message))
    } else {
      command.series?.noteFailure()
    }
    command.onDone?(.refused(error))
    if !command.isRoot || !command.family.isAwaited { note(error, beside: command) }
    if !command.isRoot, error.code == .interrupted { command.family.noteLeftOut(command.action, command.source) }
    end(command, .refused(error))
  }

  private func end(_ command: NodeCommand, _ result: DispatchResult) {
    command.result = result
    end(CollectionOfOne(command))
  }

  /// Answers those who wait for commands whose results are known.
  private func end(_ commands: some Collection<NodeCommand>) {
    let roots = commands.compactMap { command in
      command.family.leave(command.isRoot ? command.result ?? .acknowledged : nil)
    }
    state.withLock { state in
      for command in commands { state.commands.remove(command.id) }
      if !state.families.isEmpty { for root in roots { state.families[root] = nil } }
    }
  }

  /// Has an error told that no caller is answered with.
  private func note(_ error: HostError) {
    guard let live = lease.object else { return }
    live.turn { live.attendance.faults.note(error) }
  }

  // MARK: Attempts

  /// So many commands run in one turn, and so many actions are in one message: while it is on its way, those of the next one run.
  private static let (longestTurn, longestMessage) = (EntryPacker.most, 1_024)

  package func attempt(_ ids: [CommandID], makesKeeper: Bool, on sequence: UInt64) -> ReplicaAttempt {
    guard let live = lease.object else {
      return ReplicaAttempt(on: sequence, commands: [], actionCount: 0)
    }
    var run = live.turn { takeAhead(of: ids, in: live) ?? begin(behind: nil, in: live) }
    proceed(&run, ids, in: live)
    attempted = run
    let attempt = ReplicaAttempt(
      on: sequence, commands: run.commands, actionCount: UInt64(run.results.count),
      digest: NodeEntry.digest(digest, behind: run.entries), entries: run.entries)
    return attempt.entries.count > LogMessage.mostEntryBytes ? storing(attempt) : attempt
  }

  package func prepare(_ ids: [CommandID]) -> Bool {
    guard let live = lease.object, let attempted, !attempted.isFence else { return false }
    var run = live.turn { ahead ?? begin(behind: attempted, in: live) }
    ahead = nil
    proceed(&run, ids, in: live, isAhead: true)
    ahead = run
    return !run.isFull
  }

  /// Begins a run behind another one, or behind the last committed action.
  private func begin(behind run: Run?, in live: LiveStore) -> Run {
    Run(
      number: run?.number ?? last, time: run?.time ?? lastTime, state: run?.state ?? live.store.state,
      base: run?.number ?? last, plugins: live.pluginChanges)
  }

  /// The run that was made ahead, if it is one of these commands behind the last action.
  private func takeAhead(of ids: [CommandID], in live: LiveStore) -> Run? {
    defer { ahead = nil }
    guard let ahead, ahead.base == last, ahead.plugins == live.pluginChanges, !ahead.commands.isEmpty,
      ids.starts(with: ahead.commands.lazy.map(\.id)),
      !ahead.results.contains(where: { $0.command.series?.isOver ?? false })
    else { return nil }
    return ahead
  }

  /// Runs the rest of some commands, as far as a message takes them.
  private func proceed(_ run: inout Run, _ ids: [CommandID], in live: LiveStore, isAhead: Bool = false) {
    while !run.isFull, run.commands.count < ids.count {
      let next = ids[run.commands.count...].prefix(Self.longestTurn)
      let commands = state.withLock { state in next.compactMap { state.commands[$0] } }
      if commands.isEmpty { return }
      live.turn { take(commands, into: &run, isAhead, in: live) }
    }
  }

  private func take(_ commands: [NodeCommand], into run: inout Run, _ isAhead: Bool, in live: LiveStore) {
    let store = live.store
    store.exchange(&run.state)
    defer { store.exchange(&run.state) }
    let showsEachState = live.showsEachState
    var (size, slices) = (run.entries.count, [JournalSnapshot.Slice]())
    // A history takes over no chunk of fewer.
    packsPlain = commands.count >= PackedEntry.leastKept && !showsEachState && !live.needsEntries
    // An action that may load or unload some is alone. What the others do to them is taken back until all are committed.
    let standings = live.hostUnits.map { ($0, $0.standing) }
    for command in commands {
      let isWithdrawn = command.series?.isOver ?? false
      command.refusal = isWithdrawn ? HostError(Refusal.withdrawn) : nil
      var present = command.action
      do throws(SchemaError) {
        present = try command.action.map { action throws(SchemaError) in try live.renewed(action) }
      } catch {
        command.refusal = command.refusal ?? HostError(describing: error)
      }
      let isAlone = present?.shell != nil || live.upkeep.hasControlGates
      run.isFull = command.refusal == nil && present != nil && isAlone && (isAhead || !run.results.isEmpty)
      if run.isFull { break }
      do {
        if command.refusal == nil { present = try present.map(live.remade) }
      } catch {
        command.refusal = HostError(describing: error)
      }
      guard command.refusal == nil, let action = present else {
        run.commands.append(ReplicaAttempt.Command(id: command.id, actions: 0))
        continue
      }
      let number = run.number + 1
      let time = max(run.time, live.clock.now)
      let source = source(of: command, behind: run, isAhead)
      let root = command.isRoot ? number : command.family.root
      let wallTime = live.timeOfDay
      self.wallTime = .some(wallTime)
      var attempted: ActionAttempt<HostAction, HostState>?
      let notes = live.attendance.faults.holdingBack {
        attempted = store.attempt(
          action, source: source, number: number, root: root, at: time,
          keepsState: showsEachState || command.onDone != nil)
      }
      self.wallTime = nil
      guard let made = attempted else {
        run.isFull = true
        break
      }
      (run.number, run.time) = (number, time)
      let entry = self.made
      self.made = nil
      if let entry {
        size += entry.size
        if !entry.2.isEmpty { slices = entry.2 }
      }
      run.results.append(Result(command: command, attempt: made, notes: notes, wallTime: wallTime, made: entry?.0))
      run.commands.append(ReplicaAttempt.Command(id: command.id, actions: 1))
      // Those behind one that fails may not happen.
      run.isFence = isAlone || made.exception?.failure != nil && command.series?.stopsAtFailure ?? false
      run.isFull =
        run.isFence || size > LogMessage.mostEntryBytes / 2 || run.results.count >= Self.longestMessage
        // What middlewares keep of each until its commit is among that.
        || live.plugins.contains(where: \.plugin.isShortOfMemory)
      if run.isFull { break }
    }
    for (unit, before) in standings { if let note = unit.takeBack(to: before) { run.notes.append(note) } }
    guard packer.count > 0 else { return }
    let chunk = EntryChunk(packer)
    packer.removeAll()
    NodeEntry.append(chunk, slices, to: &run.entries)
    run.chunks.append(chunk)
  }

  /// The source of a command. Those of one series belong to one statement: each behind the first has its number, which is known only
  /// now.
  private func source(of command: NodeCommand, behind run: Run, _ isAhead: Bool) -> ActionSource {
    var source = command.source
    guard let series = command.series, source.cause == nil, source.statement ?? .max == .max else { return source }
    func first(_ run: Run?) -> Int? {
      run?.results.first { $0.command.series === series }?.attempt.context.number
    }
    if let first = series.first ?? (isAhead ? first(attempted) : nil) ?? first(run) {
      source.statement = first
    }
    return source
  }

  /// Stores entries that are too large for a message, which has their digest instead.
  private func storing(_ attempt: ReplicaAttempt) -> ReplicaAttempt {
    var attempt = attempt
    do throws(LogError) {
      let digest = Self.digest(attempt.entries)
      try log.put(attempt.entries, digest: digest)
      attempt.entries = NodeEntry.bytes(standingFor: digest)
    } catch {
      // Nothing of it happens. The message asks for an acknowledgement alone.
      for result in attempted?.results ?? [] { result.command.refusal = HostError(Refusal.cutOff(reason: "\(error)")) }
      discard()
      attempt = ReplicaAttempt(
        on: attempt.sequence, commands: attempt.commands.map { ReplicaAttempt.Command(id: $0.id, actions: 0) },
        actionCount: 0, digest: digest)
    }
    return attempt
  }

  /// Makes the entry of the action that is attempted.
  fileprivate func noteOutcome(
    _ action: HostAction, _ context: ActionContext, from before: HostState, to after: HostState,
    _ exception: ActionRecord<HostAction, HostState>.Exception?, in live: LiveStore
  ) {
    live.store.noteAttempt(action, exception)
    if packsPlain, exception == nil, pack(plain: action, context, from: before, to: after, in: live) { return }
    let changes =
      exception?.failure == nil ? HostState.changes(from: before, to: after, by: &live.comparing.finder) : []
    let entry = live.entry(of: action, context, changes, exception, wallTime ?? nil)
    made = (.entry(entry), packer.append(entry), NodeEntry.slices(beside: entry, after: after, by: action.shell))
  }

  /// Packs the entry of an action that was applied as it came.
  ///
  /// - Returns: false: it takes an object.
  private func pack(
    plain action: HostAction, _ context: ActionContext, from before: HostState, to after: HostState, in live: LiveStore
  ) -> Bool {
    guard action.kind != .shell, context.source.statement != ActionSource.firstOfRun,
      let edit = live.comparing.findEdit(from: before, to: after), let changed = changed(by: edit)
    else { return false }
    let call = action.call
    let size = packer.append(
      context.number, context.time, wallTime ?? nil, context.source, call.type.fullName, call.type.layout,
      call.arguments, isQuiet: call.type.isQuiet, [], edit)
    made = (.plain(changed: changed), size, [])
    return true
  }

  /// The slices that an edit changes, a bit each; nil: there are too many of them.
  private func changed(by edit: Unmanaged<PlainEdit>) -> UInt64? {
    edit._withUnsafeGuaranteedRef { edit in
      var changed: UInt64 = 0
      for index in 0..<edit.count {
        let bit = edit.change(index).shape._withUnsafeGuaranteedRef { shape in
          changedSlices.firstIndex { $0.id == shape.sliceID } ?? add(shape)
        }
        guard let bit else { return nil }
        changed |= 1 << UInt64(bit)
      }
      return changed
    }
  }

  private func add(_ shape: PlaceShape) -> Int? {
    // A plugin that was loaded anew has other shapes.
    if let known = changedSlices.firstIndex(where: { $0.name == shape.slice }) {
      changedSlices[known].id = shape.sliceID
      return known
    }
    guard changedSlices.count < UInt64.bitWidth else { return nil }
    changedSlices.append((shape.sliceID, shape.slice))
    return changedSlices.count - 1
  }

  /// Has a plain action recorded by its packed entry alone.
  private func note(changed: UInt64, in live: LiveStore) {
    live.comparing.hasChanged = changed != 0
    var rest = changed
    while rest != 0 {
      live.comparing.versions.note(slice: changedSlices[rest.trailingZeroBitCount].name)
      rest &= rest - 1
    }
  }

  package func discard() {
    guard let live = lease.object else { return }
    live.turn { (attempted, ahead) = (nil, nil) }
  }

  package func commit(firstAction: UInt64, reaching position: Replica.Position) {
    guard let live = lease.object else { return }
    let committed = live.turn {
      let run = attempted
      attempted = nil
      if let run { commit(run, in: live) }
      digest = position.digest
      keep(position, in: live)
      // The rest of the run goes in the turn: plugins' values are among it.
      return run?.results.map(\.command) ?? []
    }
    // One by one the protocol settles them as well, and finds those that are left.
    end(committed)
  }

  private func commit(_ run: Run, in live: LiveStore) {
    let causing = run.results.filter { $0.command.isRoot && $0.attempt.hasConsequences }
    if !causing.isEmpty {
      state.withLock { state in
        for result in causing { state.families[result.attempt.context.number] = result.command.family }
      }
    }
    // The place of the result whose state is shown, and that of the next entry.
    var (shown, chunk, place) = (-1, 0, 0)
    // By position: a copy of a result counts all that it refers to.
    let results = run.results
    for index in results.indices {
      let (command, context) = (results[index].command, results[index].attempt.context)
      if command.isRoot { command.family.begin(context.number) }
      var next: HostState?
      if index > shown {
        shown = results[index...].firstIndex { $0.attempt.state != nil } ?? results.endIndex - 1
        next = results[shown].attempt.state ?? run.state
      }
      (last, lastTime, wallTime, lastWallTime) = (
        context.number, context.time, .some(results[index].wallTime), results[index].wallTime
      )
      live.comparing.lacksStateBefore = next == nil
      if let made = results[index].made {
        let entries = run.chunks[chunk]
        let packed = PackedEntry(entries, at: place)
        switch made {
        case .plain(let changed) where packed != nil && !live.needsEntries: note(changed: changed, in: live)
        case .plain:
          let entry = entries[place]
          (live.comparing.known, live.comparing.entry) = (entry.changes, entry)
        case .entry(let entry): (live.comparing.known, live.comparing.entry) = (entry.changes, entry)
        }
        live.comparing.packed = packed
        (chunk, place) = place + 1 < entries.count ? (chunk, place + 1) : (chunk + 1, 0)
      }
      // The callers of a series collect nothing themselves: they have many actions on their way.
      let mayFault =
        command.family.series != nil && (results[index].attempt.hasConsequences || !results[index].notes.isEmpty)
      let earlier = mayFault ? live.attendance.faults.collect() : 0
      command.result = live.store.commit(
        results[index].attempt, reaching: next, isAwaited: command.isRoot && command.family.isAwaited,
        notes: results[index].notes, command.onDone)
      if mayFault { command.family.note(live.attendance.faults.take(behind: earlier, ofRoot: context.root)) }
      (wallTime, live.comparing.known, live.comparing.entry) = (nil, nil, nil)
      (live.comparing.packed, live.comparing.lacksStateBefore) = (nil, false)
      if results[index].attempt.action != nil {
        let exception = results[index].attempt.exception
        command.series?.noteCommitted(context.number)
        if exception?.failure != nil { command.series?.noteFailure() }
        if exception?.original != nil { command.family.noteReplaced() }
      }
    }
    for note in run.notes { note() }
  }

  // MARK: Following

  package func apply(_ message: LogMessage, reaching position: Replica.Position) -> ChangeDifference? {
    guard let live = lease.object else { return nil }
    let difference = difference(of: message, reaching: position, in: live)
    if difference != nil { hasDiffered = true }
    return difference
  }

  private func difference(
    of message: LogMessage, reaching position: Replica.Position, in live: LiveStore
  ) -> ChangeDifference? {
    func fault(_ reason: String) -> ChangeDifference { ChangeDifference(action: message.firstAction, path: reason) }
    var bytes = message.entries
    if let digest = NodeEntry.digest(in: bytes) {
      guard let stored = fetch(digest), Self.digest(stored) == digest else {
        return fault("the log no longer has the data \(digest)")
      }
      bytes = stored
    }
    let digest = NodeEntry.digest(digest, behind: bytes)
    guard digest == message.digest else { return fault("the digest of all entries") }
    do {
      let entries = try live.turn { try NodeEntry.read(bytes, by: reader(of: live)) }
      for plugin in live.turn({ entries.flatMap { missingCode(for: $0, in: live) } }) {
        code[plugin.digest] = try code(plugin.digest, of: plugin.name)
      }
      defer { code = [:] }
      return live.turn {
        if let last = entries.last?.entry { noteTime(last.time, last.wallTime, in: live) }
        for entry in entries {
          if let path = follow(entry, in: live) {
            return ChangeDifference(action: UInt64(entry.entry.number), path: path)
          }
        }
        self.digest = digest
        keep(position, in: live)
        return nil
      }
    } catch let error as EntryError {
      return fault(error.message)
    } catch {
      return fault(HostError(describing: error).message)
    }
  }

  /// Has the node's file, if there is one, end at a position of the log. In the turn in which its actions were recorded: those who
  /// read the file find all of them.
  private func keep(_ position: Replica.Position, in live: LiveStore) {
    live.journal?.note(NodePlace(position, lastTime, lastWallTime))
  }

  /// The bytes that the log has under a digest; nil: it has none. Waits as long as the log cannot be reached.
  private func fetch(_ digest: String) -> [UInt8]? {
    while !isClosed.isSet, lease.object != nil {
      do throws(LogError) {
        return try log.blob(digest)
      } catch {
        if case .damagedBlob = error { return nil }
        changes.wait(atMost: .milliseconds(100))
      }
    }
    return nil
  }

  /// The plugins that an entry brings and whose code is not here.
  private func missingCode(for written: NodeEntry, in live: LiveStore) -> [(name: String, digest: String)] {
    var plugins: [(name: String, digest: String)] = []
    if let digest = written.entry.digest, case .string(let name)? = written.entry.arguments.values.first {
      plugins.append((name, digest))
    }
    if written.entry.restoreTarget != nil { plugins += written.slices.loadedPlugins.map { ($0.name, $0.digest) } }
    return plugins.filter { live.timeline.source($0.digest) == nil }
  }

  // MARK: Snapshots

  package func reached(_ position: Replica.Position, bytes: Int) {
    unsaved += bytes
    guard unsaved >= leastUnsaved, !hasDiffered, term.withLock({ $0 }) != nil, let live = lease.object else { return }
    let isDue = saving.withLock { saving in
      // So all snapshots together take no more than all entries.
      guard !saving.isUnderway, unsaved >= saving.size else { return false }
      saving.isUnderway = true
      return true
    }
    guard isDue else { return }
    unsaved = 0
    let (state, number, time, wallTime) = live.turn { (live.store.state, last, lastTime, lastWallTime) }
    do throws(WorkerThread.Refusal) {
      try WorkerThread { [weak self] in
        let bytes = NodeSnapshot.bytes(of: state, after: number, time, wallTime)
        self?.save(bytes, at: position)
      }.detach()
    } catch {
      saving.withLock { $0.isUnderway = false }
    }
  }

  private func save(_ bytes: [UInt8], at position: Replica.Position) {
    do throws(LogError) {
      try snapshots.put(bytes, at: position)
    } catch {
      // The next one comes after as many entries.
      note(HostError(error))
    }
    saving.withLock { $0 = Saving(size: bytes.count) }
  }

  package func restore(behind sequence: UInt64) -> Restoration {
    guard let live = lease.object else { return .unanswered }
    let position: Replica.Position
    let bytes: [UInt8]
    do throws(LogError) {
      guard let newest = try snapshots.newest(), newest.position.sequence > sequence else { return .missing }
      (position, bytes) = newest
    } catch {
      switch error {
      case .damagedBlob, .notPermitted: return .unfit(reason: "\(error)")
      default: return .unanswered
      }
    }
    guard let snapshot = NodeSnapshot(bytes) else { return .unfit(reason: "it has another form") }
    do {
      let known = Set(live.sources.map(\.digest))
      for plugin in snapshot.plugins where !known.contains(plugin.digest) {
        code[plugin.digest] = try code(plugin.digest, of: plugin.name)
      }
      defer { code = [:] }
      try live.turn {
        isFollowing = true
        defer { isFollowing = false }
        try live.begin(at: snapshot) { plugin in
          guard let source = code[plugin.digest] else { throw missingCode(plugin.digest, of: plugin.name) }
          return try live.hostShared(source, isGranted: isGranted(source))
        }
        noteTime(snapshot.time, snapshot.wallTime, in: live)
        (last, lastTime, digest, reader) = (snapshot.number, snapshot.time, position.digest, nil)
        (attempted, ahead) = (nil, nil)
        live.journal?.restart(live.store.state, after: snapshot.number, plugins: live.sources)
        keep(position, in: live)
      }
      unsaved = 0
      saving.withLock { $0.size = bytes.count }
      return .taken(position)
    } catch let error as StateMisfit {
      return .unfit(reason: error.problems.joined(separator: "; "))
    } catch {
      return .unfit(reason: HostError(describing: error).message)
    }
  }

  /// Takes note of the time of another node's action: the nodes' clocks show one time, that of the store.
  private func noteTime(_ time: Duration, _ wallTime: Int?, in live: LiveStore) {
    lastWallTime = wallTime
    guard let wallTime else { return }
    let passed = max(TimeOfDay.now() - wallTime, 0)
    (live.clock as? any ContinuingClock)?.goOn(from: time + .milliseconds(passed))
  }

  // MARK: Entries of others

  private func reader(of live: LiveStore) -> EntryReader {
    if let reader, reader.changes == live.pluginChanges { return reader.reader }
    let made = EntryReader(live.entryTypes { [unowned live] in live.plugins })
    reader = (live.pluginChanges, made)
    return made
  }

  /// Takes over an action of another node.
  ///
  /// - Returns: the first path at which the changes differ (R44).
  private func follow(_ written: NodeEntry, in live: LiveStore) -> String? {
    let entry = written.entry
    let context = ActionContext(number: entry.number, source: entry.source, time: entry.time, root: entry.number)
    (isFollowing, wallTime) = (true, .some(entry.wallTime))
    (live.comparing.entry, live.comparing.packed) = (entry, written.packed)
    defer {
      (isFollowing, wallTime) = (false, nil)
      (live.comparing.known, live.comparing.entry, live.comparing.packed) = (nil, nil, nil)
    }
    do {
      if let reason = try follow(written, context, in: live) { return reason }
    } catch {
      return HostError(describing: error).message
    }
    (last, lastTime) = (entry.number, max(lastTime, entry.time))
    if entry.isOfShell { live.tellClients(ofReturnBy: entry) }
    return nil
  }

  private func follow(_ written: NodeEntry, _ context: ActionContext, in live: LiveStore) throws -> String? {
    let entry = written.entry
    guard entry.failure == nil, entry.droppedBy == nil else { return followFailed(written, context, in: live) }
    let original = entry.original.map { live.recordedAction($0.action, $0.arguments) }
    if entry.isOfShell { return try followShell(written, context, original, in: live) }
    guard let type = live.action(named: entry.action) else {
      throw HostError(code: .unknownAction, message: "there is no action '\(entry.action)' here")
    }
    let action = try live.application.hostAction(entry.call(type))
    return try live.store.follow(action, context, original: original) {
      mismatch(of: written, from: $0, to: $1, in: live)
    }
  }

  /// The first path at which what an action did differs from its entry; nil: there is none.
  private func mismatch(
    of written: NodeEntry, from before: HostState, to after: HostState, in live: LiveStore
  ) -> String? {
    if let edit = live.comparing.findEdit(from: before, to: after),
      edit._withUnsafeGuaranteedRef({ $0.isSame(as: written.entry.changes) })
    {
      if isPlain(written), !live.needsEntries, let changed = changed(by: edit) {
        note(changed: changed, in: live)
        live.comparing.entry = nil
      } else {
        live.comparing.known = written.entry.changes
      }
      return written.difference(from: after)
    }
    let changes = HostState.changes(from: before, to: after, by: &live.comparing.finder)
    if let path = written.difference(from: changes) { return "\(path)" }
    live.comparing.known = changes
    return written.difference(from: after)
  }

  /// True if an entry is packed, and tells of an action that was applied as it came.
  private func isPlain(_ written: NodeEntry) -> Bool {
    written.packed != nil && !written.entry.hasRarities && !written.entry.isOfShell
      && written.entry.source.statement != ActionSource.firstOfRun
  }

  /// Takes over an action that changed nothing there.
  private func followFailed(_ written: NodeEntry, _ context: ActionContext, in live: LiveStore) -> String? {
    let entry = written.entry
    if !entry.changes.isEmpty { return "\(entry.changes[0].path)" }
    let failure = entry.failure.map { code in
      HostError(code: ErrorCode(rawValue: code) ?? .failed, message: entry.reason ?? code)
    }
    live.comparing.known = []
    live.store.follow(
      live.recordedAction(entry.action, entry.arguments), context, to: nil, failure: failure,
      original: entry.original.map { live.recordedAction($0.action, $0.arguments) }, droppedBy: entry.droppedBy)
    return nil
  }

  private func followShell(
    _ written: NodeEntry, _ context: ActionContext, _ original: HostAction?, in live: LiveStore
  ) throws -> String? {
    let before = live.store.state
    let action = try shellAction(of: written, from: before, in: live)
    var after = before
    try action.reduce(&after, from: written.entry.source)
    if let reason = mismatch(of: written, from: before, to: after, in: live) { return reason }
    live.store.follow(HostAction(action), context, to: after, failure: nil, original: original, droppedBy: nil)
    if case .unloadPlugin(let name) = action { live.removeShared(name) }
    return nil
  }

  /// The action of the shell that an entry tells, with what it needs: code, states.
  private func shellAction(
    of written: NodeEntry, from before: HostState, in live: LiveStore
  ) throws -> ShellAction {
    let entry = written.entry
    if let action = try ShellAction(entry, in: before, substateType: live.application.substateSchema) { return action }
    if ShellAction.bringsPlugin(entry) { return try pluginAction(of: written, from: before, in: live) }
    if let target = entry.restoreTarget {
      let plugins = try plugins(of: target, as: written.slices.loadedPlugins, in: live)
      return .restore(to: target, state: try state(after: written, from: before, plugins, in: live))
    }
    let state = try state(after: written, from: before, live.plugins, in: live)
    if let numbers = entry.takenBack { return .takeBack(Array(numbers), state: state) }
    guard entry.action == ShellAction.Types.importState.fullName, case .string(let file)? = entry.arguments["file"]
    else {
      throw HostError(code: .unknownAction, message: "this program cannot follow \(entry.action)")
    }
    let modules = ImportedModules.named(by: entry).map { names in state.modules(namedIn: names) ?? names.sorted() }
    return .importState(
      file: file, state, modules: modules, added: ImportedSubstates.added(by: entry).map(\.name))
  }

  /// The state after an action that carries what it made.
  private func state(
    after written: NodeEntry, from before: HostState, _ plugins: [HostedPlugin], in live: LiveStore
  ) throws -> HostState {
    var state = before
    let record = state.app.record
    try state.apply(written.entry.changes.filter { $0.module.flatMap { record.index(of: $0) } != nil })
    return try HostState(written.slices, app: state.app) { live.type(of: $0, among: plugins) }
  }

  /// The plugins of an earlier point, which may lie before the snapshot that this node started from: what was loaded then is then
  /// known from the entry alone.
  private func plugins(
    of target: Int, as wanted: [ShellState.LoadedPlugin], in live: LiveStore
  ) throws -> [HostedPlugin] {
    let known = live.timeline.versions(toGoOnFrom: target)
    if known.elementsEqual(wanted, by: { $0.code.name == $1.name && $0.code.digest == $1.digest }) {
      return try live.ready(known)
    }
    let running = live.timeline.versions(at: live.head)
    let versions = try wanted.map { plugin in
      if let version = running.first(where: { $0.code.digest == plugin.digest }) { return version }
      guard let source = live.timeline.source(plugin.digest) ?? code[plugin.digest] else {
        throw missingCode(plugin.digest, of: plugin.name)
      }
      return PluginVersion(try live.hostShared(source, isGranted: isGranted(source)), loadedBy: target)
    }
    live.timeline.learn(versions, at: target)
    return try live.ready(versions)
  }

  private func missingCode(_ digest: String, of name: String) -> HostError {
    HostError(code: .pluginLoad, message: "the code \(digest) of the plugin '\(name)' is not in the log")
  }

  /// The load or reload of a plugin, whose code is made ready.
  private func pluginAction(
    of written: NodeEntry, from before: HostState, in live: LiveStore
  ) throws -> ShellAction {
    let entry = written.entry
    guard case .string(let name)? = entry.arguments.values.first,
      case .string(let version)? = entry.arguments.values.last, let digest = entry.digest
    else { throw HostError(code: .pluginLoad, message: "#\(entry.number) does not say which plugin it brings") }
    guard let source = live.timeline.source(digest) ?? code[digest] else { throw missingCode(digest, of: name) }
    let hosted = try live.hostShared(source, isGranted: isGranted(source))
    let plugins = live.plugins.filter { $0.plugin.module.name != name } + [hosted]
    let slice = try state(after: written, from: before, plugins, in: live).plugins.first { $0.name == name }
    let loaded = ShellState.LoadedPlugin(name: name, version: version, digest: digest)
    if entry.action == ShellAction.Types.reloadPlugin.fullName {
      live.upkeep.replacement = PluginReplacement(hosted: hosted, slice: slice)
      return .reloadPlugin(loaded, slice: slice, gates: hosted.gates)
    }
    try live.addShared(hosted)
    return .loadPlugin(loaded, slice: slice, gates: hosted.gates)
  }

  /// Hands the code of a plugin on to all nodes. The turn is given away meanwhile.
  package func publish(_ source: PluginSource) throws {
    guard let live = lease.object else { return }
    let (log, code) = (log, NodeCode(source).bytes)
    try live.store.withoutTurn {
      do throws(LogError) {
        try log.put(code, digest: source.digest)
      } catch {
        throw HostError(Refusal.cutOff(reason: "\(error)"))
      }
    }
  }

  /// The code of a digest, as another node handed it on.
  private func code(_ digest: String, of name: String) throws -> PluginSource {
    guard let code = fetch(digest).flatMap({ NodeCode($0) }) else { throw missingCode(digest, of: name) }
    let source = try PluginSource(kept: code.files, of: code.folder, displayedAs: name)
    guard source.digest == digest else {
      throw HostError(code: .pluginLoad, message: "the code of the plugin '\(name)' is not what \(digest) stands for")
    }
    return source
  }

  // MARK: The node

  package func runTasks(ofTerm term: UInt64?) {
    self.term.withLock { $0 = term }
    guard let live = lease.object else { return }
    live.turn { live.store.setRunsEffects(term != nil) }
  }

  package func show(_ report: NodeReport) {
    state.withLock { state in
      state.reports.removeAll { $0.node == report.node }
      state.reports.append(report)
    }
    answers.signal()
  }

  package func linkChanged(_ replica: Replica) {
    changes.signal()
    lease.object?.actionSignal.send()
  }

  /// True if the store has all that the replica has read.
  fileprivate func hasAll(of replica: Replica) -> Bool {
    (lease.object?.turn { last } ?? 0) >= Int(replica.position.action)
  }

  /// Waits until the way to the log changes.
  fileprivate func waitForChange(atMost duration: Duration) { changes.wait(atMost: duration) }

  /// Asks which nodes there are, and waits a moment for their answers.
  package func askNodes() {
    state.withLock { $0.reports = [] }
    guard let runner = runner.withLock({ $0 }), runner.replica.link == .current else { return }
    answers.clear()
    runner.askNodes()
    // This node answers too, by way of the server. Others may be further away from it.
    var patience = Duration.milliseconds(400)
    while answers.wait(atMost: patience) { patience = .milliseconds(40) }
  }

  /// The nodes that answered last, by their names, this one among them.
  package var nodes: [NodeListing] {
    guard let replica else { return [] }
    let own = NodeReport(
      node: replica.node, action: replica.position.action, digest: replica.position.digest,
      isKeeper: replica.position.keeper == replica.node, isStopped: replica.stopped != nil)
    let others = state.withLock { $0.reports }.filter { $0.node != own.node }
    let head = (others + [own]).map(\.action).max() ?? 0
    return (others + [own]).map { NodeListing($0, head: head, isOwn: $0.node == own.node) }
      .sorted { $0.name < $1.name }
  }

  /// What keeps this node from dispatching, in a few words; nil: nothing does.
  package var obstacle: String? {
    guard let replica else { return nil }
    switch replica.stopped {
    case .differs(let action, _): return "stopped at #\(action)"
    case .some: return "stopped at #\(replica.position.action)"
    case nil: return replica.link == .current ? nil : "cut off"
    }
  }

  /// The time of day that actions have which are recorded at this moment.
  fileprivate func timeOfDay() -> Int { (wallTime ?? nil) ?? TimeOfDay.now() }
}

extension LiveStore {
  /// The store's part in a shared one, for those who look at the nodes; nil: it is not shared.
  package var storeNode: StoreNode? { node as? StoreNode }

  /// The action of an entry that ran nowhere here; its type may be unknown.
  fileprivate func recordedAction(_ name: String, _ arguments: Record) -> HostAction {
    if let type = action(named: name) ?? ShellAction.types[name],
      type.fields.map(\.name) == arguments.layout.fields
    {
      return HostAction(ActionCall(type, arguments.values))
    }
    let dot = name.firstIndex(of: ".") ?? name.endIndex
    let type = ActionType(
      module: String(name[..<dot]), name: String(name[dot...].dropFirst()),
      fields: arguments.layout.fields.map { Field($0, .dynamic(.any)) })
    return HostAction(ActionCall(type, arguments.values))
  }

  /// Takes part in a shared store: goes through all that its log holds, and from then on appends to it what is dispatched.
  ///
  /// - Parameter interruption: ends it early.
  /// - Throws: ``HostError``: the log cannot be opened or followed, or actions have happened here.
  package func join(_ plan: NodePlan, endedBy interruption: Interruption) throws(HostError) {
    try requireFresh()
    guard let log = try open(plan, endedBy: interruption) else { return }
    let node: StoreNode
    do throws(HostError) {
      node = try join(
        log, as: plan.name, isReadOnly: plan.isReadOnly, keptIn: plan.file, isGranted: plan.isGranted)
    } catch {
      log.close()
      throw error
    }
    identity.withLock { $0 = plan.shownAddress }
    do throws(HostError) {
      try waitUntilCurrent(node, endedBy: interruption)
    } catch {
      guard let file = plan.file, error.code == .nodeStopped else { throw error }
      var error = error
      error.hint = "\(file) is of another log, or the log was made anew; remove it to begin with what the log has"
      throw error
    }
  }

  /// Opens the log of a shared store; nil: there is none, and need not be. A server may just be starting.
  private func open(_ plan: NodePlan, endedBy interruption: Interruption) throws(HostError) -> NATSLog? {
    let end = ContinuousClock.now + .seconds(2)
    while true {
      switch try connection(plan, endedBy: interruption) {
      case .success(let log): return log
      case .failure(.noLog) where plan.isOptional: return nil
      case .failure(let error):
        guard case .noServer = error, ContinuousClock.now < end else { throw HostError(error) }
      }
      try interruption.check()
      usleep(100_000)
    }
  }

  /// Connects on a thread of its own, since a server that is silent is waited for within libnats. If the wait ends early, that thread
  /// closes the connection when it has one.
  private func connection(
    _ plan: NodePlan, endedBy interruption: Interruption
  ) throws(HostError) -> Result<NATSLog, LogError> {
    let outcome = Lock<Result<NATSLog, LogError>?>(nil)
    let isDone = CountedSignal()
    let thread = try? WorkerThread {
      let result = Result { () throws(LogError) in
        try NATSLog(
          plan.address, login: NATSLogin(credentials: plan.credentials), node: plan.name, appends: !plan.isReadOnly)
      }
      outcome.withLock { $0 = result }
      isDone.signal()
    }
    guard let thread else { throw HostError(code: .failed, message: "the system starts no thread") }
    thread.detach()
    while !isDone.wait(atMost: .milliseconds(20)) { try interruption.check() }
    guard let result = outcome.withLock({ $0 }) else { throw .interrupted }
    return result
  }

  /// Begins to follow a log.
  ///
  /// - Parameters:
  ///   - file: the file in which the node keeps what it has read, and at whose end it begins; nil: it keeps none.
  ///   - leastUnsaved: the least bytes of entries between two snapshots.
  /// - Throws: ``HostError`` where actions have happened here, time is virtual, or the file cannot be used.
  @discardableResult
  package func join(
    _ log: any SharedLog, as name: String, isReadOnly: Bool = false, keptIn file: String? = nil,
    timing: ReplicaTiming = ReplicaTiming(), leastUnsaved: Int = StoreNode.leastUnsaved,
    isGranted: @escaping @Sendable (PluginSource) -> Bool = { $0.manifest.permissions.isEmpty }
  ) throws(HostError) -> StoreNode {
    try requireFresh()
    var place: NodePlace?
    if let file { place = try openFile(ofNode: file, isGranted: isGranted) }
    let joining = StoreNode(self, name, log, from: place, leastUnsaved: leastUnsaved, isGranted: isGranted)
    let id = NodeID(name: name, incarnation: UInt64.random(in: 1 ... .max))
    let runner = ReplicaRunner(
      Replica(node: id, isReadOnly: isReadOnly, at: place?.position ?? Replica.Position()), log: log, store: joining,
      clock: RealClock(), order: Chance(),
      timing: timing)
    turn {
      node = joining
      // Safe: these run while the store does, which keeps the node. To count either is slow while other threads do so.
      let (host, node) = (Unmanaged.passUnretained(self), Unmanaged.passUnretained(joining))
      wallTime = { node._withUnsafeGuaranteedRef { $0.timeOfDay() } }
      store.share { [unowned self, unowned joining] outgoing in
        joining.take(outgoing, limit: store.withState { $0.shell.runaway })
      } recorder: { action, context, before, after, exception in
        host._withUnsafeGuaranteedRef { live in
          node._withUnsafeGuaranteedRef {
            $0.noteOutcome(action, context, from: before, to: after, exception, in: live)
          }
        }
      }
    }
    whenClosed(begin: {}, end: { joining.close() })
    joining.start(runner)
    turn {
      joining.note(lacksUnits: plugins.contains(where: \.lacksUnits))
    }
    return joining
  }

  private func requireFresh() throws(HostError) {
    guard head == 0, turn({ node == nil && journal == nil }) else {
      throw HostError(code: .notFresh, message: "a shared store is opened before the first action")
    }
    guard !(clock is VirtualClock) else {
      throw HostError(
        code: .notAllowed, message: "a shared store has the time of its nodes, which no virtual clock can follow",
        hint: "leave --clock virtual out", status: 2)
    }
  }

  /// Refuses what a shared store cannot do.
  package func requireOwnHistory(for what: String) throws(HostError) {
    guard node != nil else { return }
    throw HostError(
      code: .notAllowed, message: "\(what) in a shared store, whose history is that of all its nodes",
      hint: "use a store of your own: --store FILE")
  }

  private func waitUntilCurrent(_ node: StoreNode, endedBy interruption: Interruption) throws(HostError) {
    var (since, last) = (ContinuousClock.now, UInt64.max)
    while let replica = node.replica {
      if let reason = replica.stopped { throw HostError(Refusal.stopped(reason)) }
      if replica.position.sequence != last { (last, since) = (replica.position.sequence, .now) }
      let passed = ContinuousClock.now - since
      switch replica.link {
      // The replica has read what the store may still be taking over.
      case .current: if node.hasAll(of: replica) { return }
      // A large snapshot takes a while.
      case .catchingUp:
        guard passed < .seconds(60) else { throw HostError(Refusal.cutOff(reason: "record \(last + 1) does not come")) }
      case .away(let reason):
        guard passed < .seconds(10) else { throw HostError(Refusal.cutOff(reason: reason)) }
      }
      try interruption.check()
      node.waitForChange(atMost: .milliseconds(50))
    }
  }
}

/// Choices by chance, for the pauses of a node.
private struct Chance: StoreOrder {
  func choose(among count: Int) -> Int { Int.random(in: 0..<count) }
}

/// A node as listings show it.
package struct NodeListing: Sendable {
  package let name: String
  /// True for the node that runs the tasks that follow the state (R43).
  package let isKeeper: Bool
  /// The number of its last action.
  package let action: Int
  /// How many actions it lacks.
  package let behind: Int
  /// A digest of all entries up to its last action: equal on nodes that have the same.
  package let digest: String
  /// True if it has stopped (R44).
  package let isStopped: Bool
  /// True for the node that is asked.
  package let isOwn: Bool

  fileprivate init(_ report: NodeReport, head: UInt64, isOwn: Bool) {
    name = report.node.name
    isKeeper = report.isKeeper
    action = Int(report.action)
    behind = Int(head - report.action)
    digest = StableHash.text(of: report.digest)
    isStopped = report.isStopped
    self.isOwn = isOwn
  }
}
