import StoreSchema

extension StatementScanner {
  /// The surroundings of a value: it stands on its own, in a list or in a record.
  package enum Surroundings {
    case word
    case list
    case record
  }

  /// Reads what may stand where a value may.
  package mutating func operand(_ surroundings: Surroundings) throws(NoStatement) -> Literal {
    switch bytes[position] {
    // Within brackets a text in quotes is data, as JSON has it.
    case UInt8(ascii: "\""): return surroundings == .word ? try quotedWord() : .text(try quoted())
    case UInt8(ascii: "'"): return .text(try verbatim())
    case UInt8(ascii: "["): return try nested { (scanner) throws(NoStatement) in .list(try scanner.list()) }
    case UInt8(ascii: "{"): return try nested { (scanner) throws(NoStatement) in try scanner.record() }
    default:
      let place = here
      let (range, literal) = try bare(surroundings)
      if isJSON { requireJSON(range, literal, at: place) }
      return literal ?? .bare(bytes.text(range))
    }
  }

  /// Notes a word within JSON that is no value of it.
  private mutating func requireJSON(_ range: Range<Int>, _ literal: Literal?, at place: Place) {
    let rarities = made()
    guard rarities.foreignPart == nil else { return }
    let word = bytes.text(range)
    let advice = "; as a text it has quotes: \"\(word)\""
    let message: String
    switch literal {
    case .variable?, .lua?: return
    case .composed?: message = "\(word) is no value of JSON, in which $name and $(…) stand alone"
    default:
      do throws(JSONError) {
        _ = try JSON.value(of: word)
        return
      } catch {
        message = error.isOfValue ? error.message + advice : "\(word) is no value of JSON" + advice
      }
    }
    rarities.foreignPart = fault(message, at: place, width: cursor.characters(range))
  }

  private mutating func nested(
    _ read: (inout StatementScanner) throws(NoStatement) -> Literal
  ) throws(NoStatement) -> Literal {
    depth += 1
    guard depth <= StatementScanner.maximumDepth else {
      throw fault("nested deeper than \(StatementScanner.maximumDepth)", at: here)
    }
    let literal = try read(&self)
    depth -= 1
    return literal
  }

