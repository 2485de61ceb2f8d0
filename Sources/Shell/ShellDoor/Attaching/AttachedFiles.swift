import Platform
import StoreHistory
import StoreSchema
import StoreShell

/// The client's files that the host reads and writes for a statement, and the programs that it has the client run.
///
/// A hostile host can ask for anything. The client serves only files that the statement names itself, and runs only programs that it
/// holds.
struct AttachedFiles {
  /// The place where the programs of a statement run.
  struct Place {
    /// A descriptor that ends what runs when it becomes readable; -1: none does.
    let stop: Int32
    /// The connection to the host, whose end ends what runs.
    let connection: Int32
    /// Shows what programs write.
    let console: Console
  }

  /// True if command lines may run here.
  var runsPrograms = true
  /// True if `-` is the standard input: neither a script nor a person's keys come from there.
  var readsStandardInput = false
  private var named = NamedFiles()
  /// True while a statement runs over there.
  private var isServing = false
  private var open: [Int: OpenFile] = [:]
  /// The file of the script that runs; nil: none does.
  private var script: String?
  /// The files that the host has written: their statements are none that were given here.
  private var filesOfHost: Set<String> = []

  /// The most files that are open at a time: a statement reads one and writes two.
  private static let mostOpen = 16

  private enum OpenFile {
    case read(descriptor: Int32, path: String, script: (text: [UInt8], arguments: [String])?)
    case written(ReplacingFile, path: String)
    case piped(PipedCommand)
    case output(ArraySlice<UInt8>)
    case shellLine(String)
    case prepared(PreparedProgram)
    case running(RunningProgram)
  }

  /// A program that waits for all that it is to read.
  private final class PreparedProgram {
    let program: ClientProgram
    var input: [UInt8] = []

    init(_ program: ClientProgram) { self.program = program }
  }

  /// A command line that waits for all of its input.
  private final class PipedCommand {
    let line: String
    let isFiltered: Bool
    var input: [UInt8] = []

    init(_ line: String, isFiltered: Bool) { (self.line, self.isFiltered) = (line, isFiltered) }
  }

  /// Begins to serve the files that a text names.
  ///
  /// - Parameters:
  ///   - text: the statements, from the beginning of the one that is open.
  ///   - script: the file that they stand in; nil: they stand in none.
  mutating func begin(_ text: String, arguments: [String], script: String?) {
    named = NamedFiles(after: named)
    named.add(text, arguments: arguments)
    (isServing, self.script) = (true, script)
  }

  /// Ends that, and drops unfinished files and programs.
  mutating func end() {
    for case .read(let descriptor, _, _) in open.values { close(descriptor) }
    (open, isServing, named) = ([:], false, NamedFiles(after: named))
  }

  /// Forgets the texts of another conversation.
  mutating func forget() { named = NamedFiles() }

  /// Does a step that the host asks for.
  ///
  /// - Returns: the answer; nil: none is wanted.
  mutating func answer(to message: DoorMessage, at place: Place) -> String? {
    guard let number = message.number("file") else { return nil }
    if message["cancel"] != nil {
      if case .read(let descriptor, _, _)? = open.removeValue(forKey: number) { close(descriptor) }
      return nil
    }
    do throws(FileError) {
      return try step(number, message, at: place)
    } catch {
      return JSON.object([
        "file": .number(number),
        "error": .json(
          JSON.object(["number": .number(Int(error.code)), "message": .text(error.reason), "path": .text(error.path)])),
      ])
    }
  }

