import LuaRuntime
import StoreModules
import StoreSchema

/// The prepared calls of one middleware.
final class MiddlewarePlan {
  let name: String
  let before: MiddlewareFunction?
  let after: MiddlewareFunction?
  let supervise: LuaFunction?
  /// The tasks that it asked for last.
  let supervised = StateCache<[PluginTaskStart]>()
  /// The tasks that it has for the entries of a map.
  let entryTasks: PluginDefinition.EntryTasks?
  /// The module of that map, and the field that it is there, where it is one.
  let entryModule: String?
  private let entryField: String?
  /// The type of the module's slice that was seen last, and the field's position in it.
  @exclusivity(unchecked) private var entryPlace: (schema: Schema, index: Int)?
  /// True if these tasks start at times that the entries say.
  let startsAtTimes: Bool
  /// The map when it was looked at last; nil: all of it is to be looked at.
  @exclusivity(unchecked) var entriesSeen: PersistentMap<MapKey, Value>? {
    didSet { if entriesSeen == nil { versionSeen = nil } }
  }
  /// The version of its module then; nil: it is not known.
  @exclusivity(unchecked) var versionSeen: Int?
  /// The result of `before`, until `after` gets it.
  let kept: LuaSlot
  private let filter: PluginDefinition.Filter
  /// The last answer: looking for names takes longer than a small middleware.
  @exclusivity(unchecked) private var recent: (type: ActionType, isAccepted: Bool)?
  /// Held here, since handles do not.
  let functions: (before: LuaFunction?, after: LuaFunction?)
  /// Where these get an action of which they keep nothing.
  private let tables: (before: ActionTables?, after: ActionTables?)
  /// The elements for which it runs, one by one; nil: it runs once.
  let each: ElementRule?

  init(_ unit: PluginDefinition.Unit, in lua: LuaState) throws(LuaError) {
    name = unit.name
    let tables = (
      unit.before.flatMap { ActionTables(for: $0, in: lua) }, unit.after.flatMap { ActionTables(for: $0, in: lua) }
    )
    self.tables = tables
    before = unit.before.map { MiddlewareFunction($0, tables.0) }
    after = unit.after.map { MiddlewareFunction($0, tables.1) }
    supervise = unit.supervise
    entryTasks = unit.entryTasks
    startsAtTimes = unit.entryTasks?.at != nil
    let steps = unit.entryTasks?.path.steps ?? []
    entryModule = if case .field(let module)? = steps.first { module } else { nil }
    entryField = if steps.count == 2, case .field(let name) = steps[1] { name } else { nil }
    kept = try lua.makeSlot()
    filter = unit.on
    functions = (unit.before, unit.after)
    each = unit.each
  }

  /// True if a look at where the map of its tasks stands shows that it is what it was; of the version of its module this is noted.
  func keepsEntries(in view: any StateView) -> Bool {
    guard let entryModule, entriesSeen != nil else { return false }
    var isSame = false
    _ = view.readSlice(entryModule) { schema, slice in
      guard let index = entryIndex(in: schema), case .record = slice.assumingMemoryBound(to: Value.self).pointee
      else { return }
      let field = RecordAccess.fields(slice).assumingMemoryBound(to: Value.self) + index
      if case .map(let map) = field.pointee { isSame = entriesSeen.map { map.isIdentical(to: $0) } ?? false }
    }
    if isSame { versionSeen = view.version(of: entryModule) }
    return isSame
  }

  /// The position of the field that is the map of its tasks; nil: there is none, or it is no map of run-time type.
  private func entryIndex(in schema: Schema) -> Int? {
    if let entryPlace, entryPlace.schema === schema { return entryPlace.index }
    guard let entryField, schema.isDynamic, case .record(let record) = schema.kind,
      let index = record.index(of: entryField)
    else { return nil }
    entryPlace = (schema, index)
    return index
  }

  /// True if the middleware wants to be asked about an action.
  func accepts(_ type: ActionType) -> Bool {
    guard before != nil || after != nil else { return false }
    if let recent, recent.type === type { return recent.isAccepted }
    let isAccepted = filter.accepts(type)
    recent = (type, isAccepted)
    return isAccepted
  }
}

/// A function of a middleware in plain words, and the uses that its code makes of its parameters.
struct MiddlewareFunction {
  let handle: LuaHandle
  let takesAction: Bool
  let takesContext: Bool
  /// True if it uses the result of `before`.
  let takesKept: Bool
  /// True if its calls end before their budget is looked at. Action and context are the host's, and lead to no function in Lua; what
  /// `before` returned is a value of Lua's, which may have metamethods.
  let isBrief: Bool
  /// True if its calls use nothing of the host's.
  let isAlone: Bool

  /// Where it gets an action of which it keeps nothing; nil: it gets the object. Unmanaged, in plain words: the plan holds it.
  let tables: Unmanaged<ActionTables>?

  init(_ function: LuaFunction, _ tables: ActionTables?) {
    self.tables = tables.map { .passUnretained($0) }
    let sketch = function.sketch
    handle = function.handle
    takesAction = sketch.use(of: 0) != .none
    takesContext = sketch.use(of: 1) != .none
    takesKept = sketch.use(of: 2) != .none
    isBrief = function.isBrief && !takesKept
    isAlone = sketch.isBrief && !takesKept && !takesAction && !takesContext
  }
}
