import StoreCore
import StoreModules
import StoreSchema

extension ModuleTable {
  /// What a developer should know of modules whose actions reach no part of the application, as where a lift is missing: a sentence
  /// each. Only the maps of lifts are asked, about actions of plain values; no part runs.
  func notes(on application: Application<Action, State>) -> [String] {
    // An interceptor may do all that an action is for.
    guard application.interceptors.isEmpty else { return [] }
    // Without a slice there is nothing that a lift could reach.
    return modules.filter { $0.schema != nil }.compactMap { module in
      let actions = module.actions.compactMap { type -> Action? in
        let values = type.fields.compactMap(\.plainValue)
        guard values.count == type.fields.count else { return nil }
        return try? action(ActionCall(type, values), isChecked: false)
      }
      guard !actions.isEmpty,
        actions.allSatisfy({ action in
          !application.reducer.takes(action) && !application.middleware.units.contains { $0.takes(action) }
        })
      else { return nil }
      let name = module.name
      return
        "no reducer or middleware takes the actions of '\(name)'; lift one: .lift(action: \\.\(name), state: \\.\(name))"
    }
  }
}

extension Field {
  /// A plain value of its type; nil: there is none that is known to be allowed.
  fileprivate var plainValue: Value? {
    if let defaultValue { return defaultValue }
    switch schema.kind {
    case .bool: return .bool(false)
    case .int(let minimum, let maximum): return .int(min(max(0, minimum ?? .min), maximum ?? .max))
    case .double: return .double(0)
    case .string: return .string("")
    case .choice(_, let cases): return cases.first.map(Value.string)
    case .optional: return Value.none
    case .list: return .list([])
    case .map: return .map([:])
    case .decimal, .record, .union, .any: return nil
    }
  }
}
