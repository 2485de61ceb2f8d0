import ShellLanguage
import StoreHost
import StorePlugins

/// The options that a session was started with: a property for each that a program may offer.
public struct SessionOptions: Sendable {
  /// The name of the program, as its prompt, its hints and its journals show it; by default that of its executable.
  public var name = executable
  /// True if the program has the options of `stsh` that open a store, so that hints name them.
  package var hasStoreOption = false
  /// True if scripts go on after an error.
  public var keepsGoing = false
  /// True if every command answers with one JSON object a line.
  public var isJSON = false
  /// True if dispatches print nothing.
  public var isQuiet = false
  /// The form of results where a command does not say so itself.
  public var format = Format.auto
  /// True if time stands still but for being waited for.
  public var hasVirtualClock = false
  /// Folders of plugins that load before the first statement.
  public var pluginFolders: [String] = []
  /// Plugins whose permissions are granted.
  public var grants: Set<String> = []
  /// True if plugins can be loaded at all.
  public var allowsPlugins = true
  /// True if results may be piped into shell commands.
  public var allowsExecution = true
  /// True if the Lua of commands sees all of Lua's libraries; plugins never do.
  public var allowsUnsafeLua = false
  /// True if the locale is UTF-8, so that drawings may use more than ASCII.
  public var isUTF8 = true
  /// True if text on a terminal is coloured; text that goes elsewhere never is.
  public var usesColor = false
  /// The rights of a session that came in by a door; the program's own has all.
  public var rights: Rights = [.all]
  /// The name that the conversation gives itself, such as that of a bot; nil: its user and its place make one, such as
  /// `ann@pts/3`. See ``ConversationName/check(_:of:)``.
  public var who: String?
  /// False where the name was made of the place at the other end of a door.
  package var isWhoChosen = true
  package var place = ConversationPlace.terminal
  /// The folders that installed plugins are looked for in by name, in order.
  public var pluginSearchPath: [String] = []
  /// The file of the grants; nil: none are kept.
  public var grantsFile: String?
  /// The report of the run; nil: none is wanted.
  public var report: RunReport?
  /// The plan for keeping the history in a file; nil: in memory alone.
  public var journal: JournalPlan?
  /// True if all that a script dispatches is taken back unless it comes to its end without an error.
  public var isAllOrNothing = false
  /// The shared store that the session takes part in; nil: none.
  package var shared: NodePlan?
  /// The files with the journals of sessions at the prompt; nil: none.
  public var sessionFiles: SessionFiles?
  /// The number of them that are kept when a session at the prompt ends: its own and the newest before it.
  public var keptSessions = 50
  /// The time after which results are handed on while other statements run.
  package var outputPause = Duration.milliseconds(50)
  /// The memory of Lua that the session shares with others; nil: it has its own limit alone.
  private(set) var luaMemory: SessionLuaMemory?
  /// The time that watches may keep the session at looking, after which actions of others are folded.
  package var watchPatience = Duration.milliseconds(100)

  /// The options of a session that was told nothing.
  public init() {}

  /// Has all sessions with these options share the memory of their Lua.
  ///
  /// - Parameter limit: the bytes that all of them may take.
  package mutating func shareLuaMemory(limit: Int) { luaMemory = SessionLuaMemory(limit: limit) }

  /// The name of the running executable.
  private static var executable: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "shell"
  }
}
