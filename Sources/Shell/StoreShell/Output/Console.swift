import CCrash
import Platform
import ShellLanguage
import StoreSchema

/// The session's one output: results to standard output, everything else to standard error, each buffered and in the order
/// in which they were written.
public final class Console {
  @exclusivity(unchecked) var output = TextBuffer()
  /// The results that are buffered, for a fault of the program.
  package let held = UnsafeMutablePointer<CCrashHeld>.allocate(capacity: 1)
  /// True if somebody looks at standard error, on a terminal: long commands show there how far they are.
  public var showsProgress = false
  // Not checked for exclusive access where every statement looks: one thread writes, and what it calls does not write by itself.
  @exclusivity(unchecked) var delivery: ResultDelivery
  /// The way of errors and notes.
  private var errors: ResultDelivery
  private var progress: ProgressLine
  @exclusivity(unchecked) private var captured: String?
  /// True if results are held back, because a pager may show them; ends with other text that must be seen at once.
  @exclusivity(unchecked) var isHolding = false
  @exclusivity(unchecked) private var transcript: Transcript?
  /// Takes whole lines, as UTF-8, instead of the descriptors, while a prompt is shown.
  @exclusivity(unchecked) package var interceptor: ((UnsafeBufferPointer<UInt8>, OutputTarget) -> Void)?
  /// Takes lines of JSON by themselves; nil: they are written as all else.
  private var takeLine: ((_ line: String, _ isEvent: Bool) -> Void)?
  /// Hands on what was taken so far, where results are taken instead of written.
  @exclusivity(unchecked) private var handOn: ((_ nextLine: Int?) -> Void)?
  /// True if anything was taken since that.
  @exclusivity(unchecked) private var hasTaken = false
  /// The line of the outermost statement that began last; nil: none did.
  @exclusivity(unchecked) private(set) var lineUnderWay: Int?
  /// The marks of styles, where there are any.
  private(set) var marks = StyleMarks.terminal
  /// Done before anything is told to anybody: what it tells of must be as durable as was asked. Gives the notes that have to be
  /// told first.
  var beforeTelling: (() -> [String])?
  /// True if notes are events of `--json`.
  var tellsNotesAsEvents: () -> Bool = { false }
  /// Done before anything else is written: it writes what came before.
  var beforeWriting: (() -> Void)?
  @exclusivity(unchecked) private var isPreparing = false
  /// The time after which what is buffered is handed on, while statements go on.
  var pause = Duration.milliseconds(50)
  /// When ``flushDue(before:)`` flushed last.
  @exclusivity(unchecked) private var lastFlush = ContinuousClock.now
  /// The width of the terminal that results go to; nil: they go elsewhere.
  public let width: (@Sendable () -> Int?)

  /// A console over two descriptors.
  ///
  /// - Parameter width: the width of the terminal that results go to, or nil where they go elsewhere; not given: the
  ///   width that the descriptor says.
  public init(output: Int32 = 1, error: Int32 = 2, width: (@Sendable () -> Int?)? = nil) {
    held.initialize(to: CCrashHeld(bytes: nil, count: 0, descriptor: output))
    delivery = ResultDelivery(to: output)
    errors = ResultDelivery(to: error)
    progress = ProgressLine(on: error)
    // The size of a terminal may change; a file becomes none.
    let isTerminal = isatty(output) == 1
    self.width = width ?? { isTerminal ? Console.columns(of: output) : nil }
    self.output.bytes.reserveCapacity(1 << 16)
  }

  /// A console whose text is handed to somebody as it is written, who takes it on the thread of the session.
  ///
  /// - Parameters:
  ///   - marks: the marks of styles, by which whoever takes it knows them.
  ///   - take: takes text, as UTF-8.
  ///   - takeLine: takes a line of JSON: the report of a command, or an event.
  ///   - handOn: hands on what was taken so far, before the statement of a line; nil: while a statement runs.
  package init(
    width: @escaping @Sendable () -> Int?, marks: StyleMarks,
    _ take: @escaping (UnsafeBufferPointer<UInt8>, OutputTarget) -> Void,
    takeLine: @escaping (_ line: String, _ isEvent: Bool) -> Void,
    handOn: @escaping (_ nextLine: Int?) -> Void
  ) {
    held.initialize(to: CCrashHeld(bytes: nil, count: 0, descriptor: -1))
    delivery = ResultDelivery(to: -1)
    errors = ResultDelivery(to: -1)
    progress = ProgressLine(on: -1)
    self.width = width
    self.marks = marks
    interceptor = take
    self.takeLine = takeLine
    self.handOn = handOn
    showsErrors = true
  }

  deinit { held.deallocate() }

