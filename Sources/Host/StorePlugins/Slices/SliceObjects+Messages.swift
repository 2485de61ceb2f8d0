import LuaRuntime
import StoreSchema

/// The names of parts of the state in messages.
extension SliceObjects {
  /// The path of a node from its module, as messages name it; a read-only one starts with `state`.
  func label(_ number: Int) -> String {
    let path = path(number)
    return nodes[number].draft != 0 ? path.description : "state.\(path)"
  }

  func path(_ number: Int) -> Path {
    let node = nodes[number]
    // A replaced value has no place any more but the slice that it was part of.
    if case .loose = node.presence { return Path([.field(draftName)]) }
    switch node.step {
    case .draft: return Path([.field(draftName)])
    case .module(let position): return Path([.field(modules[position])])
    case .field(let position): return path(node.parent).appending(.field(fieldName(node.parent, position)))
    case .element(let position): return path(node.parent).appending(.index(position + 1))
    case .entry(let position): return path(node.parent).appending(.key(keys[position]))
    }
  }

  /// The name of a field of a record.
  func fieldName(_ number: Int, _ position: Int) -> String {
    guard case .record(let record) = shape(number).schema.kind else { return "" }
    return record.fields[position].name
  }

  func unknownField(_ number: Int, _ name: String) -> LuaFailure {
    guard case .record(let record) = shape(number).schema.kind else {
      return LuaFailure(noField: name, of: "\(path(number))", among: [])
    }
    return LuaFailure(noField: name, of: "\(path(number))", among: record.layout.fields)
  }

  func wrongKey(_ number: Int, _ key: LuaArgument) -> LuaFailure {
    let shape = shape(number)
    if shape.form == .textMap, case .string(let text) = key.kind {
      return LuaFailure(
        "\(path(number)): the key '\(text.text)' is not UTF-8 (utf8.offset tells where characters begin)")
    }
    return LuaFailure(
      "\(path(number)) is \(shape.schema.typeName); it has no '\(key.keyText)' (keys are \(shape.keyName))")
  }
}

extension LuaFailure {
  /// Something was asked for a field that it has not.
  init(noField name: String, of owner: String, among names: [String]) {
    let hint = Suggestion.remark(name, among: names)
    self.init("\(owner) has no field '\(name)'\(hint)", mistake: hint.isEmpty ? .noField(name, of: owner) : nil)
  }
}
