import LuaRuntime
import StoreSchema

/// An error of which Lua code that catches it meets the message alone.
package typealias MessageForLua = LuaRuntime.MessageForLua

/// Why a plugin could not be loaded, or what its code did wrong.
public struct PluginError: Error, Hashable, Sendable {
  // Held by reference: a call of a reducer that succeeds hands on one empty word then, not eleven.
  private indirect enum Storage: Hashable, Sendable {
    case facts(Facts)
  }

  private struct Facts: Hashable, Sendable {
    let code: Code
    let plugin: String?
    let detail: String
    let trace: [String]
    let hint: String?
    let namesPlace: Bool
  }

  private let storage: Storage

  private var facts: Facts {
    switch storage {
    case .facts(let facts): facts
    }
  }

  init(code: Code, plugin: String?, detail: String, trace: [String], hint: String?, namesPlace: Bool) {
    storage = .facts(
      Facts(code: code, plugin: plugin, detail: detail, trace: trace, hint: hint, namesPlace: namesPlace))
  }

  /// The kind of fault.
  public var code: Code { facts.code }
  /// The plugin's name; nil: nobody knows it yet.
  package var plugin: String? { facts.plugin }
  /// The sentence about the fault, without that.
  var detail: String { facts.detail }
  /// The places of the Lua code: one a line, innermost first.
  public var trace: [String] { facts.trace }
  /// The advice to the reader.
  public var hint: String? { facts.hint }
  /// True if the message names the place in Lua.
  var namesPlace: Bool { facts.namesPlace }

  /// The same fault as one of another kind, or with another hint.
  func with(code: Code? = nil, hint: String? = nil) -> PluginError {
    PluginError(
      code: code ?? self.code, plugin: plugin, detail: detail, trace: trace, hint: hint ?? self.hint,
      namesPlace: namesPlace)
  }

  /// A sentence that starts with the plugin's name.
  public var message: String { (plugin.map { "\($0): " } ?? "") + detail }

  /// The message without the name of the plugin, which the reader knows.
  func message(withoutName plugin: String) -> String { plugin == self.plugin ? detail : message }

  /// The error and the advice in one line; without the name of the plugin where the reader knows it.
  public func line(withoutName plugin: String? = nil) -> String {
    (plugin.map(message(withoutName:)) ?? message) + (hint.map { " (\($0))" } ?? "")
  }

  /// The kinds of fault.
  public enum Code: Sendable {
    /// The plugin's files cannot be read or run.
    case load
    /// The plugin is written for another plugin API.
    case api
    /// The plugin asks for what it was not granted.
    case grant
    /// The plugin's code raised an error.
    case runtime
    /// The plugin refused an action on purpose, for a reason that it gives.
    case refused
    /// A state, an action or a name does not fit the declared types.
    case schema
    /// The running state does not fit the types of a new version, which is left.
    case misfit
    /// A call used more than its budget.
    case budget
    /// The plugin wants more tasks than it may have: one more was not started, and the others go on.
    case tasks
    /// A reducer or projection keeps state of its own.
    case impure
    /// A task of the plugin failed.
    case task
    /// The plugin needed more memory than it may use.
    case memory
    /// The user interrupted the plugin's code.
    case interrupted

    /// The code under which the shell reports the fault.
    public var reported: ErrorCode {
      switch self {
      case .load: .pluginLoad
      case .api: .pluginApi
      case .grant: .pluginGrant
      case .runtime: .pluginRuntime
      case .refused: .refused
      case .schema, .misfit: .pluginSchema
      case .budget, .tasks: .pluginBudget
      case .impure: .pluginImpure
      case .task: .pluginTask
      case .memory: .pluginMemory
      case .interrupted: .interrupted
      }
    }
  }
}

extension PluginError: CustomStringConvertible, MessageForLua {
  /// Makes an error.
  ///
  /// - Parameters:
  ///   - plugin: the plugin's name, which stands before the message; nil: nobody knows it yet.
  public init(
    _ code: Code, of plugin: String? = nil, _ message: String, trace: [String] = [], hint: String? = nil
  ) {
    self.init(code: code, plugin: plugin, detail: message, trace: trace, hint: hint, namesPlace: false)
  }

  /// The message, the places in Lua and the hint, a line each.
  public var description: String { errorText(message, details: trace, hint: hint) }
}
