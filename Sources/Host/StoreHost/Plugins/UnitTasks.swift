import HeapModule
import StoreCore
import StoreModules
import StorePlugins
import StoreSchema

/// The tasks of one middleware of a plugin, run as effects of its unit.
package final class UnitTasks: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where effects run too; exclusive access as in ``LiveStore``.
  package let plugin: Plugin
  package let surroundings: PluginSurroundings
  // Parts of these, which are asked after every action.
  private let middlewares: PluginMiddlewares
  private let view: any StateView
  /// The unit's name within the plugin.
  package let unit: String
  /// The unit's name in the store.
  let name: String
  let index: Int
  /// Whether the gates of the unit stand open.
  @exclusivity(unchecked) package var isOpen: () -> Bool = { true }
  /// What the middleware said last, as far as there was room.
  @exclusivity(unchecked) private var wanted: [PluginTaskStart] = []
  /// How far the tasks of its keys are, of those for which there was room.
  @exclusivity(unchecked) private var admitted: [EffectToken: Stage] = [:]
  /// The keys for which there was no room.
  @exclusivity(unchecked) private var refused: Set<EffectToken> = []
  /// The tasks for entries for which there was no room, in the order in which they were asked for.
  @exclusivity(unchecked) private var waiting: [PluginTaskStart] = []
  let schedule = EntrySchedule()
  /// The effect that starts them; nil: there are none.
  @exclusivity(unchecked) var dueEffect: DueEffect?
  /// The way to it for that effect: a plugin may go before the store cancels what it has begun.
  fileprivate let lease = Lease<UnitTasks>()
  /// The tasks that were cancelled by hand before their times, until the store has heard of them that they have ended.
  @exclusivity(unchecked) private var cancelled: [EffectToken] = []
  /// True while the clock has tasks started.
  @exclusivity(unchecked) var isOfClock = false
  /// The action after which it failed to say anything last; nil: it works.
  @exclusivity(unchecked) private var failedAfter: Int?

  enum Stage {
    /// It has a place that it has not taken.
    case promised
    case running
    /// It came to its end, and its key is still asked for.
    case ended
  }

  package init(_ plugin: Plugin, unit index: Int, _ surroundings: PluginSurroundings) {
    self.plugin = plugin
    self.surroundings = surroundings
    (middlewares, view) = (plugin.middlewares, surroundings.view)
    self.index = index
    unit = plugin.units[index].name
    name = "\(plugin.module.name).\(unit)"
    lease.begin(self)
  }

  deinit { lease.end() }

  /// What has changed about the tasks that should run since it was last asked.
  ///
  /// - Parameter isWhole: true if all of them are asked for.
  package func supervisedChange(isWhole: Bool) -> SupervisedChanges<HostAction> {
    if isWhole { middlewares.forgetSupervised(index) }
    // Which plugins are loaded changes with the versions of all modules. Most often something else of a module has changed.
    let isUnchanged =
      middlewares.isSupervisionUnchanged(index, view: view)
      || surroundings.isLoaded() && middlewares.keepsEntries(index, view: view)
    if isUnchanged, isOpen(), isQuiet { return SupervisedChanges() }
    return middlewares.supervisesEntries(index) ? entryChange() : statedChange(isWhole: isWhole)
  }

  /// True if no task waits for room, and the effect that waits for their times is there exactly where there are any.
  private var isQuiet: Bool {
    refused.isEmpty && waiting.isEmpty && cancelled.isEmpty && !isOfClock
      && (schedule.next == nil) == (dueEffect == nil)
  }

  /// The tasks that its function states, of which those go on whose keys it states again. What a middleware that fails said
  /// before still holds.
  private func statedChange(isWhole: Bool) -> SupervisedChanges<HostAction> {
    // Before the plugin's slice is there, and once it is gone, there is nothing to ask about; nobody asks behind a shut gate.
    guard surroundings.isLoaded(), isOpen() else {
      wanted = admit([])
      middlewares.forgetSupervised(index)
      return .all([])
    }
    if isWhole { wanted = admit([]) }
    let before = wanted
    do throws(PluginError) {
      wanted = admit(try middlewares.supervise(index, view: view))
      noteWorking()
    } catch {
      failedAfter = surroundings.lastAction()
      surroundings.note(error, unit: unit)
    }
    guard isWhole else { return change(from: before, to: wanted) }
    let setters = surroundings.setters
    let stated = Dictionary(wanted.map { (setters.effect($0, of: name), $0) }, uniquingKeysWith: { $1 })
    for effect in setters.numbers.keys where effect.place == name && stated[effect] == nil {
      setters.note(effect, by: 0)
    }
    for index in wanted.indices {
      let effect = setters.effect(wanted[index], of: name)
      if setters.numbers[effect] == nil { setters.note(effect, by: surroundings.action()) }
      wanted[index].setter = setters.numbers[effect]
    }
    return .all(wanted.map(supervised))
  }

  /// The difference of two statements, which are in the order of their keys: most often one of them has one more.
  private func change(from old: [PluginTaskStart], to new: [PluginTaskStart]) -> SupervisedChanges<HostAction> {
    let least = min(old.count, new.count)
    var (start, end) = (0, 0)
    while start < least, old[start].key == new[start].key { start += 1 }
    while end < least - start, old[old.count - 1 - end].key == new[new.count - 1 - end].key { end += 1 }
    let (left, right) = (old[start..<old.count - end], new[start..<new.count - end])
    let (gone, there) = (Set(left.map(\.key)), Set(right.map(\.key)))
    let (started, ended) = (right.filter { !gone.contains($0.key) }, left.filter { !there.contains($0.key) })
    let setters = surroundings.setters
    for start in ended { setters.note(setters.effect(start, of: name), by: 0) }
    for start in started { setters.note(setters.effect(start, of: name), by: surroundings.action()) }
    return SupervisedChanges(started: started.map(supervised), gone: ended.map(\.key))
  }

  private func entryChange() -> SupervisedChanges<HostAction> {
    guard surroundings.isLoaded(), isOpen() else {
      for key in Array(admitted.keys) { leave(key) }
      (waiting, refused) = ([], [])
      middlewares.forgetSupervised(index)
      schedule.removeAll()
      dueEffect = nil
      return .all([])
    }
    var change = middlewares.entryChange(index, view: view)
    let startsAtTimes = middlewares.startsAtTimes(index)
    // With nothing to start or to stop, the effect that waits for their times goes on too.
    let goesOn = !isOfClock && (schedule.next == nil) == (dueEffect == nil)
    if change.isEmpty, waiting.isEmpty, cancelled.isEmpty, !startsAtTimes || goesOn { return SupervisedChanges() }
    if change.isWhole {
      for key in Array(admitted.keys) { leave(key) }
      (waiting, refused) = ([], [])
      schedule.removeAll()
    }
    var ending = 0
    for key in change.gone {
      schedule.remove(key)
      if leave(key) == .running { ending += 1 }
      if refused.remove(key) != nil { waiting.removeAll { $0.key == key } }
    }
    guard !change.started.isEmpty || !waiting.isEmpty || startsAtTimes || change.isWhole else {
      return SupervisedChanges(gone: change.gone)
    }
    var room = plugin.tasks.free + ending - surroundings.room.promised
    // Those that wait longest come first.
    var granted = Array(waiting.prefix(max(room, 0)))
    waiting.removeFirst(granted.count)
    for start in granted {
      refused.remove(start.key)
      _ = admit(start, room: &room)
    }
    let before = waiting.count
    for start in change.started {
      if admit(start, room: &room) {
        granted.append(start)
      } else {
        refused.insert(start.key)
        waiting.append(start)
      }
    }
    if waiting.count > before {
      surroundings.note(plugin.tasks.tooManyTasks, unit: unit, startedBy: surroundings.lastAction())
    }
    if change.isWhole { for index in granted.indices { granted[index].setter = 0 } }
    if startsAtTimes { granted = schedule(granted) }
    // They stand in the state as they did, so that the change is silent about them.
    granted += cancelled.filter { admitted[$0] == .ended }.compactMap { middlewares.entryTask(index, $0) }
    cancelled = []
    var started = granted.map(supervised)
    if startsAtTimes { followSchedule(&started, &change.gone, isWhole: change.isWhole) }
    return change.isWhole ? .all(started) : SupervisedChanges(started: started, gone: change.gone)
  }

  private func supervised(_ start: PluginTaskStart) -> Supervised<HostAction> {
    Supervised(start.key, steps: { [self] in TaskRun(start, of: self, $0, isSupervised: true) })
  }

  /// Gives a task a place, where there is one.
  private func admit(_ start: PluginTaskStart, room: inout Int) -> Bool {
    if surroundings.isLeftEnded(EndedEffect(unit: name, id: start.key)) {
      admitted[start.key] = .ended
      return true
    }
    guard room > 0 else { return false }
    room -= 1
    surroundings.room.promised += 1
    admitted[start.key] = .promised
    return true
  }

  /// True if a task has a place that it has not taken.
  func isPromised(_ key: EffectToken) -> Bool { admitted[key] == .promised }

  /// Takes away the place of a task.
  @discardableResult
  func leave(_ key: EffectToken) -> Stage? {
    let stage = admitted.removeValue(forKey: key)
    if stage == .promised { surroundings.room.promised -= 1 }
    return stage
  }

  /// Leaves out the tasks for which there is no room: they are admitted after a later change, when others have ended.
  private func admit(_ starts: [PluginTaskStart]) -> [PluginTaskStart] {
    guard starts.count != admitted.count || starts.contains(where: { admitted[$0.key] == nil }) else {
      refused = []
      return starts
    }
    let keys = Set(starts.map(\.key))
    let gone = Set(admitted.keys.filter { !keys.contains($0) })
    for key in gone { leave(key) }
    var room = plugin.tasks.room { [unit] in $0.unit == unit && gone.contains($0.key) } - surroundings.room.promised
    var left: Set<EffectToken> = []
    let granted = starts.filter { start in
      guard admitted[start.key] == nil else { return true }
      let isAdmitted = admit(start, room: &room)
      if !isAdmitted { left.insert(start.key) }
      return isAdmitted
    }
    let isNew = !left.isSubset(of: refused)
    refused = left
    if isNew { surroundings.note(plugin.tasks.tooManyTasks, unit: unit, startedBy: surroundings.lastAction()) }
    return granted
  }

  /// Takes note that a task has taken the place that it was given, or starts again.
  package func noteBegun(_ start: PluginTaskStart) {
    guard let stage = admitted[start.key] else { return }
    admitted[start.key] = .running
    if stage == .promised { surroundings.room.promised -= 1 }
  }

  /// A task as it is to start again: for an entry of a map, with the value that stands there now.
  func renewed(_ start: PluginTaskStart) -> PluginTaskStart {
    var renewed = middlewares.entryTask(index, start.key) ?? start
    renewed.setter = start.setter
    return renewed
  }

  /// Finds the actions that had tasks for entries start, or set their times, where that was not seen: the unit has started anew.
  func findSetters(of starts: inout [PluginTaskStart]) {
    let keys = starts.compactMap { $0.setter == 0 ? PluginMiddlewares.key($0.key) : nil }
    guard !keys.isEmpty, let place = middlewares.entryPlace(index) else { return }
    let found = surroundings.lastChanges(keys, place.map, place.field)
    for index in starts.indices where starts[index].setter == 0 {
      starts[index].setter = PluginMiddlewares.key(starts[index].key).flatMap { found[$0] }
    }
  }

  /// Takes note that a task has come to its end.
  package func noteEnded(_ start: PluginTaskStart) {
    if admitted[start.key] == .running { admitted[start.key] = .ended }
  }

  /// A middleware that says again what it wants ends the row of its failures, whatever the action was: an `undo` mends a state
  /// that it could not read. It ends no other: as it is asked after every action, none would ever come to its end.
  private func noteWorking() {
    guard let number = failedAfter else { return }
    failedAfter = nil
    if surroundings.strikes.lastFailed == number { surroundings.strikes.ran(in: surroundings.lastAction()) }
  }

  /// A task that an action starts; one of that key is replaced.
  package func effect(_ start: PluginTaskStart) -> Effect<Void, HostAction> {
    .steps { [self] in TaskRun(start, of: self, $0, isSupervised: false) }.token(start.key)
  }
}

