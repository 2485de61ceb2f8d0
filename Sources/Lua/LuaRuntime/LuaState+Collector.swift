import CLua

extension LuaState {
  /// Has garbage collected without pauses from now on, which no Lua code can tell.
  public func collectOften() { clua_collectOften(machine) }

  /// A number for the order in which the state's hash seed puts the keys of a table: states with different ones have
  /// different seeds.
  public func hashOrder() throws(LuaError) -> UInt64 {
    var order: UInt64 = 0
    try check(clua_hashOrder(machine, &order))
    return order
  }
}
