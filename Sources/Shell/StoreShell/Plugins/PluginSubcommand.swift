import ShellLanguage
import StorePlugins

/// A subcommand of `plugin`. Each is a constant in an extension, in the file of what it does.
struct PluginSubcommand: Sendable {
  /// The word after `plugin`.
  let name: String
  /// The operands that follow it, as usage lines show them.
  let operands: String
  /// The effect, in a few words.
  let summary: String
  /// The right that it needs; nil: all.
  let need: Need?
  /// The flags that it takes beside the flags of the format.
  let flags: [FlagDefinition]
  /// Reads a line of it; the first operand is its own name.
  let read: @Sendable (CommandReader) throws -> Request

  struct Request {
    let perform: (Session) throws -> CommandResult
    /// The part of it that a check performs: it adds names, or finds mistakes in a plugin; nil: there is none.
    let addNames: ((Session) throws -> Void)?
    /// True if it makes files.
    let makesFile: Bool
  }

  /// Declares a subcommand by its two halves, as a `CommandDefinition` is.
  ///
  /// - Parameters:
  ///   - addsNames: true if a check performs it, in the store that it has for itself.
  ///   - makesFile: true if it makes files.
  init<Operands>(
    _ name: String, _ operands: String, _ summary: String, need: Need? = nil, flags: [FlagDefinition] = [],
    addsNames: Bool = false, makesFile: Bool = false,
    read: @escaping @Sendable (CommandReader) throws -> Operands,
    perform: @escaping @Sendable (Operands, Session) throws -> CommandResult
  ) {
    self.name = name
    self.operands = operands
    self.summary = summary
    self.need = need
    self.flags = flags
    self.read = { reader in
      let operands = try read(reader)
      let isKnown = reader.operands.allSatisfy {
        if case .value(let literal) = $0.kind { literal.isKnown } else { true }
      }
      return Request(
        perform: { try perform(operands, $0) },
        addNames: addsNames && isKnown ? { _ = try perform(operands, $0) } : nil,
        makesFile: makesFile)
    }
  }

  /// The subcommand as written.
  var usage: String {
    let flags = flags.map { " [--\($0.name)\($0.value.map { " \($0)" } ?? "")]" }.joined()
    return "plugin \(name)" + (operands.isEmpty ? "" : " \(operands)") + flags
  }

  static var allFlags: [FlagDefinition] {
    all.flatMap(\.flags).reduce(into: []) { flags, flag in
      if !flags.contains(where: { $0.name == flag.name }) { flags.append(flag) }
    }
  }

  /// All of them, in the order in which help lists them.
  static let all: [PluginSubcommand] = [
    list, load, unload, reload, enable, disable, info, source, audit, check, test, grant, revoke, new, stubs,
  ]

  /// The rights that they need, where they do not need all.
  static var needs: [String: Need] {
    Dictionary(all.compactMap { part in part.need.map { (part.name, $0) } }, uniquingKeysWith: { first, _ in first })
  }

  /// The subcommands as written, and the effect of each.
  static var usages: [String] {
    let width = all.map(\.usage.count).max() ?? 0
    return all.map { subcommand in
      let usage = subcommand.usage
      return "\(usage)\(String(repeating: " ", count: width - usage.count))  \(subcommand.summary)"
    }
  }
}

/// The plugin that a line names.
struct GivenPlugin {
  let word: Given<String>
  let place: Word

  func loaded(in session: Session) throws -> Plugin {
    let name = try word.value(in: session)
    if let plugin = session.store.plugin(named: name) { return plugin }
    throw ShellError(
      .unknownPlugin(name, among: session.store.loadedPlugins.map(\.name)), place: .span(place.span))
  }

  /// The code that is granted: of one that another node has loaded, that code; else that in its folder.
  func granted(in session: Session) throws -> PluginSource {
    let name = try word.value(in: session)
    let isOfOther = session.store.isShared && session.store.loadedPlugins.contains { $0.name == name && $0.lacksUnits }
    guard isOfOther, let loaded = session.store.plugin(named: name) else { return try source(in: session) }
    return loaded.source
  }

  /// The folder of the plugin: of a loaded one, or where `plugin load` would find it.
  func source(in session: Session) throws -> PluginSource {
    let word = try word.value(in: session)
    if let loaded = session.store.plugin(named: word)?.source {
      return try PluginSource(folder: loaded.folder, displayedAs: loaded.displayName)
    }
    return try PluginLocator(session.options).source(word)
  }
}

extension CommandReader {
  /// The plugin that the operand after the subcommand names.
  ///
  /// - Parameter orFolder: true if its folder may stand there too.
  func plugin(orFolder: Bool = false) throws -> GivenPlugin {
    let name = orFolder ? "the name or folder of a plugin" : "the name of a plugin"
    return GivenPlugin(word: try required(1, name), place: operands[1])
  }
}