/// The places for tasks that a plugin's units share.
package final class TaskRoom {
  /// How many are given to tasks that have not begun.
  package var promised = 0
}

/// The actions that had units state the tasks of their functions. A task belongs to that action also where its unit starts anew.
final class TaskSetters: @unchecked Sendable {
  // Safe: used by the thread that holds the turn.
  @exclusivity(unchecked) var numbers: [EndedEffect: Int] = [:]
  /// Told of an action that set a task; 0: its unit states it no longer.
  @exclusivity(unchecked) var tell: (EndedEffect, Int) -> Void = { _, _ in }

  func effect(_ start: PluginTaskStart, of unit: String) -> EndedEffect { EndedEffect(unit: unit, id: start.key) }

  func note(_ effect: EndedEffect, by number: Int) {
    let number = number > 0 ? number : nil
    guard numbers[effect] != number else { return }
    numbers[effect] = number
    tell(effect, number ?? 0)
  }
}

package struct PluginSurroundings: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, by units that run there.

  package let view: any StateView
  /// Makes the root action of a call that the plugin dispatches.
  package let typed: (ActionCall) -> HostAction
  package let faults: FaultBox
  package let strikes: PluginStrikes
  package let waiters: ActionWaiters
  let setters: TaskSetters
  package let room = TaskRoom()
  /// Whether the plugin's slice is in the state.
  package let isLoaded: () -> Bool
  /// Whether a task had ended when the store was left, and has not been asked for since.
  package let isLeftEnded: (EndedEffect) -> Bool
  /// The time of the store.
  package let now: () -> Duration
  /// Has tasks follow the state at once.
  package let reconcile: () -> Void
  /// Has the plugins stopped that have failed too often in a row.
  package let stopFaulty: () -> Void
  /// The number of the action that is being processed; 0: none is.
  package let action: () -> Int
  /// The action that was logged last, and the one of a number in words.
  package let lastAction: () -> Int
  /// The last actions that set entries of a map, or a field of theirs, by their keys.
  let lastChanges: (_ keys: [MapKey], _ map: Path, _ field: String?) -> [MapKey: Int]
  package let describe: (Int) -> String?
  /// Notes tasks and thunks in place of running them; nil: they run.
  let rehearsal: RehearsedTasks?

  /// Takes note of what a middleware did wrong.
  package func note(_ error: PluginError, in number: Int, unit: String) {
    faults.note(error)
    faults.keep(PluginFault(action: number, unit: unit, effect: nil, error: error))
    guard error.code.isStrike else { return }
    strikes.failed(in: number, unit: unit)
    stopFaulty()
  }

  /// Takes note of what was wrong about the tasks that a middleware wants.
  package func note(_ error: PluginError, unit: String) { note(error, in: lastAction(), unit: unit) }

  /// Takes note of what a task did wrong; once, where the tasks that one action starts fail alike one after the other.
  ///
  /// - Parameters:
  ///   - action: the action that started it in words, where the log does not have it yet.
  ///   - key: the key of the task, where it is one task's fault.
  package func note(
    _ error: PluginError, unit: String, startedBy number: Int, _ action: String? = nil, task key: EffectToken? = nil
  ) {
    faults.note(TaskFailure(error: error, startedBy: action ?? describe(number)), startedBy: number)
    let effect = key.map { "\(error.plugin ?? "")/\(unit)/\($0)" }
    faults.keep(PluginFault(action: number, unit: unit, effect: effect, error: error))
    guard error.code.isStrike else { return }
    strikes.failed(in: max(lastAction(), number), unit: unit)
    stopFaulty()
  }
}

