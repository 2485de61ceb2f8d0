import Glibc
import Platform
import Testing

@testable import StoreShell

/// Files below home folders, and what is said where there is none of them.
@Suite struct HomeFolderTests {
  @Test(arguments: [
    ("source \"~/none.stsh\"", "no-such-file", "~/none.stsh: No such file or directory"),
    ("ingest '~/none.csv' --as tasks.add", "no-such-file", "~/none.csv: No such file or directory"),
    ("show > \"~/no/folder\"", "no-such-file", "~/no/folder: No such file or directory"),
    ("plugin load \"~/none\"", "plugin-load", "there is no plugin folder '~/none'"),
  ])
  func inQuotesATildeIsATilde(command: String, code: String, message: String) throws {
    let errors = try Shell().run(command).errors
    #expect(errors.contains(": error[\(code)]: \(message)\n"))
    #expect(errors.hasSuffix("\n  hint: ~/ is the home folder only where it stands without quotes\n"))
  }

  @Test(arguments: ["source ~root/none.stsh", "export journal ~root/none.stsh", "plugin load ~root/none.stsh"])
  func anothersHomeFolderIsSuggested(command: String) throws {
    let folder = try #require(getpwnam("root")?.pointee.pw_dir.map { String(cString: $0) })
    #expect(try Shell().run(command).errors.hasSuffix("\n  hint: did you mean '\(folder)/none.stsh'?\n"))
  }

  @Test func nobodysHomeFolderIsNone() throws {
    #expect(
      try Shell().run("source ~no-such-user/x").errors
        .hasSuffix("\n  hint: only ~/ stands for a home folder, your own\n"))
  }

  @Test func aWatchThatHasNowhereToGoIsNone() throws {
    let shell = try Shell()
    #expect(shell.run("watch counter > \(shell.folder)/no/file").status == 2)
    #expect(shell.run("watch").output == "(no watches)\n")
  }
}
