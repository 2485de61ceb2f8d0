import StorePlugins
import StoreSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The permissions that were granted for good, in `grants.json`: name, folder and permission list.
struct GrantStore {
  private let file: String?
  private var grants: PersistentMap<MapKey, Value> = [:]

  init(file: String?) {
    self.file = file
    guard let file, let bytes = try? Files.read(file), case .map(let map) = try? JSON.value(of: bytes) else { return }
    grants = map
  }

  /// What a plugin asks for beyond what it was granted. A plugin that asks for nothing needs no grant.
  func missing(of manifest: PluginManifest, in folder: String) -> [Permission] {
    guard case .map(let entry) = grants[.string(manifest.name)],
      entry[.string("folder")] == .string(GrantStore.absolute(folder)),
      case .list(let list) = entry[.string("permissions")]
    else { return manifest.permissions }
    return manifest.permissions.filter { !list.contains(.string($0.description)) }
  }

  /// Grants a plugin what it asks for, for good.
  mutating func add(_ manifest: PluginManifest, in folder: String) throws(FileError) {
    guard let file else { return }
    grants[.string(manifest.name)] = .map([
      .string("folder"): .string(GrantStore.absolute(folder)),
      .string("permissions"): .list(PersistentList(manifest.permissions.map { .string($0.description) })),
    ])
    try Files.write(JSON.text(of: .map(grants)) + "\n", to: file)
  }

  /// A relative path means another folder elsewhere.
  private static func absolute(_ folder: String) -> String {
    guard let path = realpath(folder, nil) else { return folder }
    defer { free(path) }
    return String(cString: path)
  }
}
