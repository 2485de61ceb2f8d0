import ShellLanguage
import StoreModules

/// A line that is being typed, with the lines of its statement before it.
package struct TypedLine {
  /// The statement up to the end of the line.
  let text: String
  let words: CompletionWords
  /// True while the cursor is at the end of the line.
  package let isAtEnd: Bool
  /// True where a word may begin at the end of the line.
  package var beginsWord: Bool { words.current.isEmpty }
  private let cursor: Int
  /// The bytes before the line.
  private let earlier: Int

  /// A line with its cursor, as ``LineEditing/decorator`` gets it.
  package init(_ line: String, cursor: Int, openLines: [String]) {
    let before = openLines.map { $0 + "\n" }.joined()
    text = before + line
    words = CompletionWords(text)
    isAtEnd = cursor == line.utf8.count
    earlier = before.utf8.count
    self.cursor = cursor
  }

  /// Its parts with styles, by the names that the shell's own commands have.
  package var spans: [LineDecoration.Span] { spans(in: nil) }

  /// Its parts with styles, by the names that a session knows.
  func spans(in session: Session?) -> [LineDecoration.Span] {
    // The earlier lines of a statement stand there already.
    LineColors(text, cursor: earlier + cursor, words, session).spans.compactMap { span in
      let start = max(span.bytes.lowerBound - earlier, 0)
      let end = span.bytes.upperBound - earlier
      return start < end ? LineDecoration.Span(start..<end, span.style) : nil
    }
  }
}

/// The colours of a statement that is being typed.
private struct LineColors {
  private(set) var spans: [LineDecoration.Span] = []
  /// The session that knows the names; nil: those of the shell's own commands alone are known.
  private let session: Session?
  /// The cursor's place, in UTF-8 bytes.
  private let cursor: Int

  init(_ text: String, cursor: Int, _ words: CompletionWords, _ session: Session?) {
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
    for _ in 0...Grammar.mostPrefixes where index < words.count {
      let (start, verb) = words[index]
      // Lua may follow at once.
      if verb.hasPrefix("=") { return paint(start, 1, .verb) }
      if verb.hasPrefix("#") || verb.hasPrefix("!") { return }
      guard isVerb(verb) else {
        return mayBeMeant(start, verb) ? () : paint(start, verb.utf8.count, .unknown)
      }
      paint(start, verb.utf8.count, .verb)
      let command = commands[verb]
      if let command, command.takesCommand {
        index += 1 + command.wordsBeforeCommand
      } else if verb == "alias", index + 3 < words.count, words[index + 2].text == "=" {
        index += 3
      } else {
        if case .action? = command?.operands.first, index + 1 < words.count { paintAction(words[index + 1]) }
        return
      }
    }
  }

  private mutating func paintAction(_ word: (start: Int, text: String)) {
    guard let session, let first = word.text.first, !"-$#".contains(first), session.actionTarget(word.text) == nil
    else { return }
    if !isTyped(word.start, word.text) || !session.mayBeginAction(word.text) {
      paint(word.start, word.text.utf8.count, .unknown)
    }
  }

  private mutating func paintOpenText(_ text: String, _ words: CompletionWords) {
    let end = text.utf8.count
    if let lua = words.luaTail(commands) {
      let bytes = Array(lua.utf8)
      if let start = LuaText.openPart(in: bytes[...]) { paint(end - bytes.count + start, bytes.count - start, .open) }
    } else if let part = StatementReader.openPart(of: text, grammar: grammar), case .quote = part.open {
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

  private var commands: CommandTable { session?.commands ?? .standard }

  private var grammar: Grammar { session?.grammar ?? CommandTable.standardGrammar }

  private func isVerb(_ word: String) -> Bool {
    commands[word] != nil
      || session.map { session in
        session.names.alias(word) != nil || session.store.plugin(named: word)?.module.commands.isEmpty == false
      } ?? false
  }

  /// True for a word that is no command, but is not to be called unknown.
  private func mayBeMeant(_ start: Int, _ word: String) -> Bool {
    guard let session else { return true }
    return session.names.binding(word) != nil || isTyped(start, word) && session.mayBeginCommand(word)
  }
}

/// Brackets that belong together.
private enum BracketPairs {
  /// The place of a bracket and of its counterpart; nil: there is none, or it has none.
  static func counterpart(of place: Int, in bytes: [UInt8]) -> (Int, Int)? {
    guard bytes.indices.contains(place), isBracket(bytes[place]) else { return nil }
    var open: [Int] = []
    var quote: UInt8?
    // The brackets that were open before the Lua within a text.
    var texts: [Int] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      defer { index += 1 }
      if let end = quote {
        if byte == UInt8(ascii: "\\"), end == UInt8(ascii: "\"") {
          index += 1
        } else if byte == end {
          quote = nil
        } else if byte == UInt8(ascii: "$"), end == UInt8(ascii: "\""), texts.isEmpty, index + 1 < bytes.count,
          bytes[index + 1] == UInt8(ascii: "(")
        {
          texts.append(open.count)
          quote = nil
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        // Within a word it is an apostrophe.
        if index == 0 || !isWordByte(bytes[index - 1]) { quote = byte }
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open.append(index)
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard let start = open.popLast(), (1...2).contains(Int(byte) - Int(bytes[start])) else { return nil }
        if start == place || index == place { return (start, index) }
        if open.count == texts.last {
          texts.removeLast()
          quote = UInt8(ascii: "\"")
        }
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
  /// True if a command may begin like that.
  fileprivate func mayBeginCommand(_ typed: String) -> Bool {
    commands.definitions.contains { $0.verb.hasPrefix(typed) }
      || names.aliases.contains { $0.name.hasPrefix(typed) }
      || names.bindings.contains { $0.name.hasPrefix(typed) }
      || store.modules.contains { !$0.commands.isEmpty && $0.name.hasPrefix(typed) }
  }

  /// True if the name of an action may begin like that.
  fileprivate func mayBeginAction(_ typed: String) -> Bool {
    let modules = store.modules
    func begins(_ module: Module, _ name: Substring) -> Bool { person.actionNames.begins(module, name) }
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
