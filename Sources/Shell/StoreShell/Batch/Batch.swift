import Platform
import ShellLanguage
import StoreCore
import StorePlugins
import StoreSchema

extension Session {
  /// Runs a file: all of its syntax is checked before anything runs.
  ///
  /// - Returns: the exit status.
  public func run(file: String, arguments: [String]) -> Int32 {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(file, waiting: interrupts.fileWait)
    } catch {
      running.origin = StatementOrigin(file: file, kind: .batch)
      if let status = stoppedStatus() { return status }
      var described = ShellError(describing: error)
      if error.isMissing, commands[file] != nil {
        let line = ([file] + arguments).joined(separator: " ")
        described.hint = "\(options.name) -c \(line.contains("'") ? "\"\(line)\"" : "'\(line)'") runs a command"
      }
      return writeError(described, file: file)
    }
    do {
      return try allOrNothing(options.isAllOrNothing) {
        let status = ended(try runScript(bytes, file: file, arguments: arguments))
        // What cannot be written takes it back, too.
        return options.isAllOrNothing ? writeReport(after: status) : status
      }
    } catch {
      return ShellError(describing: error).status
    }
  }

  /// Runs a script, perhaps as a run of `atomic`.
  ///
  /// - Parameter isHeld: true if the run stays open where the script came to its end without an error, for a later `atomic end`.
  func allOrNothing(_ isAtomic: Bool, isHeld: Bool = false, _ body: () throws -> Int32) rethrows -> Int32 {
    guard isAtomic else { return try body() }
    do {
      try store.beginRun()
    } catch {
      return writeError(error)
    }
    outcome.run = SessionOutcome.Run(line: 1, isWhole: true)
    let status = try body()
    guard let run = outcome.run else { return status }
    if case .open = run.stage, interrupts.isClientGone?() == true {
      abandonRun(because: "since its client is gone")
    } else if status != 0 {
      abandonRun(because: "since it ended with status \(status)")
    } else if isHeld, case .open = run.stage {
      outcome.run = SessionOutcome.Run(line: run.line)
      // The conversation goes on up to the end of the run.
      (outcome.hasQuit, outcome.quitsBehindRun) = (false, outcome.hasQuit)
    } else {
      outcome.run = nil
      store.endRun()
    }
    return status
  }

  /// Runs commands given on the command line.
  public func run(commands: [String]) -> Int32 {
    running.origin = StatementOrigin(file: "-c", kind: .batch)
    for (index, command) in commands.enumerated() {
      let reader = StatementReader(Array(command.utf8), grammar: grammar, firstLine: index + 1)
      guard let status = runStatements(of: reader, allNumbered: index + 1) else { continue }
      if status != 0, !hasQuit {
        for rest in commands[(index + 1)...] {
          noteUnreachedSteps(of: StatementReader(Array(rest.utf8), grammar: grammar))
        }
      }
      return ended(status)
    }
    return ended(finalStatus)
  }

  /// Runs statements from a descriptor as they arrive.
  public func run(descriptor: Int32, arguments: [String] = []) -> Int32 {
    running.origin = StatementOrigin(file: "stdin", kind: .batch, arguments: arguments)
    var reader = StatementReader(grammar: grammar)
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var unread = 0
    var hasBegun = false
    while true {
      // The program that writes the statements may wait for their output.
      console.flush()
      guard waitToRead(descriptor) else { return ended(stoppedStatus() ?? 0) }
      let count = block.withUnsafeMutableBytes { Platform.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count > 0, !hasBegun, let message = ForeignEncoding.fault(of: block[..<count]) {
        report(SyntaxFault(message: message, line: 1, column: 1, width: 1, text: ""))
        return ended(2)
      }
      hasBegun = true
      if count > 0 { reader.append(block[..<count]) } else { reader.finish() }
      // A long line that is still arriving is not looked at again and again, but when it has become too long for one.
      unread += max(count, 0)
      guard count <= 0 || unread > 1 << 23 || block[..<count].contains(0x0A) else { continue }
      unread = 0
      if let status = runStatements(of: &reader) { return ended(status) }
      if count <= 0 { return ended(finalStatus) }
    }
  }

  /// Runs the statements of a script.
  ///
  /// - Returns: 0, or the status of the first failure.
  func runScript(_ bytes: [UInt8], file: String, arguments: [String]) throws -> Int32 {
    let outer = running.origin
    var chain = outer.chain
    if let statement = running.statement {
      chain.insert(ErrorRenderer.Origin(file: outer.file, line: statement.line), at: 0)
    }
    guard chain.count < 64 else {
      throw ShellError(code: .runaway, message: "files source each other more than 64 deep")
    }
    running.origin = StatementOrigin(
      file: file, kind: .batch, arguments: arguments, chain: chain, isAttended: outer.isAttended,
      isThroughDoor: outer.isThroughDoor)
    defer { running.origin = outer }
    if let message = ForeignEncoding.fault(of: bytes) {
      report(SyntaxFault(message: message, line: 1, column: 1, width: 1, text: ""))
      return 2
    }
    let reader = StatementReader(bytes, grammar: grammar)
    // A run that only checks tells of all faults.
    if !running.isChecking, hasFault(reader, looksAtNames: true) {
      noteUnreachedSteps(of: reader, because: "no line ran")
      return 2
    }
    let (before, checks, foreseen) = (outcome.tally.firstStatus, outcome.checks, running.foreseen?.open)
    (outcome.tally.firstStatus, outcome.checks) = (0, nil)
    // A line of this file may end what one of the other has begun.
    if foreseen?.isEmpty == false { running.foreseen?.followsBlocks = false }
    running.foreseen?.open = [:]
    defer {
      outcome.checks = checks
      if let foreseen { running.foreseen?.open = foreseen }
    }
    defer { outcome.tally.firstStatus = before == 0 ? outcome.tally.firstStatus : before }
    outcome.hasNewNames = false
    if let status = runStatements(of: reader, looksAtNames: !running.isChecking && !options.keepsGoing) {
      return status
    }
    if let status = endOpenChecks() { return status }
    return (outer.chain.isEmpty && running.statement == nil ? finalStatus : outcome.tally.firstStatus)
  }

  /// Runs the statements of a text, whose syntax is checked first.
  func runAll(_ bytes: [UInt8]) {
    let reader = StatementReader(bytes, grammar: grammar)
    if hasFault(reader, looksAtNames: false) { return }
    _ = runStatements(of: reader)
  }

  /// The status of a text whose last statement has run, as it is reported where a run ends.
  func endText(_ given: Int32) -> Int32 {
    let open = endOpenRun()
    let status = given == 0 ? open ?? 0 : given
    writeSummary()
    return outcome.quitStatus ?? (status == 0 ? outcome.tally.firstStatus : status)
  }

  /// Reports the first fault of a text none of whose lines has run: of its syntax, or a name that nothing has.
  ///
  /// - Returns: true if there is one.
  private func hasFault(_ reader: StatementReader, looksAtNames: Bool) -> Bool {
    var reader = reader
    var names = looksAtNames && !options.keepsGoing ? NamesAhead(self) : nil
    defer { names?.end() }
    // What cannot be read at all comes first, wherever it stands.
    var unknown: (error: ShellError, statement: Statement)?
    do throws(SyntaxFault) {
      while true {
        reader.passPlainLines { line in
          guard unknown == nil, names != nil else { return .unchecked }
          return names?.values(of: line)
        }
        guard let statement = try reader.next() else { break }
        if let fault = luaFault(of: statement) { throw fault }
        guard unknown == nil, let error = names?.error(in: statement) else { continue }
        unknown = (error, statement)
      }
      if unknown == nil { unknown = names?.errorAtEnd() }
    } catch {
      report(error)
      if let described = outcome.lastError { noteUnrun(error.text, error.line, described) }
      return true
    }
    guard let unknown, report(unknown: unknown.error, in: unknown.statement) else { return false }
    return true
  }

  /// Reports an unknown name of a line that was not reached.
  private func report(unknown error: ShellError, in statement: Statement) -> Bool {
    outcome.reportedFile = outcome.reportedFile ?? running.origin.file
    outcome.tally.reached += 1
    report(error, in: statement)
    fail(error.status)
    noteUnrun(statement.text, statement.line, error)
    return true
  }

  /// Adds a line that ends a run before it is reached to the report.
  private func noteUnrun(_ text: String, _ line: Int, _ error: ShellError) {
    guard options.report != nil || outcome.isReported else { return }
    noteStep("\(running.origin.file):\(line): \(text.prefix { !$0.isNewline })", seconds: 0, error)
  }

  /// Reports the first unknown name, behind a line that may have given names, in the lines up to the next such line.
  ///
  /// - Returns: true if there is one.
  private func hasUnknownName(aheadIn reader: StatementReader) -> Bool {
    // Within checks a fault ends nothing.
    guard outcome.checks == nil, outcome.run == nil else { return false }
    var reader = reader
    var names = NamesAhead(atNamesIn: self)
    defer { names.end() }
    while names.areAllThere {
      reader.passPlainLines { names.values(of: $0) }
      guard let statement = try? reader.next() else { return false }
      if let error = names.error(in: statement) { return report(unknown: error, in: statement) }
    }
    return false
  }

  /// The fault of a statement's Lua: of what follows a Lua verb, and of each `$(…)`.
  private func luaFault(of statement: Statement) -> SyntaxFault? {
    func fault(_ code: ErrorCode, _ message: String, at span: Word.Span) -> SyntaxFault {
      SyntaxFault(
        code: code, message: message, line: statement.line + span.line, column: span.column, width: span.width,
        text: statement.line(span.line) ?? statement.text)
    }
    func luaFault(_ text: String, as form: LuaForm, at span: @autoclosure () -> Word.Span) -> SyntaxFault? {
      // Its command says what is missing.
      guard !text.allSatisfy(\.isWhitespace), let lua = try? lua() else { return nil }
      guard let message = lua.syntaxFault(text, as: form) else { return nil }
      let stray = message.hasSuffix("<eof> expected near '='") ? "= sets a value; compare with ==" : nil
      let hint = (stray ?? hint(onSignsIn: text)).map { " (\($0))" } ?? ""
      return fault(.luaSyntax, message + hint, at: span())
    }
    // The place of a word costs a look at all before it.
    func fault(in literal: Literal?, at span: @autoclosure () -> Word.Span) -> SyntaxFault? {
      for case .lua(let expression) in literal?.references ?? [] {
        if let fault = luaFault(expression, as: .expression, at: span()) { return fault }
      }
      return nil
    }
    let verb = commands.innermost(statement).words[0].text
    if let tail = statement.lua, commands[verb]?.lua?.isLua == true {
      let form: LuaForm = verb == "lua" ? .chunk : verb == "=" ? .expressions : .expression
      let text = verb == "assert" ? tail.splittingComment.lua : tail.text
      if let fault = luaFault(text, as: form, at: tail.span) { return fault }
      if verb == "assert" {
        do throws(SyntaxFault) {
          if let fault = fault(in: try tail.message(), at: tail.span) { return fault }
        } catch {
          return fault(.syntax, error.message, at: tail.span)
        }
      }
    }
    if let redirection = statement.redirection, let fault = fault(in: redirection.target, at: redirection.span) {
      return fault
    }
    return statement.words.lazy.compactMap { fault(in: $0.value, at: $0.span) }.first
  }

  private func runStatements(
    of reader: StatementReader, allNumbered number: Int? = nil, looksAtNames: Bool = false
  ) -> Int32? {
    var reader = reader
    let status = runStatements(of: &reader, allNumbered: number, looksAtNames: looksAtNames)
    if let status, status != 0, !hasQuit { noteUnreachedSteps(of: reader) }
    return status
  }

  /// Runs what a reader has.
  ///
  /// - Parameters:
  ///   - number: the number that all statements have, as those of one `-c` have its ordinal; nil: each has its line.
  ///   - looksAtNames: true if names are looked at behind each line that may have given some.
  /// - Returns: the status with which to end now, or nil to go on.
  func runStatements(
    of reader: inout StatementReader, allNumbered number: Int? = nil, looksAtNames: Bool = false
  ) -> Int32? {
    while !hasQuit {
      if let status = stoppedStatus() { return status }
      if outcome.run != nil, loseRunOfGoneClient() { break }
      if writeOutputFailure(), !options.keepsGoing { return 1 }
      do throws(SyntaxFault) {
        guard var statement = try reader.next() else { return nil }
        if let number { statement = statement.numbered(number) }
        if running.isChecking, let fault = luaFault(of: statement) {
          report(number.map(fault.numbered) ?? fault)
          continue
        }
        let status = run(statement)
        let goesOn = outcome.checks != nil || options.keepsGoing
        // Ctrl-C is meant for the whole script.
        let isInterrupted = status != 0 && outcome.lastError?.code == ShellError.interrupted.code
        if status != 0, !goesOn || isInterrupted { return stoppedStatus() ?? status }
        if outcome.hasNewNames {
          outcome.hasNewNames = false
          if looksAtNames, hasUnknownName(aheadIn: reader) { return 2 }
        }
      } catch {
        let fault = number.map(error.numbered) ?? error
        console.transcribe(fault, program: options.name)
        report(fault)
        if !options.keepsGoing { return 2 }
      }
    }
    return outcome.quitStatus ?? 0
  }

  /// The status of a run whose results have all been handed to the system.
  private func ended(_ status: Int32) -> Int32 {
    if hasQuit { writeSummary() }
    noteMisspeltGrants()
    console.flush()
    writeOutputFailure()
    // As the system ends a program whose output has no reader.
    if console.delivery.hasLostReader { return 128 + SIGPIPE }
    if let quitStatus = outcome.quitStatus { return quitStatus }
    return status == 0 ? outcome.tally.firstStatus : status
  }

  /// Reports that results could not be written, as soon as that is known, and once.
  ///
  /// - Returns: true if there was such a failure.
  @discardableResult
  func writeOutputFailure() -> Bool {
    guard let error = console.tellOfFailure(marks: errorMarks) else { return false }
    if outcome.tally.firstStatus == 0 { outcome.tally.firstStatus = error.status }
    return true
  }

  /// Reports a run of `atomic` that no line ends, and takes it back.
  ///
  /// - Returns: the status of the error; nil: there is no such run.
  func endOpenRun() -> Int32? {
    guard !hasQuit, let error = endOfOpenRun() else { return nil }
    return writeError(error, file: running.origin.file)
  }

  private var finalStatus: Int32 {
    if let status = endOpenChecks() { return status }
    if let status = endOpenRun() { return status }
    writeSummary()
    return outcome.tally.firstStatus
  }

  /// Says how many commands failed where that did not end the run.
  private func writeSummary() {
    if options.keepsGoing, outcome.tally.failed > 0, !options.isJSON {
      console.writeError("\(outcome.tally.failed) of \(outcome.tally.reached) commands failed\n")
    }
  }
}

