import Platform
import ShellLanguage
import StoreHistory
import StoreSchema
import StoreShell

/// The client's files that the host reads and writes for a statement, and the commands that it pipes results into.
///
/// A hostile host can ask for anything. The client serves only files and commands that the statement names itself.
struct AttachedFiles {
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

  /// The most files that are open at a time: a statement reads one and writes two.
  private static let mostOpen = 16

  private enum OpenFile {
    case read(descriptor: Int32, path: String, script: (text: [UInt8], arguments: [String])?)
    case written(ReplacingFile, path: String)
    case piped(PipedCommand)
    case output(ArraySlice<UInt8>)
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
    named = NamedFiles()
    named.add(text, arguments: arguments)
    (isServing, self.script) = (true, script)
  }

  /// Ends that, and drops unfinished files.
  mutating func end() {
    for case .read(let descriptor, _, _) in open.values { close(descriptor) }
    (open, isServing, named) = ([:], false, NamedFiles())
  }

  /// Does a step that the host asks for.
  ///
  /// - Parameter stop: a descriptor that ends the wait for a pipe or a command when it becomes readable; -1: none does.
  /// - Returns: the answer; nil: none is wanted.
  mutating func answer(to message: DoorMessage, until stop: Int32) -> String? {
    guard let number = message.number("file") else { return nil }
    if message["cancel"] != nil {
      if case .read(let descriptor, _, _)? = open.removeValue(forKey: number) { close(descriptor) }
      return nil
    }
    do throws(FileError) {
      return try step(number, message, until: stop)
    } catch {
      return JSON.object([
        "file": .number(number),
        "error": .json(JSON.object(["number": .number(Int(error.code)), "message": .text(error.reason)])),
      ])
    }
  }

  private mutating func step(_ number: Int, _ message: DoorMessage, until stop: Int32) throws(FileError) -> String {
    let wait = FileWait(endedBy: stop)
    if let path = message.text("open") {
      guard let use = message.text("for").flatMap(ClientFiles.Use.init), open[number] == nil else {
        throw Self.unnamed(path)
      }
      return switch use {
      case .reading: try read(path, number, waiting: wait)
      case .writing, .appending: try write(path, number, use, waiting: wait)
      case .piping, .filtering: try pipe(into: path, number, isFiltered: use == .filtering)
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
    case .piped(let command)? where message["finish"] != nil: return try run(command, number, until: stop)
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

  private mutating func read(_ path: String, _ number: Int, waiting wait: FileWait) throws(FileError) -> String {
    guard isServing, let file = named.read[path] else { throw Self.unnamed(path) }
    guard open.count < Self.mostOpen else { throw FileError(path: path, code: EMFILE) }
    let descriptor = try file == "-" ? standardInput() : Files.openToRead(file, waiting: wait)
    open[number] = .read(
      descriptor: descriptor, path: file, script: named.scripts[path].map { (text: [], arguments: $0) })
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
    return JSON.object(["file": .number(number), "path": .text(Self.place(of: file))])
  }

  private mutating func pipe(into line: String, _ number: Int, isFiltered: Bool) throws(FileError) -> String {
    guard isServing, named.commands[line] != nil else { throw Self.unnamed(line, .writing) }
    guard runsPrograms else {
      throw FileError(
        path: line, code: EACCES, .writing, reason: "results may not be piped into commands here (--no-exec)")
    }
    guard open.count < Self.mostOpen else { throw FileError(path: line, code: EMFILE, .writing) }
    open[number] = .piped(PipedCommand(line, isFiltered: isFiltered))
    return JSON.object(["file": .number(number)])
  }

  private mutating func run(_ piped: PipedCommand, _ number: Int, until stop: Int32) throws(FileError) -> String {
    open[number] = nil
    var command = ShellCommand(line: piped.line, stops: [stop])
    command.arguments = named.commands[piped.line] ?? []
    var output: [UInt8] = []
    if piped.isFiltered { command.receiver = { output += $0 } }
    let ending = try command.run(piped.input)
    if piped.isFiltered { open[number] = .output(output[...]) }
    return switch ending {
    case .exited(let status): JSON.object(["file": .number(number), "status": .number(Int(status))])
    case .signalled(let signal): JSON.object(["file": .number(number), "signal": .number(Int(signal))])
    case .interrupted: throw FileError(path: piped.line, code: EINTR, .writing)
    }
  }

  /// The path from the root of a file that may not be there yet.
  private static func place(of file: String) -> String {
    if let path = Files.resolved(file) { return path }
    return "\(Files.absolute(file.folder))/\(file.lastComponent)"
  }
}
