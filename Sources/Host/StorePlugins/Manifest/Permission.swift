import StoreSchema

/// Something that a plugin may do beyond its own state, actions, projections and commands.
public enum Permission: Hashable, Sendable, CustomStringConvertible {
  /// Read a module's slice and answer its actions.
  case read(module: String)
  /// Reduce over a module's slice.
  case reduce(module: String)
  /// Send an action; name nil: any action of the module.
  case dispatch(module: String, action: String?)
  /// Drop or replace any action.
  case intercept
  /// Run tasks.
  case timers

  /// Reads a permission as manifests write it; nil where it is none.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("intercept", 1): self = .intercept
    case ("timers", 1): self = .timers
    case ("read", 2) where parts[1].isName: self = .read(module: parts[1])
    case ("reduce", 2) where parts[1].isName: self = .reduce(module: parts[1])
    case ("dispatch", 2):
      let names = parts[1].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard names.count == 2, names[0].isName, names[1] == "*" || names[1].isName else { return nil }
      self = .dispatch(module: names[0], action: names[1] == "*" ? nil : names[1])
    default: return nil
    }
  }

  /// The permission as manifests write it.
  public var description: String {
    switch self {
    case .read(let module): "read:\(module)"
    case .reduce(let module): "reduce:\(module)"
    case .dispatch(let module, let action): "dispatch:\(module).\(action ?? "*")"
    case .intercept: "intercept"
    case .timers: "timers"
    }
  }

  /// The module that it is about; nil: none.
  package var module: String? {
    switch self {
    case .read(let module), .reduce(let module), .dispatch(let module, _): module
    case .intercept, .timers: nil
    }
  }

  /// True if it allows all that another permission does.
  public func covers(_ other: Permission) -> Bool {
    if case .dispatch(let module, nil) = self, case .dispatch(module, _) = other { return true }
    return self == other
  }

  /// The meaning of the permission, in words for the person who is asked.
  public var meaning: String {
    switch self {
    case .read(let module): "read the \(module) module"
    case .reduce(let module): "change the \(module) module's state in a reducer"
    case .dispatch(let module, nil): "run any action of \(module)"
    case .dispatch: "run that action"
    case .intercept: "drop or replace any action"
    case .timers: "start delayed work"
    }
  }
}
