import ShellLanguage
import StoreModules

/// Commands with a first word that says what they do, such as `plugin reload`, or what they are about, such as
/// `set output`.
extension CommandDefinition {
  /// The first words.
  var parts: [String] { firstWords ?? names.map(\.name) }

  /// The words that the first operand may be; nil: it is something else.
  private var firstWords: [String]? {
    switch operands.first {
    case .words(let words), .pathOrWords(let words): words
    default: nil
    }
  }

  /// The command as if there were only one of those words: for help.
  func only(_ part: String) -> CommandDefinition {
    if let name = names.first(where: { $0.name == part }) {
      return showing(usage: usage, summary: summary, names: [name])
    }
    let lines = usage.filter { $0.split { " []|".contains($0) }.contains(Substring(part)) }.map(Self.formAndMeaning)
    let text = lines.map(\.form).joined(separator: "\n")
    return showing(
      usage: lines.map(\.form), summary: lines.count == 1 ? lines[0].meaning ?? summary : summary,
      flags: flags.filter { text.contains("--\($0.name)") }.map { $0.without(prefix: "\(part): ") },
      examples: examples.filter { $0.lines.last { $0.hasPrefix("\(verb) ") }?.hasPrefix("\(verb) \(part)") ?? false })
  }

  /// The command as it is with the word that says what it does; where the word is none of those, as it is.
  func part(_ word: String?) -> CommandDefinition {
    guard let word, firstWords?.contains(word) == true else { return self }
    let part = only(word)
    return showing("\(verb) \(word)", usage: part.usage, summary: part.summary, flags: part.flags)
  }

  /// True for a line that asks to have the command explained: `VERB --help` or `VERB -h`.
  func isAskedForHelp(_ statement: Statement) -> Bool {
    let words = statement.words.dropFirst()
    guard !takesCommand && !takesProgram || words.count == 1 else { return false }
    if words.count == 1, let word = words.first, word.text == "-h" { return true }
    if words.isEmpty, let lua = statement.lua?.text, lua == "--help" || lua == "-h" { return true }
    guard statement.hasFlags, !flags.contains(where: { $0.name == "help" }) else { return false }
    return words.contains { if case .flag("help", nil) = $0.kind { true } else { false } }
  }

  /// A line of usage, apart from what it says of itself behind two spaces or more.
  private static func formAndMeaning(_ line: String) -> (form: String, meaning: String?) {
    let bytes = Array(line.utf8)
    guard let gap = bytes.indices.first(where: { bytes[$0...].starts(with: "  ".utf8) }) else { return (line, nil) }
    return (
      String(decoding: bytes[..<gap], as: UTF8.self),
      String(decoding: bytes[gap...].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    )
  }
}

extension FlagDefinition {
  fileprivate func without(prefix: String) -> FlagDefinition {
    FlagDefinition(
      name, value: value, need: need, summary.hasPrefix(prefix) ? String(summary.dropFirst(prefix.count)) : summary)
  }
}

extension CommandDefinition {
  /// `NAME := VALUE`, which the command `bind` is asked about: dispatches the one action that sets the value.
  static func writing(_ binding: SessionBinding, _ bind: CommandDefinition) -> CommandDefinition {
    let usage = "\(binding.name) := \(binding.action.fields[0].schema.typeName)"
    return CommandDefinition(
      bind.verb, usage: bind.usage, summary: bind.summary, flags: bind.flags,
      read: { given in
        var reader = given
        reader.usage = usage
        let words = reader.operands
        guard words.count > 1 else {
          throw reader.fault(.missingArgument, "\(binding.name) := needs a value", at: words[0])
        }
        guard words.count == 2 else {
          throw reader.fault(.unexpectedArgument, "\(binding.name) := takes one value", at: words[2])
        }
        return try reader.arguments(
          binding.action.fields, of: binding.action.fullName, usage: usage, at: words[0], words[1...])
      },
      perform: { arguments, session in
        let call = ActionCall(binding.action, try arguments.values(in: session))
        return try session.finish(session.store.dispatch(call, source: session.source(function: "dispatch")))
      })
  }
}
