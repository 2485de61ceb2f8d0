import StoreModules
import StoreSchema

extension Completer {
  /// The parts of a path that may follow, without the word's start.
  ///
  /// - Returns: the candidates and, with `isValue`, whether they take the place of a value that is typed without quotes.
  func completePath(_ spelling: WordSpelling, besides words: [String] = [])
    -> (candidates: [LineCompletion.Candidate], rest: LineCompletion.Rest?, isValue: Bool)
  {
    let typed = spelling.typed
    let found = selected(typed)
    let candidates = found.map { $0.candidates } ?? pathCandidates(typed)
    let own = words.map { LineCompletion.Candidate(text: $0) }
    let value = typed.lastIndex(of: "[").flatMap { typed[$0...].split(separator: "=", maxSplits: 1).dropFirst().first }
    let isValue = !spelling.isQuoted && found != nil && value?.first?.isLetter == true
    return (own + candidates, found?.rest, isValue)
  }

  /// Modules, then their fields and projections, then fields inside.
  ///
  /// - Parameter isLua: true if the path is one in Lua's `state`, which has no projections.
  func pathCandidates(_ typed: String, isLua: Bool = false) -> [LineCompletion.Candidate] {
    guard let dot = typed.lastIndex(of: ".") else {
      let modules = session.store.modules.map { LineCompletion.Candidate(text: $0.name, suffix: ".") }
      guard !isLua else { return modules }
      let own = session.names.projections.names + session.names.bindings.names
      return scopedCandidates + modules + [LineCompletion.Candidate(text: "shell", suffix: ".")]
        + own.map { LineCompletion.Candidate(text: $0) }
    }
    let parent = String(typed[..<dot])
    let names = members(of: parent, isLua: isLua)
    return names.map { name, hasMembers in
      LineCompletion.Candidate(text: "\(parent).\(name)", display: name, suffix: hasMembers ? "." : "")
    }
  }

  /// `list[id=1]` and so on, for a path that ends in a selector, and the keys of a map behind a dot; nil: neither is open.
  private func selected(_ typed: String) -> (candidates: [LineCompletion.Candidate], rest: LineCompletion.Rest?)? {
    guard let bracket = typed.lastIndex(of: "["), !typed[bracket...].contains("]") else { return keys(typed) }
    let (owner, selector) = (typed[..<bracket], typed[typed.index(after: bracket)...])
    guard let path = try? Path(parsing: String(owner)), let type = try? session.declaredType(at: session.scoped(path)),
      let (module, fields) = fieldNames(in: session.scoped(path))
    else { return ([], nil) }
    func elements(_ typed: Substring) -> KnownElements { KnownElements(view: session.store.view, typed: typed) }
    func all(_ found: KnownElements.Found, _ others: [LineCompletion.Candidate] = [])
      -> ([LineCompletion.Candidate], LineCompletion.Rest?)
    {
      var candidates = found.candidates(behind: String(owner))
      for index in candidates.indices { candidates[index].suffix = "" }
      return (candidates + others, found.rest(behind: String(owner)))
    }
    switch type.kind {
    case .map:
      return all(elements(selector.drop { $0 == "\"" || $0 == "'" }).keys(in: module, at: fields) { $0.selector })
    case .list(let element):
      guard case .record(let record) = element.kind else { return ([], nil) }
      if let equals = selector.firstIndex(of: "=") {
        let start = selector[selector.index(after: equals)...].drop { $0 == "\"" || $0 == "'" }
        return all(elements(start).values(of: String(selector[..<equals]), in: module, at: fields))
      }
      let ids = elements("").values(of: "id", in: module, at: fields)
      let others = record.fields.filter { $0.name != "id" || ids.values.isEmpty }
      return all(
        ids,
        others.map {
          LineCompletion.Candidate(
            text: "\(owner)[\($0.name)=", display: "[\($0.name)=", meaning: $0.schema.typeName, suffix: "")
        })
    default: return ([], nil)
    }
  }

  /// The fields of the elements that a line narrows, behind those that are typed with commas.
  func fieldLists(_ words: CompletionWords) -> [LineCompletion.Candidate] {
    guard words.complete.count > 1 else { return [] }
    let typed = words.spelling.typed
    let start = typed.lastIndex(of: ",").map(typed.index(after:)) ?? typed.startIndex
    let before = typed[..<start] + (typed[start...].hasPrefix("-") ? "-" : "")
    let names = fields(at: words.complete[1]).filter { $0 != "it" && $0 != "key" }
    return names.map { LineCompletion.Candidate(text: before + $0, display: $0, suffix: "") }
  }

  /// The keys of the map that a dot follows.
  private func keys(_ typed: String) -> (candidates: [LineCompletion.Candidate], rest: LineCompletion.Rest?)? {
    guard let dot = typed.lastIndex(of: "."), let path = try? Path(parsing: String(typed[..<dot])),
      let type = try? session.declaredType(at: session.scoped(path)), case .map(_, let element) = type.kind,
      let (module, fields) = fieldNames(in: session.scoped(path))
    else { return nil }
    let elements = KnownElements(view: session.store.view, typed: typed[typed.index(after: dot)...])
    let found = elements.keys(in: module, at: fields) { key in
      if case .string(let name) = key, name.isName { name } else { nil }
    }
    var candidates = found.candidates(behind: String(typed[...dot]))
    for index in candidates.indices { candidates[index].suffix = element.hasFields ? "." : "" }
    return (candidates, found.rest(behind: String(typed[...dot])))
  }

  /// The module that a path of names alone leads into, and the names in it.
  private func fieldNames(in path: Path) -> (module: String, fields: ArraySlice<String>)? {
    let names = path.steps.compactMap { if case .field(let name) = $0 { name } else { nil } }
    guard names.count == path.steps.count, let module = names.first else { return nil }
    return (module, names.dropFirst())
  }

  /// The names within what `use` chose.
  private var scopedCandidates: [LineCompletion.Candidate] {
    guard !session.names.scope.isEmpty else { return [] }
    return members(of: session.names.scope.description).map { name, hasMembers in
      LineCompletion.Candidate(text: name, suffix: hasMembers ? "." : "")
    }
  }

  private func members(of parent: String, isLua: Bool = false) -> [(String, Bool)] {
    if parent == "shell" { return ShellListing.allCases.map { ($0.rawValue, false) } }
    guard let path = try? Path(parsing: parent), case .field(let name) = path.steps.first,
      let module = session.store.modules.first(where: { $0.name == name })
    else { return [] }
    guard path.steps.count > 1 else {
      let projections = isLua ? [] : module.projections.map { ($0.name, false) }
      return module.fields.map { ($0.name, $0.schema.hasFields) } + projections
    }
    switch module.schema?.type(at: path.steps.dropFirst())?.kind {
    case .record(let record): return record.fields.map { ($0.name, $0.schema.hasFields) }
    default: return []
    }
  }
}

extension Schema {
  /// True if names can follow a dot.
  fileprivate var hasFields: Bool {
    switch kind {
    case .record: true
    case .optional(let wrapped): wrapped.hasFields
    default: false
    }
  }
}

extension MapKey {
  /// The key as a path selects it.
  fileprivate var selector: String {
    switch self {
    case .int(let number): "[\(number)]"
    case .string(let text): "[\(ScalarText.quoted(text))]"
    }
  }
}