extension PluginError.Code {
  /// True if a fault of the kind counts against the plugin: not where somebody stopped it, nor where it wanted one task too many
  /// and the others go on.
  fileprivate var isStrike: Bool {
    switch self {
    case .interrupted, .tasks: false
    default: true
    }
  }
}

/// Tasks of entries that start at times which the entries say.
extension UnitTasks {
  /// So many start together: each takes kilobytes until it has come to its end.
  private static let batch = 256

  /// The id of the effect that starts them, as listings show it.
  private static let dueID = EffectToken("due")

  /// Has tasks wait for their times: also those whose time is past, so that no action causes more than it asks for.
  ///
  /// - Returns: those that start now. The clock starts what is due, the earliest first, some at a time; of a task that had ended when the
  ///   store was left, only this is said.
  func schedule(_ starts: [PluginTaskStart]) -> [PluginTaskStart] {
    var started: [PluginTaskStart] = []
    for start in starts {
      if isPromised(start.key), let due = start.due {
        schedule.insert(start.key, at: due, by: start.setter ?? surroundings.action())
      } else {
        started.append(start)
      }
    }
    guard isOfClock else { return started }
    var due = schedule.takeDue(by: surroundings.now(), atMost: Self.batch).compactMap { due in
      middlewares.entryTask(index, due.key).map { start in
        var start = start
        start.setter = due.setter
        return start
      }
    }
    findSetters(of: &due)
    return started + due
  }

