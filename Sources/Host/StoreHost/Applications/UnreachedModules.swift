import StoreCore
import StoreModules
import StoreSchema

extension ModuleTable {
  /// What a developer should know of modules whose actions reach no part of the application, as where a lift is missing: a sentence
  /// each. Only the maps of lifts are asked, about actions of plain values; no part runs.
  func notes(on application: Application<Action, State>) -> [String] {
    // Without a slice there is nothing that a lift could reach.
    var notes: [String] = []
    for module in modules where module.schema != nil && isUnreached(module, by: application) {
      let name = module.name
      // An interceptor may do all that an action is for.
      let others = application.interceptors.isEmpty ? "" : ", interceptors alone do"
      notes.append(
        "no reducer or middleware takes the actions of '\(name)'\(others); "
          + "lift one: .lift(action: \\.\(name), state: \\.\(name))")
    }
    return notes
  }

  /// True if a module has actions that can be tried, and nothing takes any of them.
  private func isUnreached(_ module: Module, by application: Application<Action, State>) -> Bool {
    var isTried = false
    for type in module.actions {
      guard let values = type.fields.plainValues(),
        let action = try? action(ActionCall(type, values), isChecked: false)
      else { continue }
      if application.reducer.takes(action) { return false }
      for unit in application.middleware.units where unit.takes(action) { return false }
      isTried = true
    }
    return isTried
  }
}

extension [Field] {
  /// A plain value of each; nil: one has none that is known to be allowed.
  ///
  /// - Parameter depth: the number of values that these are within.
  fileprivate func plainValues(within depth: Int = 0) -> [Value]? {
    let values = compactMap { $0.defaultValue ?? $0.schema.plainValue(within: depth) }
    return values.count == count ? values : nil
  }
}

extension Schema {
  fileprivate func plainValue(within depth: Int) -> Value? {
    // A type may be within itself.
    guard depth < 8 else { return nil }
    switch kind {
    case .bool: return .bool(false)
    case .int(let minimum, let maximum): return .int(min(max(0, minimum ?? .min), maximum ?? .max))
    case .double: return .double(0)
    case .string: return .string("")
    case .choice(_, let cases): return cases.first.map(Value.string)
    case .optional: return Value.none
    case .list: return .list([])
    case .map: return .map([:])
    case .decimal(let scale): return .decimal(DecimalNumber(units: 0, scale: scale))
    case .any: return Value.none
    case .record(let record):
      return record.fields.plainValues(within: depth + 1).map { .record(Record(record.layout, $0)) }
    case .union(let union):
      return union.cases.lazy.compactMap { one in
        one.fields.isEmpty
          ? Value.string(one.name)
          : one.fields.plainValues(within: depth + 1).map {
            Value.variant(Variant(name: one.name, payload: Record(one.layout, $0)))
          }
      }.first
    }
  }
}
