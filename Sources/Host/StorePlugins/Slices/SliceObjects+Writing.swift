import LuaRuntime
import StoreSchema

/// Lua's changes of the draft: every value is checked against the declared type first, and the means to undo the write
/// are noted.
extension SliceObjects {
  func set(_ object: LuaObject, key: LuaArgument, to argument: LuaArgument) throws {
    guard object.tag == Tag.node else {
      if let facade = facades[object.id], object.tag == Tag.facade {
        throw LuaFailure("\(facade.name) is read-only; an action cannot be changed, only another one dispatched")
      }
      throw LuaFailure("\(describe(object)) is read-only here; change it by dispatching an action")
    }
    let number = try number(of: object)
    guard nodes[number].draft != 0 else {
      throw LuaFailure("\(label(number)) is read-only here; change it by dispatching an action")
    }
    try requirePlace(number)
    try nodes[number].shape._withUnsafeGuaranteedRef { shape in
      switch (shape.form, key.kind) {
      case (.record, .string(let text)):
        guard let position = shape.position(of: text) else { throw unknownField(number, text.text) }
        if setScalar(number, shape, position, argument) { return }
        try setField(number, shape.record, shape.fields[position], position, argument)
      case (.list, .integer(let position)):
        try setElement(number, shape.list, shape.element.pointee, position, argument)
      case (.integerMap, _), (.textMap, _):
        guard let mapKey = shape.mapKey(key) else { throw wrongKey(number, key) }
        try setEntry(number, shape.map, shape.element.pointee, mapKey, argument)
      case (.record, _): throw unknownField(number, key.keyText)
      case (.list, _), (.none, _): throw wrongKey(number, key)
      }
    }
  }

  /// Refuses a write that would be lost: to what is in the draft by now, but not where it was read.
  @inline(__always)
  func requirePlace(_ number: Int) throws {
    if !loose.isEmpty { try requireReach(number) }
    if !wholes.isEmpty { try requireParts(number) }
  }

  private func requireReach(_ number: Int) throws {
    var current = number
    var isElsewhere = false
    while current >= 0 {
      if nodes[current].isElsewhere { isElsewhere = true }
      if isElsewhere, nodes[current].presence != .inPlace {
        throw LuaFailure(
          "\(draftName): a write to this part would be lost: it was moved or put elsewhere since it was read; "
            + "read it again where it is now")
      }
      current = nodes[current].parent
    }
  }

  /// Exchanges a scalar field in place.
  ///
  /// - Returns: false, and nothing is done, where it takes more than that.
  @inline(__always)
  private func setScalar(_ number: Int, _ shape: SliceShape, _ position: Int, _ argument: LuaArgument) -> Bool {
    let part = shape.part(position)
    guard let value = part.pointee.scalar(argument), let record = mutableAddress(number) else { return false }
    let field = mutableFields(number, shape, record) + part.pointee.offset
    guard let old = part.pointee.exchange(value, field) else { return false }
    note(number, .assigned(.field(position), old))
    return true
  }

  private func setField(
    _ number: Int, _ access: RecordAccess, _ part: SlicePart, _ position: Int, _ argument: LuaArgument
  ) throws {
    let value = try checked(argument, part, number, .field(fieldName(number, position)))
    try modify(number) { record in
      try access.modify(record, position) { try replace(number, .field(position), part, $0, by: value) }
    }
  }

  private func setElement(
    _ number: Int, _ access: ListAccess, _ part: SlicePart, _ position: Int, _ argument: LuaArgument
  ) throws {
    var count = 0
    look(number) { count = access.count($0) }
    if case .nil = argument.kind {
      // As on a table, taking away what is not there does nothing: `table.remove` does it to an empty list.
      guard position >= 1, position <= count else { return }
      guard position == count else {
        throw LuaFailure("\(label(number))[\(position)] = nil would leave a hole; only the last item can go that way")
      }
      return try removeElement(number, shape(number), position - 1)
    }
    guard position >= 1 else { throw LuaFailure("\(label(number))[\(position)]: indices start at 1") }
    guard position <= count + 1 else {
      throw LuaFailure("\(label(number))[\(position)] would leave a hole: the list has \(count) items")
    }
    // As `table.sort` does with what stands right.
    if let same = child(number, .element(position - 1)), stands(argument, for: same) { return }
    let value = try part.scalar(argument) ?? checked(argument, part, number, .index(position))
    try modify(number) { list in
      if position > count {
        try access.insert(list, count, value)
        note(number, .inserted(count))
        time += 1
      } else {
        try access.modify(list, position - 1) { try replace(number, .element(position - 1), part, $0, by: value) }
      }
    }
  }

  /// True if an argument of Lua is the object of a node.
  private func stands(_ argument: LuaArgument, for node: Int) -> Bool {
    guard case .object(let object) = argument.kind else { return false }
    return object.tag == Tag.node && (try? number(of: object)) == node
  }

  private func setEntry(
    _ number: Int, _ access: MapAccess, _ part: SlicePart, _ key: MapKey, _ argument: LuaArgument
  ) throws {
    var value: Value?
    if case .nil = argument.kind {} else { value = try checked(argument, part, number, .key(key)) }
    meter.hold(key.heldBytes)
    try modify(number) { map in
      var old: Value?
      _ = access.read(map, key) { entry in
        keep(child(number, key), part, entry)
        old = part.schema.access.read(entry)
      }
      if let value {
        do throws(SchemaError) {
          try access.set(map, key, value)
        } catch {
          // Of a type whose keys are not all that its kind of key allows.
          throw error.under(path(number))
        }
      } else {
        access.remove(map, key)
      }
      note(number, .entry(key, old))
      time += 1
    }
  }

  /// Overwrites a field or an element.
  private func replace(
    _ number: Int, _ step: SliceNode.Step, _ part: SlicePart, _ address: UnsafeMutableRawPointer, by value: Value
  ) throws {
    keep(child(number, step), part, address)
    let change: Undo.Edit =
      part.memory == .value
      ? .assigned(step, address.assumingMemoryBound(to: Value.self).pointee)
      : .restored(step, part.schema.access.keep(address))
    try part.schema.access.assign(value, address)
    note(number, change)
    time += 1
  }

  /// Lets a node go on standing for what is about to be overwritten or taken away.
  func keep(_ node: Int?, _ part: SlicePart, _ address: UnsafeRawPointer) {
    guard let node else { return }
    if part.isWrapped, case .optional(let wrapper) = part.schema.access.parts {
      _ = wrapper.read(address) { loosen(node, part.schema.unwrapped, $0) }
    } else {
      loosen(node, part.schema, address)
    }
  }

  private func loosen(_ node: Int, _ schema: Schema, _ address: UnsafeRawPointer) {
    meter.hold(MemoryLayout<CopiedPart>.stride + MemoryLayout<SliceNode>.stride)
    loose.append(schema.access.copy(address))
    nodes[node].presence = .loose(loose.count - 1)
    // This part is among those that Lua finds without asking: from now on it asks.
    if nodes[node].parent == 0 { showsParts = false }
  }

  func checked(
    _ argument: LuaArgument, _ part: SlicePart, _ number: Int, _ step: Path.Step
  ) throws -> Value {
    do throws(SchemaError) {
      if case .object(let object) = argument.kind, let same = try value(of: object, as: part.schema.unwrapped) {
        return same
      }
      return try part.schema.check(try value(of: argument.value))
    } catch {
      throw error.under(path(number).appending(step))
    }
  }
}
