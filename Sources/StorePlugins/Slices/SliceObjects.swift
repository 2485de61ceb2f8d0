import LuaRuntime
import StoreSchema

/// Slices of a store's state as objects of one Lua state: a draft that the running reducer changes in place, and the
/// other modules, read-only. Nothing is converted but the scalars that Lua reads or writes.
///
/// Objects are valid during the call that made them; a generation number tells those that Lua kept too long.
final class SliceObjects: LuaObjectHandler {
  /// The kinds of object, as tags.
  enum Tag {
    static let node: UInt32 = 1
    static let state: UInt32 = 2
    static let facade: UInt32 = 3
  }

  unowned let state: LuaState
  /// The state that `state.MODULE` reads.
  var view: (any StateView)?
  /// Why a module may not be read; nil: it may.
  var refusal: (String) -> String? = { _ in nil }
  /// Objects that are neither slices nor the state.
  var facades: [UInt32: any LuaFacade] = [:]

  private(set) var nodes: [SliceNode] = []
  private var replacements = Replacements()
  private var generation: UInt32 = 1
  private var draft: UnsafeMutableRawPointer?
  private(set) var draftName = ""
  private var layouts: [ObjectIdentifier: FieldKeys] = [:]

  init(_ state: LuaState) { self.state = state }

  // MARK: The life of objects

  /// The object through which a reducer changes a slice in place, until ``endCall()``.
  func beginDraft(_ name: String, _ schema: Schema, _ pointer: UnsafeMutableRawPointer) -> LuaObject {
    draft = pointer
    draftName = name
    return add(-1, .draft, schema)
  }

  /// Ends the life of all objects handed out since the last time.
  func endCall() {
    draft = nil
    // Within a command that dispatched: the command's own objects live on until it ends.
    guard view == nil else { return }
    nodes.removeAll(keepingCapacity: true)
    replacements.removeAll()
    generation &+= 1
  }

  private func add(_ parent: Int, _ step: SliceNode.Step, _ schema: Schema, wrapper: OptionalAccess? = nil) -> LuaObject
  {
    nodes.append(
      SliceNode(
        parent: parent, step: step, seen: replacements.count, schema: schema, wrapper: wrapper, keys: fieldKeys(schema))
    )
    return LuaObject(tag: Tag.node, id: UInt32(nodes.count - 1), generation: generation)
  }

  private func fieldKeys(_ schema: Schema) -> FieldKeys? {
    guard case .record(let record) = schema.kind else { return nil }
    let identity = ObjectIdentifier(record.layout)
    if let keys = layouts[identity] { return keys }
    guard let keys = try? record.layout.fields.map({ try state.intern($0) }) else { return nil }
    let made = FieldKeys(keys)
    layouts[identity] = made
    return made
  }

  func node(_ object: LuaObject) throws -> SliceNode {
    guard object.generation == generation, object.id < nodes.count else {
      throw LuaFailure("this part of the state was valid only during the call that gave it")
    }
    let index = Int(object.id)
    if replacements.count > 0 {
      replacements.settle(index, in: nodes)
      if case .gone = nodes[root(of: index)].step {
        throw LuaFailure("this part of the state was replaced meanwhile; read it again")
      }
    }
    return nodes[index]
  }

  /// Keeps what stands at a part of the draft for the objects that Lua has for it, before the part is replaced.
  private func keep(_ index: Int, _ step: SliceNode.Step, _ schema: Schema, _ pointer: UnsafeRawPointer) {
    guard schema.hasParts else { return }
    replacements.note(index, step, old: schema.isDynamic ? schema.access.read(pointer) : nil)
  }

  // MARK: Reaching memory

  /// Hands out what stands at a node.
  func read(_ index: Int, _ body: PartReader) {
    let node = nodes[index]
    switch node.step {
    case .draft:
      if let draft { body(UnsafeRawPointer(draft)) }
    case .loose(let part): withUnsafePointer(to: &part.value) { body(UnsafeRawPointer($0)) }
    case .gone: return
    case .module(let name):
      _ = view?.readSlice(name) { _, pointer in body(pointer) }
    case .field(let position):
      guard case .record(let access) = nodes[node.parent].schema.access.parts else { return }
      read(node.parent) { access.read($0, position) { node.unwrap($0, body) } }
    case .element(let position):
      guard case .list(let access) = nodes[node.parent].schema.access.parts else { return }
      read(node.parent) { list in
        if position < access.count(list) { access.read(list, position) { node.unwrap($0, body) } }
      }
    case .entry(let key):
      guard case .map(let access) = nodes[node.parent].schema.access.parts else { return }
      read(node.parent) { _ = access.read($0, key) { node.unwrap($0, body) } }
    }
  }