  /// Starts the tasks whose time has come. Each is a cause of its own (R30).
  func startDue() {
    isOfClock = true
    defer { isOfClock = false }
    surroundings.reconcile()
  }

  /// Forgets the times of all tasks, as the effect that waits for them was cancelled.
  func dropSchedule(of effect: DueEffect) {
    guard dueEffect === effect else { return }
    dueEffect = nil
    for key in schedule.keys { leave(key) }
    schedule.removeAll()
  }

  /// Forgets the times of all tasks for good, as they were cancelled by hand: each counts as ended for as long as its entry stands
  /// there.
  func endScheduled() -> [EndedEffect] {
    let keys = schedule.keys
    for key in keys {
      leave(key)
      admitted[key] = .ended
    }
    cancelled += keys
    schedule.removeAll()
    return keys.map { EndedEffect(unit: name, id: $0) }
  }

  /// Has an effect wait for the next of them, as long as there are any.
  func followSchedule(
    _ started: inout [Supervised<HostAction>], _ gone: inout [EffectToken], isWhole: Bool
  ) {
    guard let next = schedule.next else {
      if dueEffect != nil, !isWhole { gone.append(Self.dueID) }
      dueEffect = nil
      return
    }
    dueEffect?.wake(by: next)
    if dueEffect != nil, !isWhole { return }
    let effect = dueEffect ?? DueEffect(self)
    // Of one that was cancelled, it is still known that it was asked for.
    if dueEffect == nil, !isWhole { gone.append(Self.dueID) }
    dueEffect = effect
    started.append(Supervised(Self.dueID, steps: { effect.begin($0) }))
  }
}

