import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins

extension Session {
  /// Reloads a plugin from the folder that it was loaded from.
  ///
  /// - Parameters:
  ///   - plugin: the one that runs.
  ///   - asks: whether the person at the prompt may be asked for permissions that the plugin did not have before.
  ///   - actionSource: who wants it.
  /// - Throws: ``ShellError``; the version before is then still active.
  func reload(
    _ plugin: Plugin, _ options: PluginReloadOptions, asks: Bool = true, source actionSource: ActionSource
  ) throws -> PluginReloadReport {
    let name = plugin.module.name
    try store.requirePresent()
    do {
      return try refusing {
        let source = try plugin.source.readAgain().bounded(by: store.ceiling)
        guard source.manifest.name == name else {
          throw PluginError(
            .load, "\(name): \(source.displayName)/plugin.json now has the name '\(source.manifest.name)'",
            hint: "plugin unload \(name), then load the folder")
        }
        plugins.watch?.note(source)
        try grant(source, asks: asks)
        return try store.reload(source, options, from: actionSource)
      }
    } catch {
      store.noteFailedReload(of: name)
      throw ShellError(describing: error).leavingPreviousVersion
    }
  }
}

extension PluginReloadReport {
  /// What is said below the entry of the reload.
  var details: [String] {
    let state: [String] =
      switch self.state {
      case .new: plugin.counts
      case .kept: ["state kept"]
      case .migrated: ["state migrated"]
      }
    guard let verified else { return state }
    return state + ["\(verified) \(verified == 1 ? "action" : "actions") verified"]
  }
}

extension ShellError {
  /// The error of a reload: the version before still runs. Where the hint says what to do about the state, that goes without
  /// saying.
  fileprivate var leavingPreviousVersion: ShellError {
    let note = "the previous version is still active"
    var error = self
    switch hint {
    case nil: error.hint = note
    case let hint? where hint.contains("--reset"): break
    default: error.details.append(note)
    }
    return error
  }
}

extension PluginSubcommand {
  static let reload = PluginSubcommand(
    "reload", "NAME", "puts its edited version in its place, with the state as it is",
    flags: [
      FlagDefinition("reset", "reload: let the plugin's state start anew"),
      FlagDefinition("verify", value: "N", "reload: only if both versions answer the last N actions alike"),
    ],
    read: { reader in (plugin: try reader.plugin(), resets: reader.has("reset"), count: try reader.verifiedCount()) },
    perform: { (request: (plugin: GivenPlugin, resets: Bool, count: Given<Int>?), session) in
      let plugin = try request.plugin.loaded(in: session)
      var options = PluginReloadOptions(resets: request.resets)
      if let count = request.count { options.verifies = try count.value(in: session) }
      let report = try session.reload(plugin, options, source: session.source(function: "plugin"))
      // What became of fields that came or went is what the detail says.
      return try session.finish(report.report, listsChanges: !report.changesType, details: report.details)
    })
}

extension CommandReader {
  /// How many actions both versions have to answer alike; nil: none.
  fileprivate func verifiedCount() throws -> Given<Int>? {
    let place = place(of: "verify")
    return try text(of: "verify")?.map { [self] text in
      guard let count = Int(text), count > 0 else {
        throw ShellError(
          code: .typeMismatch, message: "--verify takes a number of actions, got '\(text)'", place: place,
          hint: "usage: \(usage)")
      }
      guard !has("reset") else {
        throw ShellError(
          code: .unexpectedArgument, message: "--verify compares states that --reset would drop", place: place,
          hint: "usage: \(usage)")
      }
      return count
    }
  }
}
