import StoreShell

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the program keeps and finds its files (XDG base directories).
struct Places {
  /// A variable of the environment; nil: it is not set.
  func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// A variable of the environment; empty counts as unset.
  func environment(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

  private var home: String { environment("HOME") ?? "/" }
  private var state: String { (environment("XDG_STATE_HOME") ?? "\(home)/.local/state") + "/stsh" }
  private var data: String { (environment("XDG_DATA_HOME") ?? "\(home)/.local/share") + "/stsh" }

  /// The file with statements that the prompt starts with.
  var initFile: String { (environment("XDG_CONFIG_HOME") ?? "\(home)/.config") + "/stsh/init.stsh" }

  /// The file with past statements.
  var history: String { "\(state)/history" }

  /// The file with permissions that were granted for good.
  var grants: String { "\(state)/grants.json" }

  /// The folder with a file for each internal fault.
  var crashes: String { "\(state)/crashes" }

  /// The journals of sessions at the prompt.
  var sessions: SessionFiles { SessionFiles(folder: "\(state)/sessions") }

  /// Where plugins are looked for by name: installed ones, then the shipped ones, beside an installed program or in the
  /// checkout that it was built in.
  var pluginSearchPath: [String] {
    var directories = ["\(data)/plugins"]
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

/// The size of the terminal that results go to.
enum TerminalSize {
  /// Its rows; nil where it does not say.
  static var rows: Int? {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
    return Int(size.ws_row)
  }
}
