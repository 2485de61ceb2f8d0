import ShellLanguage
import StoreModules

/// Shows a line while it is typed, by the names that Tab completes: commands and unknown names in colour, what comes next
/// dim.
struct LineDecorator {
  private let session: Session
  private let completer: Completer

  init(_ session: Session) {
    self.session = session
    completer = Completer(session)
  }

  /// The look of a line.
  ///
  /// - Parameters:
  ///   - cursor: the cursor's place in it, in UTF-8 bytes.
  ///   - openLines: the lines of the statement before this one.
  ///   - history: the statements that were entered before, oldest first.
  func decoration(of line: String, cursor: Int, openLines: [String], history: [String]) -> LineDecoration {
    var decoration = LineDecoration()
    guard session.settings.highlights || session.settings.showsHints, !line.isEmpty else { return decoration }
    let earlier = openLines.map { $0 + "\n" }.joined()
    let text = earlier + line
    let words = CompletionWords(text)
    if session.settings.highlights {
      let line = LineColors(text, cursor: earlier.utf8.count + cursor, words, session)
      // The earlier lines of a statement stand there already.
      decoration.spans = line.spans.compactMap { span in
        let start = max(span.bytes.lowerBound - earlier.utf8.count, 0)
        let end = span.bytes.upperBound - earlier.utf8.count
        return start < end ? LineDecoration.Span(start..<end, span.style) : nil
      }
    }
    if session.settings.showsHints, cursor == line.utf8.count {
      decoration.hint = hint(text, words, history)
    }
    return decoration
  }

  /// The form of what comes next is shown where a word may begin; within a word the last line that went on from there.
  private func hint(_ text: String, _ words: CompletionWords, _ history: [String]) -> LineDecoration.Hint? {
    let form = completer.form(behind: words).map { LineDecoration.Hint.form($0) }
    if let form, words.current.isEmpty { return form }
    let start = text.utf8
    let past = history.last { $0.utf8.count > start.count && $0.utf8.starts(with: start) }
    guard let rest = past?.utf8.dropFirst(start.count).prefix(while: { $0 != 0x0A }), !rest.isEmpty else { return form }
    return .suggestion(String(decoding: rest, as: UTF8.self))
  }
}

/// The colours of a statement that is being typed.
private struct LineColors {
  private(set) var spans: [LineDecoration.Span] = []
  private let session: Session
  /// The cursor's place, in UTF-8 bytes.
  private let cursor: Int

  init(_ text: String, cursor: Int, _ words: CompletionWords, _ session: Session) {
    self.session = session
    self.cursor = cursor
    var all = zip(words.starts, words.complete).compactMap { start, word in start.map { (start: $0, text: word) } }
    if !words.current.isEmpty {
      all.append((text.utf8.count - words.current.utf8.count, words.spelling.typed))
    }
    paintVerbs(all)
    paintOpenText(text, words)
    paintBrackets(Array(text.utf8))
  }

  /// Paints the verbs, and the action behind the last one.
  private mutating func paintVerbs(_ words: [(start: Int, text: String)]) {
    var index = 0
    while index < words.count {
      let (start, verb) = words[index]
      // Lua may follow at once.
      if verb.hasPrefix("=") { return paint(start, 1, .verb) }
      if verb.hasPrefix("#") || verb.hasPrefix("!") { return }
      guard isVerb(verb) else {
        let isMeant = session.names.binding(verb) != nil || isTyped(start, verb) && mayBegin(verb)
        return isMeant ? () : paint(start, verb.utf8.count, .unknown)
      }
      paint(start, verb.utf8.count, .verb)
      let command = session.commands[verb]
      if command?.takesCommand == true {
        index += 1
      } else if verb == "alias", index + 3 < words.count, words[index + 2].text == "=" {
        index += 3
      } else {
        if case .action? = command?.operands.first, index + 1 < words.count { paintAction(words[index + 1]) }
        return
      }
    }
  }

