import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The middlewares of a plugin, each by its position in declared order.
public final class PluginMiddlewares: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.

  private let machine: PluginMachine
  /// The plans of the middlewares.
  private let plans: [MiddlewarePlan]
  /// The same without a claim on them, for what is asked with every action.
  private let borrowedPlans: [Unmanaged<MiddlewarePlan>]

  init(_ plans: [MiddlewarePlan], _ machine: PluginMachine) {
    self.machine = machine
    self.plans = plans
    borrowedPlans = plans.map { .passUnretained($0) }
  }

  /// True if a middleware wants to be asked about an action.
  public func accepts(_ type: ActionType, unit index: Int) -> Bool {
    borrowedPlans[index]._withUnsafeGuaranteedRef { $0.accepts(type) }
  }

  /// The plan of a middleware.
  func plan(_ index: Int) -> MiddlewarePlan { plans[index] }

  /// Puts a middleware to work.
  ///
  /// - Parameters:
  ///   - view: the state that it reads.
  ///   - output: the receiver of its dispatches and tasks.
  public func unit(_ index: Int, view: any StateView, output: any PluginOutput) -> PluginUnit {
    PluginUnit(machine, plans[index], view, output)
  }

  /// True if a middleware says which tasks should run.
  public func supervises(_ index: Int) -> Bool { plans[index].supervise != nil || supervisesEntries(index) }

  /// True if a middleware has tasks for the entries of a map.
  public func supervisesEntries(_ index: Int) -> Bool { plans[index].entryTasks != nil }

  /// True if nothing has changed that a middleware read when it was asked last which tasks should run.
  public func isSupervisionUnchanged(_ index: Int, view: any StateView) -> Bool {
    borrowedPlans[index]._withUnsafeGuaranteedRef { plan in
      guard let module = plan.entryModule else { return plan.supervised.isKnown(in: view) }
      return plan.versionSeen.map { $0 == view.version(of: module) } ?? false
    }
  }

  /// True if a look at the map whose entries a middleware has tasks for shows that it is what it was.
  public func keepsEntries(_ index: Int, view: any StateView) -> Bool {
    borrowedPlans[index]._withUnsafeGuaranteedRef { $0.keepsEntries(in: view) }
  }

  /// Asks a middleware which tasks should run in the state. Its former answer holds as long as nothing that it read has
  /// changed.
  ///
  /// - Returns: all of them, by key in the order of the keys.
  public func supervise(_ index: Int, view: any StateView) throws(PluginError) -> [PluginTaskStart] {
    let plan = plans[index]
    guard let function = plan.supervise else { return [] }
    if let starts = plan.supervised.value(in: view) { return starts }
    plan.supervised.noteRun()
    let outer = machine.calls.running.emission
    (machine.calls.running.emission, machine.calls.running.slicesRead) = (nil, [])
    defer { (machine.calls.running.emission, machine.calls.running.slicesRead) = (outer, nil) }
    let wanted = try machine.run(view, "middleware '\(plan.name)' (supervise)") {
      () throws(LuaError) -> [PluginTaskStart] in
      guard let each = plan.each else {
        return try starts(
          machine.lua.call(function, firstResultWith: { $0.append(SliceObjects.stateObject) }), plan.name, of: nil)
      }
      if case .field(let module)? = each.path.steps.first { machine.calls.running.noteRead(module) }
      var all: [PluginTaskStart] = []
      for element in each.elements(in: view) {
        let wanted = try machine.lua.call(
          function,
          firstResultWith: { writer in
            LuaBridge.write(element.value, to: &writer)
            writer.append(SliceObjects.stateObject)
          })
        all += try starts(wanted, plan.name, of: AddressedElement(argument: each.argument, id: element.id))
      }
      return all
    }
    plan.supervised.keep(wanted, reading: machine.calls.running.slicesRead ?? [], in: view)
    return wanted
  }

  /// Has a middleware asked again: its tasks are to start anew, from functions that none of them has run.
  public func forgetSupervised(_ index: Int) {
    plans[index].supervised.forget()
    plans[index].entriesSeen = nil
  }

  private func starts(
    _ wanted: LuaValue, _ unit: String, of element: AddressedElement?
  ) throws(LuaError) -> [PluginTaskStart] {
    if wanted == .nil { return [] }
    guard case .table(let table) = wanted else {
      throw LuaError(kind: .runtime, message: "returned \(wanted.described), not a table of tasks")
    }
    var starts: [PluginTaskStart] = []
    for (key, value) in table.entries() {
      guard let key = EffectToken(key), case .function(let function) = value else {
        throw LuaError(
          kind: .runtime,
          message: "returned an entry that is not KEY = function(task) … end, but \(key.described) = \(value.described)"
        )
      }
      starts.append(PluginTaskStart(unit: unit, key: key, of: element, function: function))
    }
    return starts
  }
}

