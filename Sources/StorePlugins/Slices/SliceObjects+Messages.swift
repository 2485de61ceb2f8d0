import LuaRuntime
import StoreSchema

/// How messages name parts of the state.
extension SliceObjects {
  /// The path of a node from its module, as messages name it; a read-only one starts with `state`.
  func label(_ index: Int) -> String {
    let path = path(index)
    return isDraft(index) ? path.description : "state.\(path)"
  }

  func isDraft(_ index: Int) -> Bool {
    if case .module = nodes[root(of: index)].step { return false }
    return true
  }

  func path(_ index: Int) -> Path {
    let node = nodes[index]
    switch node.step {
    case .draft, .loose, .gone: return Path([.field(draftName)])
    case .module(let name): return Path([.field(name)])
    case .field(let position):
      guard case .record(let record) = nodes[node.parent].schema.kind else { return path(node.parent) }
      return path(node.parent).appending(.field(record.fields[position].name))
    case .element(let position): return path(node.parent).appending(.index(position + 1))
    case .entry(let key): return path(node.parent).appending(.key(key))
    }
  }

  /// The node that a node is a part of, at the very top.
  func root(of index: Int) -> Int {
    var current = index
    while nodes[current].parent >= 0 { current = nodes[current].parent }
    return current
  }

  func unknownField(_ index: Int, _ record: RecordSchema, _ name: String) -> LuaFailure {
    let suggestion = Suggestion.nearest(to: name, among: record.layout.fields)
    return LuaFailure(
      "\(path(index)) has no field '\(name)'" + (suggestion.map { " (did you mean '\($0)'?)" } ?? ""))
  }

  func wrongKey(_ index: Int, _ expected: String, _ key: LuaKeyArgument) -> LuaFailure {
    LuaFailure("\(path(index)) is \(nodes[index].schema.typeName); it has no '\(key.text)' (keys are \(expected))")
  }
}
