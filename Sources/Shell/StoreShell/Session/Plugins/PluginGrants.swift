import Platform
import StorePlugins
import StoreSchema

enum GrantOrigin: String {
  /// A person, for good, or `plugin grant`.
  case always
  /// A person, or the flag `--grant`, for this session.
  case session
  /// Nobody any more; the plugin was loaded with it and keeps it until it is unloaded.
  case kept = "until unload"
  /// Nobody.
  case no
}

extension Session {
  func grantOrigin(of permission: Permission, to source: PluginSource) -> GrantOrigin {
    let origin = options.grantOrigin(of: permission, to: source)
    guard origin == .no else { return origin }
    return plugins.grants[source.manifest.name]?.covers(permission, of: source) ?? false ? .session : .no
  }

  /// The word for a plugin in a command: its name where that is found, else its folder.
  private func word(for source: PluginSource) -> String {
    let name = source.manifest.name
    // Later it is not found by what this session alone was told of.
    var options = options
    options.pluginFolders = []
    if let found = try? PluginLocator(options).source(name), Files.areSame(found.folder, source.folder) { return name }
    return PluginLocator.isPath(source.folder) ? source.folder : "./\(source.folder)"
  }

  /// Lets a plugin have what it asks for, asking the person at the prompt where nobody granted it.
  ///
  /// - Parameter asks: true if anybody may be asked.
  /// - Throws: `PluginError` where it was not granted.
  func grant(_ source: PluginSource, asks: Bool = true) throws {
    let manifest = source.manifest
    let missing = manifest.permissions.filter { grantOrigin(of: $0, to: source) == .no }
    guard !missing.isEmpty else { return }
    noteDamagedGrants()
    plugins.ungranted.insert(manifest.name)
    guard asks, running.origin.isAttended, let ask else {
      throw PluginError(
        .grant, "\(manifest.name) asks for \(missing.map(\.description).joined(separator: ", ")); not granted",
        hint: "plugin grant \(word(for: source)), or run with --grant \(manifest.name)")
    }
    var question = question(manifest, missing)
    while let answer = ask(question) {
      switch answer.lowercased() {
      case "y", "yes":
        plugins.grants[manifest.name] = PluginGrant(source)
        return
      case "a", "always": return try grantForGood(source, missing)
      case "", "n", "no": throw PluginError(.grant, "\(manifest.name) was not granted its permissions")
      default:
        // A line that was typed ahead is none of the answers: it waits.
        if answer.count > 1 { person.postpone?(answer) }
        question = Self.choice
      }
    }
    throw PluginError(.grant, "\(manifest.name) was not granted its permissions")
  }

  /// Grants a plugin what it asks for, for this session and later ones.
  ///
  /// - Parameter permissions: those that later sessions grant too, beside what they do already; not given: all.
  func grantForGood(_ source: PluginSource, _ permissions: [Permission]? = nil) throws {
    plugins.grants[source.manifest.name] = PluginGrant(source)
    var grants = GrantStore(file: options.grantsFile)
    try grants.add(permissions ?? source.manifest.permissions, to: source, ofCode: !source.isInItsFolder)
  }

  /// Takes back what was granted to a plugin.
  ///
  /// - Parameter source: the plugin in that folder, and no other one of its name; nil: any of the name.
  /// - Returns: true if anything was granted.
  func revoke(_ name: String, of source: PluginSource?) throws -> Bool {
    let folder = source.map { Files.absolute($0.folder) }
    func isMeant(_ grant: PluginGrant?) -> Bool { grant.map { folder == nil || $0.folder == folder } ?? false }
    var grants = GrantStore(file: options.grantsFile)
    let wasStored = isMeant(grants[name])
    if wasStored || source == nil { try grants.remove(name) }
    let wasOfSession = isMeant(plugins.grants[name])
    if wasOfSession { plugins.grants[name] = nil }
    let place = source?.folder ?? store.plugin(named: name)?.source.folder
    let given = options.grants.filter { word in word == name || place.map { PluginLocator.names(word, $0) } ?? false }
    options.grants.subtract(given)
    return wasStored || wasOfSession || !given.isEmpty
  }

  /// Says where a file that cannot be read is why something is not granted.
  private func noteDamagedGrants() {
    guard let file = options.grantsFile, GrantStore(file: file).isDamaged else { return }
    write(note: "\(file) is not a JSON object, so its permissions are ignored; mend it or remove it")
  }