/// The effect that waits until the next task of an entry is to start.
final class DueEffect: EffectSteps, @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where effects run too.
  private let tasks: Lease<UnitTasks>
  private var context: EffectContext<Void, HostAction>?
  /// The time until which it waits; nil: it does not wait.
  private var waitsUntil: Duration?
  /// The last of those that were there when the clock woke it: all of them that are due start before the clock looks at anything
  /// else, and what they bring about itself waits its turn. 0: it was not woken.
  private var backlog = 0

  init(_ tasks: UnitTasks) { self.tasks = tasks.lease }

  func begin(_ context: EffectContext<Void, HostAction>) -> DueEffect {
    self.context = context
    return self
  }

  func wake(by time: Duration) {
    guard let waitsUntil, time < waitsUntil else { return }
    self.waitsUntil = nil
    context?.resume()
  }

  func step() -> EffectWait {
    guard let tasks = tasks.object else { return .resumption() }
    let isOfClock = waitsUntil.map { $0 <= tasks.surroundings.now() } ?? false
    waitsUntil = nil
    if isOfClock {
      if backlog == 0 { backlog = tasks.schedule.lastOrder }
      tasks.startDue()
    }
    waitsUntil = tasks.schedule.next
    guard let next = waitsUntil else {
      backlog = 0
      return .resumption()
    }
    let wait = next - tasks.surroundings.now()
    if wait <= .zero, tasks.schedule.nextOrder <= backlog { return .resumptionBy(next) }
    backlog = 0
    return .resumption(within: max(wait, .zero))
  }

  func cancel() { tasks.object?.dropSchedule(of: self) }
}

