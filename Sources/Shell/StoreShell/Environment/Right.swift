import StoreModules

/// A right that a door gives to those who come in by it.
public enum Right: Hashable, Sendable {
  /// To look at the store, at every point of its history, and to be told of changes. Nothing outside the store is reached.
  case read
  /// To dispatch actions whose full names match a pattern, in which `*` stands for anything; to take back one's own of
  /// those, to move gates where `shell.setGate` does, to cancel tasks where `shell.cancelEffects` does.
  case dispatch(String = "*")
  /// To load plugins that the program's user has granted what they ask for, to unload and to switch them.
  case plugins
  /// To do all that the program's user may do here: files and programs too.
  case all

  /// The right that a text says: `read`, `dispatch`, `dispatch:PATTERN`, `plugins` or `all`; nil: it says none.
  public init?(parsing text: String) {
    switch text {
    case "read": self = .read
    case "dispatch": self = .dispatch()
    case "plugins": self = .plugins
    case "all": self = .all
    default:
      guard text.hasPrefix("dispatch:"), text.utf8.count > "dispatch:".utf8.count else { return nil }
      self = .dispatch(String(text.dropFirst("dispatch:".count)))
    }
  }

  /// The right as it is written.
  public var text: String {
    switch self {
    case .read: "read"
    case .dispatch("*"): "dispatch"
    case .dispatch(let pattern): "dispatch:\(pattern)"
    case .plugins: "plugins"
    case .all: "all"
    }
  }
}

/// The rights of a session: those of the door that it came in by. A session of the program itself has all.
public struct Rights: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// The rights, as they were given.
  public let given: [Right]

  /// Rights as they are listed.
  public init(_ given: [Right]) { self.given = given }

  /// Rights as they are listed.
  public init(arrayLiteral elements: Right...) { self.init(elements) }

  /// True if nothing is refused.
  public var isAll: Bool { given.contains(.all) }

  /// The rights as they are written, such as `read, dispatch:tasks.*`.
  public var text: String { given.map(\.text).joined(separator: ", ") }

  /// Returns true if something is allowed that needs a right; nil: it needs all of them.
  func allow(_ need: Need?) -> Bool {
    if isAll { return true }
    switch need {
    case nil: return false
    case .nothing: return true
    case .read: return given.contains(.read)
    case .plugins: return given.contains(.plugins)
    case .dispatch: return mayDispatch
    case .action(let type): return allow(dispatching: type.fullName)
    }
  }

  /// True if some actions may be dispatched.
  var mayDispatch: Bool { given.contains { if case .dispatch = $0 { true } else { false } } }

  /// Returns true if an action of a full name may be dispatched.
  func allow(dispatching action: String) -> Bool {
    // The store itself stops what fails; whoever goes back needs the rights of the actions that go.
    if isAll || action == "shell.faultPlugin" || action == "shell.restore"
      || (Self.pluginActions.contains(action) && given.contains(.plugins))
    {
      return true
    }
    return given.contains { right in
      if case .dispatch(let pattern) = right { Glob.matches(pattern, action) } else { false }
    }
  }

  private static let pluginActions: Set = [
    "shell.loadPlugin", "shell.unloadPlugin", "shell.reloadPlugin", "shell.enablePlugin", "shell.disablePlugin",
    "shell.set",
  ]
}

/// The need that a command, a flag or a Lua function has of a right. What declares none is for those alone who may do all.
enum Need: Sendable {
  /// None: it neither shows nor changes anything of the store.
  case nothing
  case read
  /// To dispatch some action; which one decides when it is dispatched.
  case dispatch
  /// To dispatch that action of the shell.
  case action(ActionType)
  case plugins
}

/// The needs of a command: of its line, or of the word behind its verb where that says what it does.
struct CommandNeeds: Sendable {
  /// The need of a line where no part of it decides.
  let whole: Need?
  /// The needs of lines by their first word; empty: the word does not matter.
  let parts: [String: Need]

  static let nothing = CommandNeeds(whole: .nothing, parts: [:])
  static let read = CommandNeeds(whole: .read, parts: [:])
  static let dispatch = CommandNeeds(whole: .dispatch, parts: [:])

  /// Needs that depend on the first word; a line without one needs to read.
  static func parts(_ parts: [String: Need]) -> CommandNeeds { CommandNeeds(whole: .read, parts: parts) }

  /// The need of a line whose first word behind the verb is that; nil: all rights.
  func need(ofPart word: String?) -> Need? {
    guard let word, !parts.isEmpty else { return whole }
    return parts[word]
  }
}
