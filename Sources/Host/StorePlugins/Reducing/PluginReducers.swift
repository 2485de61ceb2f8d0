import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The reducers of a plugin: its own, over its slice, and those that it lifts over other modules' slices.
public final class PluginReducers: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.

  /// The plans of the plugin's own reducers.
  let own: ReducerPlans
  /// The plans of lifted reducers.
  private(set) var lifted: [ReducerPlan]
  /// The frequency of the check that reducers keep no state of their own.
  @exclusivity(unchecked) var purity = Purity.always
  /// True while actions of another node of a shared store are done again here.
  @exclusivity(unchecked) var isFollowing: () -> Bool = { false }
  /// The type of the plugin's slice.
  let schema: Schema
  // The parts of the machine, here once more so that a small call reaches each by one step.
  private let lua: LuaState
  private let caller: LuaCaller
  private let objects: SliceObjects
  private let calls: PluginCalls
  private let log: PluginLog
  private let modules: RequiredModules

  init(_ own: [ReducerPlan], lifted: [ReducerPlan], over schema: Schema, _ machine: PluginMachine) {
    self.own = ReducerPlans(own)
    self.lifted = lifted
    self.schema = schema
    (lua, caller, objects) = (machine.lua, machine.caller, machine.objects)
    (calls, log, modules) = (machine.calls, machine.log, machine.modules)
  }

  /// Has reducers that answer other modules' actions answer the ones that now go by their names.
  ///
  /// - Parameters:
  ///   - module: the plugin's own module, whose actions stay.
  ///   - added: the names of the actions that the plugin adds to other modules.
  ///   - action: an action by its full name.
  func rebind(beside module: String, added: Set<String>, to action: (String) -> ActionType?) {
    own.rebind { $0.type.module == module ? nil : action($0.type.fullName) }
    lifted = lifted.map { plan in
      guard plan.type.module != module, !added.contains(plan.type.fullName) else { return plan }
      return action(plan.type.fullName).map { plan.answering($0) } ?? plan
    }
  }

  /// True if the plugin has a reducer for an action.
  public func reduces(_ type: ActionType) -> Bool { own.plan(for: type) != nil }

  /// Runs the plugin's reducer for an action on its slice, in place.
  ///
  /// - Throws: ``PluginError``; the slice is then as it was.
  public func reduce(_ call: ActionCall, context: ActionContext, slice: inout Value) throws(PluginError) {
    var edit: SliceEdit?
    try reduce(call, context: context, slice: &slice, edit: &edit, isNoted: false)
  }

  /// The same, which says what it wrote: of a slice to which nobody else refers, no copy is needed to tell it as it was.
  ///
  /// - Parameters:
  ///   - edit: what it wrote to the slice; nil: nothing.
  ///   - isNoted: false: nobody wants to know.
  public func reduce(
    _ call: ActionCall, context: ActionContext, slice: inout Value, edit: inout SliceEdit?, isNoted: Bool = true
  ) throws(PluginError) {
    guard let plan = own.plan(for: call.type) else { return }
    let failure = plan._withUnsafeGuaranteedRef { plan in
      if plan.takesMeta { calls.meta.set(context, call: call) }
      let isCopied = isNoted && plan.copies > 0
      if isCopied {
        plan.copies -= 1
        edit = .former(slice)
      }
      return withUnsafeMutablePointer(to: &slice) { slice in
        run(plan, call, schema, UnsafeMutableRawPointer(slice), &edit, isNoted: isNoted && !isCopied)
      }
    }
    if let failure {
      edit = nil
      plan.takeUnretainedValue().watched.noteGuilt(context.number)
      throw failure
    }
  }

  /// The number of reducers that the plugin lifts over other modules' slices.
  public var liftedCount: Int { lifted.count }

  /// The modules of the lifted reducers, and the actions that they answer, in order.
  public var liftedTypes: [(module: String, action: ActionType)] { lifted.map { ($0.module, $0.type) } }

  /// The module over whose slice a lifted reducer works, where it answers an action; nil where it does not.
  public func module(ofLifted index: Int, for type: ActionType) -> String? {
    let plan = lifted[index]
    return plan.type === type ? plan.module : nil
  }

  /// Runs a lifted reducer on another module's slice, in place; every write is checked against the slice's own type.
  ///
  /// - Throws: ``PluginError``; the slice is then as it was.
  public func reduce(
    lifted index: Int, _ call: ActionCall, context: ActionContext, schema: Schema, slice: UnsafeMutableRawPointer
  ) throws(PluginError) {
    let plan = lifted[index]
    plan.uses += 1
    if plan.takesMeta { calls.meta.set(context, call: call) }
    var edit: SliceEdit?
    if let failure = run(plan, call, schema, slice, &edit, isNoted: false) {
      plan.watched.noteGuilt(context.number)
      throw failure
    }
  }

  /// Calls a reducer with a draft of a slice, and takes back what it did where it fails.
  ///
  /// - Returns: the error; nil: none.
  private func run(
    _ plan: ReducerPlan, _ call: ActionCall, _ schema: Schema, _ slice: UnsafeMutableRawPointer,
    _ edit: inout SliceEdit?, isNoted: Bool
  ) -> PluginError? {
    var failure = attempt(plan, call, schema, slice, &edit, isNoted: isNoted)
    if failure?.code == .memory { failure = attemptApart(plan, call, schema, slice, &edit, isNoted: isNoted) }
    if plan.takesMeta { calls.meta.forget() }
    return failure
  }

  /// Calls a reducer again that ran out of memory, with the plugin's limit for the reducer alone: what tasks, middlewares and commands
  /// hold, which work at one node, decides no outcome.
  @inline(never)
  private func attemptApart(
    _ plan: ReducerPlan, _ call: ActionCall, _ schema: Schema, _ slice: UnsafeMutableRawPointer,
    _ edit: inout SliceEdit?, isNoted: Bool
  ) -> PluginError? {
    lua.collectGarbage()
    let limit = lua.limits.memory
    defer { lua.limits.memory = limit }
    // At most the limit is held by others. The origin's call may have found some of its texts in Lua already.
    lua.limits.memory = min(lua.memoryInUse, limit) + (isFollowing() ? 2 * limit : limit)
    return attempt(plan, call, schema, slice, &edit, isNoted: isNoted)
  }

  @inline(__always)
  private func attempt(
    _ plan: ReducerPlan, _ call: ActionCall, _ schema: Schema, _ slice: UnsafeMutableRawPointer,
    _ edit: inout SliceEdit?, isNoted: Bool
  ) -> PluginError? {
    // Unmanaged, because counting references to them takes longer than a small call: the plugin holds both.
    Unmanaged.passUnretained(plan.watched)._withUnsafeGuaranteedRef { watched in
      Unmanaged.passUnretained(objects)._withUnsafeGuaranteedRef { objects in
        if watched.isImpure, purity != .off { return idleReducer(watched, call) }
        let draft = objects.beginDraft(plan.module, schema, slice)
        let failure = run(plan, watched, call, draft)
        if failure != nil {
          objects.undo()
          plan.dropArguments()
          modules.forget()
        } else if isNoted {
          edit = objects.takeEdit(named: plan.module, &plan.copies)
        }
        objects.endCall()
        return failure
      }
    }
  }

  @inline(__always)
  private func run(
    _ plan: ReducerPlan, _ watched: WatchedFunction, _ call: ActionCall, _ draft: LuaObject
  ) -> PluginError? {
    var digest: LuaState.CaptureDigest?
    do throws(LuaError) {
      digest = try watched.digestBefore(purity, lua)
      try plan.prepare(in: lua)
    } catch {
      return calls.faults.reducer(call.type.fullName, error)
    }
    // Else a replay on another machine could come to another state.
    caller.isRepeatable = true
    defer { caller.isRepeatable = false }
    var arguments = caller.arguments()
    arguments.writer.append(draft)
    plan.write(call.arguments, to: &arguments.writer)
    let outcome = caller.count(plan.function, arguments, isBrief: plan.isBrief)
    if caller.takeLateness() { log.warn("reducer '\(call.type.fullName)' took longer than 1 s") }
    guard outcome.isDone, outcome.count == 0 else { return fault(outcome, digest, watched, call) }
    plan.endArguments(caller)
    return digest == nil && modules.isIdle ? nil : impurity(since: digest, watched, call)
  }

  /// The error of a reducer's call: first that it kept something, if it did.
  @inline(never)
  private func fault(
    _ outcome: LuaCaller.Outcome, _ digest: LuaState.CaptureDigest?, _ watched: WatchedFunction, _ call: ActionCall
  ) -> PluginError {
    // Asked for before anything else runs in the Lua state.
    let error = outcome.isDone ? nil : caller.error(outcome)
    if let kept = impurity(since: digest, watched, call) { return kept }
    guard let error else {
      return calls.faults.make(
        .runtime, "reducer '\(call.type.fullName)' returned a value; change the draft in place and return nothing")
    }
    return calls.faults.reducer(call.type.fullName, error, arguments: call.type.fields.map(\.name))
  }

  /// The error if a call changed the captures or the required modules of the reducer.
  private func impurity(
    since digest: LuaState.CaptureDigest?, _ watched: WatchedFunction, _ call: ActionCall
  ) -> PluginError? {
    do throws(LuaError) {
      guard let changed = try watched.change(since: digest, modules, purity, lua) else { return nil }
      return calls.faults.impure("reducer '\(call.type.fullName)'", changed: changed, mayOnly: Self.allowed)
    } catch {
      return calls.faults.reducer(call.type.fullName, error)
    }
  }

  /// The error of each call of a reducer that was seen to be impure: this call did nothing.
  private func idleReducer(_ watched: WatchedFunction, _ call: ActionCall) -> PluginError {
    calls.faults.idle(
      "reducer '\(call.type.fullName)'", since: watched.guiltyAction.map { "in #\($0)" } ?? "before",
      mayOnly: Self.allowed)
  }

  private static let allowed = "reducers may only change their draft"
}