  /// Lets what waits to be read end with the run.
  ///
  /// - Parameter descriptor: readable once the run is to end; -1: nothing ends it.
  package func obey(_ descriptor: Int32) {
    delivery.stop = descriptor
    errors.stop = descriptor
  }

  /// True if results go to a terminal now, not into a file or a command.
  var showsResults: Bool { !isCapturing && width() != nil }

  /// True if results go into a file or a command.
  var isCapturing: Bool { captured != nil }

  /// True if errors go to a terminal. Asked for each statement, so that the system is asked once.
  private(set) lazy var showsErrors = isatty(progress.descriptor) == 1

  /// The width of the terminal that results go to now; nil: they go into a file or a command, where lines are as long as they are.
  var resultWidth: Int? { isCapturing ? nil : width() }

  /// Writes a result.
  public func write(_ text: String) {
    prepareWriting()
    if isCapturing {
      captured?.append(text)
    } else {
      emit(text)
    }
  }

  /// Writes a result where the results before it stand.
  func write(_ append: (inout TextBuffer) -> Void) {
    if beginWriting() {
      append(&output)
      return endWriting()
    }
    var text = TextBuffer()
    append(&text)
    guard transcript == nil, !isCapturing, let interceptor else { return write(text.text) }
    prepareTelling()
    hasTaken = true
    text.bytes.withUnsafeBufferPointer { interceptor($0, .standardOutput) }
  }

  /// Begins to write a result without a closure, whose parts would be counted.
  ///
  /// - Returns: true if it is to be appended to ``output``, before ``endWriting()``; false: ``write(_:)`` takes it.
  func beginWriting() -> Bool {
    prepareWriting()
    return isWritingPlainly
  }

  /// True if results are appended to ``output`` and go nowhere else.
  var isWritingPlainly: Bool { transcript == nil && !isCapturing && interceptor == nil && !delivery.hasDropped }

  func endWriting() { flushFull() }

  /// Writes an event of `--json`: wherever the result of the command goes that runs, this is no part of it.
  func writeEvent(_ line: String) {
    prepareWriting()
    emit(line: line, isEvent: true)
  }

  func writeReport(_ line: String) {
    guard !isCapturing else { return write(line + "\n") }
    prepareWriting()
    emit(line: line, isEvent: false)
  }

