/// Plugins with a fault each, written as fixtures of the specification's table.
enum BrokenPlugin {
  /// Writes the plugin `bad/NAME`.
  static func write(_ name: String, _ lua: String, to shell: Shell, manifest: String? = nil) throws {
    let text = manifest ?? #"{ "name": "\#(name)", "version": "0.1.0", "api": 1 }"#
    try shell.folder.write("bad/\(name)/plugin.json", text)
    try shell.folder.write("bad/\(name)/init.lua", lua)
  }

  /// A plugin with a count, the action `inc` and its reducer, whose body starts on line 4.
  static func reducing(_ body: String) -> String {
    """
    return plugin {
      state = { field("count", int { min = 0 }) }, actions = { { name = "inc" } },
      reducers = { inc = function(s)
        \(body)
      end },
    }
    """
  }
}
