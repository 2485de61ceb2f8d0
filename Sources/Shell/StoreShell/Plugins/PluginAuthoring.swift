import Platform
import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

extension PluginSubcommand {
  static let new = PluginSubcommand(
    "new", "NAME|FOLDER", "writes the files of a new plugin", makesFile: true,
    read: { reader in
      let plugin = try reader.plugin()
      let folder = try plugin.word.map { folder in
        try reader.vocabulary.checkName(ofPluginIn: folder, at: plugin.place)
        return folder
      }
      return GivenPlugin(word: folder, place: plugin.place)
    },
    perform: { plugin, session in
      let folder = try plugin.word.value(in: session)
      guard !Files.exists(folder) else {
        throw ShellError(code: .failed, message: "'\(folder)' exists already", at: plugin.place)
      }
      return try session.write(PluginSkeleton(folder.lastComponent).files, below: folder, at: plugin.place)
    })

  static let stubs = PluginSubcommand(
    "stubs", "[FOLDER]", "writes the store's types for editors", makesFile: true,
    read: { reader in (folder: try reader.operand(1), place: reader.operands.dropFirst().first) },
    perform: { request, session in
      let folder = try request.folder?.value(in: session) ?? "."
      guard Files.isDirectory(folder) else {
        throw ShellError(
          code: .noSuchFile, message: "there is no folder '\(folder)'",
          place: request.place.map { .span($0.span) } ?? .command, status: 2)
      }
      let modules = try session.modules(with: folder)
      var files = [("types/stsh.lua", TypeStubs.words), ("types/store.lua", TypeStubs(modules).text)]
      if !Files.exists("\(folder)/.luarc.json") { files.append((".luarc.json", PluginSkeleton.languageServer)) }
      return try session.write(files, below: folder, at: request.place)
    })
}

extension Vocabulary {
  /// Refuses a folder whose last part is no name for a plugin.
  fileprivate func checkName(ofPluginIn folder: String, at word: Word) throws {
    let name = folder.lastComponent
    guard PluginManifest.isName(name) else {
      throw ShellError(
        code: .typeMismatch, message: "'\(name)' is not a name for a plugin", at: word,
        hint: PluginManifest.name(like: name).map { "did you mean '\($0)'?" }
          ?? "a name is a lower-case letter, then letters, digits and _")
    }
    if let clash = clash(ofPlugin: name) { throw ShellError(code: .typeMismatch, message: clash, at: word) }
  }
}

extension Session {
  /// Writes files, and says which.
  fileprivate func write(
    _ files: [(path: String, text: String)], below folder: String, at word: Word?
  ) throws -> CommandResult {
    var out = ""
    do throws(FileError) {
      for (path, text) in files {
        let file = folder == "." ? path : "\(folder)/\(path)"
        try Files.makeFolder(file.folder)
        try Files.write(text, to: file)
        out += "wrote \(file)\n"
      }
    } catch {
      throw ShellError(error, place: word.map { .span($0.span) } ?? .command)
    }
    return answer(out)
  }

  /// The modules of the store; with that of the plugin in a folder, where one is there that is not loaded.
  ///
  /// - Throws: `PluginError` where there is one that cannot be loaded: an editor would go on with the types before it.
  fileprivate func modules(with folder: String) throws(PluginError) -> [Module] {
    guard Files.exists("\(folder)/plugin.json") else { return store.modules }
    let source = try PluginSource(folder: folder)
    let name = source.manifest.name
    let plugin = try Plugin(loading: source, into: store.live.surroundings(of: name))
    let modules = store.modules.filter { $0.name != name } + [plugin.module]
    return modules.map {
      $0.adding(plugin.addedActions.filter { added in store.action(named: added.fullName) == nil })
    }
  }
}
