import StoreSchema

/// Reads one statement from bytes, without a look back and without regular expressions.
package struct StatementScanner {
  /// Why there is no statement; boxed, since it is rare and would make every return wide.
  package indirect enum NoStatement: Error {
    /// The bytes end too early; what is open, and where it was opened, is nil where only the line end is missing.
    case unfinished(Continuation?, Place)
    /// There is none: the message, the place and the number of characters at fault. It is put into words once: a word may be read in
    /// more than one way, and each fault takes a look at all of its line.
    case fault(String, Place, width: Int = 1)
    /// It has too many bytes.
    case tooLong
  }

  package static let maximumDepth = 200

  package let start: Int
  // Not counted: whoever makes a scanner holds the grammar until it is done.
  private let grammar: Unmanaged<Grammar>
  package let maximumLength: Int
  package var cursor: ByteCursor
  package var depth = 0
  /// True within a word of a program that may be JSON.
  var isJSON = false
  /// The number of bytes that were read again, since a word was read in another way first.
  package private(set) var rereadBytes = 0
  private var tokens = Tokens()
  /// The parts that few statements have; nil: none so far. Apart, so that the others end with nothing to let go of.
  private(set) var rarities: Rarities?
  private var flagsEnded = false
  /// True if `#17` and `#$n` are words.
  private var takesNumbers = false
  /// True if the words are those of a program.
  private var isProgram = false

  /// The parts that few statements have. A scanner is its only owner.
  final class Rarities {
    /// The first part of a word of JSON that JSON does not have; nil: there is none so far.
    var foreignPart: NoStatement?
    var literals: [Literal] = []
    var lua: LuaTail?
    var redirection: Redirection?
    /// The verb whose Lua follows a word that is still to come, and how many words there are before its operands.
    var awaited: (verb: LuaVerb, word: String, from: Int)?

    /// The same of a statement; nil where it has none of them.
    var ofStatement: Statement.Rarities? { .of(literals: literals, lua: lua, redirection: redirection) }
  }

  /// - Parameters:
  ///   - grammar: the caller holds it as long as it uses the scanner.
  ///   - start: the start of the statement's first line; the line is not blank.
  ///   - isLast: true if the end of the bytes is the end of the text.
  package init(
    _ bytes: ByteView, start: Int, firstLine: Int, isLast: Bool, grammar: Grammar, maximumLength: Int
  ) {
    self.start = start
    self.grammar = .passUnretained(grammar)
    self.maximumLength = maximumLength
    cursor = ByteCursor(bytes, at: start, firstLine: firstLine, isLast: isLast)
  }

  /// Reads the statement; `position` is then at its line end. Nil where there are but blanks and a comment.
  ///
  /// - Parameter source: the text that the bytes are.
  package mutating func statement(in source: [UInt8]) throws(NoStatement) -> Statement? {
    guard try scan() else { return nil }
    return Statement(
      line: cursor.firstLine,
      content: Statement.Content(
        source, start..<textEnd, tokens: tokens, rarities: rarities?.ofStatement))
  }

  /// Passes over the statement.
  ///
  /// - Returns: true for one that has but words whose bytes are their values.
  package mutating func passPlain() throws(NoStatement) -> Bool {
    try scan() && rarities?.ofStatement == nil
  }

  /// What is known of the values of the statement, which is plain.
  func values(_ look: (PlainLine) -> PlainLine.Values?) -> PlainLine.Values? {
    bytes.withUnsafeBytes { look(PlainLine($0, tokens, from: start)) }
  }

  /// The form of the statement, which is plain; nil: it takes more than one line.
  func form(_ values: PlainLine.Values) -> LineForm? {
    lineIndex == 0 ? LineForm(bytes, tokens, values, from: start, to: position, maximumLength: maximumLength) : nil
  }

  /// Finds the parts of the statement; false where there are but blanks and a comment.
  private mutating func scan() throws(NoStatement) -> Bool {
    if !plainVerb() { try verbs() }
    try remainingWords()
    guard !tokens.isEmpty else { return false }
    guard position - start <= maximumLength else { throw .tooLong }
    if !bytes.isASCII(start..<position) { try cursor.requireValidText(start..<textEnd) }
    return true
  }

  /// The end of the text, before the blanks at its end.
  private var textEnd: Int {
    // A carriage return that does not end a line is a word.
    let least = start + (tokens.isEmpty ? 0 : tokens[tokens.count - 1].range.upperBound)
    var end = position
    while end > least, bytes[end - 1].isBlankOrNewline { end -= 1 }
    return end
  }

  /// Reads a verb that gives the rest of its line no other meaning, as those of most lines.
  ///
  /// - Returns: false: the line takes a closer look; nothing was passed.
  private mutating func plainVerb() -> Bool {
    let bytes = cursor.bytes
    let first = bytes.end(ofSpacesFrom: cursor.position)
    guard let word = bytes.plainWord(from: first), word.nameEnd == first, !word.isQuoted,
      bytes[first] != UInt8(ascii: "="), bytes[first] != UInt8(ascii: "!"),
      !grammar._withUnsafeGuaranteedRef({ $0.mayMean(bytes[first], word.end - first) })
    else { return false }
    tokens.append(Token(word, at: first - start))
    cursor.position = word.end
    return true
  }

  /// Reads a verb, and the one behind it where that is a prefix.
  private mutating func verbs() throws(NoStatement) {
    repeat {
      try skipBlanks()
      if try cursor.isAtLineEnd() || bytes[position] == UInt8(ascii: "#") { return }
      guard tokens.count <= Grammar.mostPrefixes else { throw fault(Grammar.tooManyPrefixes, at: here) }
    } while try verb()
  }

  /// Reads a verb.
  ///
  /// - Returns: true if another verb follows: this one is a prefix.
  private mutating func verb() throws(NoStatement) -> Bool {
    let verbStart = position
    if bytes[position] == UInt8(ascii: "=") || bytes[position] == UInt8(ascii: "!"),
      case .lua(let verb)? = meaning(of: bytes[position...position])
    {
      let place = here
      position += 1
      appendBare(from: place)
      try luaTail(verb)
      return false
    }
    try word()
    guard tokens[tokens.count - 1].isBareValue else { return false }
    switch meaning(of: bytes[verbStart..<position]) {
    case nil: return false
    case .lua(let verb): try luaVerb(verb)
    case .numbers: takesNumbers = true
    case .program: isProgram = true
    case .prefix(let more):
      for _ in 0..<more {
        try skipBlanks()
        if try cursor.isAtLineEnd() || bytes[position] == UInt8(ascii: "#") { return false }
        try word()
      }
      return true
    }
    return false
  }

  private func meaning(of verb: Slice<ByteView>) -> Grammar.Meaning? {
    grammar._withUnsafeGuaranteedRef { $0.meaning(of: verb) }
  }

  private func isUnfinished(_ lua: [UInt8]) -> Bool {
    grammar._withUnsafeGuaranteedRef { $0.isUnfinishedLua(String(decoding: lua, as: UTF8.self)) }
  }

  private mutating func luaVerb(_ verb: LuaVerb) throws(NoStatement) {
    switch verb.form {
    case .immediate: try luaTail(verb)
    case .behind(let word): made().awaited = (verb, word, tokens.count)
    case .following(let word):
      try skipBlanks()
      guard position + word.utf8.count <= bytes.count,
        bytes[position..<(position + word.utf8.count)].elementsEqual(word.utf8)
      else { return }
      let place = here
      position += word.utf8.count
      guard isAtBoundary else {
        position = place.position
        return
      }
      appendBare(from: place)
      try luaTail(verb)
    case .named:
      try skipBlanks()
      let place = here
      var end = position
      while end < bytes.count, bytes[end].isNameByte { end += 1 }
      var sign = end
      while sign < bytes.count, bytes[sign].isBlank { sign += 1 }
      guard end > position, !bytes[position].isDigit, sign < bytes.count, bytes[sign] == UInt8(ascii: "=") else {
        return
      }
      position = end
      appendBare(from: place)
      position = sign + 1
      try luaTail(verb)
    }
  }

  private mutating func remainingWords() throws(NoStatement) {
    if !isProgram, rarities == nil { plainWords() }
    while true {
      try skipBlanks()
      guard try !cursor.isAtLineEnd() else { return }
      switch bytes[position] {
      case UInt8(ascii: "#") where !isNumberOfAction:
        position = cursor.endOfLine(from: position)
        guard position < bytes.count || isLast else { throw .unfinished(nil, here) }
        return
      case UInt8(ascii: ">"), UInt8(ascii: "|"):
        try redirect(bytes[position])
        return
      default:
        try word()
        guard let awaited = rarities?.awaited, tokens.count > awaited.from + 1,
          isBare(tokens[tokens.count - 1], awaited.word)
        else { break }
        rarities?.awaited = nil
        try luaTail(awaited.verb)
      }
    }
  }

  private mutating func redirect(_ sign: UInt8) throws(NoStatement) {
    let place = here
    position += 1
    if sign == UInt8(ascii: "|") {
      if peek == sign { throw fault(ByteCursor.oneStatement("||"), at: place, width: 2) }
      try skipBlanks()
      let command = here
      try shellCommand()
      let text = LuaText.trimmed(bytes[command.position..<position])
      guard !text.isEmpty else { throw fault("expected a shell command after |", at: place) }
      made().redirection = Redirection(kind: .command, target: .text(text), span: span(from: place))
      return
    }
    let appends = peek == UInt8(ascii: ">")
    if appends { position += 1 }
    try skipBlanks()
    if try cursor.isAtLineEnd() || bytes[position] == UInt8(ascii: "#") {
      throw fault("expected a file name after \(appends ? ">>" : ">")", at: place, width: appends ? 2 : 1)
    }
    let target = try fileName()
    made().redirection = Redirection(kind: appends ? .append : .file, target: target, span: span(from: place))
    try skipBlanks()
    guard try !cursor.isAtLineEnd() else { return }
    guard bytes[position] == UInt8(ascii: "#") else {
      throw fault("nothing may follow the file of a redirection", at: here)
    }
    position = cursor.endOfLine(from: position)
    guard position < bytes.count || isLast else { throw .unfinished(nil, here) }
  }

  /// Reads the file of a redirection. A text that other shells take for another redirection, such as `f>g`
  /// or `&2`, is no name unless
  /// it is quoted.
  private mutating func fileName() throws(NoStatement) -> Literal {
    let word = here
    let start = position
    let target = try operand(.word)
    if target.isBareText, bytes[start..<position].allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }),
      bytes[start..<position].contains(where: \.isDigit)
    {
      let name = String(decoding: bytes[start..<position], as: UTF8.self)
      throw fault(
        "> writes to a file, and \(name) is a number; a condition has quotes, such a file is ./\(name)", at: word)
    }
    if target.isBareText,
      let sign = bytes[start..<position].firstIndex(where: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "|") })
        ?? (bytes[start] == UInt8(ascii: "&") ? start : nil)
    {
      position = sign
      throw fault("nothing may follow the file of a redirection; quote a name with this in it", at: here)
    }
    try cursor.requireEnd(of: word)
    return target
  }

  /// Passes over a shell command to the end of its line; open quotes and a `\` continue it.
  private mutating func shellCommand() throws(NoStatement) {
    var open: (quote: UInt8, place: Place)?
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\n"):
        guard open != nil else { return }
        cursor.newline()
        continue
      case UInt8(ascii: "\\") where open?.quote != UInt8(ascii: "'"):
        position += 1
        if peek == UInt8(ascii: "\n") {
          cursor.newline()
          continue
        }
        if peek == nil { break }
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if open == nil {
          open = (byte, here)
        } else if open?.quote == byte {
          open = nil
        }
      default: break
      }
      position += 1
    }
    position = min(position, bytes.count)
    if let open { throw .unfinished(.quote(Character(Unicode.Scalar(open.quote))), open.place) }
    guard isLast else { throw .unfinished(lineIndex > 0 ? .backslash : nil, here) }
  }

  private mutating func word() throws(NoStatement) {
    if !isProgram, let token = plainToken() { return tokens.append(token) }
    let place = here
    var token = Token(at: position - start)
    if bytes[position] == UInt8(ascii: "-"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "-"),
      !flagsEnded
    {
      position += 2
      if isAtBoundary, !tokens.isEmpty {
        // A program may mean something by it.
        if isProgram { return appendBare(from: place) }
        flagsEnded = true
        return
      }
      let nameStart = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "="), !isAtBoundary { position += 1 }
      (token.kind, token.name) = (.flag, offset(nameStart..<position))
      if peek == UInt8(ascii: "=") {
        position += 1
        try value(of: &token)
      }
    } else {
      if let nameEnd = cursor.nameBeforeEquals() {
        (token.kind, token.name) = (.named, offset(position..<nameEnd))
        position = nameEnd + 1
      }
      try value(of: &token)
    }
    try cursor.requireEnd(of: place)
    append(&token, from: place)
  }

  /// Goes back to where it was, to read a word in another way.
  mutating func goBack(to before: StatementScanner) {
    let reread = rereadBytes + position - before.position
    self = before
    rereadBytes = reread
  }

  /// The parts that few statements have.
  mutating func made() -> Rarities {
    if let rarities { return rarities }
    let made = Rarities()
    rarities = made
    return made
  }

  /// Reads words whose values are their bytes, up to one that takes a closer look or to the line end.
  private mutating func plainWords() {
    let bytes = cursor.bytes
    var position = cursor.position
    while true {
      position = bytes.end(ofSpacesFrom: position)
      guard let word = bytes.plainWord(from: position) else { break }
      tokens.append(Token(word, at: position - start))
      position = word.end
    }
    cursor.position = position
  }

  /// Reads a word whose value is its bytes, as that of most words is, and which a blank or a line end follows.
  ///
  /// - Returns: nil: the word takes a closer look; nothing was passed.
  @inline(__always)
  private mutating func plainToken() -> Token? {
    guard let word = cursor.bytes.plainWord(from: cursor.position) else { return nil }
    let token = Token(word, at: cursor.position - start)
    cursor.position = word.end
    return token
  }

  private mutating func value(of token: inout Token) throws(NoStatement) {
    let first = position
    token.form = .bare
    token.value = offset(first..<first)
    if isAtBoundary { return }
    switch bytes[first] {
    case _ where isProgram:
      if let literal = try json() {
        let written = bytes.text(first..<position)
        // With nothing in it to be replaced it stays as it stands.
        guard literal.references.isEmpty, (try? JSON.value(of: written)) != nil else {
          return keep(literal, in: &token)
        }
        token.value = offset(first..<position)
        return
      }
      let (range, literal) = try programWord()
      if let literal { keep(literal, in: &token) } else { token.value = offset(range) }
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "["), UInt8(ascii: "{"):
      switch try operand(.word) {
      // An escape takes more bytes than it stands for.
      case .text(let text) where text.utf8.count == position - first - 2:
        token.form = .text
        token.value = offset((first + 1)..<(position - 1))
      case let literal: keep(literal, in: &token)
      }
    default:
      try cursor.refuseForeignSign()
      let (range, literal) = try bare(.word)
      if let literal { keep(literal, in: &token) } else { token.value = offset(range) }
    }
  }

  /// True if `#` begins the number of an action here, as in `#17` and `#$n`, and no comment.
  private var isNumberOfAction: Bool {
    guard takesNumbers, position + 1 < bytes.count else { return false }
    return bytes[position + 1].isDigit || bytes[position + 1] == UInt8(ascii: "$")
  }

  private mutating func keep(_ literal: Literal, in token: inout Token) {
    token.form = .literal
    let rarities = made()
    token.literal = Int32(truncatingIfNeeded: rarities.literals.count)
    rarities.literals.append(literal)
  }

  /// A Lua text is parsed at each line up to this one.
  private static let eachLine = 64

  private mutating func luaTail(_ verb: LuaVerb) throws(NoStatement) {
    while let byte = peek, byte.isBlank { position += 1 }
    let place = here
    var lua: [UInt8] = []
    var (depth, lineCount, nextLook) = (LuaDepth(), 0, Self.eachLine)
    while true {
      let end = cursor.endOfLine(from: position)
      let isComplete = end < bytes.count || isLast
      let lineStart = lua.count
      lua += bytes[position..<end]
      if verb.isLua { depth.take(lua[lineStart...]) }
      lineCount += 1
      position = end
      if lua.last == UInt8(ascii: "\\"), LuaText.endsInCode(lua[...]) {
        lua[lua.count - 1] = 0x20
        guard end < bytes.count else { break }
      } else {
        guard isComplete else { throw .unfinished(lineIndex > 0 ? .lua : nil, place) }
        // A text of many lines is parsed where it may end, and now and then.
        let isLookedAt = lineCount <= Self.eachLine || lineCount >= nextLook || !depth.isOpen || end == bytes.count
        if isLookedAt {
          guard verb.isLua, isUnfinished(lua) else { break }
          nextLook = max(nextLook, 2 * lineCount)
        }
        guard end < bytes.count else { throw .unfinished(.lua, place) }
      }
      guard end - start <= maximumLength else { throw .tooLong }
      cursor.passNewline()
      lua.append(UInt8(ascii: "\n"))
    }
    guard position < bytes.count || isLast else { throw .unfinished(.backslash, place) }
    let length = flagsStart(in: lua, verb) ?? (verb.isRedirected ? LuaText.redirection(in: lua) : nil) ?? lua.count
    var tail = lua[..<length]
    if length < lua.count { position -= lua.count - length }
    while let byte = tail.last, byte.isBlankOrNewline { tail.removeLast() }
    let firstLineEnd = min(place.position + tail.count, cursor.endOfLine(from: place.position))
    let column = column(of: place)
    made().lua = LuaTail(
      text: String(decoding: tail, as: UTF8.self),
      span: Word.Span(line: place.line, column: column, width: cursor.characters(place.position..<firstLineEnd)))
  }

  /// The start of the flags in a Lua text, if its verb takes any: Lua sees a comment at its end.
  private func flagsStart(in lua: [UInt8], _ verb: LuaVerb) -> Int? {
    guard verb.takesFlags, let comment = LuaText.lastLineComment(in: lua[...]), comment + 2 < lua.count else {
      return nil
    }
    guard comment == 0 || lua[comment - 1].isBlankOrNewline else { return nil }
    func isFlag(_ start: Int) -> Bool {
      start + 2 < lua.count && lua[start] == UInt8(ascii: "-") && lua[start + 1] == UInt8(ascii: "-")
        && lua[start + 2].isNameByte && !lua[start + 2].isDigit
    }
    if isFlag(comment) { return comment }
    // Two dashes of their own end the condition, as they end the flags of programs.
    guard let next = lua[(comment + 2)...].firstIndex(where: { !$0.isBlank }), next > comment + 2 else { return nil }
    return isFlag(next) ? next : nil
  }
}