  /// A word without quotes. A bracket inside it belongs to it, together with what it encloses.
  ///
  /// - Returns: its bytes, and the literal that they stand for; nil: they stand for themselves.
  mutating func bare(_ surroundings: Surroundings) throws(NoStatement) -> (Range<Int>, Literal?) {
    let start = position
    var composer: Composer?
    if surroundings == .word { position = bytes.end(of: .plain, from: position) }
    word: while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A: break word
      case UInt8(ascii: "\\") where position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "$"):
        passEscapedDollar(start, &composer)
      case 0x0D, UInt8(ascii: "\\"):
        if isAtBoundary { break word }
        position += 1
      case UInt8(ascii: "$"): try passDollar(start, &composer)
      case UInt8(ascii: "["):
        // To a program no bracket within a word means anything.
        if isJSON { break word }
        if position == start { position += 1 } else { try passBrackets(start, &composer) }
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
        if surroundings != .word { break word }
        position += 1
      case UInt8(ascii: ";"):
        if surroundings == .record { break word }
        position += 1
      case UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "|"), UInt8(ascii: "\""):
        if surroundings == .word, !isSeparator { throw signInWord(from: start) }
        position += 1
      default: position += 1
      }
    }
    guard surroundings == .word || position > start else { throw fault("expected a value", at: here) }
    guard var composer else { return (start..<position, nil) }
    composer.take(bytes, to: position)
    return (start..<position, composer.literal(isQuoted: false))
  }

  /// True at the `||` between two statements of other shells, about which the end of the word has a better word.
  private var isSeparator: Bool {
    bytes[position] == UInt8(ascii: "|")
      && [position - 1, position + 1].contains { $0 >= 0 && $0 < bytes.count && bytes[$0] == UInt8(ascii: "|") }
  }

  /// The fault of a sign that other shells give a meaning wherever it stands: nothing is to be swallowed in silence.
  private func signInWord(from start: Int) -> NoStatement {
    let sign = Character(Unicode.Scalar(bytes[position]))
    let before = bytes.text(start..<position)
    let text =
      switch sign {
      case "\"": "\" within a word: quote all of the word, variables in it are replaced: \"app-$n\""
      case "|": "| within a word is no pipe: a blank stands before it; a text with it has quotes"
      case "<":
        "< within a word is no redirection: run --stdin TEXT gives a program its input; a text with it has quotes"
      case _ where before == "2" || before == "&":
        "> within a word is no redirection: standard error goes to a file by a shell, run sh -c 'LINE 2> FILE'"
      default: "> within a word is no redirection: a blank stands before it; a text with it has quotes"
      }
    return fault(text, at: here)
  }

  /// Passes over a bracket inside a word, such as the selector of a path. Quotes in it stand for themselves.
  private mutating func passBrackets(_ start: Int, _ composer: inout Composer?) throws(NoStatement) {
    let open = here
    var level = 0
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "["): level += 1
      case UInt8(ascii: "]"):
        level -= 1
        if level == 0 {
          position += 1
          return
        }
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        try passQuotes()
        continue
      case UInt8(ascii: "\\") where position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "$"):
        passEscapedDollar(start, &composer)
        continue
      case UInt8(ascii: "$"):
        try passDollar(start, &composer)
        continue
      case 0x0A:
        cursor.newline()
        continue
      default: break
      }
      position += 1
    }
    throw .unfinished(.bracket("["), open)
  }

  private mutating func passQuotes() throws(NoStatement) {
    let open = here
    let quote = bytes[position]
    position += 1
    while let byte = peek, byte != quote {
      if byte == 0x0A {
        cursor.newline()
      } else {
        position += byte == UInt8(ascii: "\\") && position + 1 < bytes.count ? 2 : 1
      }
    }
    guard position < bytes.count else { throw .unfinished(.quote(Character(Unicode.Scalar(quote))), open) }
    position += 1
  }

  // MARK: Values within texts

  /// The pieces of a text that is being read.
  struct Composer {
    private var pieces: [Composition.Piece] = []
    private var text: [UInt8] = []
    /// The first byte that is neither in the text nor in a piece.
    private var position: Int

    init(at position: Int) { self.position = position }

    /// Takes the bytes up to a position as they stand.
    mutating func take(_ bytes: ByteView, to end: Int) {
      if position < end { text += bytes[position..<end] }
      position = end
    }

    mutating func append(_ bytes: some Sequence<UInt8>) { text.append(contentsOf: bytes) }

    mutating func append(_ reference: Reference, isSelector: Bool) {
      endText()
      pieces.append(.value(reference, isSelector: isSelector))
    }

    mutating func append(_ quoted: Literal) {
      switch quoted {
      case .text(let quoted): text += quoted.utf8
      case .composed(let composition):
        for piece in composition.pieces {
          switch piece {
          case .text(let part): text += part.utf8
          case .value(let reference, _): append(reference, isSelector: false)
          }
        }
      default: break
      }
    }

    /// Leaves out the bytes up to a position.
    mutating func skip(to position: Int) { self.position = position }

    private mutating func endText() {
      if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
      text = []
    }

    /// The literal that the pieces make. A value alone, without quotes, keeps its type.
    consuming func literal(isQuoted: Bool) -> Literal {
      endText()
      switch (pieces.first, pieces.count, isQuoted) {
      case (.value(.variable(let name), _)?, 1, false): return .variable(name)
      case (.value(.lua(let expression), _)?, 1, false): return .lua(expression)
      case (.text(let text)?, 1, _): return isQuoted ? .text(text) : .bare(text)
      case (nil, _, _): return isQuoted ? .text("") : .bare("")
      default: return .composed(Composition(pieces, isQuoted: isQuoted))
      }
    }
  }

  /// Passes over `\$`, which is a dollar.
  private mutating func passEscapedDollar(_ start: Int, _ composer: inout Composer?) {
    var text = composer ?? Composer(at: start)
    text.take(bytes, to: position)
    text.skip(to: position + 1)
    position += 2
    text.take(bytes, to: position)
    composer = text
  }

  /// Passes over the dollar here in a word without quotes, with what it stands for.
  private mutating func passDollar(_ start: Int, _ composer: inout Composer?) throws(NoStatement) {
    let dollar = position
    guard let reference = try reference() else {
      position += 1
      return
    }
    if dollar == start, bytes[dollar + 1].isNameByte, let next = peek,
      next == UInt8(ascii: ".") || next == UInt8(ascii: "["), case .variable(let name) = reference
    {
      let inLua = Int(name) == nil ? name : "arg[\(name)]"
      throw fault(
        "expected a space here; to reach into a variable write $(\(inLua)…), beside a text ${\(name)}", at: here)
    }
    var text = composer ?? Composer(at: start)
    text.take(bytes, to: dollar)
    let isBehindSign = dollar > start && [UInt8(ascii: "["), UInt8(ascii: "=")].contains(bytes[dollar - 1])
    text.append(reference, isSelector: isBehindSign && peek == UInt8(ascii: "]"))
    text.skip(to: position)
    composer = text
  }

  /// Reads `$name`, `${name}` or `$(…)`.
  ///
  /// - Returns: nil where the dollar is a character as any other; it is not passed.
  private mutating func reference() throws(NoStatement) -> Reference? {
    let dollar = here
    guard position + 1 < bytes.count else { return nil }
    switch bytes[position + 1] {
    case UInt8(ascii: "("): return .lua(try lua())
    case UInt8(ascii: "{"):
      position += 2
      let name = passName()
      if !name.isEmpty, peek == UInt8(ascii: "}") {
        position += 1
        return .variable(bytes.text(name))
      }
      guard position < bytes.count else { throw .unfinished(.bracket("{"), dollar) }
      let number = bytes.text(name)
      let advice =
        name.isEmpty || !bytes[name.lowerBound].isDigit ? "$(\(number) or \"x\")" : "$(arg[\(number)] or \"x\")"
      throw fault(
        name.isEmpty ? "expected a name behind ${" : "expected } behind ${\(number); for another value write \(advice)",
        at: here)
    case let byte where byte.isNameByte:
      position += 1
      return .variable(bytes.text(passName()))
    case let byte:
      guard let advice = Self.otherShells(byte) else { return nil }
      let sign = Character(Unicode.Scalar(byte))
      throw fault("there is no $\(sign): \(advice); \\$ is a dollar", at: dollar, width: 2)
    }
  }

  /// Passes over a name; behind a number none goes on.
  private mutating func passName() -> Range<Int> {
    let start = position
    let isNumber = peek?.isDigit ?? false
    while let byte = peek, isNumber ? byte.isDigit : byte.isNameByte { position += 1 }
    return start..<position
  }

  /// The names here for what other shells write as a dollar and a sign; nil: they write nothing so.
  private static func otherShells(_ sign: UInt8) -> String? {
    switch sign {
    case UInt8(ascii: "?"): "$ok is true if the last try succeeded"
    case UInt8(ascii: "@"), UInt8(ascii: "*"): "the arguments are the list arg, as in $(table.concat(arg, \" \"))"
    case UInt8(ascii: "#"): "$(#arg) counts the arguments"
    case UInt8(ascii: "!"): "no command runs in the background"
    default: nil
    }
  }

  /// A word for a program that is a list or a record as JSON writes it. What JSON does not have in it is at fault: nothing is to be
  /// changed in silence.
  ///
  /// - Returns: nil: no such word begins here; nothing was passed.
  mutating func json() throws(NoStatement) -> Literal? {
    let before = self
    let isRecord = bytes[position] == UInt8(ascii: "{")
    var next = position + 1
    while isRecord, next < bytes.count, bytes[next].isBlankOrNewline { next += 1 }
    guard isRecord || bytes[position] == UInt8(ascii: "["), next < bytes.count,
      bytes[next] == UInt8(ascii: "\"") || !isRecord && bytes[next] == UInt8(ascii: "{")
    else { return nil }
    isJSON = true
    made().foreignPart = nil
    var literal: Literal?
    do throws(NoStatement) {
      literal = try operand(.word)
    } catch {
      if case .unfinished = error, !isLast { throw error }
      // Each word behind it would be read as deep.
      if depth > StatementScanner.maximumDepth { throw error }
    }
    let isWhole =
      switch literal {
      case .record?: isRecord
      case .list?: !isRecord
      default: false
      }
    guard isWhole, isAtBoundary else {
      goBack(to: before)
      return nil
    }
    if let part = rarities?.foreignPart { throw part }
    isJSON = false
    return literal
  }

  /// A word for a program. Quotes within it hold it together and are taken away; brackets mean nothing.
  mutating func programWord() throws(NoStatement) -> (Range<Int>, Literal?) {
    let start = position
    var composer: Composer?
    var hasQuotes = false
    while position < bytes.count, !isAtBoundary {
      switch bytes[position] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        var text = composer ?? Composer(at: start)
        text.take(bytes, to: position)
        text.append(bytes[position] == UInt8(ascii: "\"") ? try quotedWord() : .text(try verbatim()))
        text.skip(to: position)
        (composer, hasQuotes) = (text, true)
      case UInt8(ascii: "\\") where position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "$"):
        passEscapedDollar(start, &composer)
      case UInt8(ascii: "$"): try passDollar(start, &composer)
      case UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "|"):
        if !isSeparator { throw signInWord(from: start) }
        position += 1
      default: position += 1
      }
    }
    guard var composer else { return (start..<position, nil) }
    composer.take(bytes, to: position)
    return (start..<position, composer.literal(isQuoted: hasQuotes))
  }

  /// Reads all bytes as a text in which variables and Lua stand for values.
  fileprivate mutating func message() throws(NoStatement) -> Literal {
    let start = position
    var composer: Composer?
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\\") where position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "$"):
        passEscapedDollar(start, &composer)
      case UInt8(ascii: "$"):
        var text = composer ?? Composer(at: start)
        let dollar = position
        guard let reference = try reference() else {
          position += 1
          break
        }
        text.take(bytes, to: dollar)
        text.append(reference, isSelector: false)
        text.skip(to: position)
        composer = text
      default: position += 1
      }
    }
    guard var composer else { return .text(bytes.text(start..<position)) }
    composer.take(bytes, to: position)
    return composer.literal(isQuoted: true)
  }

  /// Reads a text in double quotes, in which variables and Lua stand for values.
  private mutating func quotedWord() throws(NoStatement) -> Literal {
    let open = here
    position += 1
    let start = position
    position = bytes.end(ofQuotedFrom: position)
    if peek == UInt8(ascii: "\"") {
      position += 1
      return .text(bytes.text(start..<(position - 1)))
    }
    var composer = Composer(at: start)
    while let byte = peek, byte != UInt8(ascii: "\"") {
      switch byte {
      case UInt8(ascii: "\\"):
        composer.take(bytes, to: position)
        var text: [UInt8] = []
        try escape(into: &text, open)
        composer.append(text)
        composer.skip(to: position)
      case UInt8(ascii: "$"):
        let dollar = position
        guard let reference = try reference() else {
          position += 1
          break
        }
        composer.take(bytes, to: dollar)
        composer.append(reference, isSelector: false)
        composer.skip(to: position)
      case 0x0A: cursor.newline()
      default: position += 1
      }
    }
    guard position < bytes.count else { throw .unfinished(.quote("\""), open) }
    composer.take(bytes, to: position)
    position += 1
    return composer.literal(isQuoted: true)
  }

  private mutating func verbatim() throws(NoStatement) -> String {
    let open = here
    position += 1
    let start = position
    while let byte = peek, byte != UInt8(ascii: "'") {
      if byte == 0x0A { cursor.newline() } else { position += 1 }
    }
    guard position < bytes.count else { throw .unfinished(.quote("'"), open) }
    position += 1
    return bytes.text(start..<(position - 1))
  }

  private mutating func quoted() throws(NoStatement) -> String {
    let open = here
    position += 1
    let start = position
    while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte != 0x0A { position += 1 }
    if peek == UInt8(ascii: "\"") {
      position += 1
      return bytes.text(start..<(position - 1))
    }
    var text = Array(bytes[start..<position])
    while let byte = peek, byte != UInt8(ascii: "\"") {
      switch byte {
      case UInt8(ascii: "\\"): try escape(into: &text, open)
      case 0x0A:
        text.append(byte)
        cursor.newline()
      default:
        text.append(byte)
        position += 1
      }
    }
    guard position < bytes.count else { throw .unfinished(.quote("\""), open) }
    position += 1
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads one escape. Beside the language's own `\n \t \" \\` these are JSON's, and Lua's `\u{…}`, since both spellings
  /// of a value read back in.
  private mutating func escape(into text: inout [UInt8], _ open: Place) throws(NoStatement) {
    let place = here
    position += 1
    guard let byte = peek else { throw .unfinished(.quote("\""), open) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "$"): text.append(byte)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"): text += String(Character(try unicodeEscape(place, open))).utf8
    default:
      throw fault("unknown escape; there are \\n \\t \\\" \\\\ \\$", at: place, width: byte.isBlankOrNewline ? 1 : 2)
    }
  }

  private mutating func unicodeEscape(_ place: Place, _ open: Place) throws(NoStatement) -> Unicode.Scalar {
    var code: UInt32
    if peek == UInt8(ascii: "{") {
      position += 1
      code = hexadecimal(atMost: 6)
      guard position < bytes.count else { throw .unfinished(.quote("\""), open) }
      guard peek == UInt8(ascii: "}") else { throw fault("expected \\u{XXXX}", at: place, width: 2) }
      position += 1
    } else {
      let start = position
      code = hexadecimal(atMost: 4)
      // The other half of a surrogate pair takes six bytes more.
      guard position + 6 < bytes.count || isLast || bytes[position...].contains(UInt8(ascii: "\"")) else {
        throw .unfinished(.quote("\""), open)
      }
      guard position == start + 4 else { throw fault("expected \\uXXXX", at: place, width: 2) }
      if code >= 0xD800, code < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
        bytes[position + 1] == UInt8(ascii: "u")
      {
        position += 2
        let low = hexadecimal(atMost: 4)
        guard low >= 0xDC00, low < 0xE000 else { throw fault("half of a surrogate pair", at: place, width: 6) }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
    }
    guard let scalar = Unicode.Scalar(code) else { throw fault("not a Unicode character", at: place, width: 2) }
    return scalar
  }

  private mutating func hexadecimal(atMost count: Int) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<count {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { break }
      code = code << 4 | UInt32(digit)
      position += 1
    }
    return code
  }

  private mutating func lua() throws(NoStatement) -> String {
    position += 1
    let open = here
    position += 1
    let start = position
    var level = 1
    while position < bytes.count {
      switch LuaText.piece(in: bytes, at: position) {
      case .skipped(let end), .comment(let end):
        while position < end {
          if bytes[position] == 0x0A { cursor.newline() } else { position += 1 }
        }
      case .unfinished:
        // Even a long string's lines belong to the parenthesis that is open around it.
        throw .unfinished(.bracket("("), open)
      case .code:
        switch bytes[position] {
        case UInt8(ascii: "("): level += 1
        case UInt8(ascii: ")"): level -= 1
        case 0x0A:
          cursor.newline()
          continue
        default: break
        }
        position += 1
        guard level == 0 else { continue }
        let text = bytes.text(start..<(position - 1))
        guard text.contains(where: { !$0.isWhitespace }) else { throw fault("expected a Lua expression", at: open) }
        return text
      }
    }
    throw .unfinished(.bracket("("), open)
  }

  // MARK: Lists and records

  private mutating func list() throws(NoStatement) -> [Literal] {
    let open = here
    position += 1
    var elements: [Literal] = []
    while try byteInside(open) != UInt8(ascii: "]") {
      elements.append(try operand(.list))
      try separator(open, closing: UInt8(ascii: "]"))
    }
    position += 1
    return elements
  }

  private mutating func record() throws(NoStatement) -> Literal {
    let open = here
    position += 1
    var fields: [(name: String, value: Literal)] = []
    var names: Set<String> = []
    var elements: [Literal] = []
    while try byteInside(open) != UInt8(ascii: "}") {
      let place = here
      if let name = try key(open) {
        if !names.insert(name).inserted {
          let twice = fault("the name '\(name)' appears twice", at: place)
          guard isJSON else { throw twice }
          made().foreignPart = rarities?.foreignPart ?? twice
        }
        _ = try byteInside(open)
        fields.append((name, try operand(.record)))
      } else {
        elements.append(try operand(.record))
      }
      guard fields.isEmpty || elements.isEmpty else { throw fault("expected a name and =", at: place) }
      try separator(open, closing: UInt8(ascii: "}"))
    }
    position += 1
    return elements.isEmpty ? .record(fields) : .list(elements)
  }

  /// Reads `name =`, `"name":`, `["name"] =` or `[1] =`; where none of these stands here, reads nothing.
  private mutating func key(_ open: Place) throws(NoStatement) -> String? {
    let before = self
    var name: String
    switch bytes[position] {
    case UInt8(ascii: "\""): name = try quoted()
    case UInt8(ascii: "'"): name = try verbatim()
    case UInt8(ascii: "["):
      guard let text = try bracketedKey() else {
        goBack(to: before)
        return nil
      }
      name = text
    default:
      let start = position
      while let byte = peek, byte.isNameByte { position += 1 }
      name = bytes.text(start..<position)
      guard position > start else { return nil }
    }
    let sign = try byteInside(open)
    guard sign == UInt8(ascii: "=") || sign == UInt8(ascii: ":") else {
      goBack(to: before)
      return nil
    }
    position += 1
    return name
  }

  /// Reads the `["name"]` or `[1]` of a key; nil where another value stands there.
  private mutating func bracketedKey() throws(NoStatement) -> String? {
    let open = here
    position += 1
    switch try byteInside(open) {
    // Of a value within a value each level would be read twice.
    case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "]"): return nil
    default: break
    }
    let isCounted = isJSON
    isJSON = false
    defer { isJSON = isCounted }
    let literal = try operand(.list)
    guard try byteInside(open) == UInt8(ascii: "]") else { return nil }
    position += 1
    switch literal {
    case .bare(let text), .text(let text): return text
    default: return nil
    }
  }

  private mutating func separator(_ open: Place, closing: UInt8) throws(NoStatement) {
    let byte = try byteInside(open)
    // Lua parts the fields of a table by either.
    if byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") && closing == UInt8(ascii: "}") {
      position += 1
    } else if byte != closing {
      throw fault("expected , or \(Character(Unicode.Scalar(closing)))", at: here)
    }
  }

  /// The next byte inside brackets that is neither blank nor line end nor comment; it stays where it is.
  private mutating func byteInside(_ open: Place) throws(NoStatement) -> UInt8 {
    while let byte = peek {
      switch byte {
      case 0x20, 0x09, 0x0D: position += 1
      case 0x0A: cursor.newline()
      case UInt8(ascii: "\\") where isAtBoundary: position += 1
      case UInt8(ascii: "#") where bytes[position - 1].isBlankOrNewline: position = cursor.endOfLine(from: position)
      default: return byte
      }
    }
    throw .unfinished(.bracket(Character(Unicode.Scalar(bytes[open.position]))), open)
  }
}

extension LuaTail {
  /// The message of `assert EXPR -- MESSAGE`, in which variables and Lua stand for values; nil: there is none.
  ///
  /// - Throws: ``SyntaxFault`` for a dollar that stands for nothing.
  package func message() throws(SyntaxFault) -> Literal? {
    guard let message = splittingComment.message, message.contains(where: { !$0.isWhitespace }) else { return nil }
    guard message.utf8.contains(UInt8(ascii: "$")) else { return .text(message) }
    let grammar = Grammar(luaVerbs: [])
    defer { withExtendedLifetime(grammar) {} }
    let outcome = Array(message.utf8).withUnsafeBufferPointer { bytes -> Result<Literal, SyntaxFault> in
      var scanner = StatementScanner(
        ByteView(bytes), start: 0, firstLine: 1, isLast: true, grammar: grammar,
        maximumLength: bytes.count)
      do throws(StatementScanner.NoStatement) {
        return .success(try scanner.message())
      } catch {
        return .failure(scanner.syntaxFault(error))
      }
    }
    return try outcome.get()
  }
}
