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
    let rests = definition.usage.flatMap(UsageForm.all).compactMap { $0.rest(behind: operands.dropFirst()) }
    // Of two that may be meant, the one whose own words stand there.
    guard let own = rests.map(\.own).max(), let text = rests.first(where: { $0.own == own })?.text else { return nil }
    return text.isEmpty ? nil : text
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
    usage.split(separator: " ").dropFirst().split(separator: "|").map { UsageForm(words: $0) }
  }

  /// The rest behind some operands, and the number of them that are its own words; nil: they are not of this form.
  func rest(behind operands: ArraySlice<String>) -> (text: String, own: Int)? {
    var rest = words
    var own = 0
    for operand in operands {
      guard let word = rest.first, !word.hasPrefix("[--") else { return nil }
      let choices = word.drop { $0 == "[" }.split(separator: "|").map { $0.prefix { $0 != "]" } }
      guard let choice = choices.firstIndex(where: { $0 == operand }) ?? choices.firstIndex(where: { !Self.isOwn($0) })
      else { return nil }
      if Self.isOwn(choices[choice]) { own += 1 }
      // What repeats may follow itself.
      if !word.contains("…") { rest = rest.dropFirst() }
      // Of `DURATION|idle|until EXPR` only the last one goes on; of `on|off NAME` each does.
      if choice + 1 < choices.count, !choices.allSatisfy(Self.isOwn) { rest = rest.drop { !$0.hasPrefix("[") } }
    }
    return (Self.balanced(rest.joined(separator: " ")), own)
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
