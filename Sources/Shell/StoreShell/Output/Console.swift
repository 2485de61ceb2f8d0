import Platform
import ShellLanguage
import StorePlugins

/// The session's one output: results to standard output, everything else to standard error, each buffered and in the order
/// in which they were written.
public final class Console {
  private var output: [UInt8] = []
  /// True if somebody looks at standard error, on a terminal: long commands show there how far they are.
  public var showsProgress = false
  private let outputDescriptor: Int32
  private let errorDescriptor: Int32
  private var captured: String?
  /// True if results are held back, because a pager may show them; ends with other text that must be seen at once.
  var isHolding = false
  private var transcript: Transcript?
  private var failure: FileError?
  private var hasToldOfFailure = false
  /// The columns that a line of progress takes now.
  private var progressWidth = 0
  /// Takes whole lines instead of the descriptors, while a prompt is shown.
  package var interceptor: ((String, OutputTarget) -> Void)?
  /// Takes lines of JSON by themselves; nil: they are written as all else.
  private var takeLine: ((_ line: String, _ isEvent: Bool) -> Void)?
  /// The marks of styles, where there are any.
  private(set) var marks = StyleMarks.terminal
  /// Done before anything is told to anybody: what it tells of must be as durable as was asked. Gives what has to be said
  /// first, in whole lines.
  var beforeTelling: (() -> String?)?
  /// Done before anything else is written: it writes what came before.
  var beforeWriting: (() -> Void)?
  private var isPreparing = false
  /// Readable once the run is to end, which then waits no longer for somebody who does not read its results.
  var stopDescriptor: Int32 = -1
  /// True once the reader of the results went away, where that has not ended the program by SIGPIPE.
  private(set) var hasLostReader = false
  /// True if the reader of the results was waited for in vain.
  private var hasGivenUp = false
  /// Readable while Ctrl-C waits to be taken, which keeps results from going on to the terminal.
  var interruptDescriptor: Int32 = -1
  /// The number of bytes of results written since ``startResults()``.
  private var resultCount = 0
  /// True if Ctrl-C has kept results back since ``startResults()``.
  private(set) var hasDroppedResults = false
  /// The width of the terminal that results go to; nil: they go elsewhere.
  public let width: (@Sendable () -> Int?)

  /// A console over two descriptors.
  ///
  /// - Parameter width: the width of the terminal that results go to, or nil where they go elsewhere; not given: the
  ///   width that the descriptor says.
  public init(output: Int32 = 1, error: Int32 = 2, width: (@Sendable () -> Int?)? = nil) {
    outputDescriptor = output
    errorDescriptor = error
    self.width = width ?? { Console.columns(of: output) }
    self.output.reserveCapacity(1 << 16)
  }

  /// A console whose text is handed to somebody as it is written, who takes it on the thread of the session.
  ///
  /// - Parameters:
  ///   - marks: the marks of styles, by which whoever takes it knows them.
  ///   - take: takes text.
  ///   - takeLine: takes a line of JSON: the report of a command, or an event.
  package init(
    width: @escaping @Sendable () -> Int?, marks: StyleMarks, _ take: @escaping (String, OutputTarget) -> Void,
    takeLine: @escaping (_ line: String, _ isEvent: Bool) -> Void
  ) {
    (outputDescriptor, errorDescriptor) = (-1, -1)
    self.width = width
    self.marks = marks
    interceptor = take
    self.takeLine = takeLine
    showsErrors = true
  }

  /// True if results go to a terminal now, not into a file or a command.
  var showsResults: Bool { !isCapturing && width() != nil }

  /// True if results go into a file or a command.
  var isCapturing: Bool { captured != nil }

  /// True if errors go to a terminal. Asked for each statement, so that the system is asked once.
  private(set) lazy var showsErrors = isatty(errorDescriptor) == 1

  /// Writes a result.
  public func write(_ text: String) {
    prepareWriting()
    if isCapturing {
      captured?.append(text)
    } else {
      emit(text)
    }
  }

  /// Writes an event of `--json`: wherever the result of the command goes that runs, this is no part of it.
  func writeEvent(_ line: String) {
    prepareWriting()
    emit(line: line, isEvent: true)
  }

