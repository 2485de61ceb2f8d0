import ShellLanguage
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

/// The names that a line may use: commands, types, modules and paths of a session, to be looked at only. The reader of a
/// command gets nothing else, and so cannot act.
struct Vocabulary {
  private let session: Session

  init(_ session: Session) { self.session = session }

  // MARK: Actions and parts of the store

  /// The action of a call, as the store processes it.
  func action(_ call: consuming ActionCall) throws(SchemaError) -> HostAction { try session.action(call) }

  func action(named name: String) -> ActionType? { session.store.action(named: name) }

  func action(_ name: String, at place: ShellError.Place) throws -> ActionMeaning {
    if let target = session.actionTarget(name) { return target }
    throw session.unknownAction(name, at: place)
  }

  var modules: [Module] { session.store.modules }
  var middlewareNames: [String] { session.store.units.map(\.name) }
  var thunks: [ThunkType] { session.store.live.thunks }
  var loadedPlugins: [LoadedPluginListing] { session.store.loadedPlugins }
  func plugin(named name: String) -> Plugin? { session.store.plugin(named: name) }

  /// Tells whether `plugin load` finds a plugin of that name.
  func hasInstalledPlugin(named name: String) -> Bool {
    session.options.rights.isAll && !PluginLocator.isPath(name)
      && (try? PluginLocator(session.options).source(name)) != nil
  }

  /// Why no plugin can have a name; nil: one can.
  func clash(ofPlugin name: String) -> String? { session.clash(ofPlugin: name) }

  /// Tells whether a substate of that name is there.
  func isSubstate(_ name: String) -> Bool { session.store.isSubstate(name) && modules.contains { $0.name == name } }

  func substateSchema(_ name: String) -> Schema { session.store.live.application.substateSchema(name) }

  // MARK: Paths

  /// The path that a path stands for within what `use` chose.
  func scoped(_ path: Path) -> Path { session.scoped(path) }

  func type(at path: Path) throws -> Schema { try session.type(at: path) }

  /// The type that is declared for what stands at a path, whichever items there are.
  func declaredType(at path: Path) throws -> Schema { try session.declaredType(at: path) }

  /// Refuses a condition over elements that reads an unknown name, unless an earlier line may define it.
  func requireNames(in condition: String, besides fields: Set<String>) throws {
    let lua = try session.lua()
    do throws(SessionLuaError) {
      _ = try lua.condition(condition, onFields: fields, chunk: session.chunkName)
    } catch {
      if let name = error.unknownName?.name, !session.isForeseen(name) { throw error }
    }
  }

  /// The unknown fields in a condition: names behind `it` that no element has, and functions of Lua that are compared.
  func unknownFields(in condition: String, among fields: Set<String>) -> [String] {
    session.unknownFields(in: condition, among: fields)
  }

  /// Tells whether a path leads into the state of a module, not to what is projected from it.
  func isState(_ path: Path) -> Bool {
    guard let module = modules.first(where: { path.steps.first == .field($0.name) }), let schema = module.schema
    else { return false }
    return (try? schema.type(at: path.steps.dropFirst(), from: Path([path.steps[0]]))) != nil
  }

  // MARK: The language

  var commands: CommandTable { session.commands }

  /// Refuses a name that means something else already.
  func requireFree(_ name: String, as kind: Session.NameKind, at word: Word) throws {
    try session.requireFree(name, as: kind, at: word)
  }

  /// Refuses Lua with a text in double quotes that holds the name of a variable.
  func requireReplaced(_ lua: String, at place: ShellError.Place) throws {
    try session.requireReplaced(lua, at: place)
  }

  /// The fault of a Lua expression; nil: it has none.
  func syntaxFault(ofExpression text: String) throws -> String? {
    try session.lua().syntaxFault(text, as: .expression)
  }

  /// Lua over the fields of records.
  func computation(_ computed: [String], where condition: String?) throws -> ColumnComputation {
    try session.lua().computation(
      computed.map(LuaText.withDecimals), where: condition.map(LuaText.withDecimals), chunk: session.chunkName)
  }

  /// What a name stands for that somebody has given to a command; nil: it is none.
  func alias(_ name: String) -> SessionNames.Alias? { allowsAliases ? session.names.alias(name) : nil }

  var allowsAliases: Bool { session.running.origin.allowsAliases }
  /// True for a line that came in by a door: what it calls standard input is another program's.
  var isThroughDoor: Bool { session.running.origin.isThroughDoor }
  /// True if files are those of a client.
  var hasClientFiles: Bool { session.person.files != nil }
  var isScriptOnStandardInput: Bool { session.running.origin.file == "stdin" }

  // MARK: Files

  /// The name of a file whose word stands without quotes.
  func fileName(_ text: String) -> String { session.fileName(text) }

  /// The path of a file of the program's own.
  func hostPath(_ file: String) -> String { session.hostPath(file) }

  /// True if a file of that name is the client's.
  func isClients(_ file: String) -> Bool { session.isClients(file) }

  /// True where a line that was read before may make a file.
  var mayHaveWritten: Bool { session.running.mayHaveWritten }

  func refuseStore(_ file: String, at place: ShellError.Place) throws { try session.refuseStore(file, at: place) }
}

extension SchemaError {
  /// The error with the found value in the spelling of the word. A duration is but text to types, a number has more
  /// than one spelling, and a number that its type cannot hold is rounded.
  func naming(_ word: String) -> SchemaError {
    guard case .typeMismatch(let expected, _, let found) = problem else { return self }
    let named: String
    if DurationLiteral.parse(word) != nil {
      named = "duration \(word)"
    } else if word.looksLikeANumber, let number = Double(word) {
      let isOutside = expected == "Int" || (expected == "Double" && number.isInfinite)
      let excess = isOutside ? number.excess : nil
      guard excess != nil || found != nil else { return self }
      named = "number \(word)\(excess ?? "")"
    } else {
      return self
    }
    return SchemaError(path, .typeMismatch(expected: expected, found: named, number: found))
  }
}
