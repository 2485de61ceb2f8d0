import Platform

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