// MARK: Places

extension StatementScanner {
  package typealias Place = ByteCursor.Place

  package var bytes: ByteView { cursor.bytes }
  package var isLast: Bool { cursor.isLast }
  package var position: Int {
    get { cursor.position }
    set { cursor.position = newValue }
  }
  package var lineIndex: Int { cursor.lineIndex }
  package var here: Place { cursor.here }
  package var peek: UInt8? { cursor.peek }
  package var isAtBoundary: Bool { cursor.isAtBoundary }

  package func fault(_ message: String, at place: Place, width: Int = 1) -> NoStatement {
    .fault(message, place, width: width)
  }

  /// Why there is no statement, where nothing follows that could end it.
  package func syntaxFault(_ reason: NoStatement) -> SyntaxFault {
    switch reason {
    case .unfinished(let open, let place):
      cursor.syntaxFault(open?.message ?? "the line is not complete", at: place)
    case .fault(let message, let place, let width): cursor.syntaxFault(message, at: place, width: width)
    case .tooLong: tooLong
    }
  }

  package mutating func skipBlanks() throws(NoStatement) {
    while position < bytes.count {
      let byte = bytes[position]
      if byte.isBlank {
        position += 1
      } else if byte == UInt8(ascii: "\\"), cursor.isContinuation(at: position) {
        let place = here
        position += 1
        guard position < bytes.count else {
          if isLast { return }
          throw .unfinished(.backslash, place)
        }
        cursor.passNewline()
      } else {
        return
      }
    }
  }

