/// The knowledge that a session has of plugins.
struct KnownPlugins {
  /// The grants for this session, by the names of plugins.
  var grants: [String: PluginGrant] = [:]
  /// The plugins that lacked a grant when they were to be loaded.
  var ungranted: Set<String> = []
  /// Says which plugins were saved; nil: nobody asks for that.
  var watch: PluginWatch?
}
