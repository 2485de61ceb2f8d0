import ShellLanguage

/// The text before the cursor, split just well enough for completion: statements that are being typed are not complete.
struct CompletionWords {
  /// The words before the one at the cursor.
  private(set) var complete: [String] = []
  /// The bytes of the text at which they start; nil for words that an alias stands for.
  private(set) var starts: [Int?] = []
  /// The part of the word before the cursor.
  private(set) var current = ""
  /// The word's spelling and meaning.
  private(set) var spelling = WordSpelling("")
  /// The text from the innermost `$(` that is still open.
  private var openLua: String?
  /// The name of a variable that ends at the cursor, with its `$` or `${`; nil: none does.
  private(set) var openVariable: String?
  private let text: String

  init(_ text: String) {
    self.text = text
    var quote: Character?
    var isEscaped = false
    var depth = 0
    var luaStart: String.Index?
    var luaDepth = 0
    var index = text.startIndex
    var offset = 0
    var start = 0
    scan: while index < text.endIndex {
      let character = text[index]
      let next = text.index(after: index)
      // The bytes of Lua that follow the character.
      var inner = 0
      defer {
        index = inner == 0 || index == text.endIndex ? next : text.utf8.index(next, offsetBy: inner)
        offset += character.utf8.count + inner
      }
      if let open = quote {
        current.append(character)
        if isEscaped {
          isEscaped = false
        } else if character == "$", open == "\"", next < text.endIndex, text[next] == "(" {
          // The quotes of Lua are its own.
          let bytes = Array(text[next...].utf8)
          guard let end = LuaText.endOfBrackets(in: bytes[...], at: 0) else {
            luaStart = text.index(after: next)
            current += text[next...]
            index = text.endIndex
            break scan
          }
          let lua = String(decoding: bytes[..<end], as: UTF8.self)
          current += lua
          inner = end
        } else if character == "\\", open == "\"" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
        continue
      }
      switch character {
      case "\"", "'": quote = character
      case "\\" where next < text.endIndex && text[next] == "\n": continue
      case "$" where next < text.endIndex && text[next] == "(" && luaStart == nil:
        luaStart = text.index(after: next)
        luaDepth = depth
      case "(", "[", "{": depth += 1
      case ")", "]", "}":
        depth -= 1
        if depth <= luaDepth { luaStart = nil }
      case " ", "\t", "\n":
        guard depth == 0 else { break }
        if !current.isEmpty {
          complete.append(WordSpelling(current).typed)
          starts.append(start)
        }
        current = ""
        start = offset + 1
        continue
      default: break
      }
      current.append(character)
    }
    spelling = WordSpelling(current)
    openVariable = quote == "'" ? nil : Self.variable(atEndOf: current)
    if let luaStart, luaStart <= text.endIndex { openLua = String(text[luaStart...]) }
  }

  /// The variable that a word ends in, with its `$` or `${`.
  private static func variable(atEndOf word: String) -> String? {
    let name = word.utf8.reversed().prefix(while: \.isNameByte).count
    var before = word.utf8.dropLast(name)
    let isBraced = before.last == UInt8(ascii: "{")
    if isBraced { before = before.dropLast() }
    guard before.last == UInt8(ascii: "$"), before.dropLast().last != UInt8(ascii: "\\") else { return nil }
    return String(word.utf8.suffix(name + (isBraced ? 2 : 1)))
  }

  /// Leaves out the words in front of another command, such as `try` or `alias NAME =`. So the command behind them is
  /// completed as it is alone. Of more than a statement may have some stay.
  mutating func dropPrefixes(_ commands: CommandTable) {
    for _ in 0..<Grammar.mostPrefixes {
      guard let verb = complete.first else { return }
      if let prefix = commands[verb], prefix.takesCommand {
        guard complete.count > prefix.wordsBeforeCommand else { return }
        drop(1 + prefix.wordsBeforeCommand)
      } else if verb == "alias", complete.count > 2, complete[2] == "=" {
        drop(3)
      } else {
        return
      }
    }
  }

  private mutating func drop(_ count: Int) {
    complete.removeFirst(count)
    starts.removeFirst(count)
  }

  /// Puts the words that an alias stands for in its place, unless they begin a line of Lua.
  mutating func expandAlias(_ aliases: NamedItems<SessionNames.Alias>, _ commands: CommandTable) {
    guard let name = complete.first, let alias = aliases[name] else { return }
    var expansion = CompletionWords("\(alias.command) ")
    expansion.dropPrefixes(commands)
    let verb = commands.luaVerbs.first { $0.name == expansion.complete.first }
    if let verb {
      guard case .behind = verb.form else { return }
    }
    complete.replaceSubrange(...0, with: expansion.complete)
    starts.replaceSubrange(...0, with: [Int?](repeating: nil, count: expansion.complete.count))
  }

  /// The Lua that the cursor stands in, or nil.
  func luaTail(_ commands: CommandTable) -> String? {
    if let openLua { return openLua }
    guard let verb = complete.first, let lua = commands.luaVerbs.first(where: { $0.name == verb && $0.isLua }) else {
      return nil
    }
    if lua.takesFlags, hasFlag { return nil }
    switch lua.form {
    case .immediate: return String(text.drop { $0 == " " }.dropFirst(verb.count))
    case .named:
      guard complete.count >= 3, complete[2] == "=" else { return nil }
      return String(text.drop { $0 != "=" }.dropFirst())
    case .following(let word):
      guard complete.count >= 2, complete[1] == word else { return nil }
      return current
    case .behind(let word): return complete.dropFirst(2).contains(word) ? current : nil
    }
  }

  /// True where the line is words alone: in Lua `>` and `|` are operators.
  func isWords(_ commands: CommandTable) -> Bool { openLua == nil && luaTail(commands) == nil }

  /// The path of the elements that the Lua at the cursor is about; nil: it is about no elements.
  func narrowedPath(_ commands: CommandTable) -> String? {
    guard let verb = complete.first, let lua = commands.luaVerbs.first(where: { $0.name == verb }),
      case .behind(let word) = lua.form, openLua == nil, complete.dropFirst(2).contains(word)
    else { return nil }
    return complete[1]
  }

  /// True if flags have begun behind the verb; the first flag may be at the cursor.
  private var hasFlag: Bool {
    current.hasPrefix("--") || complete.contains { $0.hasPrefix("--") && $0.dropFirst(2).first?.isLetter == true }
  }

  /// The flag before the cursor that still needs its value.
  func openFlag(_ definition: CommandDefinition) -> FlagDefinition? {
    guard let last = complete.last, last.hasPrefix("--") else { return nil }
    return definition.flags.first { "--\($0.name)" == last && $0.value != nil }
  }

  func value(of flag: String) -> String? {
    guard let index = complete.firstIndex(of: flag), index + 1 < complete.count else { return nil }
    return complete[index + 1]
  }

  /// The words before the cursor that are neither flags nor their values, the verb first.
  func operands(_ definition: CommandDefinition) -> [String] {
    var operands: [String] = []
    var skips = false
    for word in complete {
      if skips {
        skips = false
      } else if word.hasPrefix("--") {
        skips = definition.flags.contains { "--\($0.name)" == word && $0.value != nil }
      } else {
        operands.append(word)
      }
    }
    return operands
  }
}
