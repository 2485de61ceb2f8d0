import LuaRuntime
import StoreSchema

extension SessionLua {
  /// The values of an expression. Where it fails by a name or gives nothing, each name in it must be that of something.
  func values(of expression: LuaFunction) throws(LuaError) -> [LuaValue] {
    let values: [LuaValue]
    do throws(LuaError) {
      values = try lua.call(expression)
    } catch {
      if case .misuse("global", _)? = error.mistake { _ = try known(expression) }
      throw error
    }
    if values.first?.isTruthy != true { _ = try known(expression) }
    return values
  }

  /// Refuses an expression with a name that is that of nothing.
  public func requireNames(in expression: String, chunk: String) throws(SessionLuaError) {
    try Self.converting { () throws(LuaError) in
      _ = try known(lua.load(expression, as: .expression, chunkName: chunk))
    }
  }

  /// A function, where each global that it reads is something.
  ///
  /// - Parameter others: names that are something besides.
  /// - Throws: `LuaError` for one that is nothing.
  func known(_ function: LuaFunction, besides others: Set<String> = []) throws(LuaError) -> LuaFunction {
    for use in lua.globalUses(of: function) where !use.isAssignment && !others.contains(use.name) {
      // A variable may hold nothing.
      guard givenValues[use.name] == nil, !isOwn(use.name), use.name != "arg" else { continue }
      let names = lua.globalNames
      // What reads a module without `state` is told so where it runs.
      guard !names.contains(use.name), !view.pointee.moduleNames.contains(use.name),
        (try? host.variable(use.name)) ?? nil == nil
      else { continue }
      var error = LuaError(kind: .runtime, message: "'\(use.name)' is not defined")
      let modules = view.pointee.moduleNames
      let nearest = Suggestion.nearest(to: use.name, among: names + others + modules + ["true", "false", "nil"])
      error.mistake = .unknownName(use.name, nearest: nearest.map { modules.contains($0) ? "state.\($0)" : $0 })
      throw error
    }
    return function
  }
}