  private mutating func step(_ number: Int, _ message: DoorMessage, at place: Place) throws(FileError) -> String {
    let wait = FileWait(endedBy: place.stop)
    if let path = message.text("open") {
      if message.text("for") == "run" { return try prepare(path, number, message) }
      guard let use = message.text("for").flatMap(ClientFiles.Use.init), open[number] == nil else {
        throw Self.unnamed(path)
      }
      return switch use {
      case .reading: try read(path, number, waiting: wait)
      case .writing, .appending: try write(path, number, use, waiting: wait)
      case .piping, .filtering: try pipe(into: path, number, isFiltered: use == .filtering)
      case .shell: try openShell(path, number)
      }
    }
    switch open[number] {
    case .read(let descriptor, let path, let script)? where message["next"] != nil:
      return try next(descriptor, path, script, number, waiting: wait)
    case .written(let file, let path)? where message["data"] != nil:
      guard let bytes = message.bytes("data"), bytes.count <= ClientFiles.pieceSize else {
        throw FileError(path: path, code: EINVAL, .writing)
      }
      file.bytes += bytes
      try file.passOn()
      return JSON.object(["file": .number(number)])
    case .written(let file, _)? where message["finish"] != nil:
      open[number] = nil
      try file.finish()
      return JSON.object(["file": .number(number)])
    case .piped(let command)? where message["data"] != nil:
      guard let bytes = message.bytes("data"), bytes.count <= ClientFiles.pieceSize else {
        throw FileError(path: command.line, code: EINVAL, .writing)
      }
      command.input += bytes
      guard command.input.count <= LineReader.longest else {
        throw FileError(path: command.line, code: EFBIG, .writing)
      }
      return JSON.object(["file": .number(number)])
    case .piped(let command)? where message["finish"] != nil: return try run(command, number, at: place)
    case .shellLine(let line)? where message["finish"] != nil:
      open[number] = nil
      return try Self.ended(
        OwnShell.end(of: line, until: place.stop, connection: place.connection), number, of: line)
    case .prepared(let prepared)? where message["data"] != nil:
      guard let bytes = message.bytes("data"), bytes.count <= ClientFiles.pieceSize,
        prepared.input.count + bytes.count <= LineReader.longest
      else { throw FileError(path: prepared.program.words[0], code: EFBIG, .writing) }
      prepared.input += bytes
      return JSON.object(["file": .number(number)])
    case .prepared(let prepared)? where message["finish"] != nil: return try start(prepared, number, at: place)
    case .running(let program)? where message["output"] != nil:
      return try next(of: program, number)
    case .output(let rest)? where message["next"] != nil:
      open[number] = rest.isEmpty ? nil : .output(rest.dropFirst(ClientFiles.pieceSize))
      return JSON.object([
        "file": .number(number), "data": .text(DoorMessage.text(of: rest.prefix(ClientFiles.pieceSize))),
      ])
    default: throw FileError(path: "", code: EBADF)
    }
  }

  private static func unnamed(_ path: String, _ operation: FileError.Operation = .reading) -> FileError {
    FileError(
      path: path, code: EACCES, operation,
      reason: "no statement that was given here names this file so; a name that the store's end computes is refused")
  }

  private static func forbidden(_ line: String, _ what: String = "programs may not be run here") -> FileError {
    FileError(path: line, code: EACCES, .writing, reason: "\(what) (--no-exec)")
  }

  private mutating func read(_ path: String, _ number: Int, waiting wait: FileWait) throws(FileError) -> String {
    guard isServing, let file = named.read[path] else { throw Self.unnamed(path) }
    guard open.count < Self.mostOpen else { throw FileError(path: path, code: EMFILE) }
    let descriptor = try file == "-" ? standardInput() : Files.openToRead(file, waiting: wait)
    let script = filesOfHost.contains(Self.place(of: file)) ? nil : named.scripts[path]
    open[number] = .read(descriptor: descriptor, path: file, script: script.map { (text: [], arguments: $0) })
    var status = stat()
    let isOrdinary = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    return JSON.object([
      "file": .number(number), "path": .text(file == "-" ? file : Files.absolute(file)),
      "size": isOrdinary ? .number(Int(status.st_size)) : nil,
    ])
  }

