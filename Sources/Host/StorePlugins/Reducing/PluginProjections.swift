import LuaRuntime
import StoreModules
import StoreSchema

/// The projections of a plugin.
public final class PluginProjections: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.

  private let machine: PluginMachine
  private let declared: [PluginDefinition.Projection]
  /// The last result of each projection.
  private let caches: [StateCache<Value>]
  /// The frequency of the check that projections keep no state of their own.
  var purity = Purity.always

  init(_ declared: [PluginDefinition.Projection], _ machine: PluginMachine) {
    self.machine = machine
    self.declared = declared
    caches = declared.map { _ in StateCache() }
  }

  /// The uses of the projections, in declared order.
  public var uses: [ProjectionUse] {
    zip(declared, caches).map { projection, cache in
      ProjectionUse(name: projection.type.name, runs: cache.runs, hits: cache.hits, reads: cache.reads)
    }
  }

  /// Counts the uses of the same projections in another Lua state, which forgets them.
  func takeUses(from other: PluginProjections) {
    for (own, others) in zip(caches, other.caches) { own.takeUses(from: others) }
  }

  /// Computes a projection.
  ///
  /// - Throws: ``PluginError`` where its function fails or its result is not of the declared type.
  public func project(_ name: String, view: any StateView) throws(PluginError) -> Value {
    let (lua, calls, modules) = (machine.lua, machine.calls, machine.modules)
    guard let index = declared.firstIndex(where: { $0.type.name == name }) else {
      throw calls.faults.make(.runtime, "no projection '\(name)'")
    }
    let (projection, cache) = (declared[index], caches[index])
    if let value = cache.value(in: view) { return value }
    cache.noteRun()
    let place = "projection '\(machine.name).\(name)'"
    let watched = projection.function
    let allowed = "projections may only read state"
    if watched.isImpure, purity != .off { throw calls.faults.idle(place, since: "before", mayOnly: allowed) }
    (calls.running.isProjecting, calls.running.slicesRead) = (true, [])
    defer {
      (calls.running.isProjecting, calls.running.slicesRead) = (false, nil)
      modules.forget()
    }
    let value = try machine.run(view, place) { () throws(LuaError) in
      let digest = try watched.digestBefore(purity, lua)
      let outcome = Result { () throws(LuaError) in
        try lua.call(watched.function, arguments: { $0.append(SliceObjects.stateObject) })
      }
      if let changed = try watched.change(since: digest, modules, purity, lua) {
        throw LuaError(
          kind: .runtime, message: "", underlying: calls.faults.impure(place, changed: changed, mayOnly: allowed))
      }
      let result = try outcome.get().first ?? .nil
      do throws(SchemaError) {
        return try projection.type.schema.check(try machine.objects.value(of: result))
      } catch {
        throw LuaError(kind: .runtime, message: error.message, underlying: error)
      }
    }
    cache.keep(value, reading: calls.running.slicesRead ?? [], in: view)
    return value
  }
}
