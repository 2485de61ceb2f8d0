/// Where an action comes from (rule R12). Lifting, projecting and mapping an action never change it (R13).
///
/// The first four fields and the idea come from SwiftRex's `ActionSource`; kind, plugin and cause are ours.
public struct ActionSource: Hashable, Codable, Sendable {
  /// The file of the dispatching line: a Swift file, a script, a Lua chunk, or `repl`, `-c`, `stdin`.
  public var file: String
  /// The function around that line, or the command that dispatched.
  public var function: String
  /// The line, from 1.
  public var line: Int
  /// What the dispatching code had to add.
  public var info: String?
  /// What kind of place it is.
  public var kind: Kind
  /// The plugin whose code dispatched.
  public var plugin: String?
  /// The plugin's unit or command whose code dispatched.
  public var unit: String?
  /// The number of the action whose processing produced this one.
  public var cause: Int?

  /// The kinds of place that actions come from.
  public enum Kind: String, Codable, Sendable {
    /// A statement typed at the prompt.
    case repl
    /// A statement of a script, of `-c` or of standard input.
    case batch
    /// A plugin's code, while an action is processed.
    case plugin
    /// An effect.
    case effect
    /// A bridge between actions.
    case bridge
    /// A replayed recording.
    case replay
    /// Another process.
    case remote
    /// Swift code.
    case code
  }

  /// Makes a source.
  @inlinable
  public init(
    file: String, function: String, line: Int, info: String? = nil, kind: Kind = .code, plugin: String? = nil,
    unit: String? = nil, cause: Int? = nil
  ) {
    self.file = file
    self.function = function
    self.line = line
    self.info = info
    self.kind = kind
    self.plugin = plugin
    self.unit = unit
    self.cause = cause
  }

  /// The place where this is written.
  @inlinable
  public static func here(
    info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> ActionSource {
    ActionSource(file: file, function: function, line: line, info: info)
  }
}
