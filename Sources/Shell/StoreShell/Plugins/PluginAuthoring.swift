import Platform
import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

extension PluginSubcommand {
  static let new = PluginSubcommand("new", "NAME|FOLDER", "writes the files of a new one") { invocation in
    let folder = try invocation.required(1, "the name of a plugin")
    let name = folder.split(separator: "/").last.map(String.init) ?? folder
    guard PluginManifest.isName(name) else {
      throw ShellError(
        code: .typeMismatch, message: "'\(name)' is no name of a plugin", at: invocation.operands[1],
        hint: PluginManifest.name(like: name).map { "did you mean '\($0)'?" }
          ?? "a name is a lower-case letter, then letters, digits and _")
    }
    if let clash = invocation.session.clash(ofPlugin: name) {
      throw ShellError(code: .typeMismatch, message: clash, at: invocation.operands[1])
    }
    guard !Files.exists(folder) else {
      throw ShellError(code: .failed, message: "'\(folder)' is there already", at: invocation.operands[1])
    }
    return try invocation.write(PluginSkeleton(name).files, below: folder)
  }

  static let stubs = PluginSubcommand("stubs", "[FOLDER]", "writes the store's types for editors") { invocation in
    let folder = try invocation.operand(1) ?? "."
    guard Files.isDirectory(folder) else {
      throw ShellError(
        code: .noSuchFile, message: "there is no folder '\(folder)'", at: invocation.operands[1], status: 2)
    }
    let modules = try invocation.session.modules(with: folder)
    var files = [("types/stsh.lua", TypeStubs.words), ("types/store.lua", TypeStubs(modules).text)]
    if !Files.exists("\(folder)/.luarc.json") { files.append((".luarc.json", PluginSkeleton.languageServer)) }
    return try invocation.write(files, below: folder)
  }
}

extension Invocation {
  /// Writes files, and says which.
  fileprivate func write(_ files: [(path: String, text: String)], below folder: String) throws -> CommandResult {
    var out = ""
    do throws(FileError) {
      for (path, text) in files {
        let file = folder == "." ? path : "\(folder)/\(path)"
        if let slash = file.lastIndex(of: "/") { try Files.makeFolder(String(file[..<slash])) }
        try Files.write(text, to: file)
        out += "wrote \(file)\n"
      }
    } catch {
      throw ShellError(error, place: operands.count > 1 ? .span(operands[1].span) : .command)
    }
    return print(out)
  }
}

extension Session {
  /// Why no plugin can have a name: it means something else already. Nil: it does not.
  func clash(ofPlugin name: String) -> String? {
    if ["shell", "root"].contains(name) || commands[name] != nil { return "'\(name)' is a word of the shell itself" }
    if name.isLuaKeyword { return "'\(name)' is a word of Lua itself" }
    let isModule = store.modules.contains { $0.name == name } && store.plugin(named: name) == nil
    return isModule ? "'\(name)' is a module of the program itself" : nil
  }

  /// The modules of the store; with that of the plugin in a folder, where one is there that is not loaded.
  ///
  /// - Throws: `PluginError` where there is one that cannot be loaded: an editor would go on with the types before it.
  fileprivate func modules(with folder: String) throws(PluginError) -> [Module] {
    guard Files.exists("\(folder)/plugin.json") else { return store.modules }
    let source = try PluginSource(folder: folder)
    let name = source.manifest.name
    let plugin = try Plugin(loading: source, into: store.surroundings(of: name))
    let modules = store.modules.filter { $0.name != name } + [plugin.module]
    return modules.map { $0.adding(plugin.addedActions.filter { added in store.action(named: added.fullName) == nil }) }
  }
}