  private func modify(_ index: Int, _ body: PartWriter) throws {
    let node = nodes[index]
    switch node.step {
    case .draft:
      guard let draft else { return }
      try body(draft)
    case .loose(let part): try withUnsafeMutablePointer(to: &part.value) { try body(UnsafeMutableRawPointer($0)) }
    case .gone: return
    case .module: throw LuaFailure("\(label(index)) is read-only here; change it by dispatching an action")
    case .field(let position):
      guard case .record(let access) = nodes[node.parent].schema.access.parts else { return }
      try modify(node.parent) { try access.modify($0, position) { try node.unwrap($0, body) } }
    case .element(let position):
      guard case .list(let access) = nodes[node.parent].schema.access.parts else { return }
      try modify(node.parent) { list in
        guard position < access.count(list) else { throw LuaFailure("\(label(index)) no longer exists") }
        try access.modify(list, position) { try node.unwrap($0, body) }
      }
    case .entry(let key):
      guard case .map(let access) = nodes[node.parent].schema.access.parts else { return }
      try modify(node.parent) { map in
        guard try access.modify(map, key, { try node.unwrap($0, body) }) else {
          throw LuaFailure("\(label(index)) no longer exists")
        }
      }
    }
  }

  /// The whole value of an object.
  func value(of object: LuaObject) throws(SchemaError) -> Value {
    guard object.tag == Tag.node, object.generation == generation, object.id < nodes.count else {
      throw SchemaError(Path(), .typeMismatch(expected: "data", found: "an object of the shell"))
    }
    guard let schema = (try? node(object))?.schema else {
      throw SchemaError(Path(), .typeMismatch(expected: "data", found: "a part of the state that was replaced"))
    }
    var value = Value.none
    read(Int(object.id)) { value = schema.access.read($0) }
    return value
  }

  /// The value of a Lua one, whatever it holds.
  func value(of lua: LuaValue) throws(SchemaError) -> Value {
    try LuaBridge.value(of: lua) { (object) throws(SchemaError) in try value(of: object) }
  }

  /// The type of an object that stands for a part of the state.
  func schema(of object: LuaObject) -> Schema? {
    guard object.tag == Tag.node, object.generation == generation, object.id < nodes.count else { return nil }
    return nodes[Int(object.id)].schema
  }

  // MARK: LuaObjectHandler

  func get(_ object: LuaObject, key: LuaKeyArgument, into result: inout LuaResult) throws {
    switch object.tag {
    case Tag.node: try get(Int(object.id), try node(object), key, into: &result)
    case Tag.state: try getModule(key.text, into: &result)
    default: try facades[object.id]?.get(key.text, into: &result)
    }
  }

  func getModule(_ name: String, into result: inout LuaResult) throws {
    if let refusal = refusal(name) { throw LuaFailure(refusal) }
    var found: Schema?
    _ = view?.readSlice(name) { schema, _ in found = schema }
    guard let found else {
      let suggestion = Suggestion.nearest(to: name, among: view?.moduleNames ?? [])
      throw LuaFailure("state has no module '\(name)'" + (suggestion.map { " (did you mean '\($0)'?)" } ?? ""))
    }
    result.append(add(-1, .module(name), found))
  }

  private func get(_ index: Int, _ node: SliceNode, _ key: LuaKeyArgument, into result: inout LuaResult) throws {
    let schema = node.schema
    // Fields first and by themselves: most accesses are to one.
    if let keys = node.keys, case .string(let text) = key, let position = keys.index(of: text),
      case .record(let access) = schema.access.parts, case .record(let record) = schema.kind
    {
      return read(index) { part in
        access.read(part, position) { write(record.fields[position].schema, $0, index, .field(position), to: &result) }
      }
    }
    switch (schema.access.parts, schema.kind, key) {
    case (.list(let access), .list(let element), .integer(let number)):
      read(index) { list in
        guard number >= 1, number <= access.count(list) else { return }
        access.read(list, number - 1) { write(element, $0, index, .element(number - 1), to: &result) }
      }
    case (.map(let access), .map(let kind, let element), _):
      guard let mapKey = key.mapKey(kind) else { throw wrongKey(index, kind.name, key) }
      read(index) { _ = access.read($0, mapKey) { write(element, $0, index, .entry(mapKey), to: &result) } }
    case (.record(_), .record(let record), _): throw unknownField(index, record, key.text)
    default: throw wrongKey(index, "Int", key)
    }
  }

  /// Writes what stands at an address: a scalar as it is, what has parts as an object.
  func write(
    _ schema: Schema, _ pointer: UnsafeRawPointer, _ parent: Int, _ step: SliceNode.Step, to result: inout LuaResult
  ) {
    guard case .optional(let wrapper) = schema.access.parts, case .optional(let wrapped) = schema.kind else {
      return write(schema, wrapper: nil, pointer, parent, step, to: &result)
    }
    _ = wrapper.read(pointer) { write(wrapped, wrapper: wrapper, $0, parent, step, to: &result) }
  }

