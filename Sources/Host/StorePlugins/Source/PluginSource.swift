import Platform
import StoreSchema

/// A plugin's folder on disk.
public struct PluginSource: Hashable, Sendable {
  /// The folder as it was given, without a leading `./` and a trailing `/`.
  public let folder: String
  /// The name of the folder in chunks and messages.
  public let displayName: String
  /// The content of `plugin.json`.
  public private(set) var manifest: PluginManifest
  /// The text of its code, as it was when the manifest was read. The same text is granted, checked and run. A running
  /// plugin goes on with its own files, however they are edited meanwhile.
  private let code: PluginCode

  /// Reads a plugin's manifest and code; runs no Lua.
  ///
  /// - Parameters:
  ///   - given: the plugin's own folder.
  ///   - name: the name in chunks and messages; nil: as given.
  /// - Throws: ``PluginError`` where folder or manifest cannot be read.
  public init(folder given: String, displayedAs name: String? = nil) throws(PluginError) {
    var folder = given
    while folder.hasPrefix("./"), folder.utf8.count > 2 { folder.removeFirst(2) }
    while folder.hasSuffix("/"), folder.utf8.count > 1 { folder.removeLast() }
    self.folder = folder
    displayName = name ?? folder
    guard Files.isDirectory(folder) else {
      throw PluginError(
        .load, "there is no plugin folder '\(folder)'", hint: "a plugin is a folder with plugin.json and init.lua")
    }
    let file = "\(displayName)/plugin.json"
    var bytes: [UInt8]
    do throws(PluginFileError) {
      bytes = try PluginFile.read("plugin.json", in: folder)
    } catch {
      throw PluginError(
        .load, "\(file): \(error.reason)",
        hint: "every plugin needs a manifest: { \"name\": …, \"version\": …, \"api\": 1 }")
    }
    bytes.dropByteOrderMark()
    manifest = try PluginManifest(parsing: bytes, file: file)
    code = PluginCode(of: folder, manifest: bytes)
    if code.isTooLarge {
      throw PluginError(
        .load, of: manifest.name, "its files of Lua have more than \(PluginCode.limit >> 20) MiB",
        hint: "keep data in the state: ingest reads it from a file")
    }
  }

  /// Takes a plugin's manifest and code as they were kept; runs no Lua.
  ///
  /// - Parameters:
  ///   - files: by their paths in the folder, as ``files`` gave them.
  ///   - folder: where they were read once; nothing need be there any more.
  ///   - name: what chunks and messages call the folder.
  /// - Throws: ``PluginError`` where the manifest cannot be read.
  public init(
    kept files: [(path: String, bytes: [UInt8])], of folder: String, displayedAs name: String
  ) throws(PluginError) {
    (self.folder, displayName, code) = (folder, name, PluginCode(kept: files))
    manifest = try PluginManifest(parsing: code["plugin.json"] ?? [], file: "\(name)/plugin.json")
  }

  /// The manifest and the code, by their paths in the folder.
  public var files: [(path: String, bytes: [UInt8])] { code.files }

  /// A digest of the manifest and the code, of 16 hexadecimal digits. Two sources with one digest are the same plugin,
  /// as far as nobody tried to make them alike.
  public var digest: String { code.digest }

  /// The names of the files of Lua that can run in the plugin.
  var codeNames: [String] { code.names }

  /// Reads the same folder again, as it is now.
  ///
  /// - Throws: ``PluginError`` as ``init(folder:displayedAs:)``.
  public func readAgain() throws(PluginError) -> PluginSource {
    try PluginSource(folder: folder, displayedAs: displayName)
  }

  /// The same plugin below a ceiling of limits.
  ///
  /// - Throws: ``PluginError`` as ``PluginManifest/bounded(by:)``.
  public func bounded(by ceiling: PluginManifest.Limits) throws(PluginError) -> PluginSource {
    var source = self
    source.manifest = try manifest.bounded(by: ceiling)
    return source
  }

  /// Reads one of the plugin's Lua files.
  ///
  /// - Parameter name: the path within the folder, such as `init.lua`.
  func lua(_ name: String) throws(PluginError) -> (text: String, chunk: String) {
    let chunk = "\(displayName)/\(name)"
    var bytes: [UInt8]
    do throws(PluginFileError) {
      if let known = code[name] { bytes = known } else { bytes = try PluginFile.read(name, in: folder) }
    } catch {
      throw PluginError(.load, of: manifest.name, "\(chunk): \(error.reason)")
    }
    bytes.dropByteOrderMark()
    guard bytes.first != 0x1B else {
      throw PluginError(.load, of: manifest.name, "\(chunk): this is bytecode; plugins are loaded as text only")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw PluginError(.load, of: manifest.name, "\(chunk): invalid UTF-8")
    }
    return (text, chunk)
  }
}

extension [UInt8] {
  /// As `lua` does it: some editors begin a file with a mark of the order of its bytes.
  fileprivate mutating func dropByteOrderMark() {
    if starts(with: [0xEF, 0xBB, 0xBF]) { removeFirst(3) }
  }
}

/// The files of a plugin by what they are for.
extension PluginSource {
  /// The files of the plugin's tests, in order.
  public var testNames: [String] {
    Files.names(in: "\(folder)/tests").filter { $0.hasSuffix("_test.lua") }.map { "tests/\($0)" }
  }

  /// The entries among the tests that are none.
  public var idleTestNames: [String] {
    let tests = testNames
    return Files.luaFiles(below: "\(folder)/tests").map { "tests/\($0)" }.filter { !tests.contains($0) }
  }
}

extension Files {
  /// The Lua files below a folder, by their paths in it; folders that are links are not entered.
  static func luaFiles(below folder: String) -> [String] {
    names(in: folder).flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      if isDirectory(path), !isLink(path) { return luaFiles(below: path).map { "\(name)/\($0)" } }
      return name.hasSuffix(".lua") ? [name] : []
    }
  }
}
