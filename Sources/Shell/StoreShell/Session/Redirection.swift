import Platform
import ShellLanguage
import StoreHistory
import StoreSchema

extension Session {
  /// Runs a command and sends its result to a file or into a shell command.
  ///
  /// - Parameters:
  ///   - word: the word by which the command names a file of its own.
  ///   - keepsFailed: true if what it printed goes there also where it fails, as a program's output does.
  func redirecting(
    to redirection: Redirection, besides word: Word?, keepsFailed: Bool = false, _ body: () throws -> CommandResult
  ) throws -> CommandResult {
    let target = try redirectionTarget(redirection)
    if redirection.kind != .command, let word {
      try refuse(target, replacing: fileName(word.text), at: .span(redirection.span))
    }
    try requireExecution(redirection)
    let file = try redirection.kind == .command ? nil : prepare(target, redirection)
    var result = CommandResult.none
    var failure: (any Error)?
    let text = try console.capturing {
      do {
        result = try body()
      } catch {
        guard keepsFailed else { throw error }
        failure = error
      }
    }
    if let failure, text.isEmpty { throw failure }
    guard redirection.kind != .command else {
      var piped = try pipe(text, into: target, redirection)
      piped.notes += result.notes
      if let failure { throw failure }
      return piped
    }
    try at(redirection) { () throws(FileError) -> Void in
      let file = if let file { file } else { try open(target, redirection) }
      // The text printed before may go to the same place.
      if file.isInPlace { console.flush() }
      file.bytes += Array(text.utf8)
      try file.finish()
    }
    if let failure { throw failure }
    return CommandResult(json: nil, notes: result.notes)
  }

  /// Marks where the file is named that something is wrong with.
  private func at<Result>(
    _ redirection: Redirection, _ body: () throws(FileError) -> Result
  ) throws(ShellError) -> Result {
    do {
      return try body()
    } catch {
      throw ShellError(error, place: .span(redirection.span))
    }
  }

  /// Refuses to pipe results into commands where that is forbidden.
  func requireExecution(_ redirection: Redirection) throws(ShellError) {
    guard redirection.kind == .command, !options.allowsExecution, person.files == nil else { return }
    let isFarAway = running.origin.isThroughDoor
    throw ShellError(
      code: .notAllowed,
      message: isFarAway
        ? "a command behind | would run where the store is, and show nothing here"
        : "results may not be piped into commands here (--no-exec)",
      place: .span(redirection.span),
      hint: isFarAway ? "pipe the output of the program: stsh --attach NAME -c 'show …' | COMMAND" : nil)
  }

  /// Sees to it that what a command writes does not take the place of a file that it names besides.
  func refuse(_ file: String, replacing other: String, at place: ShellError.Place) throws(ShellError) {
    // The client looks at its own.
    guard !isClients(file), !isClients(other) else { return }
    let (file, other) = (hostPath(file), hostPath(other))
    guard Files.isOrdinary(other), Files.areSame(file, other) else { return }
    throw ShellError(
      code: .notAllowed, message: "\(file) is a file that this command uses already", place: place,
      hint: "write to another file")
  }

  /// Sees to it that no result takes the place of a store, of what SQLite keeps beside it, or of the transcript of the run.
  package func refuseStore(_ file: String, at place: ShellError.Place) throws(ShellError) {
    if let transcript = console.transcriptFile { try refuse(file, replacing: transcript, at: place) }
    let file = hostPath(file)
    // To look into the file of this session would drop the locks by which SQLite guards it.
    let isOwn = store.live.turn { store.live.journal?.plan ?? options.journal }?.owns(file) ?? false
    let kept = Journal.store(at: file)
    guard isOwn || kept != nil else { return }
    let isKept = isOwn || kept.map(Journal.isInUse) ?? false
    let message =
      if isOwn {
        "\(file) is the file that this session keeps its store in"
      } else if !isKept {
        "\(file) is the file of a store, and would be replaced"
      } else if kept.map(Journal.isJournal) == true {
        "\(file) is the file that another session keeps its store in"
      } else {
        "\(file) belongs to a program that runs, and would be replaced"
      }
    throw ShellError(
      code: isKept ? .storeInUse : .notAllowed, message: message,
      place: place, hint: "write to another file")
  }

  /// Begins a file before the command is run whose result it is to hold. The file's content stays until then, and where
  /// the command fails.
  ///
  /// - Returns: nil for a pipe, which would wait for its reader.
  private func prepare(_ file: String, _ redirection: Redirection) throws -> ReplacingFile? {
    if !isClients(file) { try refuseStore(file, at: .span(redirection.span)) }
    guard isClients(file) || !Files.isPipe(hostPath(file)) else { return nil }
    return try at(redirection) { () throws(FileError) in try open(file, redirection) }
  }

  private func open(_ file: String, _ redirection: Redirection) throws(FileError) -> ReplacingFile {
    try makeFile(file, appends: redirection.kind == .append)
  }

  private func redirectionTarget(_ redirection: Redirection) throws -> String {
    switch withArguments(redirection.target) {
    case .bare(let text): return redirection.kind == .command ? text : fileName(text)
    case .text(let text): return text
    case .composed(let text):
      let name = try marking(redirection) { try self.text(of: redirection.target) }
      return text.isQuoted ? name : fileName(name)
    default:
      let value = try marking(redirection) { try self.value(redirection.target) }
      if case .string(let text) = value { return text }
      throw ShellError(
        code: .typeMismatch, message: "expected the name of a file", place: .span(redirection.span))
    }
  }

  /// Marks where the file is named that a value stands for.
  private func marking<Result>(_ redirection: Redirection, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as ShellError {
      if error.place == .command { error.place = .span(redirection.span) }
      throw error
    }
  }

  /// Runs a shell command on a result. With `--json` its own result is what it prints, also where it fails.
  private func pipe(_ text: String, into line: String, _ redirection: Redirection) throws -> CommandResult {
    try requireOwnVariables(of: line, at: .span(redirection.span), isPiped: true)
    console.flush()
    var printed: [UInt8] = []
    var command = ShellCommand(line: line, stops: [interrupts.descriptor])
    command.arguments = running.origin.arguments
    if options.isJSON {
      command.receiver = { printed += $0 }
    } else if console.hasTranscript {
      command.terminal = console.delivery.terminal
      command.receiver = { [console] bytes in
        printed += bytes
        console.passOn(bytes)
      }
    }
    var data: String? {
      guard options.isJSON, !printed.isEmpty else { return nil }
      let lines = printed.last == 0x0A ? printed.dropLast() : printed[...]
      return JSON.text(of: .string(String(decoding: lines, as: UTF8.self)))
    }
    func failed(_ reason: String, isRefused: Bool = false) -> ShellError {
      var error = ShellError(
        code: isRefused ? .notAllowed : .failed, message: isRefused ? reason : "\(line): \(reason)",
        place: .span(redirection.span))
      error.data = data
      return error
    }
    defer {
      if !options.isJSON { console.transcribe(printed: String(decoding: printed, as: UTF8.self), given: text) }
    }
    let ending: ProgramEnding
    do throws(FileError) {
      if let atClient = try runAtClient(line, on: text, receiver: command.receiver) {
        ending = atClient
      } else {
        ending = try command.run(Array(text.utf8))
      }
    } catch {
      throw failed(error.reason, isRefused: person.files != nil && error.code == EACCES)
    }
    switch ending {
    case .exited(0): break
    case .exited(let status): throw failed("ended with status \(status)")
    case .signalled(let number): throw failed("ended by signal \(number)")
    case .interrupted: throw ShellError.interrupted
    }
    return CommandResult(json: data)
  }
}
