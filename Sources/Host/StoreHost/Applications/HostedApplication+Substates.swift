import StoreUnits

extension HostedApplication {
  /// What is wrong with an action that all the same changes nothing or only a part: substates that are not there.
  package func substateFaults(of action: HostAction, in before: HostState) -> [SubstateError] {
    if action.kind == .app { return [] }
    let names: [String]
    switch action.payload {
    case .substate(let name, _): names = [name]
    // One that a plugin added to what the application declares.
    case .plugin where substates.contains { $0.name == action.call.type.module }:
      names = [action.call.type.module]
    case .shell(.substate(.reset(let given))): names = given
    default: return []
    }
    return names.filter { name in !before.substates.contains { $0.name == name } }.map { .absent(name: $0) }
  }
}