/// The times at which the tasks of entries start, by key: some hundred bytes each, where a task takes kilobytes.
final class EntrySchedule {
  private struct Node: Comparable {
    let due: Duration
    let order: Int
    let key: EffectToken

    static func < (left: Node, right: Node) -> Bool {
      left.due == right.due ? left.order < right.order : left.due < right.due
    }

    static func == (left: Node, right: Node) -> Bool { left.order == right.order }
  }

  /// Nodes whose times no longer hold stay until their turn comes.
  @exclusivity(unchecked) private var nodes = Heap<Node>()
  @exclusivity(unchecked) private var orders: [EffectToken: (order: Int, setter: Int)] = [:]
  /// The order of the one that was inserted last; 0: none was.
  private(set) var lastOrder = 0

  var keys: [EffectToken] { Array(orders.keys) }

  /// The earliest time.
  var next: Duration? {
    dropStale()
    return nodes.min?.due
  }

  /// The order in which that of the earliest time was inserted, from 1; 0: there is none.
  var nextOrder: Int {
    dropStale()
    return nodes.min?.order ?? 0
  }

  /// - Parameter setter: the number of the action that set the time; 0: it is not known.
  func insert(_ key: EffectToken, at due: Duration, by setter: Int) {
    lastOrder += 1
    orders[key] = (lastOrder, setter)
    nodes.insert(Node(due: due, order: lastOrder, key: key))
    guard nodes.count > 2 * orders.count + 64 else { return }
    nodes = Heap(nodes.unordered.filter { orders[$0.key]?.order == $0.order })
  }

  func remove(_ key: EffectToken) { orders[key] = nil }

  func removeAll() { (nodes, orders) = (Heap(), [:]) }

  /// Takes out keys whose time has come, the earliest first, each with the action that set the time.
  func takeDue(by time: Duration, atMost limit: Int) -> [(key: EffectToken, setter: Int)] {
    var due: [(key: EffectToken, setter: Int)] = []
    while due.count < limit, let next, next <= time {
      let key = nodes.removeMin().key
      due.append((key, orders.removeValue(forKey: key)?.setter ?? 0))
    }
    return due
  }

  private func dropStale() {
    while let first = nodes.min, orders[first.key]?.order != first.order { nodes.removeMin() }
  }
}

/// The tasks that would start in a store that rehearses an action.
package final class RehearsedTasks {
  package private(set) var names: [String] = []

  package init() {}

  /// Takes note of one.
  package func note(_ name: String) {
    if !names.contains(name) { names.append(name) }
  }
}
