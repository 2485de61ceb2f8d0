import Glibc
import StorePlugins
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
    ("other.lua", ""), ("nowhere.lua", "No such file or directory"), (".", "it is no ordinary file"),
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
    #expect(load().errors.contains("/odd/lib/h.lua: it is no ordinary file\n"))
    try shell.write("odd/init.lua", "return plugin {}")
    #expect(load().errors == "")
    remove("\(folder)/plugin.json")
    #expect(mkfifo("\(folder)/plugin.json", 0o644) == 0)
    let outcome = shell.run("plugin check \(folder)")
    #expect(
      outcome.output.contains("/odd/plugin.json: it is no ordinary file (every plugin needs a manifest"), "\(outcome)")
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
}
