/// Splits text into statements, one at a time, as its bytes arrive. A whole file comes at once, standard input in
/// blocks, the prompt line by line.
///
/// A reader is a value. A copy of it can read a file to its end, which checks the file's syntax, before the first
/// statement runs. After a fault it goes on behind the line at fault.
public struct StatementReader: Sendable {
  /// The number of bytes that a statement may have where nothing else is said: 8 MiB.
  public static let usualMaximumLength = 8 << 20

  private let grammar: Grammar
  private let maximumLength: Int
  private var bytes: [UInt8] = []
  private var position = 0
  private var isFinished = false
  private var isSkippingLine = false
  private var isAtStart = true

  /// The line in the file that the next statement starts on or behind, from 1.
  public private(set) var line: Int
  /// The open part after `next` has returned nil: the statement goes on when more bytes are appended. Nil where none
  /// is.
  public private(set) var continuation: Continuation?
  /// The byte at which the open part starts.
  private var openPosition = 0
  /// The forms of the latest lines: a long text has few.
  private var forms = LineForms()
  /// The contents of the last two lines of known forms. The older is used again where nobody else has it any more.
  private var contents: (older: Statement.Content?, newer: Statement.Content?) = (nil, nil)

  /// Makes a reader without text.
  ///
  /// - Parameters:
  ///   - firstLine: the number of the text's first line.
  ///   - maximumLength: the number of bytes that a statement may have.
  public init(grammar: Grammar, firstLine: Int = 1, maximumLength: Int = usualMaximumLength) {
    self.grammar = grammar
    self.maximumLength = maximumLength
    line = firstLine
  }

  /// Makes a reader of a text.
  ///
  /// - Parameter isWhole: false where more of it is appended.
  public init(
    _ text: [UInt8], grammar: Grammar, firstLine: Int = 1, maximumLength: Int = usualMaximumLength, isWhole: Bool = true
  ) {
    self.grammar = grammar
    self.maximumLength = maximumLength
    line = firstLine
    bytes = text
    isFinished = isWhole
  }

  /// Takes more of the text. A statement is read when its line end is there.
  public mutating func append(_ more: some Sequence<UInt8>) {
    if position > 0 {
      bytes.removeFirst(position)
      position = 0
      // They stand in the text.
      forms = LineForms()
      contents = (nil, nil)
    }
    bytes.append(contentsOf: more)
  }

  /// Takes note that the text has no more bytes: what is still open is at fault.
  public mutating func finish() { isFinished = true }

  /// The next statement; nil where there is none, or none yet.
  ///
  /// - Throws: ``SyntaxFault``; the next call goes on behind it.
  public mutating func next() throws(SyntaxFault) -> Statement? {
    continuation = nil
    if isAtStart { skipMark() }
    while skipToStatement() {
      if let statement = ofKnownForm() { return statement }
      let outcome = read()
      switch outcome {
      case .statement(let statement, let end, let lines):
        leave(end, lines)
        if let statement { return statement }
      case .fault(let fault, let end, let lines):
        position = end
        line += lines
        isSkippingLine = true
        throw fault
      case .unfinished(let open, let position):
        continuation = open
        openPosition = position
        return nil
      }
    }
    return nil
  }

  /// Passes over lines that can have no fault, none of which is read.
  ///
  /// - Parameter look: tells of the values of a line that needs no look; nil: it needs one.
  package mutating func passPlainLines(_ look: (PlainLine) -> PlainLine.Values?) {
    if isAtStart { skipMark() }
    var forms = LineForms()
    while skipToStatement() {
      let passed = bytes.withUnsafeBufferPointer { bytes -> (end: Int, lines: Int)? in
        let view = ByteView(bytes)
        if let end = forms.lineEnd(in: view, from: position) { return (end, 0) }
        var scanner = scanner(view)
        guard (try? scanner.passPlain()) == true, let values = scanner.values(look) else { return nil }
        if let form = scanner.form(values) { forms.add(form) }
        return (scanner.position, scanner.lineIndex)
      }
      guard let passed else { return }
      leave(passed.end, passed.lines)
    }
  }