  /// The column of a place, from 1.
  private func column(of place: Place) -> Int { cursor.characters(place.lineStart..<place.position) + 1 }

  /// From a place to here, or to the end of its line where a line end came between.
  private func span(from place: Place) -> Word.Span {
    let end = place.line == lineIndex ? position : cursor.endOfLine(from: place.position)
    return Word.Span(line: place.line, column: column(of: place), width: cursor.characters(place.position..<end))
  }

  /// Adds a token that ends here.
  private mutating func append(_ token: inout Token, from place: Place) {
    token.range = offset(place.position..<position)
    if token.isBareValue { token.value = token.range }
    tokens.append(token)
  }

  /// Adds a word without quotes that ends here.
  private mutating func appendBare(from place: Place) {
    var token = Token(at: place.position - start)
    token.form = .bare
    append(&token, from: place)
  }

  /// True if a token is a word without quotes, and this one.
  private func isBare(_ token: Token, _ word: String) -> Bool {
    let range = token.range
    return token.isBareValue && range.count == word.utf8.count
      && bytes[(start + range.lowerBound)..<(start + range.upperBound)].elementsEqual(word.utf8)
  }

  /// A range of bytes, counted from the statement's start.
  private func offset(_ range: Range<Int>) -> Range<Int> { (range.lowerBound - start)..<(range.upperBound - start) }

  package var tooLong: SyntaxFault {
    SyntaxFault(
      code: .lineTooLong, message: "a statement may have at most \(maximumLength) bytes", line: cursor.firstLine,
      column: 1, width: 0,
      text: "")
  }
}
