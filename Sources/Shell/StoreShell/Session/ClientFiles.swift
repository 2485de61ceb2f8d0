import Platform
import ShellLanguage
import StoreHost
import StorePlugins

/// The files and the programs of a client at the other end of a door. Its statements read, write and run these instead of the
/// host's own.
///
/// The client does each step when it is asked to, and may refuse it: it opens only files that its own statements name, and runs only
/// programs that they hold.
package final class ClientFiles {
  package enum Step: Hashable, Sendable {
    case open(path: String, Use)
    /// Has a program ready, which starts with ``finish`` and reads what was written.
    case prepare(ClientProgram)
    /// The next piece that a program has written, or its end.
    case output
    /// The next piece; an empty one is the end.
    case next
    case write([UInt8])
    /// Puts the new content in its place.
    case finish
    /// Closes the file, and drops the new content.
    case cancel
  }

  /// The purpose for which a file is opened.
  package enum Use: String, Sendable {
    case reading = "read"
    case writing = "write"
    case appending = "append"
    /// The path is a command line, which the client's shell runs on the written bytes; the client shows its output.
    case piping = "pipe"
    /// The same; steps of ``Step/next`` read its output.
    case filtering = "filter"
    /// The path is a line for the client's own shell, with the client's terminal.
    case shell
  }

  package struct Reply: Sendable {
    /// The path from the root of the client's file system.
    package var path: String?
    /// The bytes of an ordinary file.
    package var size: Int?
    package var piece: [UInt8] = []
    /// True if the piece was written to standard error.
    package var isError = false
    /// The way in which a command or a program ended; nil: it has not.
    package var ending: ProgramEnding?
    /// True if a program was ended since its time was over.
    package var isTimeOver = false
    /// The output that the client has printed, or the end of it.
    package var printed = ""

    package init() {}
  }

  /// Has the client do a step with the file of a number. Waits for its answer; a cancelled file has none.
  private let perform: (_ file: Int, _ step: Step) throws(FileError) -> Reply
  private var last = 0

  package init(perform: @escaping (_ file: Int, _ step: Step) throws(FileError) -> Reply) { self.perform = perform }

  /// The most bytes of a piece.
  package static let pieceSize = 1 << 16
  /// The mark before a path of the host's own file system.
  package static let hostMark = "host:"

  /// Opens a file.
  fileprivate func open(_ path: String, _ use: Use) throws(FileError) -> ClientFile {
    last += 1
    let reply = try perform(last, .open(path: path, use))
    return ClientFile(number: last, path: reply.path ?? path, size: reply.size, perform: perform)
  }
}

private final class ClientFile {
  let path: String
  let size: Int?
  private let number: Int
  private let perform: (_ file: Int, _ step: ClientFiles.Step) throws(FileError) -> ClientFiles.Reply
  private var isDone = false

  init(
    number: Int, path: String, size: Int?,
    perform: @escaping (_ file: Int, _ step: ClientFiles.Step) throws(FileError) -> ClientFiles.Reply
  ) {
    (self.number, self.path, self.size, self.perform) = (number, path, size, perform)
  }

  deinit { if !isDone { _ = try? perform(number, .cancel) } }

  func next() throws(FileError) -> [UInt8] {
    guard !isDone else { return [] }
    let piece = try perform(number, .next).piece
    if piece.isEmpty { isDone = true }
    return piece
  }

  func write(_ bytes: [UInt8]) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      _ = try perform(number, .write(Array(rest.prefix(ClientFiles.pieceSize))))
      rest = rest.dropFirst(ClientFiles.pieceSize)
    }
  }

  func finish() throws(FileError) -> ProgramEnding? {
    let ending = try perform(number, .finish).ending
    isDone = ending == nil
    return ending
  }
}

/// The files of statements: of the client that gave them, else of the program.
extension Session {
  /// True if a statement's file of that name is the client's.
  func isClients(_ file: String) -> Bool {
    person.files != nil && !file.hasPrefix(ClientFiles.hostMark)
  }

