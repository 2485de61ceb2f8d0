import StoreHost
import StorePlugins
import StoreSchema

/// A plugin, loaded or not: the content of its manifest and its grants.
struct PluginInfo {
  private let source: PluginSource
  private let plugin: Plugin?
  private let session: Session

  init(_ source: PluginSource, loaded plugin: Plugin?, in session: Session) {
    self.source = source
    self.plugin = plugin
    self.session = session
  }

  var reading: Reading {
    let manifest = source.manifest
    let permissions = manifest.permissions.map { permission -> [Value] in
      let origin = session.grantOrigin(of: permission, to: source)
      let shown = origin == .no && plugin != nil ? .kept : origin
      return [.string(permission.description), .string(shown.rawValue), .string(permission.meaning)]
    }
    let limits = manifest.limits
    return Reading(
      "Plugin",
      [
        ("name", .string(manifest.name)), ("version", .string(manifest.version)),
        ("summary", manifest.summary.isEmpty ? .none : .string(manifest.summary)), ("folder", .string(source.folder)),
        ("digest", .string(source.digest)), ("state", .string(listed?.state ?? LoadedPluginListing.notLoaded)),
        ("failedAt", listed?.failedAt ?? .none), ("adds", .text(plugin?.counts.first)),
        ("instructions", .int(limits.instructions)), ("memory", .int(limits.memory)), ("tasks", .int(limits.tasks)),
        ("log_lines", .int(limits.logLines)), ("actions", .int(limits.actions)),
        ("permissions", Reading(rows: permissions, "Granted", ["permission", "granted", "meaning"]).value),
      ])
  }

  private var listed: LoadedPluginListing? {
    guard plugin != nil else { return nil }
    return session.store.loadedPlugins.first { $0.name == source.manifest.name }
  }
}

extension PluginSubcommand {
  static let info = PluginSubcommand(
    "info", "NAME|FOLDER", "shows its manifest and its permissions", need: .plugins, addsNames: true,
    read: { reader in (plugin: try reader.plugin(orFolder: true), form: try reader.form()) },
    perform: { request, session in
      let loaded = session.store.plugin(named: try request.plugin.word.value(in: session))
      let source = try loaded?.source ?? request.plugin.source(in: session)
      return try session.answer(PluginInfo(source, loaded: loaded, in: session).reading, as: request.form)
    })

  static let source = PluginSubcommand(
    "source", "NAME", "shows the code that runs in it, file by file", need: .plugins,
    read: { reader in (plugin: try reader.plugin(), form: try reader.form()) },
    perform: { (request: (plugin: GivenPlugin, form: ResultForm), session) in
      let source = try request.plugin.loaded(in: session).source
      let files = source.files.map {
        (path: "\(source.displayName)/\($0.path)", text: String(decoding: $0.bytes, as: UTF8.self))
      }
      guard try session.isInWords(request.form) else {
        let rows = files.map { [Value.string($0.path), .string($0.text)] }
        return try session.answer(Reading(rows: rows, "File", ["file", "text"]), as: request.form)
      }
      return session.answer(
        files.map { "==> \($0.path) <==\n\($0.text)\($0.text.hasSuffix("\n") ? "" : "\n")" }.joined(separator: "\n"))
    })

  static let grant = PluginSubcommand(
    "grant", "NAME|FOLDER", "grants the permissions that it asks for, for good",
    read: { try $0.plugin(orFolder: true) },
    perform: { plugin, session in
      let source = try plugin.granted(in: session)
      let (name, permissions) = (source.manifest.name, source.manifest.permissions)
      guard !permissions.isEmpty else { return session.answer("\(name) asks for nothing\n") }
      try session.grantForGood(source)
      try session.store.live.storeNode?.bringGranted()
      return session.answer("granted to \(name): \(permissions.map(\.description).joined(separator: ", "))\n")
    })

  static let revoke = PluginSubcommand(
    "revoke", "NAME|FOLDER", "revokes the permissions that were granted", read: { try $0.plugin(orFolder: true) },
    perform: { plugin, session in
      let word = try plugin.word.value(in: session)
      // A plugin given by its name alone may be gone.
      let source = PluginLocator.isPath(word) ? try plugin.source(in: session) : nil
      let name = source?.manifest.name ?? word
      guard try session.revoke(name, of: source) else {
        return session.answer("nothing was granted to \(word)\n")
      }
      if session.store.plugin(named: name) != nil {
        session.write(note: "\(name) stays loaded with its permissions; plugin unload \(name)")
      }
      return session.answer("revoked the permissions of \(name)\n")
    })

  static let audit = PluginSubcommand(
    "audit", "[NAME]", "shows which of its permissions it used, and which would do", need: .read,
    read: { reader in
      (plugin: reader.operands.count > 1 ? try reader.plugin() : nil, form: try reader.form())
    },
    perform: { (request: (plugin: GivenPlugin?, form: ResultForm), session) in
      let names = try request.plugin.map { [try $0.loaded(in: session).module.name] }
      let listing = PermissionListing(names ?? session.store.loadedPlugins.map(\.name), in: session)
      let isEmpty = names == nil && session.store.loadedPlugins.isEmpty
      guard try session.isInWords(request.form), !isEmpty else {
        return try session.answer({ _ in CommandListing(listing.reading, of: "plugins") }, as: request.form)
      }
      if case .list(let rows) = listing.reading.value, !rows.isEmpty {
        _ = try session.answer(listing.reading, as: request.form)
      }
      return session.answer(listing.proposals)
    })
}
