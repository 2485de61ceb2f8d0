import StoreSchema

extension Completer {
  /// Names in Lua: `state.` and its parts, globals, and the parts of a global that is a table. Globals are libraries,
  /// the functions of the session and variables.
  ///
  /// - Parameter fields: names that mean something besides.
  func completeLua(_ text: String, cursor: Int, besides fields: [String] = []) -> LineCompletion {
    let name = LuaName(endOf: text)
    let isOfElement = name.table == ["it"] && fields.contains("it")
    let names = isOfElement ? fields.filter { $0 != "it" && $0 != "key" } : name.table.isEmpty ? fields : []
    let owner = name.typed.dropLast(name.last.count)
    let candidates =
      names.filter { $0.hasPrefix(name.last) }.map {
        LineCompletion.Candidate(text: owner + $0, display: $0, suffix: "")
      }
      + (name.typed.hasPrefix("state.") ? stateCandidates(name.typed) : luaCandidates(name))
    return LineCompletion(replaceFrom: cursor - name.typed.utf8.count, candidates: candidates)
  }

  /// The names in a condition on the elements at a path.
  func fields(at path: String) -> [String] {
    guard let path = try? Path(parsing: path), let type = try? session.declaredType(at: session.scoped(path)) else {
      return []
    }
    switch type.kind {
    case .list(let element): return element.fieldNames + ["it"]
    case .map(_, let element): return element.fieldNames + ["it", "key"]
    default: return []
    }
  }

  private func stateCandidates(_ typed: String) -> [LineCompletion.Candidate] {
    let paths = pathCandidates(String(typed.dropFirst("state.".count)), isLua: true)
    let candidates = paths.filter { !$0.text.hasPrefix("shell") }.map {
      LineCompletion.Candidate(text: "state.\($0.text)", display: $0.display, suffix: $0.suffix)
    }
    return candidates.filter { $0.text.hasPrefix(typed) }
  }

  private func luaCandidates(_ typed: LuaName) -> [LineCompletion.Candidate] {
    guard let lua = try? session.lua() else { return [] }
    let names = lua.names(in: typed.table) + (typed.table.isEmpty ? ["arg"] : [])
    let fitting = names.filter { $0.isName && $0.hasPrefix(typed.last) }
    return fitting.map { name in
      // Asked of the one that it would follow alone: a table may be long.
      let isTable = fitting.count == 1 && (name == "state" || !lua.names(in: typed.table + [name]).isEmpty)
      return LineCompletion.Candidate(
        text: typed.typed.dropLast(typed.last.count) + name, display: name, suffix: isTable ? "." : "")
    }
  }
}

extension Schema {
  fileprivate var fieldNames: [String] {
    if case .record(let record) = kind { return record.fields.map(\.name) }
    return []
  }
}

/// The name at the end of Lua that is being typed: `string.re` is `re` in the table `string`.
private struct LuaName {
  /// The text of the name, as it is written.
  let typed: String
  /// Its last part.
  let last: String
  /// The names that lead to the table that it is looked up in; none: it is a global.
  let table: [String]

  init(endOf text: String) {
    let before = text.lastIndex { !($0.isLetter || $0.isNumber || "_.[]".contains($0)) }
    let name = text[(before.map(text.index(after:)) ?? text.startIndex)...]
    // Two dots join texts.
    typed = String(name.split(separator: "..", omittingEmptySubsequences: false).last ?? name)
    let parts = typed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    last = parts.last ?? ""
    // A value with methods is text, in all but rare cases.
    table = before.map { text[$0] } == ":" && name == typed ? ["string"] : parts.dropLast()
  }
}