  /// The name of a file whose word stands without quotes: a `~` at its start is the folder of the user who has the file.
  func fileName(_ text: String) -> String { isClients(text) ? text : UserEnvironment.expanding(text) }

  /// The path of a file of the program's own.
  func hostPath(_ file: String) -> String {
    (person.files != nil || running.origin.isThroughDoor) && file.hasPrefix(ClientFiles.hostMark)
      ? UserEnvironment.expanding(String(file.dropFirst(ClientFiles.hostMark.count))) : file
  }

  /// Refuses a file of the host to a client that may not do all.
  private func requireHostFile(_ file: String) throws(FileError) {
    guard person.files != nil, !options.rights.isAll else { return }
    throw FileError(path: file, code: EACCES, reason: "a file of the host needs the right all")
  }

  /// Opens a file to read its lines; `-` is standard input.
  func lines(of file: String) throws(FileError) -> LineReader {
    guard isClients(file), let opened = try person.files?.open(file, .reading) else {
      try requireHostFile(file)
      return try LineReader(file: hostPath(file), waiting: interrupts.fileWait)
    }
    return LineReader(path: file, size: opened.size) { () throws(FileError) in try opened.next() }
  }

  /// The recording in a file; a client's is copied first.
  func recording(in file: String) throws -> RecordingSource {
    if isClients(file) { return try RecordingSource(file, lines: lines(of: file)) }
    try requireHostFile(file)
    return try RecordingSource(hostPath(file), waiting: interrupts.fileWait)
  }

  /// The bytes of a file.
  func content(of file: String) throws(FileError) -> [UInt8] {
    guard isClients(file), let opened = try person.files?.open(file, .reading) else {
      try requireHostFile(file)
      return try Files.read(hostPath(file), waiting: interrupts.fileWait)
    }
    var bytes: [UInt8] = []
    while case let piece = try opened.next(), !piece.isEmpty {
      bytes += piece
      guard bytes.count <= LineReader.longest else {
        throw FileError(path: file, unreadable: "it has more than \(LineReader.longest >> 20) MiB")
      }
    }
    return bytes
  }

  /// Begins a file of the session's own. The journal has all that it tells of before others can read it.
  ///
  /// - Throws: as `ReplacingFile.init`.
  func makeFile(_ file: String, appends: Bool = false) throws(FileError) -> ReplacingFile {
    guard isClients(file), let opened = try person.files?.open(file, appends ? .appending : .writing) else {
      try requireHostFile(file)
      return try ReplacingFile(hostPath(file), appends: appends, waiting: interrupts.fileWait) { [console] in
        console.prepareTelling()
      }
    }
    return ReplacingFile(of: opened.path) { (bytes) throws(FileError) in
      try opened.write(bytes)
    } finishing: { () throws(FileError) in
      _ = try opened.finish()
    }
  }

  /// Has the client's shell run a command line on a text.
  ///
  /// - Parameter receiver: takes what the command writes to standard output; nil: the client prints it.
  /// - Returns: nil: the statement comes from no client that runs commands.
  func runAtClient(
    _ line: String, on text: String, receiver: (([UInt8]) -> Void)?
  ) throws(FileError) -> ProgramEnding? {
    guard let opened = try person.files?.open(line, receiver == nil ? .piping : .filtering) else { return nil }
    try opened.write(Array(text.utf8))
    guard let ending = try opened.finish() else {
      throw FileError(path: line, unreadable: "the client does not say how it ended")
    }
    while let receiver, case let piece = try opened.next(), !piece.isEmpty { receiver(piece) }
    return ending
  }

  /// Has the client's own shell run a line, with the client's terminal.
  ///
  /// - Returns: nil: the statement comes from no client that runs commands.
  func runAtClientsShell(_ line: String) throws(FileError) -> ProgramEnding? {
    guard let opened = try person.files?.open(line, .shell) else { return nil }
    guard let ending = try opened.finish() else {
      throw FileError(path: line, unreadable: "the client does not say how it ended")
    }
    return ending
  }
}

