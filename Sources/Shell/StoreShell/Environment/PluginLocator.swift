import Platform
import StoreHistory
import StoreHost
import StorePlugins
import StoreSchema

struct PluginLocator {
  private let options: SessionOptions

  init(_ options: SessionOptions) { self.options = options }

  /// Returns true if a word is a path, not a name.
  static func isPath(_ word: String) -> Bool { word.contains("/") || word == "." || word == ".." }

  /// The plugin that a word names: a word with `/` is a path. A name is looked for among the folders of `-p`, then
  /// where plugins are installed, then among the shipped ones.
  ///
  /// - Throws: `PluginError` where there is none, or its manifest cannot be read.
  func source(_ word: String) throws(PluginError) -> PluginSource {
    guard !Self.isPath(word) else {
      if let hint = UserEnvironment.hint(forMissing: word), !Files.isDirectory(word) {
        throw PluginError(.load, "there is no plugin folder '\(word)'", hint: hint)
      }
      return try PluginSource(folder: word)
    }
    for folder in options.pluginFolders.map(self.word) where Self.isPath(folder) && folder.lastComponent == word {
      return try PluginSource(folder: folder)
    }
    if let folder = installed(word) { return try PluginSource(folder: folder, displayedAs: word) }
    throw PluginError(
      .load, "there is no plugin '\(word)'",
      hint: Files.isDirectory(word) ? "a folder is given by its path: ./\(word)" : hint(insteadOf: word))
  }

  /// The advice where no plugin has a name: the nearest one, or where they are looked for.
  private func hint(insteadOf word: String) -> String {
    if let question = Suggestion.question(word, among: names) { return question }
    let folders = options.pluginSearchPath.joined(separator: " or ")
    let place =
      names.isEmpty ? "there are no plugins in \(folders)" : "plugin list --available lists those of \(folders)"
    return "\(place); one of your own is given by its path: ./\(word)"
  }

  /// The folder in which a plugin of that name is installed, or ships; nil: there is none.
  private func installed(_ name: String) -> String? {
    options.pluginSearchPath.lazy.map { "\($0)/\(name)" }.first { Files.isDirectory($0) }
  }

  /// The word of `-p` as `plugin load` takes it: a name that no plugin has is a folder of that name.
  func word(for folder: String) -> String {
    Self.isPath(folder) || installed(folder) != nil || !Files.isDirectory(folder) ? folder : "./\(folder)"
  }

  /// The plugins that are found by name, in the order of their names.
  var available: [PluginSource] { names.compactMap { try? source($0) } }

  /// The names of what stands where plugins are looked for, in their order.
  private var names: [String] {
    options.pluginSearchPath.reduce(into: Set()) { $0.formUnion(Files.names(in: $1)) }.sorted()
  }

  /// The name of a recorded plugin's folder in messages: the plugin's own name where that leads there, else the path
  /// from here.
  private func shownName(of written: JournaledPlugin) -> String {
    if let found = try? source(written.name), Files.absolute(found.folder) == written.directory {
      return found.displayName
    }
    let here = Files.absolute(".") + "/"
    return written.directory.hasPrefix(here) ? String(written.directory.dropFirst(here.count)) : written.directory
  }

  /// A plugin that a store's file tells of, in the folder that it was loaded from. Without that folder: in a folder of
  /// `-p`, or where its name leads, if the same code is there, and else as the file keeps it.
  ///
  /// - Throws: `PluginError` where there is none, or its manifest cannot be read.
  func source(_ written: JournaledPlugin, in file: any JournalReading) throws(PluginError) -> PluginSource {
    guard !Files.isDirectory(written.directory) else {
      return try PluginSource(folder: written.directory, displayedAs: shownName(of: written))
    }
    for folder in options.pluginFolders {
      if let source = try? PluginSource(folder: folder), source.manifest.name == written.name { return source }
    }
    if let source = try? source(written.name), source.digest == written.digest { return source }
    if let kept = written.kept(in: file) { return kept }
    let damage = file.reader.keptCode.contains(written.digest) ? ", and its code in the file is damaged" : ""
    throw PluginError(
      .load, "there is no plugin folder '\(written.directory)'\(damage)",
      hint: "if it is elsewhere by now, say where: -p FOLDER")
  }
}
