import StoreSchema

/// The position of a gate, as states and files hold it.
public enum GateState: String, Codable, Hashable, Sendable, CaseIterable, SchematicRawValue {
  /// Plain actions and output pass.
  case on
  /// Only control actions pass.
  case off

  /// The state of a gate that is open or not.
  public init(isOpen: Bool) { self = isOpen ? .on : .off }

  /// True if plain actions and output pass.
  public var isOpen: Bool { self == .on }
}
