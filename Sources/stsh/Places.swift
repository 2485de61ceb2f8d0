import StoreShell

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the program keeps and finds its files.
struct Places {
  private let folders = UserFolders(program: "stsh")

  /// The file with statements that the prompt starts with.
  var initFile: String { "\(folders.configuration)/init.stsh" }

  /// The file with past statements.
  var history: String { "\(folders.state)/history" }

  /// The file with permissions that were granted for good.
  var grants: String { "\(folders.state)/grants.json" }

  /// The folder with a file for each internal fault.
  var crashes: String { "\(folders.state)/crashes" }

  /// The journals of sessions at the prompt.
  var sessions: SessionFiles { SessionFiles(folder: "\(folders.state)/sessions") }

  /// Where plugins are looked for by name: installed ones, then the shipped ones, beside an installed program or in the
  /// checkout that it was built in.
  var pluginSearchPath: [String] {
    var directories = ["\(folders.data)/plugins"]
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
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    let text = String(cString: path)
    return text.lastIndex(of: "/").map { String(text[..<$0]) }
  }
}
