import StoreSchema

/// A module of a store: a slice of its state, actions, projections and commands, from Swift or from a Lua plugin.
public struct Module: Sendable {
  /// The module's name; its actions and paths start with it.
  public let name: String
  /// The language of the module.
  public let origin: Origin
  /// The type of its slice; nil: the module has no state of its own.
  public let schema: Schema?
  /// Its actions in declared order.
  public let actions: [ActionType]
  /// Its projections in declared order.
  public let projections: [ProjectionType]
  /// Its commands in declared order.
  public let commands: [CommandType]

  /// Makes a module.
  public init(
    name: String, origin: Origin, schema: Schema?, actions: [ActionType], projections: [ProjectionType] = [],
    commands: [CommandType] = []
  ) {
    self.name = name
    self.origin = origin
    self.schema = schema
    self.actions = actions
    self.projections = projections
    self.commands = commands
  }

  /// The language of a module.
  public enum Origin: String, Sendable {
    /// Swift.
    case swift
    /// Lua: a plugin.
    case lua
  }

  /// The module with those further actions that are its own.
  public func adding(_ added: [ActionType]) -> Module {
    let own = added.filter { $0.module == name }
    guard !own.isEmpty else { return self }
    return Module(
      name: name, origin: origin, schema: schema, actions: actions + own, projections: projections, commands: commands)
  }

  /// The fields of its slice; empty where the slice is no record.
  public var fields: [Field] {
    guard case .record(let record) = schema?.kind else { return [] }
    return record.fields
  }
}

/// A named value that the state determines.
public struct ProjectionType: Sendable {
  /// The projection's name within its module.
  public let name: String
  /// The type of what it gives.
  public let schema: Schema

  /// Makes a projection type.
  public init(name: String, schema: Schema) {
    self.name = name
    self.schema = schema
  }
}

/// A command that a plugin adds to the shell: `pomodoro status`.
public struct CommandType: Sendable {
  /// The word after the plugin's name.
  public let name: String
  /// Its arguments in declared order.
  public let fields: [Field]
  /// The command's purpose, in one sentence.
  public let summary: String
  /// Example lines.
  public let examples: [String]

  /// Makes a command type.
  public init(name: String, fields: [Field], summary: String, examples: [String]) {
    self.name = name
    self.fields = fields
    self.summary = summary
    self.examples = examples
  }
}

/// A look at the state of a store, module by module, without copying it.
public protocol StateView {
  /// Hands out a module's slice and its type; false where there is no such module.
  func readSlice(_ module: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool
  /// The names of the modules, in order.
  var moduleNames: [String] { get }
  /// A number that is another one whenever a module's slice may have changed; nil: that is not known.
  func version(of module: String) -> Int?
  /// True if what ``readSlice(_:_:)`` hands out stays where it is, and as it is, until the next action is reduced.
  var keepsPlaces: Bool { get }
}

extension StateView {
  /// The version is not known.
  public func version(of module: String) -> Int? { nil }

  /// What is handed out may be a copy.
  public var keepsPlaces: Bool { false }
}
