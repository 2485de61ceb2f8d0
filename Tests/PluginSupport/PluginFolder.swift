import Glibc
import Platform
import StorePlugins

/// A plugin's folder below a temporary one; all of it goes when the test does.
package final class PluginFolder {
  /// The temporary folder.
  package let root: String
  /// The plugin's own folder.
  package var path: String { "\(root)/\(displayName)" }
  /// What chunks and messages call the folder.
  package let displayName: String

  /// Writes a plugin.
  ///
  /// - Parameters:
  ///   - manifest: the whole text of `plugin.json`; nil: a plain one.
  ///   - permissions: what the plain manifest asks for.
  ///   - extra: more entries of the plain manifest, such as `"limits": {}`.
  ///   - lua: the text of `init.lua`; nil: there is no such file.
  ///   - files: more files, by their path in the folder.
  package init(
    _ name: String, manifest: String? = nil, permissions: [String] = [], extra: String? = nil, lua: String?,
    files: [String: String] = [:]
  ) throws {
    var template = Array("/tmp/stsh-plugins-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure(what: "mkdtemp") }
    root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    displayName = "bad/\(name)"
    let asked = permissions.map { "\"\($0)\"" }.joined(separator: ", ")
    let plain = """
      { "name": "\(name)", "version": "0.1.0", "api": 1, "permissions": [\(asked)]\(extra.map { ", \($0)" } ?? "") }
      """
    try write("plugin.json", manifest ?? plain)
    if let lua { try write("init.lua", lua) }
    for (file, text) in files { try write(file, text) }
  }

  deinit { PluginFolder.removeAll(root) }

  /// The plugin's folder, read as the shell reads it.
  package func source() throws -> PluginSource { try PluginSource(folder: path, displayedAs: displayName) }

  /// Writes a file of the plugin, making the folders that it needs.
  package func write(_ name: String, _ text: String) throws {
    try write(name, Array(text.utf8))
  }

  /// Writes a file of the plugin, making the folders that it needs.
  package func write(_ name: String, _ bytes: [UInt8]) throws {
    var folder = root
    for part in "\(displayName)/\(name)".split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o755)
    }
    guard let file = fopen("\(path)/\(name)", "w") else { throw SystemFailure(what: "fopen \(name)") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw SystemFailure(what: "fwrite \(name)") }
  }

  /// Takes a file of the plugin away.
  package func delete(_ name: String) { remove("\(path)/\(name)") }

  private static func removeAll(_ path: String) {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { removeAll("\(path)/\(name)") }
      }
      closedir(folder)
    }
    remove(path)
  }
}

/// The system refused something that a test needs.
package struct SystemFailure: Error {
  package let what: String

  package init(what: String) { self.what = what }
}
