import ArgumentParser
import Platform
import ShellDoor

/// The options that let others in to the store, or come in to one elsewhere.
struct DoorArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Let other processes of this user attach: at a name, a path, or 127.0.0.1:PORT.",
      valueName: "door"),
    completion: .custom { _, _, _ in DoorList.names(where: false) })
  var listen: String?

  @Option(
    help: ArgumentHelp(
      "With --listen: the rights of others: read, dispatch, dispatch:PATTERN, plugins or all, the default; USER:RIGHT gives a right to another user; may be repeated.",
      valueName: "right"),
    completion: .list(["read", "dispatch", "plugins", "all"]))
  var allow = ProgramInvocation.bare.allow

  @Option(
    help: ArgumentHelp(
      "With --listen PATH: let the users of a group attach that --allow USER:RIGHT names.", valueName: "group"))
  var group: String?

  @Option(
    help: ArgumentHelp(
      "The name under which the run acts, as log shows it; otherwise STSH_WHO, or the user and the terminal or script.",
      valueName: "name"))
  var who: String?

  @Option(
    name: .customLong("token-file"),
    help: ArgumentHelp(
      "The file with the token of 127.0.0.1:PORT: --listen writes it, --attach reads it.", valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "Attach to the store that listens there, at a prompt or with a script; without a door, list the doors of this user.",
      valueName: "door"),
    completion: .custom { _, _, _ in DoorList.names(where: true) })
  var attach: String?

  @Flag(help: ArgumentHelp("Serve until SIGTERM, without a prompt.", visibility: .hidden))
  var serve = ProgramInvocation.bare.serves

  /// Refuses options that mean nothing without others.
  mutating func validate() throws {
    guard listen == nil, attach == nil else { return }
    if serve { throw ValidationError("serve needs --listen DOOR: the place where others come in") }
    if group != nil { throw ValidationError("--group needs --listen PATH: it lets other users attach there") }
    if !allow.isEmpty { throw ValidationError("--allow needs --listen DOOR: it says what those who attach may do") }
    if tokenFile != nil { throw ValidationError("--token-file needs --listen or --attach with 127.0.0.1:PORT") }
  }

  /// The command line with the words that stand for options: `serve`, unless it is a file, an `--attach` that names no door, and
  /// a `--recover` that names no session.
  static func spelled(_ arguments: [String]) -> [String] {
    var arguments = arguments
    let listens = arguments.contains { $0 == "--listen" || $0.hasPrefix("--listen=") }
    if arguments.first == "serve", listens || access("serve", F_OK) != 0 { arguments[0] = "--serve" }
    if arguments.last == "--attach" { arguments.append("") }
    // What follows a script is the script's.
    var index = 0
    while index < arguments.count, Stsh.isOption(arguments[index]) {
      let isAlone = arguments[index] == "--recover"
      if isAlone { arguments[index] = "--recover=0" }
      index += isAlone || !Stsh.takesValue(arguments[index]) ? 1 : 2
    }
    return arguments
  }
}