  /// Writes the report of a command in JSON.
  func writeReport(_ line: String) {
    guard !isCapturing else { return write(line + "\n") }
    prepareWriting()
    emit(line: line, isEvent: false)
  }

  private func emit(line: String, isEvent: Bool) {
    guard let takeLine else { return emit(line + "\n") }
    prepareTelling()
    transcript?.write(line + "\n")
    takeLine(line, isEvent)
  }

  private func prepareWriting() {
    guard let beforeWriting, !isPreparing else { return }
    isPreparing = true
    beforeWriting()
    isPreparing = false
  }

  private func emit(_ text: String) {
    if let interceptor {
      prepareTelling()
      transcript?.write(text)
      return interceptor(text, .standardOutput)
    }
    if let transcript {
      prepareTelling()
      transcript.write(text)
    }
    guard !hasDroppedResults else { return }
    output.append(contentsOf: text.utf8)
    if output.count >= (isHolding ? 1 << 23 : 1 << 15) { flush() }
  }

  /// Writes an error, a note, or another line that is no result.
  public func writeError(_ text: String) {
    prepareWriting()
    if interceptor == nil { flush() }
    prepareTelling()
    transcript?.write(text)
    sayAtOnce(text)
  }

  private func sayAtOnce(_ text: String) {
    if let interceptor { return interceptor(text, .standardError) }
    hideProgress()
    Console.write(Array(text.utf8), to: errorDescriptor)
  }

  /// Sees to it that what is told next is as durable as was asked, and says where it is not.
  func prepareTelling() {
    if let text = beforeTelling?() { writeAhead(text) }
  }

  /// Writes a note before the results that are still buffered.
  func writeAhead(_ text: String) {
    transcript?.write(text)
    sayAtOnce(text)
  }

  /// Shows how far a long command is, on a line that is written over and over. Whatever else is printed takes its place.
  func showProgress(_ text: String) {
    flush()
    // Text that reaches a row's end would go on in the next one, and a return leads back to that row only.
    let text = String(text.prefix(max(0, errorColumns - 3)))
    // Blanks and no escape sequence: any terminal knows them.
    let blanks = String(repeating: " ", count: max(0, progressWidth - text.count))
    Console.write(Array("\r\(text)\(blanks)".utf8), to: errorDescriptor)
    progressWidth = text.count
  }

  /// Leaves the line of progress empty, with what the terminal may have added to it: the `^C` of a key.
  func hideProgress() {
    guard progressWidth > 0 else { return }
    let blanks = String(repeating: " ", count: progressWidth + 2)
    Console.write(Array("\r\(blanks)\r".utf8), to: errorDescriptor)
    progressWidth = 0
  }

  /// The width of the terminal that errors go to.
  private var errorColumns: Int { Console.columns(of: errorDescriptor) ?? 80 }

  /// The width of a terminal; nil: it does not say, or is none.
  private static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Returns true if a transcript in a file would replace one of the sources that are read.
  public static func transcript(_ file: String, replacesOneOf sources: [String]) -> Bool {
    Files.isOrdinary(file) && sources.contains { Files.areSame($0, file) }
  }

  /// Keeps all statements and what they print in a file too, as they would stand at a prompt.
  ///
  /// - Throws: `FileError` where the file cannot be written.
  public func startTranscript(_ file: String) throws { transcript = try Transcript(file: file, until: stopDescriptor) }

  /// Keeps a statement that is about to run.
  func transcribe(_ statement: Statement, program: String) { transcript?.write(statement, program: program) }

  /// Keeps a line that is no statement.
  func transcribe(_ fault: SyntaxFault, program: String) { transcript?.write("\(program)> \(fault.text)\n") }

  /// True if all statements and their output are kept.
  var hasTranscript: Bool { transcript != nil }

  /// Keeps what a shell command printed; of one that drew on the screen, such as a pager, what it was given to show.
  func transcribe(printed: String, given: String) { transcript?.write(Transcript.draws(printed) ? given : printed) }

  /// The terminal that results go to; nil: they go elsewhere.
  var terminal: Int32? { isatty(outputDescriptor) == 1 ? outputDescriptor : nil }

