import StoreModules
import StoreSchema

extension Completer {
  /// Modules, then their fields and projections, then fields inside; the ids of items where a selector is open.
  ///
  /// - Parameter isLua: true if the path is one in Lua's `state`, which has neither projections nor selectors.
  func pathCandidates(_ typed: String, isLua: Bool = false) -> [LineCompletion.Candidate] {
    if !isLua, let selected = selectorCandidates(typed) { return selected }
    guard let dot = typed.lastIndex(of: ".") else {
      let modules = session.store.modules.map { LineCompletion.Candidate(text: $0.name, suffix: ".") }
      guard !isLua else { return modules }
      let own = session.names.projections.map(\.name) + session.names.bindings.map(\.name)
      return scopedCandidates + modules + [LineCompletion.Candidate(text: "shell", suffix: ".")]
        + own.map { LineCompletion.Candidate(text: $0) }
    }
    let parent = String(typed[..<dot])
    let names = members(of: parent, isLua: isLua)
    return names.map { name, hasMembers in
      LineCompletion.Candidate(text: "\(parent).\(name)", display: name, suffix: hasMembers ? "." : "")
    }
  }

  /// `list[id=1]` and so on, for a path that ends in a selector; nil: none is open.
  private func selectorCandidates(_ typed: String) -> [LineCompletion.Candidate]? {
    guard let bracket = typed.lastIndex(of: "["), !typed[bracket...].contains("]") else { return nil }
    let (owner, selector) = (typed[..<bracket], typed[typed.index(after: bracket)...])
    guard let path = try? Path(parsing: String(owner)), let type = try? session.declaredType(at: session.scoped(path)),
      let (module, fields) = fieldNames(in: session.scoped(path))
    else { return [] }
    func candidate(_ text: String, _ meaning: String? = nil) -> LineCompletion.Candidate {
      LineCompletion.Candidate(text: "\(owner)\(text)", display: text, meaning: meaning, suffix: "")
    }
    switch type.kind {
    case .map:
      let keys = KnownElements(view: session.store.view, typed: "").keys(in: module, at: fields)
      return keys.map { candidate($0.selector) }
    case .list(let element):
      guard case .record(let record) = element.kind else { return [] }
      if let equals = selector.firstIndex(of: "=") {
        let start = selector[selector.index(after: equals)...].drop { $0 == "\"" || $0 == "'" }
        let name = String(selector[..<equals])
        let found = KnownElements(view: session.store.view, typed: start).values(of: name, in: module, at: fields)
        return found.values.map { candidate($0.text, $0.label) }
      }
      let ids = KnownElements(view: session.store.view, typed: "").values(of: "id", in: module, at: fields)
      let others = record.fields.filter { $0.name != "id" || ids.values.isEmpty }
      return ids.values.map { candidate($0.text, $0.label) }
        + others.map { candidate("[\($0.name)=", $0.schema.typeName) }
    default: return []
    }
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
    case .map(_, let element):
      guard let (module, fields) = fieldNames(in: path) else { return [] }
      let keys = KnownElements(view: session.store.view, typed: "").keys(in: module, at: fields)
      return keys.compactMap { if case .string(let name) = $0, name.isName { (name, element.hasFields) } else { nil } }
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
