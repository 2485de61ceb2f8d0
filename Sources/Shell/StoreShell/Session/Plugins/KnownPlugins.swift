/// What a session knows of plugins.
struct KnownPlugins {
  /// What was granted for this session, by the names of plugins.
  var grants: [String: PluginGrant] = [:]
  /// The plugins that lacked a grant when they were to be loaded.
  var ungranted: Set<String> = []
  /// The plugins of which it was said that they are off and answer nothing.
  var idle: Set<String> = []
  /// Says which plugins were saved; nil: nobody asks for that.
  var watch: PluginWatch?
}