extension Session {
  /// Runs the file with statements that a prompt starts with. An error is reported and the rest goes on; so it is for a
  /// file that cannot be read. Plugins are loaded without a word; aliases may be made.
  public func run(initFile file: String) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(file, waiting: interrupts.fileWait)
    } catch {
      _ = writeError(error)
      return
    }
    runStart(bytes, of: file)
  }

  /// Runs the statements that a prompt starts with.
  ///
  /// - Parameter isThroughDoor: true if the store is another's: they only read, and what needs more than that is left out.
  func runStart(_ bytes: [UInt8], of file: String, isThroughDoor: Bool = false) {
    let (outerOptions, outerOrigin, outerTally) = (options, running.origin, outcome.tally)
    options.keepsGoing = true
    options.isQuiet = true
    if isThroughDoor { options.rights = options.rights.allow(.read) ? [.read] : [] }
    running.origin = StatementOrigin(
      file: file, kind: .batch, allowsAliases: true, isStart: true, isAttended: true, isThroughDoor: isThroughDoor)
    runAll(bytes)
    options.keepsGoing = outerOptions.keepsGoing
    options.isQuiet = outerOptions.isQuiet
    options.rights = outerOptions.rights
    running.origin = outerOrigin
    outcome.tally = outerTally
    let lines = outcome.leftOut.map(String.init)
    outcome.leftOut = []
    guard let last = lines.last else { return }
    let places =
      lines.count == 1 ? "line \(last) is" : "lines \(lines.dropLast().joined(separator: ", ")) and \(last) are"
    write(note: "\(file): \(places) left out, since another's store is only read at the start")
  }

  /// The status to leave with after a prompt: the one that `quit` asked for.
  public var status: Int32 { outcome.quitStatus ?? 0 }

  /// The status of an error that was reported when the store was opened, and did not keep it closed; 0: there was none.
  public var openingStatus: Int32 { outcome.openingStatus }

  /// From now on statements are checked, all of them, and none is run.
  public func checkOnly() {
    running.isChecking = true
    running.foreseen = ForeseenNames(names.heldParts)
    options.keepsGoing = true
  }
}
