import ArgumentParser
import CCrash
import Platform
import ShellLanguage
import StandardModules
import StoreCore
import StoreHost
import StoreShell

/// Runs a session as the options ask.
struct Program {
  private let options: ProgramInvocation
  private let places = Places()

  init(_ options: ProgramInvocation) { self.options = options }

  func run() throws -> Int32 {
    // SQLite takes some for a store, and a door some for its threads.
    try Self.requireDescriptors((options.store == nil ? 16 : 24) + (options.listen == nil ? 0 : 8))
    // A file that may not grow is one that cannot be written, as on a full disk.
    signal(SIGXFSZ, SIG_IGN)
    CrashReport.install(folder: places.crashes, version: Stsh.configuration.version)
    if let file = options.script.first, !options.command.isEmpty {
      throw ValidationError("-c runs commands and '\(file)' is a script: give one of them")
    }
    try Self.refuseHalves(options)
    let console = Console()
    console.showsProgress = isatty(2) == 1 && !options.json
    ccrash_hold(console.held)
    defer { ccrash_hold(nil) }
    let sessionOptions = try sessionOptions()
    let host = try options.listen.map { _ in
      try StoreHost(
        .standard, clock: sessionOptions.hasVirtualClock ? VirtualClock() : RealClock(), program: sessionOptions.name,
        queueLimit: nil)
    }
    let session =
      try host.map { try Session(owning: $0, options: sessionOptions, console: console) }
      ?? Session(.standard, options: sessionOptions, console: console)
    // The process ends with the session: to take a long history apart first would only take time.
    _ = Unmanaged.passRetained(session)
    defer { console.flush() }
    let stop = RunStop()
    // What runs before a prompt is ended by its keys and signals as the system ends programs.
    let signals =
      beginsAtPrompt
      ? nil
      : try RunSignals(
        stop, timeout: try Self.duration(options.timeout), handlesInterrupt: true, breaksCalls: options.unsafeLua)
    if signals != nil { session.obey(stop) }
    defer { signals?.finish() }
    if let file = options.transcript { try startTranscript(file, session) }
    // The report tells of the run also where nobody reads its output to the end.
    if options.report != nil { BrokenPipes.ignore() }
    let prepared = session.prepareReport(besides: sources + [options.transcript].compactMap(\.self))
    guard prepared == 0 else { return prepared }
    if let status = session.stoppedStatus() { return session.writeReport(after: status) }
    if let number = options.recover ?? options.session, session.options.journal == nil {
      let what = options.recover == nil ? "kept session \(number)" : "session at the prompt that ended unexpectedly"
      return session.writeError(
        ShellError(
          code: .nothingToRecover, message: "there is no \(what)",
          hint: number > 0 ? "the command sessions lists them" : "to open a store of your own again: --store FILE",
          status: 2))
    }
    if options.check { session.checkOnly() }
    // A run that begins at a prompt asks its questions there: those that come from opening a store and loading plugins.
    let conversation = beginsAtPrompt ? try Conversation(session, options) : nil
    defer { conversation?.close() }
    // The place is taken before the store's file is made: where the system refuses it, nothing is left behind.
    let listening: Listening?
    do throws(ShellError) {
      listening = try takePlace(of: host, sessionOptions)
    } catch {
      let status = session.writeReport(after: session.writeError(error))
      _ = session.end()
      return status
    }
    defer { listening?.close() }
    let opened = session.openJournal()
    guard opened == 0 else { return session.writeReport(after: opened) }
    let status = session.writeReport(after: try run(session, conversation, signals, listening))
    listening?.close()
    let ended = hasLostTerminal(session) ? session.endStopped() : session.end()
    return status == 0 ? ended : status
  }

