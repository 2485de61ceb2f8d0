import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

/// The names of a session: aliases, projections and bindings, and the module or projection that lines speak to.
struct SessionNames {
  /// The commands that aliases stand for, in the order of their definition.
  var aliases = NamedItems<Alias>()
  /// The projections that `project` made, in the order of their definition.
  var projections = NamedItems<SessionProjection>()
  /// The bindings that `bind` made, in the order of their definition.
  var bindings = NamedItems<SessionBinding>()
  /// The choice of `use`; empty: the root.
  var scope = Path()
  /// The variables that `let` set, in that order.
  var variables = NamedItems<Void>()
  /// The types of the parts of the state that they hold.
  var heldParts = HeldParts()
  /// The depth of projections that are being read within each other.
  var projectionDepth = 0
  /// The aliases that are being replaced.
  var expandedAliases: Set<String> = []

  struct Alias {
    let name: String
    let command: String
  }

  func alias(_ name: String) -> Alias? { aliases[name] }
  func projection(_ name: String) -> SessionProjection? { projections[name] }
  func binding(_ name: String) -> SessionBinding? { bindings[name] }
}

/// A projection made at the prompt or in a script (R26): it owns nothing, its value is mapped on read.
struct SessionProjection {
  let name: String
  /// The Lua expression that is its value.
  let expression: String
  /// The name in errors of the line that made it.
  let chunk: String
  /// The actions with the targets that they stand for, in the order in which they were written; nil: the store's own.
  let actions: Actions?

  typealias Actions = [(name: String, target: String?)]

  /// The actions as `project` takes them.
  var actionText: String? {
    actions.map { "{ " + $0.map { "\($0.name) = \($0.target ?? "nil")" }.joined(separator: ", ") + " }" }
  }
}

/// A value that is read at a path and written by an action.
struct SessionBinding {
  let name: String
  let path: Path
  let action: ActionType
}

extension Session {
  /// The value at a path that starts with a name of the session; nil: it starts with none.
  func readNamed(_ path: Path) throws -> Reading? {
    guard case .field(let name) = path.steps.first else { return nil }
    if let binding = names.bindings[name] { return try read(binding.path + Path(Array(path.steps.dropFirst()))) }
    guard let projection = names.projections[name] else { return nil }
    return try reading(projection).read(path.steps.dropFirst(), from: Path([path.steps[0]]))
  }

  /// The value of a projection or a binding; nil: there is none of that name.
  func namedValue(of name: String) throws -> Value? { try readNamed(Path([.field(name)]))?.value }

  func reading(_ projection: SessionProjection) throws -> Reading {
    guard names.projectionDepth < 16 else {
      throw ShellError(
        code: .runaway,
        message: "the projection '\(projection.name)' is read within itself, or more than 16 deep within others")
    }
    names.projectionDepth += 1
    defer { names.projectionDepth -= 1 }
    return try lua().evaluate(projection.expression, chunk: projection.chunk, isReadOnly: true)
  }

  /// Refuses a name that already means something else.
  ///
  /// - Parameter kind: the kind of name that may be given anew.
  func requireFree(_ name: String, as kind: NameKind, at word: Word) throws {
    let owner: String
    if kind != .alias, !name.isName {
      throw ShellError(
        code: .syntax, message: "'\(name)' is not a name", at: word,
        hint: kind != .variable
          ? nil : name.hasSuffix(",") ? Habit.hint(onSeveralNamesIn: "let \(name)") : "usage: let NAME = EXPR",
        status: 2)
    } else if kind != .variable, commands[name] != nil {
      owner = "a command"
    } else if kind != .variable, name == "shell" || store.modules.contains(where: { $0.name == name }) {
      owner = "a module"
    } else if kind != .variable, name == "root" {
      owner = "what use returns to"
    } else if kind != .alias, name == "it" || (try? lua().isOwn(name)) == true {
      owner = "a name of the shell's Lua"
    } else if kind != .projection, names.projection(name) != nil {
      owner = "a projection"
    } else if kind != .binding, names.binding(name) != nil {
      owner = "a binding"
    } else if kind == .projection || kind == .binding || kind == .substate, names.variables.contains(name) {
      owner = "a variable"
    } else {
      return
    }
    throw ShellError(code: .nameTaken, message: "'\(name)' is \(owner)", at: word)
  }

  enum NameKind {
    case alias
    case projection
    case binding
    case variable
    case substate
  }
}
