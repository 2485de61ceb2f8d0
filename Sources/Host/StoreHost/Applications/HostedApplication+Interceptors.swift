import StoreCore
import StorePlugins
import StoreSchema
import StoreUnits

extension HostedApplication {
  /// A thunk of an application, its types erased.
  package struct Thunk: Sendable {
    package let module: String
    package let type: ThunkType
    package let make: @Sendable (Value) -> StoreUnits.Thunk<HostAction, HostState>?
  }

  /// The interceptors that take the thunks of an application's modules and run them, one a module, in the order in which
  /// they come first.
  package static func interceptors(of thunks: [Thunk]) -> [Interceptor<HostAction, HostState>] {
    var modules: [String] = []
    for thunk in thunks where !modules.contains(thunk.module) { modules.append(thunk.module) }
    return modules.map { module in
      let own = Dictionary(
        thunks.filter { $0.module == module }.map { ($0.type.action.name, $0) }, uniquingKeysWith: { first, _ in first }
      )
      let carrier = "thunk:\(module)"
      return .thunks("\(module).\(PluginTasks.thunkUnit)") { action in
        guard action.call.type.module == carrier, let thunk = own[action.call.type.name] else { return nil }
        return thunk.make(.record(action.call.record))
      }
    }
  }
}
