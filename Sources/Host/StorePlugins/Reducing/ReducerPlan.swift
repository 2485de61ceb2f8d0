import LuaRuntime
import StoreModules
import StoreSchema

/// The prepared call of one reducer for one action.
final class ReducerPlan {
  let type: ActionType
  let watched: WatchedFunction
  let function: LuaHandle
  /// The module whose slice the reducer changes.
  let module: String
  /// The function's use of its parameter for the action's arguments.
  private let argumentUse: LuaCodeSketch.ParameterUse
  /// True if the function uses that parameter, and the one for `meta`.
  let takesArguments: Bool
  let takesMeta: Bool
  /// True if the function may leave something in the table of arguments.
  private let mayKeepArguments: Bool
  /// True if its calls end before their budget is looked at. The parameters of a reducer neither have metamethods in
  /// Lua nor lead to functions in Lua: its draft and `meta` are the host's, and the table of arguments is checked.
  let isBrief: Bool
  /// The number of calls.
  @exclusivity(unchecked) var uses = 0
  /// The number of the next calls before which the slice is copied, since the writes of one before did not tell what they changed.
  @exclusivity(unchecked) var copies = 0
  @exclusivity(unchecked) private var table: ArgumentTable? {
    didSet { borrowedTable = table.map { .passUnretained($0) } }
  }
  /// Unmanaged, since counting references to it takes longer than writing to it: `table` holds it.
  @exclusivity(unchecked) private var borrowedTable: Unmanaged<ArgumentTable>?

  init(_ watched: WatchedFunction, for type: ActionType, module: String) {
    self.watched = watched
    function = watched.function.handle
    self.type = type
    self.module = module
    argumentUse = watched.function.sketch.use(of: 1)
    takesArguments = argumentUse != .none
    takesMeta = watched.function.sketch.use(of: 2) != .none
    mayKeepArguments = argumentUse == .any
    isBrief = watched.function.isBrief
  }

  /// The same reducer for another action.
  func answering(_ other: ActionType) -> ReducerPlan {
    other === type ? self : ReducerPlan(watched, for: other, module: module)
  }

  /// Sees to it that there is a table for the action's arguments, where the function takes them.
  @inline(__always)
  func prepare(in lua: LuaState) throws(LuaError) {
    if takesArguments, table == nil { table = try ArgumentTable(type, argumentUse, in: lua) }
  }

  /// Writes the arguments, in declared order, and `meta`, as far as the function uses them.
  @inline(__always)
  func write(_ arguments: [Value], to writer: inout LuaWriter) {
    if takesArguments {
      borrowedTable?._withUnsafeGuaranteedRef { $0.write(arguments, to: &writer) }
    } else if takesMeta {
      writer.appendNil()
    }
    if takesMeta { writer.append(ActionFacade.metaObject) }
  }

  /// Ends the use of the arguments' table: has the next call make one of its own where something was left in this one.
  @inline(__always)
  func endArguments(_ lua: LuaCaller) {
    borrowedTable?._withUnsafeGuaranteedRef { $0.dropLong(lua) }
    guard mayKeepArguments else { return }
    if !(borrowedTable?._withUnsafeGuaranteedRef { $0.isClean(lua) } ?? true) { dropArguments() }
  }

  /// Has the next call make a table of its own.
  func dropArguments() { table = nil }
}

/// The plans of a plugin's own reducers, by action.
final class ReducerPlans {
  private var plans: [ObjectIdentifier: ReducerPlan]
  // A store asks several times about one action, so the last answer is kept; unmanaged, since `plans` holds it.
  @exclusivity(unchecked) private var recentType: ObjectIdentifier?
  @exclusivity(unchecked) private var recentPlan: Unmanaged<ReducerPlan>?

  init(_ plans: [ReducerPlan]) {
    self.plans = Dictionary(plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// All of them, in no order.
  var all: [ReducerPlan] { Array(plans.values) }

  /// Has reducers of other modules' actions answer the actions that now go by those names.
  func rebind(_ action: (ReducerPlan) -> ActionType?) {
    let rebound = plans.values.map { plan in action(plan).map { plan.answering($0) } ?? plan }
    plans = Dictionary(rebound.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    (recentType, recentPlan) = (nil, nil)
  }

  /// The plan for an action; nil where the plugin has no reducer for it.
  @inline(__always)
  func plan(for type: ActionType) -> Unmanaged<ReducerPlan>? {
    let identity = ObjectIdentifier(type)
    if recentType != identity {
      recentPlan = plans[identity].map { Unmanaged.passUnretained($0) }
      recentType = identity
    }
    return recentPlan
  }
}
