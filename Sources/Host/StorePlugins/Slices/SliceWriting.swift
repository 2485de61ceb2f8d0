import LuaRuntime
import StoreSchema

/// Lua's changes of the draft: every value is checked against the declared type first, and the means to undo the write
/// are noted.
extension SliceObjects {
  func set(_ object: LuaObject, key: LuaArgument, to argument: LuaArgument) throws {
    guard object.tag == Tag.node else {
      if let facade = facade(object) {
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
    if let record = part.shape?._withUnsafeGuaranteedRef({ plainRecord(argument, $0) }) { return record }
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

extension SliceObjects {
  /// The record that a table of scalars stands for; nil: it takes a closer look.
  private func plainRecord(_ argument: LuaArgument, _ shape: SliceShape) -> Value? {
    guard case .table = argument.kind, shape.isDynamic, let defaults = shape.defaults else { return nil }
    var (values, given) = (defaults.values, UInt64(0))
    let isRead = defaults.addresses.withUnsafeBufferPointer { keys in
      argument.fields(keys) { index, field in
        guard let value = shape.part(index).pointee.scalar(field) else { return false }
        values[index] = value
        given |= 1 << UInt64(index)
        return true
      }
    }
    guard isRead, given & defaults.required == defaults.required else { return nil }
    return .record(Record(defaults.layout, values))
  }
}

/// `table.insert` and `table.remove` in the midst of a list of the draft: one change, however many elements move.
extension SliceObjects {
  func insert(_ argument: LuaArgument, into object: LuaObject, at position: Int) throws -> Bool {
    guard let (number, shape) = try shiftedList(object) else { return false }
    if case .nil = argument.kind { return false }
    var count = 0
    look(number) { count = shape.list.count($0) }
    guard position >= 1, position <= count else { return false }
    let part = shape.element.pointee
    let value = try part.scalar(argument) ?? checked(argument, part, number, .index(position))
    try modify(number) { list in
      loosenElements(of: number, shape, list, movingFrom: position - 1)
      try shape.list.insert(list, position - 1, value)
      note(number, .inserted(position - 1))
      time += 1
    }
    return true
  }

  func remove(from object: LuaObject, at position: Int) throws -> Bool {
    guard let (number, shape) = try shiftedList(object) else { return false }
    var count = 0
    look(number) { count = shape.list.count($0) }
    guard position >= 1, position <= count else { return false }
    try removeElement(number, shape, position - 1)
    return true
  }

  /// Takes the element at a position, from 0, out of a list.
  func removeElement(_ number: Int, _ shape: SliceShape, _ position: Int) throws {
    try modify(number) { list in
      let (part, old) = (shape.element.pointee, shape.list.address(list, position))
      keep(child(number, .element(position)), part, old)
      if position + 1 < shape.list.count(list) { loosenElements(of: number, shape, list, movingFrom: position + 1) }
      note(number, .removed(position, part.schema.access.read(old)))
      shape.list.remove(list, position)
      time += 1
    }
  }

  /// The list of the draft that an object stands for; nil: it stands for something else.
  private func shiftedList(_ object: LuaObject) throws -> (number: Int, shape: SliceShape)? {
    guard object.tag == Tag.node else { return nil }
    let number = try number(of: object)
    guard nodes[number].draft != 0 else { return nil }
    try requirePlace(number)
    let shape = shape(number)
    guard case .list = shape.form else { return nil }
    return (number, shape)
  }

  /// Keeps the nodes of elements that are about to move standing for their values, as the nodes of overwritten elements
  /// do, but for writing.
  private func loosenElements(
    of list: Int, _ shape: SliceShape, _ memory: UnsafeMutableRawPointer, movingFrom first: Int
  ) {
    meter.work((nodes.count - base) / 4)
    for number in base..<nodes.count where nodes[number].parent == list && nodes[number].presence == .inPlace {
      guard case .element(let position) = nodes[number].step, position >= first else { continue }
      keep(number, shape.element.pointee, shape.list.address(memory, position))
      nodes[number].isElsewhere = true
    }
  }
}

/// A copy of a value whose parts are not reached where they are.
struct WholePart {
  /// The value as it stood there.
  private let original: CopiedPart
  /// The number of bytes that it takes; 0: bytes do not tell.
  private let byteCount: Int
  /// The value as Lua reads it, a ``Value``.
  let value: CopiedPart

  init(_ value: Value, of schema: Schema, at address: UnsafeRawPointer) {
    original = schema.access.copy(address)
    byteCount = schema.access.byteCount
    self.value = withUnsafePointer(to: value) { Schema.dynamic(.any).access.copy(UnsafeRawPointer($0)) }
  }

  /// True if what stands at an address is known to be the same.
  func isCopy(of address: UnsafeRawPointer) -> Bool {
    // The copy holds what it refers to, so that nothing else can stand there.
    byteCount > 0
      && UnsafeRawBufferPointer(start: original.address, count: byteCount)
        .elementsEqual(UnsafeRawBufferPointer(start: address, count: byteCount))
  }
}

/// Lua's reads of values whose parts a Swift type changes together only: sets, ranges, types of one's own that are written as
/// lists or records. Lua gets a copy, which it reads as it does a part in place.
extension SliceObjects {
  /// Writes such a field or element.
  func writeWhole(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ parent: Int, _ step: SliceNode.Step,
    to result: inout LuaResult
  ) {
    withWhole(part.pointee, address) { schema, place in
      let known = copy(parent, step, of: place)
      result.append(known.map(object) ?? copy(part, schema, place, parent, step))
    }
  }

  /// Writes such an entry.
  func writeWhole(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ parent: Int, _ key: MapKey,
    to result: inout LuaResult
  ) {
    withWhole(part.pointee, address) { schema, place in
      if let known = copy(parent, key, of: place) { return result.append(object(known)) }
      meter.hold(key.heldBytes)
      keys.append(key)
      result.append(copy(part, schema, place, parent, .entry(keys.count - 1)))
    }
  }

  /// Hands out the value at an address and its type, through an optional.
  private func withWhole(_ part: SlicePart, _ address: UnsafeRawPointer, _ body: (Schema, UnsafeRawPointer) -> Void) {
    let schema = part.schema.unwrapped
    guard part.form == .optionalParts, case .optional(let access) = part.schema.access.parts else {
      return body(schema, address)
    }
    _ = access.read(address) { body(schema, $0) }
  }

  /// The object for a copy of what stands at an address.
  private func copy(
    _ part: UnsafeMutablePointer<SlicePart>, _ schema: Schema, _ address: UnsafeRawPointer, _ parent: Int,
    _ step: SliceNode.Step
  ) -> LuaObject {
    let value = schema.access.read(address)
    let extent = value.extent
    meter.work(extent)
    meter.hold(extent * MemoryLayout<Value>.stride + MemoryLayout<WholePart>.stride + MemoryLayout<SliceNode>.stride)
    wholes.append(WholePart(value, of: schema, at: address))
    let object = addPart(shape(of: part), parent, step, Place())
    // Not from the start: its parts have no place in the slice.
    nodes[Int(object.id)].presence = .whole(wholes.count - 1)
    nodes[Int(object.id)].time = 0
    return object
  }

  /// Refuses a write to a part of such a value, which would be one to the copy.
  func requireParts(_ number: Int) throws {
    var current = number
    while current >= 0 {
      if case .whole = nodes[current].presence {
        throw LuaFailure("\(label(current)) changes as a whole: assign a new value to it, not to its parts")
      }
      current = nodes[current].parent
    }
  }
}
