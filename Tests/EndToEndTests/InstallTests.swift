import Glibc
import TerminalSupport
import Testing

/// `scripts/install`, in a folder of its own and with the program that was built together with the tests.
@Suite("Installing")
struct InstallTests {
  private let folder: TemporaryFolder
  private let program: String

  init() throws {
    folder = try TemporaryFolder()
    program = try Launch.folderOfThisProgram() + "/stsh"
  }

  private func install(_ arguments: String..., into prefix: String = "/prefix") throws -> Shell.Outcome {
    try Shell().run(
      ["--prefix", folder.path + prefix] + arguments, program: Shell.packageFolder + "/scripts/install")
  }

  /// All files below a folder, and the folders with a slash behind them.
  private func tree(_ path: String = "") -> [String] {
    names(inFolder: folder.path + path).sorted().flatMap { name -> [String] in
      let inner = "\(path)/\(name)"
      var status = stat()
      lstat(folder.path + inner, &status)
      return status.st_mode & S_IFMT == S_IFDIR ? [inner + "/"] + tree(inner) : [inner]
    }
  }

  @Test func whatIsInstalledRunsAndGoesAgain() throws {
    let bin = "\(folder.path)/prefix/bin"
    #expect(
      try install("--program", program)
        == Shell.Outcome(
          output: "installed stsh in \(folder.path)/prefix\n",
          errors: "scripts/install: \(bin) is not in PATH; add it: export PATH=\"\(bin):$PATH\"\n"))
    let installed = tree()
    for path in [
      "bin/stsh", "share/man/man1/stsh.1", "share/bash-completion/completions/stsh", "share/zsh/site-functions/_stsh",
      "share/fish/vendor_completions.d/stsh.fish", "share/stsh/plugins/pomodoro/plugin.json",
      "share/stsh/plugins/journalist/lib/sentences.lua",
    ] {
      #expect(installed.contains("/prefix/" + path))
    }
    #expect(installed.filter { $0.hasSuffix(".new") } == [])

    let stsh = folder.path + "/prefix/bin/stsh"
    let outcome = try Shell().run(program: stsh, "-c", "plugin load catalog", "-c", "plugin info catalog --json")
    #expect(outcome.errors == "")
    #expect(outcome.output.contains(folder.path + "/prefix/share/stsh/plugins/catalog"))

    // Again: nothing changes.
    #expect(try install("--program", program).status == 0)
    #expect(tree() == installed)

    #expect(try install("--uninstall") == Shell.Outcome(output: "removed stsh from \(folder.path)/prefix\n"))
    #expect(tree() == [])
    #expect(try install("--uninstall").status == 0)
  }

  @Test func whatIsOfOthersStays() throws {
    try folder.write("prefix/bin/other", "other")
    try folder.write("prefix/share/man/man1/other.1", "other")
    let before = tree()
    #expect(try install("--program", program).status == 0)
    try folder.write("prefix/share/stsh/plugins/catalog/notes.txt", "mine")
    #expect(try install("--program", program).status == 0)
    #expect(try install("--uninstall").status == 0)
    let mine = ["stsh/", "stsh/plugins/", "stsh/plugins/catalog/", "stsh/plugins/catalog/notes.txt"]
    #expect(tree().sorted() == (before + mine.map { "/prefix/share/\($0)" }).sorted())
    #expect(contents(ofFile: folder.path + "/prefix/bin/other") == "other")
  }

  @Test func whatAnEarlierVersionLeftGoes() throws {
    #expect(try install("--program", program).status == 0)
    let list = folder.path + "/prefix/share/stsh/installed"
    let installed = tree()
    try folder.write("prefix/share/stsh/plugins/old/init.lua", "return plugin {}")
    let text = try #require(contents(ofFile: list))
    try folder.write(
      "prefix/share/stsh/installed", text + "share/stsh/plugins/old/\nshare/stsh/plugins/old/init.lua\n")
    #expect(try install("--program", program).status == 0)
    #expect(tree() == installed)
  }

  @Test func aProgramOfAnotherIsNotReplaced() throws {
    try folder.write("prefix/bin/stsh", "another")
    let outcome = try install("--program", program)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "scripts/install: \(folder.path)/prefix/bin/stsh already exists, and scripts/install did not put it there\n"
    )
    #expect(tree() == ["/prefix/", "/prefix/bin/", "/prefix/bin/stsh"])
    #expect(contents(ofFile: folder.path + "/prefix/bin/stsh") == "another")
  }

  @Test func aPathMayHoldAnything() throws {
    let prefix = "/a prefix $(with) 'quotes'"
    #expect(try install("--program", program, into: prefix).status == 0)
    #expect(tree().contains(prefix + "/bin/stsh"))
    #expect(try install("--uninstall", into: prefix).status == 0)
    #expect(tree() == [])
  }

  @Test func mistakesTouchNothing() throws {
    #expect(try install("--program", folder.path + "/none").status == 1)
    #expect(try install("--program").status == 2)
    #expect(try install("--frobnicate").errors.contains("there is no option '--frobnicate'"))
    // What is no stsh prints no manual page.
    #expect(try install("--program", "/bin/false").status == 1)
    #expect(tree() == [])
  }
}
