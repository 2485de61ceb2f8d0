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
    case UInt8(ascii: "\""): return .text(try quoted())
    case UInt8(ascii: "'"): return .text(try verbatim())
    case UInt8(ascii: "["): return try nested { (scanner) throws(NoStatement) in .list(try scanner.list()) }
    case UInt8(ascii: "{"): return try nested { (scanner) throws(NoStatement) in try scanner.record() }
    case UInt8(ascii: "$"):
      guard position + 1 < bytes.count else { break }
      if bytes[position + 1] == UInt8(ascii: "(") { return .lua(try lua()) }
      guard bytes[position + 1].isNameByte else { break }
      let start = position + 1
      position = start
      while position < bytes.count, bytes[position].isNameByte { position += 1 }
      return .variable(bytes.text(start..<position))
    default: break
    }
    return .bare(bytes.text(try bare(surroundings)))
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
  mutating func bare(_ surroundings: Surroundings) throws(NoStatement) -> Range<Int> {
    let start = position
    if surroundings == .word { position = bytes.end(of: .plain, from: position) }
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A: return start..<position
      case 0x0D, UInt8(ascii: "\\"):
        if isAtBoundary { return start..<position }
        position += 1
      case UInt8(ascii: "["):
        if position == start { position += 1 } else { try passBrackets() }
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
        if surroundings != .word { return try bareInside(start) }
        position += 1
      case UInt8(ascii: ";"):
        if surroundings == .record { return try bareInside(start) }
        position += 1
      default: position += 1
      }
    }
    return start..<position
  }

  /// A word without quotes that ends within brackets.
  private func bareInside(_ start: Int) throws(NoStatement) -> Range<Int> {
    guard position > start else { throw fault("expected a value", at: here) }
    return start..<position
  }

  /// Passes over a bracket inside a word, such as the selector of a path.
  private mutating func passBrackets() throws(NoStatement) {
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
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"): text += String(Character(try unicodeEscape(place, open))).utf8
    default:
      throw fault("unknown escape; there are \\n \\t \\\" \\\\", at: place, width: byte.isBlankOrNewline ? 1 : 2)
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
        guard names.insert(name).inserted else { throw fault("the name '\(name)' appears twice", at: place) }
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
      guard case .list(let elements) = try operand(.list), elements.count == 1 else {
        self = before
        return nil
      }
      switch elements[0] {
      case .bare(let text), .text(let text): name = text
      default:
        self = before
        return nil
      }
    default:
      let start = position
      while let byte = peek, byte.isNameByte { position += 1 }
      name = bytes.text(start..<position)
      guard position > start else { return nil }
    }
    let sign = try byteInside(open)
    guard sign == UInt8(ascii: "=") || sign == UInt8(ascii: ":") else {
      self = before
      return nil
    }
    position += 1
    return name
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
