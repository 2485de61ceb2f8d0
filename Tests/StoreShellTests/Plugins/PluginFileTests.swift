import Glibc
import Testing

@testable import StoreShell

/// Plugin folders in which something else stands than ordinary files.
@Suite struct PluginFileTests {
  private let shell: Shell
  private let folder: String

  init() throws {
    shell = try Shell()
    folder = try shell.plugin("odd", #"require("lib.h") return plugin {}"#)
    try shell.write("odd/lib/other.lua", "return 1")
  }

  private func load() -> Shell.Outcome { shell.run("plugin load \(folder)") }

  @Test(arguments: [
    ("/dev/zero", "it is a link that leads out of the plugin's folder"),
    ("/etc/passwd", "it is a link that leads out of the plugin's folder"),
    ("other.lua", ""), ("nowhere.lua", "No such file or directory"), (".", "it is not a regular file"),
    ("h.lua", "Too many levels of symbolic links"),
  ])
  func aLibraryThatIsALink(target: String, reason: String) throws {
    symlink(target, "\(folder)/lib/h.lua")
    let outcome = load()
    #expect(outcome.status == (reason.isEmpty ? 0 : 4))
    #expect(reason.isEmpty || outcome.errors.contains("/odd/lib/h.lua: \(reason)\n"), "\(outcome.errors)")
  }

  @Test func aPipeIsNotWaitedFor() throws {
    #expect(mkfifo("\(folder)/lib/h.lua", 0o644) == 0)
    #expect(load().errors.contains("/odd/lib/h.lua: it is not a regular file\n"))
    try shell.write("odd/init.lua", "return plugin {}")
    #expect(load().errors == "")
    remove("\(folder)/plugin.json")
    #expect(mkfifo("\(folder)/plugin.json", 0o644) == 0)
    let outcome = shell.run("plugin check \(folder)")
    #expect(
      outcome.output.contains("/odd/plugin.json: it is not a regular file (every plugin needs a manifest"), "\(outcome)"
    )
    #expect(outcome.status == 4)
  }

  @Test func aFileThatIsTooLarge() throws {
    try shell.write("odd/lib/h.lua", "return 1")
    #expect(truncate("\(folder)/lib/h.lua", 9 << 20) == 0)
    #expect(load().errors.contains("/odd/lib/h.lua: it is larger than 8 MiB\n"))
  }

  @Test func aFolderThatIsALinkIsAPluginsFolder() throws {
    try shell.write("odd/lib/h.lua", "return 1")
    symlink("odd", "\(shell.folder)/alias")
    #expect(shell.run("plugin load \(shell.folder)/alias").status == 0)
  }

  @Test(arguments: [#"1\nAllow? "#, #"\u001b[8m"#, #"\u202e"#, #"\u2028"#])
  func whatTheManifestSaysStaysInItsLine(text: String) throws {
    for (version, summary) in [(text, "s"), ("1", text)] {
      try shell.write(
        "odd/plugin.json",
        #"{"name":"odd","version":"\#(version)","summary":"\#(summary)","api":1,"permissions":["timers"]}"#)
      let outcome = load()
      #expect(outcome.status == 4)
      #expect(
        outcome.errors.contains("must be one line of text that can be printed, got string \""), "\(outcome.errors)")
      let check = shell.run("plugin check \(folder)")
      #expect(check.output.split(separator: "\n").count == 1 && !check.output.contains("\u{1B}"))
    }
  }

  @Test func whatCannotBeLoadedAtTheStartKeepsNobodyOut() throws {
    let good = try shell.plugin("good", "return plugin {}")
    let session = try Shell { $0.pluginFolders = [folder, "\(shell.folder)/missing", good] }
    let outcome = session.outcome { session.session.loadPlugins() }
    #expect(outcome.status == 4)
    #expect(outcome.errors.split(separator: "\n").count { $0.contains("error[plugin-load]") } == 2, "\(outcome)")
    #expect(session.run("plugin list --as raw").output.hasPrefix("good\t"))
  }

  @Test(arguments: ["init.lua", "lib/h.lua", "tests/odd_test.lua"]) func bytecodeIsNamed(name: String) throws {
    try shell.write("odd/init.lua", "require('lib.h') return plugin {}")
    try shell.write("odd/lib/h.lua", "")
    try shell.write("odd/\(name)", [0x1B] + Array("Lua".utf8))
    let outcome = shell.run("plugin \(name.hasPrefix("tests") ? "test" : "load") \(shell.folder)/odd")
    #expect(outcome.errors.contains("odd/\(name): this is bytecode; plugins are loaded as text only\n"), "\(outcome)")
  }

  /// A file that is asked for again and again, and fails each time, takes the budget of who asks.
  @Test func aFileThatFailsIsNotReadForEver() throws {
    try shell.write("odd/lib/h.lua", "error(1) --" + String(repeating: "x", count: 1 << 20))
    try shell.write(
      "odd/init.lua",
      """
      return plugin { actions = { { name = "go" } },
        reducers = { go = function() while true do pcall(require, "lib.h") end end } }
      """)
    #expect(
      try shell.type("plugin load \(shell.folder)/odd", "dispatch odd.go").errors.hasPrefix(
        "error[plugin-budget]: odd: reducer 'odd.go' used more than 200_000 VM instructions and was stopped\n"))
  }

  @Test func aPluginThatIsTooLarge() throws {
    let comment = "--" + String(repeating: "x", count: 7 << 20)
    for name in ["a", "b", "c"] { try shell.write("odd/lib/\(name).lua", comment) }
    try shell.write("odd/init.lua", "return plugin {}")
    #expect(load().errors.hasPrefix("-c:1:1: error[plugin-load]: odd: its files of Lua have more than 16 MiB\n"))
  }

  /// What a reload would refuse is not loaded either.
  @Test func aLibraryThatNobodyRequiresIsReadAtLoad() throws {
    try shell.write("odd/init.lua", "return plugin {}")
    try shell.write("odd/lib/h.lua", "return = 3")
    #expect(load().errors.contains("odd/lib/h.lua:1: unexpected symbol near '='\n"))
  }
}
