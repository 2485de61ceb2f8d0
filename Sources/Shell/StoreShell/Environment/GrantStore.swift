import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

/// The grant of one plugin: its folder, and the permissions as manifests write them.
struct PluginGrant: Hashable, Sendable {
  let folder: String
  let permissions: [String]
  /// The digest of the only code that it is for, wherever that is from; nil: it is for the plugin in the folder.
  let digest: String?

  init(_ source: PluginSource) { self.init(source, source.manifest.permissions) }

  init(_ source: PluginSource, _ permissions: [Permission], ofCode: Bool = false) {
    folder = Files.absolute(source.folder)
    self.permissions = permissions.map(\.description)
    digest = ofCode ? source.digest : nil
  }

  init(folder: String, permissions: [String], digest: String?) {
    self.folder = folder
    self.permissions = permissions
    self.digest = digest
  }

  /// Returns true if it grants a permission to the plugin in that folder, or of that code.
  func covers(_ permission: Permission, of source: PluginSource) -> Bool {
    (digest.map { $0 == source.digest } ?? (folder == Files.absolute(source.folder)))
      && permissions.contains { Permission($0)?.covers(permission) ?? false }
  }
}

/// The permissions that were granted for good, in `grants.json`: name, folder and permission list.
struct GrantStore {
  private let file: String?
  private var grants: PersistentMap<MapKey, Value> = [:]
  /// True if the file is there and is no JSON object.
  private(set) var isDamaged = false

  /// Reads the file; one that is not there, or cannot be read, grants nothing.
  init(file: String?) {
    self.file = file
    guard let file else { return }
    guard let bytes = try? Files.readRegular(file) else {
      isDamaged = Files.exists(file) && !Files.isOrdinary(file)
      return
    }
    if case .map(let map) = try? JSON.value(of: bytes) { grants = map } else { isDamaged = true }
  }

  subscript(name: String) -> PluginGrant? {
    guard case .map(let entry) = grants[.string(name)], case .string(let folder) = entry[.string("folder")],
      case .list(let list) = entry[.string("permissions")]
    else { return nil }
    return PluginGrant(folder: folder, permissions: list.compactMap(\.text), digest: entry[.string("digest")]?.text)
  }

  /// Grants a plugin some of what it asks for, for good, beside what it was granted in that folder before.
  ///
  /// - Parameter ofCode: true to grant it to this code alone, whichever folder it is from.
  /// - Throws: an error if the file cannot be written, or holds something else, which then stays.
  mutating func add(_ permissions: [Permission], to source: PluginSource, ofCode: Bool = false) throws {
    let before = self[source.manifest.name]
    let grant = PluginGrant(
      source,
      source.manifest.permissions.filter { permissions.contains($0) || before?.covers($0, of: source) ?? false },
      ofCode: ofCode)
    var entry: PersistentMap<MapKey, Value> = [
      .string("folder"): .string(grant.folder), .string("permissions"): .texts(grant.permissions),
    ]
    if let digest = grant.digest { entry[.string("digest")] = .string(digest) }
    grants[.string(source.manifest.name)] = .map(entry)
    try write()
  }

  /// Forgets what was granted under a name.
  ///
  /// - Throws: as ``add(_:)``.
  mutating func remove(_ name: String) throws {
    guard grants[.string(name)] != nil else { return }
    grants[.string(name)] = nil
    try write()
  }

  private func write() throws {
    guard let file else { return }
    guard !isDamaged else {
      throw ShellError(
        code: .failed, message: "\(file) is not a JSON object, so nothing was written to it",
        hint: "mend the file or remove it: its permissions are then asked for again")
    }
    try Files.replace(file, with: JSON.text(of: .map(grants)) + "\n")
  }
}
