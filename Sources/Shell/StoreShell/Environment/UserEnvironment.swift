import Platform

/// The environment that a program was started in: it tells of its user and of the terminal, by the conventions that
/// other programs follow too.
public enum UserEnvironment {
  /// A variable; nil: it is not set, or is not UTF-8.
  public static func variable(_ name: String) -> String? { getenv(name).flatMap { String(validatingCString: $0) } }

  /// A variable; empty counts as unset.
  public static func nonEmpty(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// The folder of the user: `$HOME`, else what the system's table of users says; nil where neither knows.
  public static var home: String? { nonEmpty("HOME") ?? folder(of: getpwuid(getuid())) }

  private static func folder(of user: UnsafeMutablePointer<passwd>?) -> String? {
    user?.pointee.pw_dir.flatMap { String(validatingCString: $0) }
  }

  /// A path in which a `~` at the start stands for the folder of the user.
  static func expanding(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home else { return path }
    return home + path.dropFirst()
  }

  /// The advice where a path that starts with `~` leads nowhere; nil: it starts otherwise.
  static func hint(forMissing path: String) -> String? {
    guard path.hasPrefix("~") else { return nil }
    let user = path.dropFirst().prefix { $0 != "/" }
    guard !user.isEmpty else {
      return home == nil
        ? "there is no home folder: set HOME" : "~/ is the home folder only where it stands without quotes"
    }
    guard let folder = folder(of: getpwnam(String(user))) else { return "only ~/ stands for a home folder, your own" }
    return "did you mean '\(folder)\(path.dropFirst(user.count + 1))'?"
  }

  /// True if the user's terminal is coloured: it can be, or somebody asks for it, and nothing forbids it. The
  /// conventions of no-color.org and bixense.com/clicolors decide; a prohibition wins.
  public static var usesColor: Bool {
    if nonEmpty("NO_COLOR") != nil { return false }
    if let forced = nonEmpty("CLICOLOR_FORCE"), forced != "0" { return true }
    // A terminal that says nothing of itself may show escape sequences as text.
    return nonEmpty("TERM").map { !["dumb", "unknown"].contains($0) } ?? false
  }

  /// True if texts are UTF-8, so that drawings may use more than ASCII.
  public static var isUTF8: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { nonEmpty($0) }.first ?? "C"
    return ["utf-8", "utf8"].contains { locale.lowercased().hasSuffix($0) }
  }
}

/// The folders of a user's files that are a program's own (XDG base directories). None is made by being named; each is nil
/// where neither the environment names it nor there is a home folder.
public struct UserFolders: Sendable {
  private let program: String

  /// The folders of a program.
  ///
  /// - Parameter program: the name of the folders.
  public init(program: String) { self.program = program }

  /// For what its user writes.
  public var configuration: String? { folder("XDG_CONFIG_HOME", ".config") }
  /// For what it writes down of its runs: history, journals.
  public var state: String? { folder("XDG_STATE_HOME", ".local/state") }
  /// For what is installed for this user.
  public var data: String? { folder("XDG_DATA_HOME", ".local/share") }

  private func folder(_ variable: String, _ standard: String) -> String? {
    // The specification wants paths that are not absolute ignored.
    let named = UserEnvironment.nonEmpty(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    let base = named ?? UserEnvironment.home.map { "\($0)/\(standard)" }
    return base.map { "\($0)/\(program)" }
  }
}

extension SessionOptions {
  /// The options of a program with a prompt of its own: shown as its user's environment asks.
  ///
  /// - Parameter name: the name of the program.
  public init(program name: String) {
    self.init()
    self.name = name
    usesColor = UserEnvironment.usesColor
    isUTF8 = UserEnvironment.isUTF8
  }
}

extension Pager {
  /// The user's own: `$PAGER`, else `less`, which leaves at once what fits; nil where the variable is empty.
  public static var preferred: Pager? {
    guard let command = UserEnvironment.variable("PAGER") else {
      // It keeps lines in their place from version 600 on.
      let kept = #"case "$(less -V)" in "less "[6-9][0-9][0-9]*) less -FRX --header=1;; *) less -FRX;; esac"#
      return Pager("less -FRX", forTables: kept) { UserEnvironment.screenRows ?? .max }
    }
    return command.isEmpty ? nil : Pager(command) { UserEnvironment.screenRows ?? .max }
  }
}

extension UserEnvironment {
  /// The rows of the terminal that results go to; nil where it does not say.
  package static var screenRows: Int? {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
    return Int(size.ws_row)
  }
}
