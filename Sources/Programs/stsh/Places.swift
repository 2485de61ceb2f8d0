import Platform
import StoreHost
import StoreShell

/// The places where the program keeps and finds its files.
struct Places {
  private let folders = UserFolders(program: "stsh")

  /// The file with statements that the prompt starts with; nil where there is no place for it.
  var initFile: String? { folders.configuration.map { "\($0)/init.stsh" } }

  /// True if there is a folder for the files that the program writes.
  var keepsState: Bool { folders.state != nil }

  /// The file with permissions that were granted for good; nil where there is no place for it.
  var grants: String? { folders.state.map { "\($0)/grants.json" } }

  /// The folder with a file for each internal fault.
  var crashes: String { folders.state.map { "\($0)/crashes" } ?? "/tmp" }

  /// The journals of sessions at the prompt; nil where there is no place for them.
  var sessions: SessionFiles? { folders.state.map { SessionFiles(folder: "\($0)/sessions") } }

  /// The folders that plugins are looked for in by name. Installed ones come first, then the shipped ones, beside an
  /// installed program or in the checkout that it was built in.
  var pluginSearchPath: [String] {
    var directories = folders.data.map { ["\($0)/plugins"] } ?? []
    guard var directory = executableDirectory else { return directories }
    let prefix = directory.lastIndex(of: "/").map { directory[..<$0] } ?? ""
    directories.append("\(prefix)/share/stsh/plugins")
    for _ in 0..<6 {
      if access("\(directory)/Package.swift", F_OK) == 0 { return directories + ["\(directory)/plugins"] }
      guard let slash = directory.lastIndex(of: "/"), slash > directory.startIndex else { break }
      directory = String(directory[..<slash])
    }
    return directories
  }

  private var executableDirectory: String? {
    Files.resolved("/proc/self/exe")?.folder
  }
}