  /// Tells, at the end of a run, which words of `--grant` are nearly names of plugins that lacked their grants.
  func noteMisspeltGrants() {
    guard !plugins.ungranted.isEmpty else { return }
    for name in options.grants.sorted() {
      guard let meant = Suggestion.nearest(to: name, among: plugins.ungranted.sorted()) else { continue }
      write(note: "--grant \(name): no plugin of that name was loaded (did you mean --grant \(meant)?)")
    }
  }

  private static let choice = "Allow? [y]es for this session, [a]lways, [N]o: "

  private func question(_ manifest: PluginManifest, _ missing: [Permission]) -> String {
    let width = missing.map(\.description.count).max() ?? 0
    var question = "\(manifest.name) \(manifest.version) asks for:\n"
    for permission in missing {
      let name = permission.description
      question += "  \(name)\(String(repeating: " ", count: width - name.count))  \(permission.meaning)\n"
    }
    return question + Self.choice
  }
}

extension SessionOptions {
  /// The origin of a plugin's permission, but for what a person has granted in a session.
  func grantOrigin(of permission: Permission, to source: PluginSource) -> GrantOrigin {
    let name = source.manifest.name
    if GrantStore(file: grantsFile)[name]?.covers(permission, of: source) ?? false { return .always }
    return grants.contains(name) || grants.contains { PluginLocator.names($0, source.folder) } ? .session : .no
  }
}

extension SessionOptions {
  /// Whether the user lets a plugin that another node of a shared store has loaded have what it asks for (R46). The other node tells the
  /// folder, so a grant for a folder counts if the same code is there on this machine.
  func grants(shared source: PluginSource) -> Bool {
    let (name, isHere) = (source.manifest.name, source.isInItsFolder)
    let stored = GrantStore(file: grantsFile)[name].flatMap { isHere || $0.digest != nil ? $0 : nil }
    return source.manifest.permissions.allSatisfy { permission in
      grants.contains(name) || stored?.covers(permission, of: source) ?? false
        || isHere && grantOrigin(of: permission, to: source) != .no
    }
  }
}

extension PluginSource {
  /// True if its folder has this code.
  fileprivate var isInItsFolder: Bool {
    (try? PluginSource(folder: folder, displayedAs: displayName))?.digest == digest
  }
}

extension PluginLocator {
  /// Returns true if a word of `--grant` is a path to a folder.
  fileprivate static func names(_ word: String, _ folder: String) -> Bool {
    isPath(word) && Files.areSame(word, folder)
  }
}

struct KnownPlugins {
  var grants: [String: PluginGrant] = [:]
  /// The plugins that lacked a grant when they were to be loaded.
  var ungranted: Set<String> = []
  /// Says which plugins were saved; nil: nobody asks for that.
  var watch: PluginWatch?
}

/// The uses of permissions by plugins: the projection `shell.permissions`.
struct PermissionListing {
  private let plugins: [(name: String, uses: [PermissionUse])]

  /// - Parameter names: the loaded plugins to look at.
  init(_ names: [String], in session: Session) {
    plugins = names.compactMap { name in
      session.store.plugin(named: name).map { (name, $0.permissionUses) }
    }
  }

  /// A table with a row for each permission.
  var reading: Reading {
    let rows = plugins.flatMap { name, uses in
      uses.map { use -> [Value] in
        let needed = use.needed.map(\.description).joined(separator: ", ")
        return [
          .string(name), .string(use.permission.description), .int(use.count), .bool(use.isRequired),
          needed.isEmpty ? .none : .string(needed),
        ]
      }
    }
    return Reading(rows: rows, "Permission", ["plugin", "permission", "uses", "required", "needed"])
  }

  /// The permissions that each plugin could ask for instead, in a line each.
  var proposals: String {
    plugins.map { name, uses in
      var needed: [String] = []
      for permission in uses.flatMap(\.needed).map(\.description) where !needed.contains(permission) {
        needed.append(permission)
      }
      if uses.isEmpty { return "\(name) asks for nothing\n" }
      if needed == uses.map(\.permission.description) { return "\(name) needs all that it asks for\n" }
      return "\(name) needed only \"permissions\": [\(needed.map { "\"\($0)\"" }.joined(separator: ", "))]\n"
    }.joined()
  }
}