  private func emit(line: String, isEvent: Bool) {
    guard let takeLine else { return emit(line + "\n") }
    prepareTelling()
    transcript?.write(line + "\n")
    hasTaken = true
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
      hasTaken = true
      return Self.hand(text, to: interceptor, .standardOutput)
    }
    if let transcript {
      prepareTelling()
      transcript.write(text)
    }
    guard !delivery.hasDropped else { return }
    output.append(text)
    flushFull()
  }

  private static func hand(
    _ text: String, to interceptor: (UnsafeBufferPointer<UInt8>, OutputTarget) -> Void, _ target: OutputTarget
  ) {
    var text = text
    text.withUTF8 { interceptor($0, target) }
  }

  /// Hands what is buffered to the system, if that is much.
  private func flushFull() { if output.count >= (isHolding ? 1 << 23 : 1 << 15) { flush() } else { showHeld() } }

  /// Tells a fault of the program where the buffered results lie now.
  private func showHeld() {
    // The place holds until the next change. A fault that is reported meanwhile reads it on this thread.
    output.bytes.withUnsafeBufferPointer { (held.pointee.bytes, held.pointee.count) = ($0.baseAddress, $0.count) }
  }

  /// Forgets what is buffered.
  private func forgetHeld() {
    output.bytes.removeAll(keepingCapacity: true)
    showHeld()
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
    if let interceptor {
      hasTaken = true
      return Self.hand(text, to: interceptor, .standardError)
    }
    progress.hide()
    errors.deliver(Array(text.utf8)[...])
  }

  /// Sees to it that what is told next is as durable as was asked, and says where it is not.
  func prepareTelling() {
    if let notes = beforeTelling?() { writeAhead(notes) }
  }

  package func write(note: String) { writeError(Self.text(ofNote: note)) }

  /// The line of a note. Names in it may have control characters.
  private static func text(ofNote note: String) -> String { "note: \(DisplayText.printable(note))\n" }

  /// Writes notes before the results that are still buffered.
  func writeAhead(_ notes: [String]) {
    guard !notes.isEmpty else { return }
    guard tellsNotesAsEvents() else {
      let text = notes.map(Self.text(ofNote:)).joined()
      transcript?.write(text)
      return sayAtOnce(text)
    }
    let events = notes.map { JSONReport.noted($0) }
    transcript?.write(events.map { $0 + "\n" }.joined())
    guard let takeLine else {
      output.bytes.insert(contentsOf: events.flatMap { Array(($0 + "\n").utf8) }, at: 0)
      return showHeld()
    }
    for event in events { takeLine(event, true) }
  }

  /// Shows how far a long command is, on a line that is written over and over. Whatever else is printed takes its place.
  func showProgress(_ text: String) {
    flush()
    progress.show(text)
  }

  /// Leaves the line of progress empty.
  func hideProgress() { progress.end() }

  /// The width of a terminal; nil: it does not say, or is none.
  static func columns(of descriptor: Int32) -> Int? {
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
  public func startTranscript(_ file: String) throws {
    transcript = try Transcript(file: file, waiting: FileWait(endedBy: delivery.stop))
  }

  /// Keeps a statement that is about to run.
  func transcribe(_ statement: Statement, program: @autoclosure () -> String) {
    transcript?.write(statement, program: program())
  }

  /// Keeps a line that is no statement.
  func transcribe(_ fault: SyntaxFault, program: String) { transcript?.write("\(program)> \(fault.text)\n") }

  /// True if all statements and their output are kept.
  var hasTranscript: Bool { transcript != nil }

  /// The file of the transcript; nil: there is none.
  var transcriptFile: String? { transcript?.file }

  /// Keeps what a shell command printed; of one that drew on the screen, such as a pager, what it was given to show.
  func transcribe(printed: String, given: String) { transcript?.write(Transcript.draws(printed) ? given : printed) }

  /// Writes bytes that a program printed, and leaves the start of a character whose end is still to come.
  func write(printed bytes: inout [UInt8]) {
    guard !isCapturing, interceptor == nil, transcript == nil else {
      let count = bytes.count - Self.openCharacter(at: bytes)
      write(String(decoding: bytes[..<count], as: UTF8.self))
      bytes.removeFirst(count)
      return
    }
    passOn(bytes)
    bytes = []
  }

  /// Writes bytes that a program printed to standard error.
  func write(printedErrors bytes: [UInt8]) {
    guard interceptor == nil, transcript == nil else { return writeError(String(decoding: bytes, as: UTF8.self)) }
    flush()
    progress.hide()
    errors.deliver(bytes[...])
  }

  /// The number of bytes at the end that begin a character of UTF-8 and lack its end.
  private static func openCharacter(at bytes: [UInt8]) -> Int {
    for (count, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > count + 1 ? count + 1 : 0
    }
    return 0
  }

  /// Hands bytes that somebody else printed to the system, after all that is buffered.
  func passOn(_ bytes: [UInt8]) {
    output.bytes += bytes
    flush()
  }

  /// Hands what is buffered to the system. What happened so far is as durable as was asked, also where nothing is buffered: a
  /// prompt, a line of progress or a program that is started may tell of it.
  public func flush() {
    prepareTelling()
    guard output.count > 0 else { return }
    isHolding = false
    progress.hide()
    delivery.deliver(output.bytes[...])
    forgetHeld()
  }

  /// Hands what is buffered to the system before a statement that may take long, and else every 50 ms: whoever reads a pipe sees
  /// what was done.
  ///
  /// - Parameters:
  ///   - line: the line of the statement; nil: one that runs goes on.
  ///   - hasMore: true if results of steps are to be handed on, too.
  ///   - isLong: says whether the statement may take long; asked only where something is buffered.
  func flushDue(before line: Int?, hasMore: Bool = false, isLong: () -> Bool) {
    if line != nil { lineUnderWay = line }
    guard handOn == nil ? output.count > 0 : hasTaken || hasMore else { return }
    let now = ContinuousClock.now
    guard isLong() || now - lastFlush >= pause else { return }
    hasTaken = false
    if let handOn { handOn(line) } else { flush() }
    lastFlush = now
  }

  /// Forgets results that are held back.
  func dropHeld() { if isHolding { forgetHeld() } }

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
  func tellOfFailure(marks: @autoclosure () -> StyleMarks = .none) -> ShellError? {
    guard !delivery.hasToldOfFailure, let failure = delivery.failure ?? transcript?.failure else { return nil }
    delivery.hasToldOfFailure = true
    let error = ShellError(failure)
    writeError(ErrorRenderer(file: nil, marks: marks()).text(of: error))
    return error
  }

  /// Ends what waits for more to be written once nobody reads the results any more.
  ///
  /// - Throws: the failure, which is told by that.
  func requireReader() throws(ShellError) {
    guard delivery.hasLostReader, let failure = delivery.failure else { return }
    delivery.hasToldOfFailure = true
    throw ShellError(failure)
  }

  /// Hands out what is buffered, and forgets it where it was taken.
  func takeHeld(_ take: ([UInt8]) -> Bool) {
    prepareTelling()
    if take(output.bytes) { forgetHeld() }
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
  /// - Returns: the number of the system's error; nil: there was none.
  @discardableResult
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int32? {
    Files.write(bytes, to: descriptor).failure
  }
}
