import StoreCore
import StoreModules
import StoreSchema

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
    guard let tasks = plan.entryTasks, case .field(let module)? = tasks.path.steps.first else { return change }
    let version = view.version(of: module)
    if let seen = plan.entriesSeen, version != nil, seen.version == version { return change }
    var map = PersistentMap<MapKey, Value>()
    if case .map(let found)? = tasks.path.value(in: view.readSlice) { map = found }
    // Most often something else of the module has changed.
    if let seen = plan.entriesSeen, seen.map.isIdentical(to: map) {
      plan.entriesSeen?.version = version
      return change
    }
    change.isWhole = plan.entriesSeen == nil
    PersistentMap.difference(plan.entriesSeen?.map ?? PersistentMap(), map) { key, old, new in
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
    plan.entriesSeen = (map, version)
    return change
  }

  /// True if the tasks for entries start at times that these say.
  public func startsAtTimes(_ index: Int) -> Bool { plan(index).entryTasks?.at != nil }

  /// The task for the entry of a key, as it stood when it was looked at last; nil: there is no entry.
  public func entryTask(_ index: Int, _ token: EffectToken) -> PluginTaskStart? {
    let plan = plan(index)
    let key: MapKey
    switch token.value {
    case let text as String: key = .string(text)
    case let number as Int: key = .int(number)
    default: return nil
    }
    guard let tasks = plan.entryTasks, let value = plan.entriesSeen?.map[key] else { return nil }
    var start = PluginTaskStart(unit: plan.name, key: token, of: (key.value, value), function: tasks.task)
    start.due = tasks.at.flatMap { Self.time(Self.field($0, of: value)) }
    return start
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