  private func standardInput() throws(FileError) -> Int32 {
    guard readsStandardInput else {
      throw FileError(path: "-", code: EACCES, reason: "standard input gives the statements themselves")
    }
    let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw FileError(path: "-", code: errno) }
    return descriptor
  }

  private mutating func next(
    _ descriptor: Int32, _ path: String, _ script: (text: [UInt8], arguments: [String])?, _ number: Int,
    waiting wait: FileWait
  ) throws(FileError) -> String {
    try Files.waitToRead(descriptor, path: path, wait)
    var block = [UInt8](repeating: 0, count: ClientFiles.pieceSize)
    var count = -1
    repeat { count = Platform.read(descriptor, &block, block.count) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw FileError(path: path, code: errno) }
    block.removeLast(block.count - count)
    if var script {
      // The statements of a script name files, too.
      script.text += block
      open[number] = .read(descriptor: descriptor, path: path, script: script)
      guard script.text.count <= LineReader.longest else { throw FileError(path: path, code: EFBIG) }
      if count == 0 { named.add(String(decoding: script.text, as: UTF8.self), arguments: script.arguments) }
    }
    if count == 0 {
      close(descriptor)
      open[number] = nil
    }
    return JSON.object(["file": .number(number), "data": .text(DoorMessage.text(of: block))])
  }

  private mutating func write(
    _ path: String, _ number: Int, _ use: ClientFiles.Use, waiting wait: FileWait
  ) throws(FileError) -> String {
    guard isServing, let file = named.written[path] else { throw Self.unnamed(path, .writing) }
    guard open.count < Self.mostOpen else { throw FileError(path: path, code: EMFILE, .writing) }
    guard Journal.store(at: file) == nil else {
      throw FileError(path: path, code: EACCES, .writing, reason: "it is the file of a store, and would be replaced")
    }
    var others = open.values.compactMap { if case .read(_, let path, _) = $0 { path } else { nil } }
    if let script { others.append(script) }
    guard !others.contains(where: { Files.isOrdinary($0) && Files.areSame(file, $0) }) else {
      throw FileError(path: path, code: EACCES, .writing, reason: "it is a file that this command uses already")
    }
    let made = try ReplacingFile(file, appends: use == .appending, waiting: wait)
    open[number] = .written(made, path: file)
    let place = Self.place(of: file)
    filesOfHost.insert(place)
    return JSON.object(["file": .number(number), "path": .text(place)])
  }

  private mutating func pipe(into line: String, _ number: Int, isFiltered: Bool) throws(FileError) -> String {
    guard isServing, named.programs.lines[line] != nil else { throw Self.unnamed(line, .writing) }
    guard runsPrograms else { throw Self.forbidden(line, "results may not be piped into commands here") }
    guard open.count < Self.mostOpen else { throw FileError(path: line, code: EMFILE, .writing) }
    open[number] = .piped(PipedCommand(line, isFiltered: isFiltered))
    return JSON.object(["file": .number(number)])
  }

  private mutating func run(_ piped: PipedCommand, _ number: Int, at place: Place) throws(FileError) -> String {
    open[number] = nil
    var command = ShellCommand(line: piped.line, stops: [place.stop])
    command.connections = [place.connection]
    command.arguments = named.programs.lines[piped.line] ?? []
    var output: [UInt8] = []
    if piped.isFiltered { command.receiver = { output += $0 } }
    let ending = try command.run(piped.input)
    if piped.isFiltered { open[number] = .output(output[...]) }
    return try Self.ended(ending, number, of: piped.line)
  }

  private static func ended(_ ending: ProgramEnding, _ number: Int, of line: String) throws(FileError) -> String {
    guard ending != .interrupted else { throw FileError(path: line, code: EINTR, .writing) }
    return ended(ProgramRun.Result(ending), number)
  }

  // MARK: Programs

  private mutating func openShell(_ line: String, _ number: Int) throws(FileError) -> String {
    guard isServing, named.programs.shellLines.contains(line) else { throw Self.unheld("!") }
    guard runsPrograms else { throw Self.forbidden(line) }
    guard open.count < Self.mostOpen else { throw FileError(path: line, code: EMFILE, .writing) }
    open[number] = .shellLine(line)
    return JSON.object(["file": .number(number)])
  }

  private static func unheld(_ name: String) -> FileError {
    FileError(
      path: name, code: EACCES,
      reason:
        "no statement that was given here runs \(SafeText.line(name)) so: the store's end may compute arguments, but no "
        + "program, option or code")
  }

  private mutating func prepare(_ name: String, _ number: Int, _ message: DoorMessage) throws(FileError) -> String {
    guard isServing, open[number] == nil else { throw Self.unheld(name) }
    var program = ClientProgram([name] + message.list("words").compactMap(\.text))
    program.folder = message.text("in")
    switch message["timeout"] {
    case .int(let seconds)?: program.timeout = .seconds(min(max(seconds, 0), 1_000_000_000))
    case .double(let seconds)?: program.timeout = .seconds(min(max(seconds, 0), 1_000_000_000))
    default: break
    }
    (program.isShown, program.isKept) = (message["shown"] != nil, message["kept"] != nil)
    guard named.programs.hold(program.words, in: program.folder) else { throw Self.unheld(name) }
    guard runsPrograms else { throw Self.forbidden(name) }
    if let folder = program.folder, !Files.isDirectory(folder) { throw FileError(path: folder, code: ENOENT) }
    guard open.count < Self.mostOpen else { throw FileError(path: name, code: EMFILE, .writing) }
    open[number] = .prepared(PreparedProgram(program))
    return JSON.object(["file": .number(number)])
  }

  private mutating func start(_ prepared: PreparedProgram, _ number: Int, at place: Place) throws(FileError) -> String {
    open[number] = nil
    let program = prepared.program
    guard named.programs.hold(program.words, in: program.folder, reading: prepared.input) else {
      throw Self.unheld(program.words[0])
    }
    var plan = ProgramRun(program.words)
    (plan.input, plan.folder, plan.timeout) = (prepared.input, program.folder, program.timeout)
    (plan.stops, plan.connections) = ([place.stop], [place.connection])
    do throws(ProgramRun.Failure) {
      guard !program.isShown else {
        let (result, printed) = try run(plan, on: place.console)
        return Self.ended(result, number, printed: program.isKept ? printed : nil)
      }
      open[number] = .running(try plan.start())
      return JSON.object(["file": .number(number)])
    } catch {
      return try Self.answer(to: error, number)
    }
  }

  private func run(
    _ plan: ProgramRun, on console: Console
  ) throws(ProgramRun.Failure) -> (result: ProgramRun.Result, printed: String) {
    var (plan, printed) = (plan, ProgramOutput())
    plan.mostBytes = .max
    plan.receiver = { printed.take($0, isError: $1, on: console) }
    defer {
      printed.endLine(on: console)
      console.flush()
    }
    let result = try plan.toEnd()
    return (result, printed.text)
  }

  private static func ended(_ result: ProgramRun.Result, _ number: Int, printed: String? = nil) -> String {
    JSON.object([
      "file": .number(number), "status": result.signal == nil ? .number(result.status) : nil,
      "signal": result.signal.map { .number($0) }, "printed": printed.map { .text($0) },
    ])
  }

  /// Waits for the next piece that a program writes, or for its end.
  private mutating func next(of program: RunningProgram, _ number: Int) throws(FileError) -> String {
    do throws(ProgramRun.Failure) {
      switch try program.next() {
      case .wrote(let bytes, let isError):
        let data = JSON.Content.text(DoorMessage.text(of: bytes))
        return JSON.object(["file": .number(number), "data": isError ? nil : data, "errors": isError ? data : nil])
      case .ended(let ending):
        open[number] = nil
        return Self.ended(ProgramRun.Result(ending), number)
      }
    } catch {
      open[number] = nil
      return try Self.answer(to: error, number)
    }
  }

  /// Tells why a program has no end of its own.
  private static func answer(to failure: ProgramRun.Failure, _ number: Int) throws(FileError) -> String {
    switch failure {
    case .timeOver: return JSON.object(["file": .number(number), "timedOut": .flag(true)])
    case .notStarted(let error): throw error
    default: throw FileError(path: "", code: EINTR)
    }
  }

  /// The path from the root of a file that may not be there yet.
  private static func place(of file: String) -> String {
    if let path = Files.resolved(file) { return path }
    return "\(Files.absolute(file.folder))/\(file.lastComponent)"
  }
}
