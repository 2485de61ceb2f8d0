import ShellLanguage

/// A grammar as the shell has it; a chunk counts as unfinished where it has more `do` than `end`, or ends with `=`.
let grammar = Grammar(
  luaVerbs: [
    LuaVerb("=", takesFlags: true), LuaVerb("lua"), LuaVerb("assert"), LuaVerb("let", .named),
    LuaVerb("wait", .following("until"), takesFlags: true),
  ],
  prefixes: ["try", "time"],
  isUnfinishedLua: { lua in
    let words = lua.split(whereSeparator: \.isWhitespace)
    return words.filter { $0 == "do" }.count > words.filter { $0 == "end" }.count || lua.hasSuffix("==")
  })

func statements(_ text: String) throws -> [Statement] {
  var reader = StatementReader(Array(text.utf8), grammar: grammar)
  var all: [Statement] = []
  while let statement = try reader.next() { all.append(statement) }
  return all
}

func statement(_ text: String) throws -> Statement {
  let all = try statements(text)
  guard all.count == 1 else { throw Failure(reason: "\(all.count) statements") }
  return all[0]
}

func fault(_ text: String) -> SyntaxFault? {
  do {
    _ = try statements(text)
    return nil
  } catch {
    return error as? SyntaxFault
  }
}

struct Failure: Error { let reason: String }

/// A word in short: `bare`, `"text"`, `name=…`, `--flag=…`, `[…]`, `{a=…}`, `$name`, `$(…)`.
func short(_ word: Word) -> String {
  switch word.kind {
  case .value(let literal): short(literal)
  case .named(let name, let literal): "\(name)=\(short(literal))"
  case .flag(let name, let literal): "--\(name)" + (literal.map { "=" + short($0) } ?? "")
  }
}

func short(_ literal: ShellLanguage.Literal) -> String {
  switch literal {
  case .bare(let word): word
  case .text(let text): "\"\(text)\""
  case .list(let elements): "[" + elements.map(short).joined(separator: ",") + "]"
  case .record(let fields): "{" + fields.map { "\($0.name)=\(short($0.value))" }.joined(separator: ",") + "}"
  case .lua(let expression): "$(\(expression))"
  case .variable(let name): "$\(name)"
  case .composed(let text): (text.isQuoted ? "" : "bare") + "<" + text.pieces.map(short).joined(separator: "+") + ">"
  }
}

/// A piece of a text in short; one that is the whole of a selector stands in brackets.
private func short(_ piece: Composition.Piece) -> String {
  switch piece {
  case .text(let text): "\"\(text)\""
  case .value(let reference, let isSelector): isSelector ? "[\(reference.text)]" : reference.text
  }
}
