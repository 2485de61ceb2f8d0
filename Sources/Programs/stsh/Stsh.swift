import ArgumentParser
import Platform
import ShellLanguage
import StoreHost
import StoreShell

/// The shipped program: the shell around the standard modules. It has a property for each option, by which the parser knows
/// them.
@main
struct Stsh: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stsh", abstract: "A scripting shell for stores.",
    usage: DisplayText.shown(
      "stsh [OPTIONS] [FILE [ARG…]]\nstsh serve --listen DOOR [OPTIONS]\nstsh --attach [DOOR] [OPTIONS] [FILE [ARG…]]",
      isUTF8: UserEnvironment.isUTF8),
    version: "0.1.0")

  @Option(
    name: .customShort("c"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Run a command; may be repeated.", valueName: "command"))
  var command = ProgramInvocation.bare.command

  @Flag(name: .customShort("i"), help: "Stay at the prompt after FILE or -c.")
  var interactive = ProgramInvocation.bare.interactive

  @Flag(help: "Go on after errors; the status is that of the first.")
  var keepGoing = ProgramInvocation.bare.keepGoing

  @Flag(
    name: .customLong("all-or-nothing"),
    help: "Take back all that FILE dispatches, unless it comes to its end without an error.")
  var allOrNothing = ProgramInvocation.bare.allOrNothing

  @Flag(help: "Check syntax, names and types, and run nothing.")
  var check = ProgramInvocation.bare.check

  @Option(help: ArgumentHelp("End after a time such as 2s or 5min, with status 5.", valueName: "duration"))
  var timeout: String?

  @Option(
    help: ArgumentHelp(
      "Record all commands and their output in a file, a pager's too.", valueName: "file"),
    completion: .file())
  var transcript: String?

  @Option(
    help: ArgumentHelp(
      "Write the results of steps, and of what failed, to a file, as junit or tap.", valueName: "junit|tap> <file"))
  var report: String?

  @Flag(
    help:
      "Answer each command with one JSON object a line; other output, such as of watches or of Lua's print, has a field event."
  )
  var json = ProgramInvocation.bare.json

  @Flag(help: "Print nothing for dispatches.")
  var quiet = ProgramInvocation.bare.quiet

  @Option(
    name: .customLong("as"), help: ArgumentHelp("How results are shown.", valueName: "format"),
    completion: .list(Format.allCases.map(\.rawValue)))
  var format = ProgramInvocation.bare.format

  @Option(
    help: ArgumentHelp(
      "When to colour what a terminal shows: auto, always or never. Files and pipes get none.", valueName: "when"),
    completion: .list(["auto", "always", "never"]))
  var color = ProgramInvocation.bare.color

  @Option(
    help: "The clock: real, or virtual (moves only when waited for).", completion: .list(["real", "virtual"]))
  var clock = ProgramInvocation.bare.clock

  @Option(
    name: .customShort("p"), help: ArgumentHelp("Load the plugin in a folder; may be repeated.", valueName: "folder"),
    completion: .directory)
  var plugin = ProgramInvocation.bare.plugin

  @Option(help: ArgumentHelp("Grant a plugin the permissions that it asks for; may be repeated.", valueName: "plugin"))
  var grant = ProgramInvocation.bare.grant

  @Option(
    help: ArgumentHelp("Start from a recording that export journal wrote.", valueName: "file"), completion: .file())
  var replay: String?

  @Flag(name: .customLong("no-plugins"), help: "Load no plugins.")
  var noPlugins = ProgramInvocation.bare.noPlugins

  @Flag(
    name: .customLong("no-exec"),
    help: "Forbid running programs: no pipes into commands, and no run in Lua.")
  var noExec = ProgramInvocation.bare.noExec

  @Option(
    help: ArgumentHelp(
      "Save the store in a file, and go on from its contents; or take part in a shared one: nats://HOST:PORT/NAME.",
      valueName: "file"),
    completion: .file())
  var store: String?

  @Option(
    help: ArgumentHelp(
      "What a printed result survives: full (a loss of power), normal (the end of the process), off (the same, but nothing is flushed).",
      valueName: "level"),
    completion: .list(Durability.allCases.map(\.rawValue))
  )
  var durability = ProgramInvocation.bare.durability

  @Option(
    help: ArgumentHelp(
      "Recover the last session that ended unexpectedly, or with --recover=N the one that sessions lists as N.",
      valueName: "n"))
  var recover: Int?

  @Option(help: ArgumentHelp("Open a kept session again: the one that sessions lists as N.", valueName: "n"))
  var session: Int?

  @Flag(help: "Open the file of --store read-only; it may be in use or damaged. In a shared store: only follow.")
  var readOnly = ProgramInvocation.bare.readOnly

  @Option(
    help: ArgumentHelp(
      "With --read-only: the contents after action N, or before it where that is damaged.", valueName: "n"))
  var to: Int?

  @Flag(name: .customLong("no-init"), help: "Do not run init.stsh at the prompt's start.")
  var noInit = ProgramInvocation.bare.noInit

  @Flag(name: .customLong("unsafe-lua"), help: "Let the Lua of commands use all of its libraries, such as io and os.")
  var unsafeLua = ProgramInvocation.bare.unsafeLua

  @OptionGroup var node: NodeArguments

  @OptionGroup var door: DoorArguments

  @OptionGroup var printing: PrintingOptions

  @Argument(
    help: ArgumentHelp(
      "A script, or - for standard input, and its arguments: all words behind a script are the script's.",
      valueName: "file"),
    completion: .file())
  var script = ProgramInvocation.bare.script

  func run() throws {
    if let text = try printing.text { throw ExitCode(Stsh.write(text)) }
    if let door = door.attach { throw ExitCode(try Attachment(invocation).run(at: door)) }
    throw ExitCode(try Program(invocation).run())
  }

  /// The options without the parser.
  var invocation: ProgramInvocation {
    ProgramInvocation(
      command: command, interactive: interactive, keepGoing: keepGoing, check: check, allOrNothing: allOrNothing,
      timeout: timeout,
      transcript: transcript, report: report, json: json, quiet: quiet, format: format, color: color, clock: clock,
      plugin: plugin,
      grant: grant, replay: replay, noPlugins: noPlugins, noExec: noExec, store: store, name: node.name,
      credentials: node.credentials, cache: node.cache, durability: durability,
      recover: recover, session: session, readOnly: readOnly, to: to, noInit: noInit, unsafeLua: unsafeLua,
      who: door.who, listen: door.listen, allow: door.allow, group: door.group, tokenFile: door.tokenFile,
      attach: door.attach, serves: door.serve,
      script: script)
  }

  /// Prints what the program has to say about itself.
  ///
  /// - Returns: the status to exit with.
  private static func write(_ text: String) -> Int32 {
    let console = Console()
    console.write(text + (text.hasSuffix("\n") ? "" : "\n"))
    return console.end()
  }

  /// Reports that the command line cannot be read.
  ///
  /// - Parameter message: the reason, and lines that explain it.
  /// - Returns: the status to exit with.
  private static func refuse(commandLine message: String) -> Int32 {
    var lines = message.split(separator: "\n").map(String.init)
    var text = lines.isEmpty ? "" : lines.removeFirst()
    // The parser begins with a capital letter, which names keep.
    if text.dropFirst().first?.isLowercase == true { text = text.prefix(1).lowercased() + text.dropFirst() }
    return report(
      ShellError(
        code: .commandLine, message: text, details: lines,
        hint: "\(configuration.commandName ?? "stsh") --help lists the options", status: 2))
  }

  /// - Returns: the status of the error.
  private static func report(_ error: ShellError) -> Int32 {
    Console().writeError(ErrorRenderer(file: nil).text(of: error))
    return error.status
  }

  /// Reads the command line and runs; a command line that cannot be read ends with status 2.
  static func main() {
    // What was blocked is an accident of whoever started the program. What was ignored stays so, as nohup wants; but a reader of
    // results that goes away ends the program.
    var none = sigset_t()
    sigemptyset(&none)
    signal(SIGPIPE, SIG_DFL)
    sigprocmask(SIG_SETMASK, &none, nil)
    // A closed descriptor stays of no use: the next file or pipe that is opened would take its place.
    for descriptor in 0...2 where fcntl(Int32(descriptor), F_GETFD) < 0 { _ = open("/dev/null", O_RDONLY) }
    do {
      let arguments = ReportArgument.joined(DoorArguments.spelled(try ProgramArguments.given()))
      if let invocation = ProgramInvocation(plain: arguments) { throw ExitCode(try Program(invocation).run()) }
      var command = try parseAsRoot(endingOptions(arguments))
      try command.run()
    } catch let status as ExitCode {
      // The parser would first make up what to say about it.
      Platform.exit(status.rawValue)
    } catch {
      switch exitCode(for: error) {
      case .success: Platform.exit(write(fullMessage(for: error)))
      case .validationFailure: Platform.exit(refuse(commandLine: message(for: error)))
      default: Platform.exit(report(ShellError(describing: error, program: configuration.commandName)))
      }
    }
  }
}