  /// Refuses to run where the system gives the process too few descriptors for its pipes: nothing could end such a run.
  static func requireDescriptors(_ wanted: Int = 16) throws {
    var free: [Int32] = []
    defer { for descriptor in free { close(descriptor) } }
    while free.count < wanted {
      let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0)
      let next = descriptor >= 0 ? descriptor : Platform.open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard next >= 0 else {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        throw ShellError(
          code: .failed,
          message: "this process may open \(limit.rlim_cur) files, and \(free.count) more are free; it needs \(wanted)",
          hint: "ulimit -n 256 allows more")
      }
      free.append(next)
    }
  }

  /// Takes the place at which others come in, where the command line names one.
  private func takePlace(
    of host: StoreHost<StandardAction, StandardState>?, _ session: SessionOptions
  ) throws(ShellError) -> Listening? {
    guard let host, let place = options.listen else { return nil }
    do {
      return try Listening(options, at: place, of: host, session)
    } catch let error as ShellError {
      throw error
    } catch {
      throw ShellError(code: .failed, message: "\(error)", status: 2)
    }
  }

  /// True if the session was at a prompt whose terminal is gone.
  private func hasLostTerminal(_ session: Session) -> Bool {
    var settings = termios()
    return session.stoppedStatus() != nil && tcgetattr(0, &settings) != 0
  }

  private var sources: [String] { [options.script.first, options.replay, "/dev/stdin"].compactMap(\.self) }

  private func startTranscript(_ file: String, _ session: Session) throws {
    do throws(ShellError) {
      try session.refuseStore(file, at: .command)
    } catch {
      throw ValidationError("--transcript \(file): that file is a store; name another file")
    }
    // Starting it empties what is there.
    if Console.transcript(file, replacesOneOf: sources) {
      throw ValidationError("--transcript \(file): that file is the input; name another file")
    }
    let text = Files.isOrdinary(file) ? Files.start(of: file, count: 1 << 20) : []
    if !text.isEmpty {
      let prompt = Array("\(session.options.name)> ".utf8)
      guard text.split(separator: 0x0A).prefix(1_000).contains(where: { $0.starts(with: prompt) }) else {
        throw ValidationError("--transcript \(file): that file is not a transcript, and would be replaced")
      }
    }
    do {
      try session.console.startTranscript(file)
    } catch  where session.stoppedStatus() != nil {
      // The run says why it ends.
    } catch {
      throw ValidationError("--transcript \(file): it cannot be written")
    }
  }

  private func run(
    _ session: Session, _ conversation: Conversation?, _ signals: RunSignals?, _ listening: Listening?
  ) throws -> Int32 {
    let loaded = session.loadPlugins()
    guard loaded == 0 || options.keepGoing else { return loaded }
    // Which middlewares there are is known by now.
    if let name = session.options.who, session.hasNameOfUnit {
      throw ValidationError("--who: '\(name)' is a middleware of the store")
    }
    let status = try runStatements(session, conversation, signals, listening)
    // The first failure gives the status.
    guard loaded == 0 else { return loaded }
    return status == 0 && !showsPrompt ? session.openingStatus : status
  }

  private func runStatements(
    _ session: Session, _ conversation: Conversation?, _ signals: RunSignals?, _ listening: Listening?
  ) throws -> Int32 {
    if let file = options.replay {
      let started = session.start(from: file)
      guard started == 0 else { return started }
    }
    if let listening {
      session.runDue()
      listening.open(telling: options.json ? nil : session.console)
    }
    if showsPrompt { session.expectPrompt() }
    var status = batch(session)
    if options.serves, status ?? 0 == 0, !session.hasQuit {
      session.serve()
      status = session.stoppedStatus()
    }
    // What is still to be written, such as the report, is bound by the run's time and signals, too.
    if let status, !options.interactive || session.hasQuit || options.check { return status }
    session.obey(nil)
    signals?.finish()
    if let conversation { return try prompt(session, conversation) }
    let conversation = try Conversation(session, options)
    defer { conversation.close() }
    return try prompt(session, conversation)
  }

  /// Runs what needs no prompt.
  ///
  /// - Returns: the status; nil: there was nothing.
  private func batch(_ session: Session) -> Int32? {
    let file = options.script.first
    guard !options.command.isEmpty || file != nil || (isatty(0) != 1 && !options.serves) else { return nil }
    if !options.command.isEmpty { return session.run(commands: options.command) }
    guard let file, file != "-" else {
      return session.run(descriptor: 0, arguments: Array(options.script.dropFirst()))
    }
    return session.run(file: file, arguments: Array(options.script.dropFirst()))
  }

  /// Whether `--color` has text coloured; nil: as the environment asks.
  static func usesColor(_ word: String) throws -> Bool? {
    switch word {
    case "always": return true
    case "never": return false
    case "auto": return nil
    default: throw ValidationError("--color takes auto, always or never, not '\(word)'")
    }
  }

  /// The time that `--timeout` says.
  static func duration(_ text: String?) throws -> Duration? {
    guard let text else { return nil }
    if let duration = DurationLiteral.parse(text) { return duration }
    throw ValidationError("--timeout takes \(DurationLiteral.expected(insteadOf: text)), not '\(text)'")
  }

  private func prompt(_ session: Session, _ conversation: Conversation) throws -> Int32 {
    let prompt = conversation.prompt
    if !places.keepsState, !options.json {
      session.console.writeError(
        "note: there is no home folder, so history, grants and journal are kept in memory only; "
          + "set HOME or XDG_STATE_HOME\n")
    }
    let stop = RunStop()
    conversation.obey(stop)
    let signals = try RunSignals(stop, timeout: nil, handlesInterrupt: false, breaksCalls: options.unsafeLua)
    defer { signals.finish() }
    if !options.json, !options.quiet { session.console.write(greeting(session)) }
    if !options.noInit, let file = places.initFile, access(file, F_OK) == 0 { prompt.run(initFile: file) }
    return session.hasQuit ? session.status : try prompt.run()
  }

  private func greeting(_ session: Session) -> String {
    var place = session.options.journal?.path ?? ""
    if session.options.journal?.opening == .withFirstAction { place = places.sessions?.folder ?? place }
    if let home = UserEnvironment.nonEmpty("HOME"), place.hasPrefix("\(home)/") {
      place = "~" + place.dropFirst(home.count)
    }
    if let shared = session.options.shared { place = "\(shared.shownAddress), as \(shared.name)" }
    let keeping = place.isEmpty ? "kept in memory only" : "kept in \(place)"
    return "stsh \(Stsh.configuration.version); \(keeping); help explains, Ctrl-D leaves\n"
  }

  /// Refuses to take back as a whole what is no file.
  static func refuseHalves(_ options: ProgramInvocation) throws {
    guard options.allOrNothing, options.script.first == nil || options.script.first == "-" else { return }
    throw ValidationError("--all-or-nothing is for a script in a file")
  }

  private func sessionOptions() throws -> SessionOptions {
    var session = SessionOptions(program: "stsh")
    session.hasStoreOption = true
    session.keepsGoing = options.keepGoing
    session.isAllOrNothing = options.allOrNothing
    session.isJSON = options.json
    session.isQuiet = options.quiet
    session.pluginFolders = options.plugin
    session.grants = Set(options.grant)
    session.allowsPlugins = !options.noPlugins
    session.allowsUnsafeLua = options.unsafeLua
    session.allowsExecution = !options.noExec
    session.report = try ReportArgument.report(options.report)
    session.pluginSearchPath = places.pluginSearchPath
    session.grantsFile = places.grants
    guard let format = Format(rawValue: options.format) else {
      throw ValidationError(
        "--as takes one of \(Format.allCases.map(\.rawValue).joined(separator: ", ")), not '\(options.format)'")
    }
    session.format = format
    switch options.clock {
    case "real": break
    case "virtual": session.hasVirtualClock = true
    default: throw ValidationError("--clock takes real or virtual, not '\(options.clock)'")
    }
    session.usesColor = try Self.usesColor(options.color) ?? session.usesColor
    session.sessionFiles = places.sessions
    do throws(ShellError) {
      session.who = try Self.chosenName(options)
    } catch {
      throw ValidationError("--who: \(error.message)" + (error.hint.map { "; \($0)" } ?? ""))
    }
    session.place = Self.place(of: options)
    session.shared = try nodePlan()
    if session.shared == nil { session.journal = try journalPlan() }
    return session
  }

  /// The name that the command line or the environment gives; nil: neither does.
  static func chosenName(_ options: ProgramInvocation) throws(ShellError) -> String? {
    guard let name = options.who ?? UserEnvironment.nonEmpty("STSH_WHO") else { return nil }
    try ConversationName.check(name, of: SystemUser.current)
    return name
  }

  /// The place that makes the name where none is given.
  static func place(of options: ProgramInvocation) -> ConversationPlace {
    if !options.command.isEmpty { return .commands }
    if let file = options.script.first { return file == "-" ? .standardInput : .script(file) }
    return isatty(0) == 1 ? .terminal : .standardInput
  }

  /// True if the program will show a prompt.
  private var showsPrompt: Bool {
    isatty(0) == 1 && !options.serves && (options.interactive || (options.command.isEmpty && options.script.isEmpty))
  }

  /// True if nothing runs before the prompt.
  private var beginsAtPrompt: Bool {
    showsPrompt && options.command.isEmpty && options.script.isEmpty && !options.check
  }

  /// The file of the kept session that the command line names; nil: there is none.
  private var keptSession: String? {
    let number = options.recover ?? options.session ?? 0
    if options.recover != nil, number == 0 { return places.sessions?.abandoned.first?.path }
    guard let kept = places.sessions?.kept, kept.indices.contains(number - 1) else { return nil }
    let session = kept[number - 1]
    return options.recover == nil || session.isAbandoned ? session.path : nil
  }

  /// The part in a shared store that the command line asks for; nil: `--store` names no such store.
  private func nodePlan() throws -> NodePlan? {
    guard let address = options.store, NodePlan.isAddress(address) else {
      let values = [("--name", options.name), ("--nats-creds", options.credentials), ("--cache", options.cache)]
      for (flag, value) in values where value != nil {
        throw ValidationError("\(flag) is for a shared store: --store nats://HOST:PORT/NAME")
      }
      return nil
    }
    let others: KeyValuePairs = [
      "--recover": options.recover != nil, "--session": options.session != nil, "--replay": options.replay != nil,
      "--to": options.to != nil, "--clock virtual": options.clock == "virtual",
    ]
    for (flag, isGiven) in others where isGiven {
      throw ValidationError("\(flag) cannot be combined with a shared store, whose history and time are its nodes'")
    }
    if options.durability != Durability.normal.rawValue {
      throw ValidationError("--durability is for a store in a file: what a shared store has is kept by its servers")
    }
    do throws(HostError) {
      return try NodePlan(
        address: address, name: try nodeName(), isReadOnly: options.readOnly || options.check,
        isOptional: options.check, credentials: options.credentials ?? UserEnvironment.nonEmpty("NATS_CREDS"),
        file: options.check ? nil : options.cache)
    } catch {
      throw ValidationError("--store: \(error.message)")
    }
  }

  /// The name under which other nodes see the run: the machine's and the process's, unless one is given.
  private func nodeName() throws(HostError) -> String {
    if let name = options.name {
      let isName = !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      guard isName else {
        throw HostError(
          code: .commandLine, message: "--name takes up to 64 letters, digits and signs of ASCII, without spaces",
          status: 2)
      }
      return name
    }
    var machine = [CChar](repeating: 0, count: 65)
    gethostname(&machine, 64)
    let host = machine.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return "\(String(decoding: host, as: UTF8.self).prefix(50))-\(getpid())"
  }

  private func journalPlan() throws -> JournalPlan? {
    guard let durability = Durability(rawValue: options.durability) else {
      throw ValidationError(
        "--durability takes one of \(Durability.allCases.map(\.rawValue).joined(separator: ", ")), "
          + "not '\(options.durability)'")
    }
    if [options.store != nil, options.recover != nil, options.session != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--store, --recover and --session cannot be combined: each names a store")
    }
    let reopens = options.recover != nil || options.session != nil
    if options.readOnly, options.store == nil, !reopens {
      throw ValidationError("--read-only needs --store FILE, --recover or --session")
    }
    if options.to != nil, !options.readOnly { throw ValidationError("--to needs --read-only") }
    if options.replay != nil, reopens || options.readOnly {
      throw ValidationError(
        "--replay starts a new store: it cannot be combined with --recover, --session or --read-only")
    }
    var path = options.store
    if reopens {
      guard let kept = keptSession else { return nil }
      path = kept
    }
    if let path {
      // A run of nothing writes nothing.
      if options.check, !options.readOnly, access(path, F_OK) != 0 { return nil }
      let opening: JournalPlan.Opening = options.readOnly || options.check ? .readOnly(upTo: options.to) : .atOnce
      return JournalPlan(path: path, durability: durability, opening: opening)
    }
    guard showsPrompt, let sessions = places.sessions else { return nil }
    return JournalPlan(
      path: sessions.path(at: time(nil), process: getpid()), durability: durability, opening: .withFirstAction)
  }
}