  private mutating func paintAction(_ word: (start: Int, text: String)) {
    guard let first = word.text.first, !"-$#".contains(first), session.actionTarget(word.text) == nil else { return }
    if !isTyped(word.start, word.text) || !session.mayBeginAction(word.text) {
      paint(word.start, word.text.utf8.count, .unknown)
    }
  }

  private mutating func paintOpenText(_ text: String, _ words: CompletionWords) {
    let end = text.utf8.count
    if let lua = words.luaTail(session.commands) {
      let bytes = Array(lua.utf8)
      if let start = LuaText.openPart(in: bytes[...]) { paint(end - bytes.count + start, bytes.count - start, .open) }
    } else if let part = StatementReader.openPart(of: text, grammar: session.grammar), case .quote = part.open {
      paint(part.start, end - part.start, .open)
    }
  }

  /// Paints the bracket at the cursor, or right before it, and its counterpart.
  private mutating func paintBrackets(_ bytes: [UInt8]) {
    guard let pair = [cursor - 1, cursor].lazy.compactMap({ BracketPairs.counterpart(of: $0, in: bytes) }).first else {
      return
    }
    for place in [pair.0, pair.1] { paint(place, 1, .bracket) }
  }

  private mutating func paint(_ start: Int, _ count: Int, _ style: LineDecoration.Style) {
    spans.append(LineDecoration.Span(start..<start + count, style))
  }

  /// True while the word is being typed: the cursor is in it.
  private func isTyped(_ start: Int, _ word: String) -> Bool { (start...start + word.utf8.count).contains(cursor) }

  private func isVerb(_ word: String) -> Bool {
    session.commands[word] != nil || session.names.alias(word) != nil
      || session.store.plugin(named: word)?.module.commands.isEmpty == false
  }

  /// True if a command may begin like that.
  private func mayBegin(_ word: String) -> Bool {
    session.commands.definitions.contains { $0.verb.hasPrefix(word) }
      || session.names.aliases.contains { $0.name.hasPrefix(word) }
      || session.names.bindings.contains { $0.name.hasPrefix(word) }
      || session.store.modules.contains { !$0.commands.isEmpty && $0.name.hasPrefix(word) }
  }
}

/// Brackets that belong together.
private enum BracketPairs {
  /// The place of a bracket and of its counterpart; nil: there is none, or it has none.
  static func counterpart(of place: Int, in bytes: [UInt8]) -> (Int, Int)? {
    guard bytes.indices.contains(place), isBracket(bytes[place]) else { return nil }
    var open: [Int] = []
    var quote: UInt8?
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      defer { index += 1 }
      if let end = quote {
        if byte == UInt8(ascii: "\\"), end == UInt8(ascii: "\"") { index += 1 } else if byte == end { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        // Within a word it is an apostrophe.
        if index == 0 || !isWordByte(bytes[index - 1]) { quote = byte }
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open.append(index)
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard let start = open.popLast(), byte - bytes[start] <= 2 else { return nil }
        if start == place || index == place { return (start, index) }
      default: break
      }
    }
    return nil
  }

  private static func isBracket(_ byte: UInt8) -> Bool { "()[]{}".utf8.contains(byte) }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || Character(Unicode.Scalar(byte)).isLetter
      || Character(Unicode.Scalar(byte)).isNumber
  }
}

extension Session {
  /// True if the name of an action may begin like that.
  fileprivate func mayBeginAction(_ typed: String) -> Bool {
    let modules = store.modules
    func begins(_ module: Module, _ name: Substring) -> Bool { module.actions.contains { $0.name.hasPrefix(name) } }
    if case .field(let scope) = names.scope.steps.first, let module = modules.first(where: { $0.name == scope }),
      begins(module, typed[...])
    {
      return true
    }
    let projected = names.projections.contains { projection in
      (projection.actions ?? []).contains { "\(projection.name).\($0.name)".hasPrefix(typed) }
    }
    guard let dot = typed.firstIndex(of: ".") else {
      return projected || modules.contains { !$0.actions.isEmpty && $0.name.hasPrefix(typed) }
    }
    let rest = typed[typed.index(after: dot)...]
    return projected || modules.contains { $0.name == typed[..<dot] && begins($0, rest) }
  }
}