  func write(
    _ schema: Schema, wrapper: OptionalAccess?, _ pointer: UnsafeRawPointer, _ parent: Int, _ step: SliceNode.Step,
    to result: inout LuaResult
  ) {
    switch schema.access.parts {
    case .record, .list, .map:
      result.append(add(parent, step, schema, wrapper: wrapper))
    case .none, .union, .optional: LuaBridge.write(schema.access.read(pointer), to: &result)
    }
  }

  func set(_ object: LuaObject, key: LuaKeyArgument, to argument: LuaArgument) throws {
    guard object.tag == Tag.node else {
      throw LuaFailure("\(describe(object)) is read-only here; change it by dispatching an action")
    }
    let node = try node(object)
    let index = Int(object.id)
    guard isDraft(index) else {
      throw LuaFailure("\(label(index)) is read-only here; change it by dispatching an action")
    }
    switch (node.schema.access.parts, node.schema.kind, key) {
    case (.record(let access), .record(let record), .string(let text)):
      guard let position = node.keys?.index(of: text) else { throw unknownField(index, record, text.text) }
      let field = record.fields[position]
      let value = try checked(argument, field.schema, index, .field(field.name))
      try modify(index) { record in
        try access.modify(record, position) { part in
          keep(index, .field(position), field.schema, UnsafeRawPointer(part))
          try field.schema.access.assign(value, part)
        }
      }
    case (.list(let access), .list(let element), .integer(let number)):
      try setElement(index, access, element, number, argument)
    case (.map(let access), .map(let kind, let element), _):
      guard let mapKey = key.mapKey(kind) else { throw wrongKey(index, kind.name, key) }
      var value: Value?
      if case .nil = argument.kind {} else { value = try checked(argument, element, index, .key(mapKey)) }
      try modify(index) { map in
        if element.hasParts {
          _ = access.read(UnsafeRawPointer(map), mapKey) { keep(index, .entry(mapKey), element, $0) }
        }
        if let value { try access.set(map, mapKey, value) } else { access.remove(map, mapKey) }
      }
    case (.record(_), .record(let record), _): throw unknownField(index, record, key.text)
    default: throw wrongKey(index, "Int", key)
    }
  }

  private func setElement(
    _ index: Int, _ access: ListAccess, _ element: Schema, _ number: Int, _ argument: LuaArgument
  ) throws {
    var count = 0
    read(index) { count = access.count($0) }
    if case .nil = argument.kind {
      // As on a table, taking away what is not there does nothing: `table.remove` does it to an empty list.
      guard number >= 1, number <= count else { return }
      guard number == count else {
        throw LuaFailure("\(label(index))[\(number)] = nil would leave a hole; only the last item can go that way")
      }
      return try modify(index) { list in
        access.read(UnsafeRawPointer(list), number - 1) { keep(index, .element(number - 1), element, $0) }
        access.remove(list, number - 1)
      }
    }
    guard number >= 1, number <= count + 1 else {
      throw LuaFailure("\(label(index))[\(number)] would leave a hole: the list has \(count) items")
    }
    let value = try checked(argument, element, index, .index(number))
    try modify(index) { list in
      if number > count { return try access.insert(list, count, value) }
      try access.modify(list, number - 1) { part in
        keep(index, .element(number - 1), element, UnsafeRawPointer(part))
        try element.access.assign(value, part)
      }
    }
  }

  private func checked(
    _ argument: LuaArgument, _ schema: Schema, _ index: Int, _ step: Path.Step
  ) throws -> Value {
    do throws(SchemaError) {
      switch (argument.kind, schema.kind) {
      case (.integer(let number), .int(nil, nil)): return .int(number)
      case (.string(let text), .string):
        if let text = text.validText { return .string(text) }
      default: break
      }
      return try schema.check(try value(of: argument.value))
    } catch {
      throw error.under(path(index).appending(step))
    }
  }

  func describe(_ object: LuaObject) -> String {
    switch object.tag {
    case Tag.node: (try? node(object)).map { _ in label(Int(object.id)) } ?? "state"
    case Tag.state: "state"
    default: facades[object.id]?.name ?? "object"
    }
  }

  func equals(_ left: LuaObject, _ right: LuaObject) -> Bool {
    if left == right { return true }
    guard left.tag == Tag.node, right.tag == Tag.node, let first = try? value(of: left),
      let second = try? value(of: right)
    else { return false }
    return first == second
  }
}

extension LuaKeyArgument {
  /// The map key that the Lua key stands for.
  func mapKey(_ kind: Schema.KeyKind) -> MapKey? {
    switch (kind, self) {
    case (.int, .integer(let number)): .int(number)
    case (.string, .string(let text)): .string(text.text)
    default: nil
    }
  }
}