  /// Hands bytes that somebody else printed to the system, after all that is buffered.
  func passOn(_ bytes: [UInt8]) {
    output += bytes
    flush()
  }

  /// Hands what is buffered to the system.
  public func flush() {
    guard !output.isEmpty else { return }
    isHolding = false
    hideProgress()
    prepareTelling()
    if let code = deliver(), failure == nil {
      failure = FileError(path: "standard output", code: code, .writing)
    }
    output.removeAll(keepingCapacity: true)
  }

  /// Starts the results of a statement.
  func startResults() {
    resultCount = 0
    hasDroppedResults = false
  }

  /// As much of a statement's results is shown whatever happens: it may tell of what was done.
  private static let shownBytes = 1 << 16

  private var canBeInterrupted: Bool { interruptDescriptor >= 0 && terminal != nil }

  /// Writes the buffered text, in pieces that a pipe takes at once or not at all. Between two of them the run can be
  /// stopped, and Ctrl-C keeps the rest from the terminal.
  private func deliver() -> Int32? {
    guard stopDescriptor >= 0 || canBeInterrupted else { return hand(output[...]) }
    var rest = output[...]
    while !rest.isEmpty, !hasGivenUp, !hasDroppedResults {
      guard isTaken() else { return nil }
      let piece = rest.prefix(Int(PIPE_BUF))
      if let code = hand(piece) { return code }
      rest = rest.dropFirst(piece.count)
      resultCount += piece.count
    }
    return nil
  }

  private func hand(_ bytes: ArraySlice<UInt8>) -> Int32? {
    let code = Files.write(bytes, to: outputDescriptor).failure
    guard code == EPIPE else { return code }
    hasLostReader = true
    return nil
  }

  /// Waits until results are taken; once the run is to end, for a second at most.
  private func isTaken() -> Bool {
    let isInterruptible = canBeInterrupted && resultCount >= Console.shownBytes
    var sources = [
      pollfd(fd: outputDescriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: stopDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: isInterruptible ? interruptDescriptor : -1, events: Int16(POLLIN), revents: 0),
    ]
    var isStopped = false
    while true {
      if sources[1].revents != 0 {
        isStopped = true
        sources[1].fd = -1
      }
      hasGivenUp = poll(&sources, nfds_t(sources.count), isStopped ? 1000 : -1) == 0
      hasDroppedResults = sources[2].revents != 0
      if hasGivenUp || hasDroppedResults { return false }
      if sources[0].revents != 0 { return true }
    }
  }

  /// Forgets results that are held back.
  func dropHeld() { if isHolding { output.removeAll(keepingCapacity: true) } }

  /// Hands what is buffered to the system for the last time; why that failed is told on standard error.
  ///
  /// - Returns: 0, or the status of the failure.
  public func end() -> Int32 {
    flush()
    return tellOfFailure()?.status ?? 0
  }

  /// Tells once why something that was written did not arrive, as soon as that is known.
  ///
  /// - Returns: the error that was told; nil: there was none.
  func tellOfFailure(marks: StyleMarks = .none) -> ShellError? {
    guard !hasToldOfFailure, let failure = failure ?? transcript?.failure else { return nil }
    hasToldOfFailure = true
    let error = ShellError(failure)
    writeError(ErrorRenderer(file: nil, marks: marks).text(of: error))
    return error
  }

  /// Hands out what is buffered, and forgets it where it was taken.
  func takeHeld(_ take: ([UInt8]) -> Bool) {
    prepareTelling()
    if take(output) { output.removeAll(keepingCapacity: true) }
  }

  /// Runs a command and gives its results instead of writing them.
  func capturing(_ body: () throws -> Void) rethrows -> String {
    let outer = captured
    captured = ""
    defer { captured = outer }
    try body()
    return captured ?? ""
  }

  /// Writes all of some bytes.
  @discardableResult
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? { write(bytes[...], to: descriptor) }

  /// Writes all of some bytes.
  ///
  /// - Returns: the number of the system's error; nil: there was none, or the reader went away, of whom nobody is told.
  @discardableResult
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int32? {
    let code = Files.write(bytes, to: descriptor).failure
    // A reader that went away ends the program by SIGPIPE, unless whoever started it has that ignored.
    return code == EPIPE ? nil : code
  }
}
