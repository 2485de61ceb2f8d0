import ShellLanguage
import StoreHost

/// What a session was started with.
public struct SessionOptions: Sendable {
  /// The name of the program, as its prompt, its hints and its journals show it; by default that of its executable.
  public var name = executable
  /// Whether scripts go on after an error.
  public var keepsGoing = false
  /// Whether every command answers with one JSON object a line.
  public var isJSON = false
  /// Whether dispatches print nothing.
  public var isQuiet = false
  /// How results are shown where a command does not say so itself.
  public var format = Format.auto
  /// Whether time stands still but for being waited for.
  public var hasVirtualClock = false
  /// Folders of plugins that load before the first statement.
  public var pluginFolders: [String] = []
  /// Plugins whose permissions are granted.
  public var grants: Set<String> = []
  /// Whether plugins can be loaded at all.
  public var allowsPlugins = true
  /// Whether results may be piped into shell commands.
  public var allowsExecution = true
  /// Whether the Lua of commands sees all of Lua's libraries; plugins never do.
  public var allowsUnsafeLua = false
  /// Whether the locale is UTF-8, so that drawings may use more than ASCII.
  public var isUTF8 = true
  /// Whether what goes to a terminal is coloured; what goes elsewhere never is.
  public var usesColor = false
  /// Where installed plugins are looked for by name, in order.
  public var pluginSearchPath: [String] = []
  /// Where grants are kept; nil: nowhere.
  public var grantsFile: String?
  /// Whether and where what happens is kept; nil: in memory alone.
  public var journal: JournalPlan?
  /// Where the journals of sessions at the prompt are; nil: nowhere.
  public var sessionFiles: SessionFiles?
  /// How many of them are kept when a session at the prompt ends: its own and the newest before it.
  public var keptSessions = 50

  /// The options of a session that was told nothing.
  public init() {}

  /// The name of the running executable.
  private static var executable: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "shell"
  }
}
