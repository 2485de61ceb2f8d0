import ArgumentParser
import LineEditor
import Platform
import ShellDoor
import ShellLanguage
import StoreShell

/// A run whose store is elsewhere, behind a door.
struct Attachment {
  private let options: ProgramInvocation

  init(_ options: ProgramInvocation) { self.options = options }

  /// Runs what the command line asks for.
  ///
  /// - Returns: the status to exit with.
  func run(at door: String) throws -> Int32 {
    try refuseOthers()
    try Program.refuseHalves(options)
    try Program.requireDescriptors()
    let console = Console()
    defer { console.flush() }
    guard !door.isEmpty else {
      console.write(DoorList().text)
      return console.end()
    }
    let status = try work(at: door, console)
    let ended = console.end()
    return status == 0 ? ended : status
  }

  private func work(at door: String, _ console: Console) throws -> Int32 {
    let shellOptions = try shellOptions()
    let file = options.script.first
    let isBatch = !options.command.isEmpty || file != nil || isatty(0) != 1
    guard isBatch || options.report == nil else {
      throw ValidationError("--report is for a script, -c or standard input")
    }
    if let file, !options.command.isEmpty {
      throw ValidationError("-c runs commands and '\(file)' is a script: give one of them")
    }
    let stop = RunStop()
    // By the second it says that the door does not answer.
    let signals =
      isBatch
      ? try RunSignals(stop, timeout: Program.duration(options.timeout), handlesInterrupt: true, most: 2) : nil
    defer { signals?.finish() }
    let shell: AttachedShell
    let address: DoorAddress
    do throws(ShellError) {
      address = try DoorAddress(parsing: door)
      shell = AttachedShell(
        try client(at: address, until: isBatch ? stop.descriptor : -1), console: console, options: shellOptions)
    } catch {
      let error = stop.error ?? error
      if options.json {
        console.write(JSONReport.failure(error, file: nil) + "\n")
      } else {
        console.writeError(ErrorRenderer(file: nil).text(of: error))
      }
      return error.status
    }
    guard isBatch else { return try prompt(shell, at: address) }
    shell.obey(stop)
    let showsPrompt = options.interactive && isatty(0) == 1
    if showsPrompt { shell.expectPrompt() }
    let status = batch(shell)
    guard showsPrompt, !shell.hasQuit else { return status }
    signals?.finish()
    return try prompt(shell, at: address)
  }

  /// Comes in by a door, and says who comes.
  private func client(
    at address: DoorAddress, patience: Duration = .seconds(10), until stop: Int32
  ) throws(ShellError) -> DoorClient {
    let token = try options.tokenFile.map { file throws(ShellError) in try Self.token(in: file, until: stop) }
    let client = try DoorClient(at: address, token: token, patience: patience, until: stop)
    let name = try Program.chosenName(options)
    try client.introduce(
      as: name ?? ConversationName.own(Program.place(of: options)), isChosen: name != nil, until: stop)
    return client
  }

  private func batch(_ shell: AttachedShell) -> Int32 {
    let file = options.script.first
    let prepared = shell.prepareReport(besides: [file == nil || file == "-" ? "/dev/stdin" : file].compactMap(\.self))
    guard prepared == 0 else { return prepared }
    if !options.command.isEmpty { return shell.writeReport(after: shell.run(commands: options.command), of: "-c") }
    let arguments = Array(options.script.dropFirst())
    guard let file, file != "-" else {
      return shell.writeReport(after: shell.run(descriptor: 0, arguments: arguments), of: "stdin")
    }
    return shell.writeReport(after: shell.run(file: file, arguments: arguments), of: file)
  }

  private func prompt(_ shell: AttachedShell, at address: DoorAddress) throws -> Int32 {
    let editor = try ReadlineEditor(
      program: "stsh", historyFile: HistoryFile(program: "stsh", name: "history.attached"))
    defer { editor.close() }
    let stop = RunStop()
    editor.stopDescriptor = stop.descriptor
    let signals = try RunSignals(stop, timeout: nil, handlesInterrupt: false)
    defer { signals.finish() }
    let interrupt = editor.interruptDescriptor
    let prompt = AttachedPrompt(shell, on: editor, pager: options.noExec ? nil : .preferred) {
      () throws(ShellError) in try client(at: address, patience: .seconds(2), until: interrupt)
    }
    return try prompt.run(until: stop)
  }

  private func shellOptions() throws -> AttachedShell.Options {
    var shell = AttachedShell.Options()
    shell.keepsGoing = options.keepGoing
    shell.isJSON = options.json
    shell.isAllOrNothing = options.allOrNothing
    shell.isQuiet = options.quiet
    shell.isUTF8 = UserEnvironment.isUTF8
    shell.usesColor = try Program.usesColor(options.color) ?? UserEnvironment.usesColor
    guard let format = Format(rawValue: options.format) else {
      throw ShellError(code: .unknownFormat, message: "there is no format '\(options.format)'", status: 2)
    }
    shell.format = format
    shell.runsPrograms = !options.noExec
    shell.report = try ReportArgument.report(options.report)
    if !options.noInit, let file = Places().initFile, access(file, F_OK) == 0 { shell.initFile = file }
    return shell
  }

  /// The token that a file holds.
  ///
  /// - Parameter stop: a descriptor that ends the wait for the file when it becomes readable.
  private static func token(in file: String, until stop: Int32) throws(ShellError) -> String {
    do throws(FileError) {
      return String(
        decoding: try Files.read(file, waiting: FileWait(endedBy: stop)).prefix { $0 > 0x20 }, as: UTF8.self)
    } catch {
      throw ShellError(error)
    }
  }

  /// Refuses options that are about a store of the program's own.
  private func refuseOthers() throws {
    let bare = ProgramInvocation.bare
    let others: KeyValuePairs = [
      "--listen": options.listen != nil, "--store": options.store != nil, "--recover": options.recover != nil,
      "--session": options.session != nil, "--replay": options.replay != nil, "--check": options.check,
      "--transcript": options.transcript != nil,
      "--clock": options.clock != bare.clock, "-p": !options.plugin.isEmpty, "--grant": !options.grant.isEmpty,
      "--unsafe-lua": options.unsafeLua, "--read-only": options.readOnly, "--allow": !options.allow.isEmpty,
      "--group": options.group != nil, "--name": options.name != nil, "--nats-creds": options.credentials != nil,
      "--cache": options.cache != nil,
    ]
    for (name, isGiven) in others where isGiven {
      throw ValidationError("--attach uses the store of another program; \(name) is for that program")
    }
  }
}
