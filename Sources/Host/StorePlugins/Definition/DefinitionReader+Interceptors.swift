import LuaRuntime

extension PluginDefinition {
  /// An interceptor: the function that makes it.
  struct InterceptorEntry {
    /// Its name within the plugin: that of its function, else `interceptor` and its number.
    let name: String
    let build: LuaFunction
  }
}

extension DefinitionReader {
  /// Reads `interceptors`: a list of `function(dispatch, get, next)`.
  func interceptors(_ value: LuaValue) throws(PluginError) -> [PluginDefinition.InterceptorEntry] {
    guard let table = try optionalTable(value, "interceptors") else { return [] }
    var interceptors: [PluginDefinition.InterceptorEntry] = []
    for (key, item) in table.entries() {
      guard case .integer(let number) = key, case .function(let build) = item else {
        throw types.fault("interceptors must be a list of function(dispatch, get, next) … end, got \(item.described)")
      }
      var name = places.name(of: build) ?? "interceptor\(number)"
      if name == "thunk" || interceptors.contains(where: { $0.name == name }) { name += "\(number)" }
      interceptors.append(PluginDefinition.InterceptorEntry(name: name, build: build))
    }
    guard interceptors.isEmpty || manifest.permissions.contains(.intercept) else {
      throw types.fault(
        "interceptors may drop or replace any action, and it may not",
        hint: "add \"intercept\" to permissions in plugin.json")
    }
    return interceptors
  }
}