/// A program that a client runs in its own folder, with its own environment.
package struct ClientProgram: Hashable, Sendable {
  package var words: [String]
  /// The folder that it runs in, seen from the client's; nil: that one.
  package var folder: String?
  /// The time that it may take; nil: any.
  package var timeout: Duration?
  /// True if the client prints its output as it comes.
  package var isShown = false
  /// True if the output that is shown, or the end of it, comes back, too.
  package var isKept = false

  package init(_ words: [String]) { self.words = words }
}

extension ClientFiles {
  /// Has the client run a program.
  ///
  /// - Parameters:
  ///   - isShown: true if the client prints its output as it comes.
  ///   - isKept: true if that comes back, too.
  /// - Returns: what was printed besides.
  func run(
    _ plan: ProgramRun, isShown: Bool, isKept: Bool
  ) throws(ProgramRun.Failure) -> (result: ProgramRun.Result, printed: String) {
    last += 1
    let number = last
    var hasEnded = false
    defer { if !hasEnded { _ = try? perform(number, .cancel) } }
    func ask(_ step: Step, _ failure: (FileError) -> ProgramRun.Failure) throws(ProgramRun.Failure) -> Reply {
      let reply: Reply
      do throws(FileError) {
        reply = try perform(number, step)
      } catch {
        if error.code == EINTR { throw .stopped }
        throw failure(error)
      }
      hasEnded = reply.ending != nil || reply.isTimeOver
      guard reply.isTimeOver else { return reply }
      guard let limit = plan.timeout else {
        throw .notStarted(FileError(path: plan.words[0], unreadable: "the client ended it before its time"))
      }
      throw .timeOver(limit)
    }
    var program = ClientProgram(plan.words)
    (program.folder, program.timeout) = (plan.folder, plan.timeout)
    (program.isShown, program.isKept) = (isShown, isKept)
    _ = try ask(.prepare(program)) { error in
      error.isMissing ? .noFolder(plan.folder ?? "") : .refused(error.reason)
    }
    var rest = plan.input[...]
    while !rest.isEmpty {
      _ = try ask(.write(Array(rest.prefix(Self.pieceSize)))) { .notStarted($0) }
      rest = rest.dropFirst(Self.pieceSize)
    }
    let started = try ask(.finish) { .notStarted($0) }
    if let ending = started.ending { return (ProgramRun.Result(ending), started.printed) }
    let result = try plan.collect { () throws(ProgramRun.Failure) in
      let reply = try ask(.output) { .notStarted($0) }
      if let ending = reply.ending { return .ended(ending) }
      return .wrote(reply.piece, isError: reply.isError)
    } refuse: { _ in
    }
    return (result, "")
  }
}

