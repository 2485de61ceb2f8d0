import StoreModules
import StorePlugins
import StoreSchema

extension Completer {
  /// The form of the words that may follow, as help writes it: `title:String`; nil: nothing is known of them.
  func form(behind text: CompletionWords) -> String? {
    var words = text
    words.dropPrefixes(session.commands)
    words.expandAlias(session.names.aliases, session.commands)
    guard let verb = words.complete.first else { return nil }
    let signs = [">", ">>", "|"]
    if words.isWords(session.commands), let redirection = words.complete.lastIndex(where: signs.contains) {
      let isMissing = redirection == words.complete.count - 1 && words.complete[redirection] != "|"
      return isMissing && words.current.isEmpty ? "FILE" : nil
    }
    let plugin = session.store.plugin(named: verb)
    if let plugin, words.complete.count == 1 {
      return words.current.isEmpty ? plugin.module.commands.map(\.name).joined(separator: "|") : nil
    }
    if let binding = session.names.binding(verb), words.complete.dropFirst().first == ":=" {
      let isMissing = words.complete.count == 2 && words.current.isEmpty
      return isMissing ? binding.action.fields[0].schema.typeName : nil
    }
    let known = if let plugin { plugin.definition(ofCommand: words.complete[1]) } else { session.commands[verb] }
    guard let definition = known else { return nil }
    if let lua = words.luaTail(session.commands), lua.contains(where: { !$0.isWhitespace }) { return nil }
    if let flag = words.openFlag(definition) { return words.current.isEmpty ? flag.value : nil }
    let operands = words.operands(definition)
    if let (fields, given) = fields(of: definition, operands, plugin) {
      return form(of: fields, after: given, words.current)
    }
    guard words.current.isEmpty else { return nil }
    let flags = Set(words.complete.filter { $0.hasPrefix("--") })
    let rests = definition.usage.flatMap(UsageForm.all).compactMap { $0.rest(behind: operands.dropFirst(), flags) }
    // Of two that may be meant, the one whose own words stand there; of a list the one that narrows it.
    guard let own = rests.map(\.own).max() else { return nil }
    let likely = rests.filter { $0.own == own }
    let narrowing = isList(operands) ? likely.first { $0.text.hasPrefix("[where") } : nil
    guard let text = (narrowing ?? likely.first)?.text, !text.isEmpty else { return nil }
    return text
  }

  /// True if the last operand is the path of a list or a map.
  private func isList(_ operands: [String]) -> Bool {
    guard operands.count == 2, let path = try? Path(parsing: operands[1]),
      let type = try? session.declaredType(at: session.scoped(path))
    else { return false }
    switch type.kind {
    case .list, .map: return true
    default: return false
    }
  }

  /// The arguments of the action, the thunk or the command that a line names, and the words after it; nil: its words are
  /// none.
  private func fields(
    of definition: CommandDefinition, _ operands: [String], _ plugin: Plugin?
  ) -> ([Field], ArraySlice<String>)? {
    if plugin != nil { return (definition.arguments, operands.dropFirst(2)) }
    if !definition.arguments.isEmpty { return (definition.arguments, operands.dropFirst()) }
    guard operands.count > 1 else { return nil }
    switch definition.verb {
    case "dispatch":
      guard case .type(let type) = session.actionTarget(operands[1]) else { return ([], []) }
      return (type.fields, operands.dropFirst(2))
    case "thunk":
      let thunk = session.store.live.thunks.first { $0.fullName == operands[1] || $0.action.name == operands[1] }
      return (thunk?.action.fields ?? [], operands.dropFirst(2))
    default: return nil
    }
  }

  private func form(of fields: [Field], after given: ArraySlice<String>, _ current: String) -> String? {
    if current.isEmpty {
      let missing = missingFields(among: fields, after: given)
      return missing.isEmpty ? nil : missing.map(\.signature).joined(separator: " ")
    }
    guard current.last == "=" else { return nil }
    return fields.first { $0.name == current.dropLast() }?.schema.typeName
  }
}

/// A form of a command, as its usage writes it, of which some words are typed.
private struct UsageForm {
  /// Its words behind the verb.
  private let words: ArraySlice<Substring>

  /// The forms of a usage line: `add NAME | reset [NAME…]` are two.
  static func all(in usage: String) -> [UsageForm] {
    // Behind two spaces it says what the form is for.
    let form = usage.firstRange(of: "  ").map { usage[..<$0.lowerBound] } ?? usage[...]
    return form.split(separator: " ").dropFirst().split(separator: "|").map { UsageForm(words: $0) }
  }

  /// The rest behind some operands, and the number of them that are its own words; nil: they are not of this form.
  ///
  /// - Parameter flags: those that stand there already.
  func rest(behind operands: ArraySlice<String>, _ flags: Set<String>) -> (text: String, own: Int)? {
    var rest = words
    var own = 0
    for operand in operands {
      guard let word = rest.first, !word.hasPrefix("[--"), word != "…" else { return nil }
      let choices = word.drop { $0 == "[" }.split(separator: "|").map { $0.prefix { $0 != "]" } }
      guard let choice = choices.firstIndex(where: { $0 == operand }) ?? choices.firstIndex(where: { !Self.isOwn($0) })
      else { return nil }
      if Self.isOwn(choices[choice]) { own += 1 }
      // What repeats may follow itself.
      if !word.contains("…") { rest = rest.dropFirst() }
      // Of `DURATION|idle|until EXPR` only the last one goes on; of `on|off NAME` each does.
      if choice + 1 < choices.count, !choices.allSatisfy(Self.isOwn) { rest = rest.drop { !$0.hasPrefix("[") } }
    }
    return (Self.balanced(Self.without(flags, Self.alternative(rest)).joined(separator: " ")), own)
  }

  /// The words up to the end of the alternative that was begun: of `[PART]|MODULE` only the first.
  private static func alternative(_ words: ArraySlice<Substring>) -> ArraySlice<Substring> {
    guard let first = words.first, first.hasPrefix("["), let end = first.firstRange(of: "]|"),
      !first[..<end.lowerBound].dropFirst().contains("[")
    else { return words }
    return [first[..<end.lowerBound] + "]"]
  }

  /// The words without those of some flags.
  private static func without(_ flags: Set<String>, _ words: ArraySlice<Substring>) -> [Substring] {
    var kept: [Substring] = []
    var rest = words
    while let word = rest.popFirst() {
      guard flags.contains(String(word.drop { $0 == "[" }.prefix { $0 != "]" })) else {
        kept.append(word)
        continue
      }
      if word.hasPrefix("[") {
        if !word.hasSuffix("]") { while let word = rest.popFirst(), !word.hasSuffix("]") {} }
      } else if rest.first?.first?.isUppercase == true {
        rest.removeFirst()
      }
    }
    return kept
  }

  private static func isOwn(_ word: Substring) -> Bool { word.allSatisfy { $0.isLowercase } }

  /// A part of the line without the ends of brackets that begin before it, and with those that it lacks.
  private static func balanced(_ text: String) -> String {
    var depth = 0
    let kept = text.filter { character in
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      defer { depth = max(0, depth) }
      return depth >= 0
    }
    return kept + String(repeating: "]", count: depth)
  }
}