  /// Passes over a byte order mark at the start of the text, which is no part of it, once its bytes are there.
  private mutating func skipMark() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if bytes.count < mark.count, !isFinished, mark.starts(with: bytes) { return }
    isAtStart = false
    if bytes.starts(with: mark) { position = mark.count }
  }

  /// The outcome of a scan of the next lines: its end, and the number of line ends it passed.
  private enum Outcome {
    case statement(Statement?, end: Int, lines: Int)
    case fault(SyntaxFault, end: Int, lines: Int)
    case unfinished(Continuation?, at: Int)
  }

  @inline(__always)
  private func scanner(_ bytes: ByteView) -> StatementScanner {
    StatementScanner(
      bytes, start: position, firstLine: line, isLast: isFinished, grammar: grammar, maximumLength: maximumLength)
  }

  /// The next statement, where it is a line of a known form.
  private mutating func ofKnownForm() -> Statement? {
    guard forms.areTried else { return nil }
    swap(&contents.older, &contents.newer)
    if !isKnownUniquelyReferenced(&contents.newer) || contents.newer?.isOf(bytes) == false {
      contents.newer = Statement.Content(bytes, position..<position, tokens: Tokens(), rarities: nil)
    }
    guard let content = contents.newer else { return nil }
    let end = bytes.withUnsafeBufferPointer { forms.lineEnd(in: ByteView($0), from: position, &content.tokens) }
    guard let end else { return nil }
    content.move(to: position..<end)
    defer { leave(end, 0) }
    return Statement(line: line, content: content)
  }

  private mutating func read() -> Outcome {
    let bytes = bytes
    return bytes.withUnsafeBufferPointer { read(ByteView($0)) }
  }

  private mutating func read(_ view: ByteView) -> Outcome {
    var scanner = scanner(view)
    do throws(StatementScanner.NoStatement) {
      let statement = try scanner.statement(in: bytes)
      if forms.areTried, statement?.isMoreThanWords == false, !view[scanner.position - 1].isBlankOrNewline,
        let form = scanner.form(.unchecked)
      {
        forms.add(form)
      }
      return .statement(statement, end: scanner.position, lines: scanner.lineIndex)
    } catch {
      switch error {
      case .fault, .tooLong:
        return .fault(scanner.syntaxFault(error), end: scanner.position, lines: scanner.lineIndex)
      case .unfinished(let open, let place):
        guard isFinished || bytes.count - position > maximumLength else {
          return .unfinished(open, at: place.position)
        }
        return .fault(
          scanner.syntaxFault(isFinished ? error : .tooLong), end: bytes.count, lines: scanner.lineIndex)
      }
    }
  }

  /// The part that a text leaves open, at the prompt; nil where it is complete, blank or at fault.
  public static func continuation(of text: String, grammar: Grammar) -> Continuation? {
    openPart(of: text, grammar: grammar)?.open
  }

  /// The part that a text leaves open, and the byte at which it starts.
  package static func openPart(of text: String, grammar: Grammar) -> (open: Continuation, start: Int)? {
    let end: [UInt8] = text.utf8.last == 0x0A ? [] : [0x0A]
    var reader = StatementReader(Array(text.utf8) + end, grammar: grammar, isWhole: false)
    while true {
      do {
        guard try reader.next() != nil else { return reader.continuation.map { ($0, reader.openPosition) } }
      } catch {
        return nil
      }
    }
  }

  /// Passes over blank lines and comments; false where no statement follows.
  private mutating func skipToStatement() -> Bool {
    if isSkippingLine, !skipToNextLine() { return false }
    while position < bytes.count {
      var first = position
      while first < bytes.count, bytes[first].isBlank || bytes[first] == 0x0D { first += 1 }
      guard first < bytes.count else {
        if isFinished { position = first }
        return false
      }
      switch bytes[first] {
      case 0x0A:
        position = first + 1
        line += 1
      case UInt8(ascii: "#"):
        position = first
        isSkippingLine = true
        guard skipToNextLine() else { return false }
      default: return true
      }
    }
    return false
  }

  /// Goes to the start of the next line; false where it is not there yet.
  private mutating func skipToNextLine() -> Bool {
    guard let end = bytes[position...].firstIndex(of: 0x0A) else {
      position = bytes.count
      return false
    }
    isSkippingLine = false
    position = end + 1
    line += 1
    return true
  }

  /// Goes behind the line end of a statement.
  private mutating func leave(_ end: Int, _ lines: Int) {
    position = end
    line += lines + 1
    if position < bytes.count, bytes[position] == 0x0D { position += 1 }
    if position < bytes.count, bytes[position] == 0x0A { position += 1 }
  }
}
