import ShellLanguage
import StoreHost

extension PluginSubcommand {
  static let reload = PluginSubcommand(
    "reload", "NAME", "replaces it by its edited version; the state stays", need: .plugins,
    flags: [
      FlagDefinition("reset", need: .plugins, "reload: reset the plugin's state"),
      FlagDefinition(
        "verify", value: "N", need: .plugins,
        "reload: only if both versions lead to the same states for the last N actions"),
    ],
    read: { reader in (plugin: try reader.plugin(), resets: reader.has("reset"), count: try reader.verifiedCount()) },
    perform: { (request: (plugin: GivenPlugin, resets: Bool, count: Given<Int>?), session) in
      let plugin = try request.plugin.loaded(in: session)
      var options = PluginReloadOptions(resets: request.resets)
      if let count = request.count { options.verifies = try count.value(in: session) }
      let report = try session.reload(plugin, options, source: session.source(function: "plugin"))
      // The detail tells the fate of fields that came or went.
      return try session.finish(report.report, listsChanges: !report.changesType, details: report.details)
    })
}

extension CommandReader {
  /// The number of actions that both versions have to answer alike; nil: none.
  fileprivate func verifiedCount() throws -> Given<Int>? {
    try count(of: "verify", "a number of actions")?.map { count in
      guard !has("reset") else {
        throw fault(.unexpectedArgument, "--verify compares states that --reset would drop", of: "verify")
      }
      return count
    }
  }
}
