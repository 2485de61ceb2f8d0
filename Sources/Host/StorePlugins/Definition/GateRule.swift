import StoreModules
import StoreSchema

/// The rule by which the gate of a middleware moves without the shell: by actions, or by the state (R21).
public enum GateRule: Hashable, Sendable {
  /// Control actions move the gate, and are forwarded whatever it is.
  case actions(Control)
  /// The gate stands open while a value stands at a path of the state.
  case state(at: Path, is: Value)

  /// The actions that move a gate.
  public struct Control: Hashable, Sendable {
    /// The full names of the actions, or `MODULE.*` for all of a module.
    public let names: [String]
    /// The argument whose value moves the gate; nil: the name of the action does.
    public let argument: String?
    /// The value that opens the gate.
    public let on: Value
    /// The value that shuts it.
    public let off: Value
    /// True if the gate stands open to begin with.
    public let startsOpen: Bool

    /// Joins them.
    public init(_ names: [String], argument: String? = nil, on: Value, off: Value, startsOpen: Bool = true) {
      self.names = names
      self.argument = argument
      self.on = on
      self.off = off
      self.startsOpen = startsOpen
    }

    /// The value by which an action moves the gate; nil: it is a plain action.
    public func value(of call: ActionCall) -> Value? {
      let type = call.type
      guard names.contains(where: { $0 == type.fullName || $0.isWildcard(of: type.module) }) else { return nil }
      guard let argument else { return .string(type.fullName) }
      let value = type.layout.index(of: argument).map { call.arguments[$0] } ?? Value.none
      return [on, off].first { value.isSame(asUntyped: $0) } ?? value
    }

    /// The position that an action gives the gate; nil: it leaves the gate as it is.
    public func position(after call: ActionCall) -> Bool? {
      guard let value = value(of: call) else { return nil }
      return value == on ? true : value == off ? false : nil
    }
  }

  /// The rule as a value, as journals and recordings hold it.
  public var value: Value {
    switch self {
    case .actions(let control):
      .members([
        ("control", .texts(control.names)), ("arg", .text(control.argument)), ("on", control.on), ("off", control.off),
        ("start", .bool(control.startsOpen)),
      ])
    case .state(let path, let value): .members([("at", .string(path.description)), ("is", value)])
    }
  }

  /// The rule that a value stands for; nil: it stands for none.
  public init?(_ value: Value) {
    func member(_ name: String) -> Value? {
      switch value {
      case .map(let map): map[.string(name)]
      case .record(let record): record[name]
      default: nil
      }
    }
    if case .string(let text)? = member("at"), let path = try? Path(parsing: text) {
      self = .state(at: path, is: member("is") ?? .none)
    } else if case .list(let names)? = member("control") {
      self = .actions(
        Control(
          names.compactMap(\.text), argument: member("arg")?.text, on: member("on") ?? .none,
          off: member("off") ?? .none, startsOpen: member("start") != .bool(false)))
    } else {
      return nil
    }
  }
}

extension String {
  /// True if it stands for all actions of a module.
  fileprivate func isWildcard(of module: String) -> Bool { hasSuffix(".*") && dropLast(2) == module }
}