/// The files that statements name literally, or by an argument of their script: those that are read, and those that are written. And
/// the programs that they hold.
package struct NamedFiles: Sendable {
  /// The paths of the files that are read, by their names as statements write them.
  package private(set) var read: [String: String] = [:]
  package private(set) var written: [String: String] = [:]
  package internal(set) var programs = NamedPrograms()
  /// The arguments of the scripts among the files that are read.
  package private(set) var scripts: [String: [String]] = [:]
  /// The names in functions of Lua, which later texts may call, too.
  var lasting: [NamedFiles] = []
  /// The commands that later texts may give by another name.
  private var aliases: [String: String] = [:]

  package init() {}

  /// The names of a text that follows others.
  package init(after others: NamedFiles) {
    (lasting, aliases) = (others.lasting, others.aliases)
    for names in lasting { add(names) }
  }

  /// Adds the files and programs of other texts.
  mutating func add(_ other: NamedFiles) {
    read.merge(other.read) { $1 }
    written.merge(other.written) { $1 }
    scripts.merge(other.scripts) { $1 }
    programs.add(other.programs)
  }

  /// Adds the files that a text names.
  ///
  /// - Parameter arguments: the values of `$1`, `$2` ….
  package mutating func add(_ text: String, arguments: [String] = []) {
    let commands = CommandTable.standard
    let lua = LuaCompleteness()
    var reader = StatementReader(Array(text.utf8), grammar: commands.grammar { lua.isUnfinished($0) })
    var faults = 0
    while faults < 1000 {
      do throws(SyntaxFault) {
        guard let statement = try reader.next() else { return }
        add(statement, commands, arguments)
      } catch {
        faults += 1
      }
    }
  }

  private mutating func add(
    _ whole: Statement, _ commands: CommandTable, _ arguments: [String], expanded: Set<String> = []
  ) {
    if let redirection = whole.redirection, redirection.kind != .command {
      Self.add(redirection.target, arguments, to: &written)
    }
    let statement = commands.innermost(whole)
    let verb = statement.words[0].text
    if commands[statement] == nil, let alias = aliases[verb], !expanded.contains(verb) {
      let lua = LuaCompleteness()
      let grammar = commands.grammar { lua.isUnfinished($0) }
      guard let command = try? statement.replacingVerb(with: alias, grammar).command else { return }
      return add(command, commands, arguments, expanded: expanded.union([verb]))
    }
    addPrograms(of: statement, commands[statement], commands, arguments)
    guard let definition = commands[statement] else { return }
    if definition === CommandDefinition.alias, let command = statement.lua?.text, statement.words.count > 1 {
      aliases[statement.words[1].text] = command
    }
    var place = 0
    var flag: FlagDefinition?
    for word in statement.words.dropFirst() {
      if case .flag(let name, let value) = word.kind {
        let definition = definition.flags.first { $0.name == name }
        if let value { add(definition, value, arguments) } else { flag = definition?.value == nil ? nil : definition }
        continue
      }
      guard case .value(let literal) = word.kind else { continue }
      if let named = flag {
        flag = nil
        add(named, literal, arguments)
        continue
      }
      defer { place += 1 }
      guard place < definition.operands.count else { continue }
      switch definition.operands[place] {
      case .file(.read): Self.add(literal, arguments, to: &read)
      case .file(.write): Self.add(literal, arguments, to: &written)
      case .file(.script):
        guard let name = Self.add(literal, arguments, to: &read) else { continue }
        scripts[name] = statement.words.dropFirst(2).compactMap { word in
          if case .value(let literal) = word.kind { Self.text(of: literal, arguments) } else { nil }
        }
      default: break
      }
    }
  }

  private mutating func add(_ flag: FlagDefinition?, _ value: Literal, _ arguments: [String]) {
    if flag?.writesFile == true { Self.add(value, arguments, to: &written) }
  }

  @discardableResult
  private static func add(_ literal: Literal, _ arguments: [String], to files: inout [String: String]) -> String? {
    guard let name = text(of: literal, arguments), !name.hasPrefix(ClientFiles.hostMark) else { return nil }
    let isQuoted =
      switch literal {
      case .text: true
      case .composed(let text): text.isQuoted
      default: false
      }
    files[name] = isQuoted ? name : UserEnvironment.expanding(name)
    return name
  }

  /// The text of a literal; nil: only the store's own end knows it.
  static func text(of literal: Literal, _ arguments: [String]) -> String? {
    func argument(_ name: String) -> String? {
      Int(name).flatMap { arguments.indices.contains($0 - 1) ? arguments[$0 - 1] : nil }
    }
    switch literal {
    case .bare(let text), .text(let text): return text
    case .variable(let name): return argument(name)
    case .composed(let text):
      var whole = ""
      for piece in text.pieces {
        switch piece {
        case .text(let text): whole += text
        case .value(.variable(let name), _):
          guard let argument = argument(name) else { return nil }
          whole += argument
        case .value(.lua, _): return nil
        }
      }
      return whole
    default: return nil
    }
  }
}