/// The change in the tasks that a middleware has for the entries of a map.
public struct EntryTaskChange: Sendable {
  /// True if those that start are all that there are.
  public var isWhole = false
  /// The tasks that start, in the order of their keys.
  public var started: [PluginTaskStart] = []
  /// The keys of those that stop, before the others start.
  public var gone: [EffectToken] = []

  /// True if none starts or stops.
  public var isEmpty: Bool { !isWhole && started.isEmpty && gone.isEmpty }
}

extension PluginMiddlewares {
  /// Looks for which entries of its map a middleware has tasks to start and to stop. The parts of the map that are what they
  /// were are not looked at: it costs as much as has changed.
  public func entryChange(_ index: Int, view: any StateView) -> EntryTaskChange {
    let plan = plan(index)
    var change = EntryTaskChange()
    guard let module = plan.entryModule else { return change }
    let version = view.version(of: module)
    if version != nil, plan.versionSeen == version { return change }
    guard let tasks = plan.entryTasks else { return change }
    var map = PersistentMap<MapKey, Value>()
    if case .map(let found)? = tasks.path.value(in: view.readSlice) { map = found }
    change.isWhole = plan.entriesSeen == nil
    PersistentMap.difference(plan.entriesSeen ?? PersistentMap(), map) { key, old, new in
      if let old, let new {
        guard let field = tasks.reset ?? tasks.at,
          Self.field(field, of: old.pointee) != Self.field(field, of: new.pointee)
        else {
          return
        }
      }
      let token = Self.token(key)
      if old != nil { change.gone.append(token) }
      guard let value = new?.pointee else { return }
      var start = PluginTaskStart(unit: plan.name, key: token, of: (key.value, value), function: tasks.task)
      if let at = tasks.at {
        guard let due = Self.time(Self.field(at, of: value)) else { return }
        start.due = due
      }
      change.started.append(start)
    }
    (plan.entriesSeen, plan.versionSeen) = (map, version)
    return change
  }

  /// True if the tasks for entries start at times that these say.
  public func startsAtTimes(_ index: Int) -> Bool { plan(index).startsAtTimes }

  /// The task for the entry of a key, as it stood when it was looked at last; nil: there is no entry.
  public func entryTask(_ index: Int, _ token: EffectToken) -> PluginTaskStart? {
    let plan = plan(index)
    guard let tasks = plan.entryTasks, let key = Self.key(token), let value = plan.entriesSeen?[key] else {
      return nil
    }
    var start = PluginTaskStart(unit: plan.name, key: token, of: (key.value, value), function: tasks.task)
    start.due = tasks.at.flatMap { Self.time(Self.field($0, of: value)) }
    return start
  }

  /// The map whose entries a middleware has tasks for, and the field of an entry with which its task starts anew.
  public func entryPlace(_ index: Int) -> (map: Path, field: String?)? {
    plan(index).entryTasks.map { ($0.path, $0.reset ?? $0.at) }
  }

  /// The key of the entry that a task is for.
  public static func key(_ token: EffectToken) -> MapKey? {
    switch token.value {
    case let text as String: .string(text)
    case let number as Int: .int(number)
    default: nil
    }
  }

  /// The time that a field holds, in seconds; nil: it holds none.
  private static func time(_ value: Value?) -> Duration? {
    let most = 9_000_000_000
    switch value {
    case .int(let seconds)?: return .seconds(min(max(seconds, 0), most))
    case .double(let seconds)? where !seconds.isNaN:
      return .nanoseconds(Int64(min(max(seconds, 0), Double(most)) * 1e9))
    default: return nil
    }
  }

  private static func field(_ name: String, of value: Value) -> Value? {
    if case .record(let record) = value { return record[name] }
    return nil
  }

  private static func token(_ key: MapKey) -> EffectToken {
    switch key {
    case .int(let number): EffectToken(number)
    case .string(let text): EffectToken(text)
    }
  }
}
