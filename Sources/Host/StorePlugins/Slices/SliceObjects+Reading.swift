import LuaRuntime
import StoreSchema

/// Lua's reads of slices: a scalar is written as it is, a value with parts becomes an object.
extension SliceObjects {
  func get(_ object: LuaObject, key: LuaArgument, into result: inout LuaResult) throws {
    guard object.tag == Tag.node else {
      if object.tag == Tag.state { return try getModule(key.keyText, into: &result) }
      return try facades[object.id]?.get(key.keyText, into: &result) ?? ()
    }
    let number = try number(of: object)
    guard number < LuaObject.maximumID else {
      throw LuaFailure("more than \(LuaObject.maximumID) parts of the state are in use")
    }
    try nodes[number].shape._withUnsafeGuaranteedRef { shape in
      switch (shape.form, key.kind) {
      case (.record, .string(let text)):
        guard let position = shape.position(of: text) else { throw unknownField(number, text.text) }
        readField(number, shape, position, into: &result)
      case (.list, .integer(let position)):
        readElement(number, shape, position &- 1, into: &result)
      case (.integerMap, _), (.textMap, _):
        guard let mapKey = shape.mapKey(key) else { throw wrongKey(number, key) }
        readEntry(number, shape, mapKey, into: &result)
      case (.record, _): throw unknownField(number, key.keyText)
      case (.list, .string(let text)) where shape.hasIDs && text.text == Self.finderName: try writeFinder(into: &result)
      case (.list, _), (.none, _): throw wrongKey(number, key)
      }
    }
  }

  @inline(__always)
  func readField(_ number: Int, _ shape: SliceShape, _ position: Int, into result: inout LuaResult) {
    let part = shape.part(position)
    if let record = address(number) {
      let fields = fields(number, record)
      write(part, fields.start + part.pointee.offset, fields.isWritable, number, .field(position), to: &result)
    } else {
      read(number) { shape.record.read($0, position) { write(part, $0, false, number, .field(position), to: &result) } }
    }
  }

  /// The address of the fields of a record at an address, and if they can be changed there.
  @inline(__always)
  private func fields(
    _ number: Int, _ record: UnsafeRawPointer
  ) -> (start: UnsafeRawPointer, isWritable: Bool) {
    if let shown = windows.memory(of: number) { return (UnsafeRawPointer(shown.start), shown.isWritable) }
    let place = showRecord(number, nodes[number].shape, at: UnsafeMutableRawPointer(mutating: record))
    return (UnsafeRawPointer(place.address), place.isOwn)
  }

  @inline(__always)
  func readElement(_ number: Int, _ shape: SliceShape, _ position: Int, into result: inout LuaResult) {
    guard let list = address(number) else {
      return read(number) { list in
        guard let element = shape.element(at: position, in: list) else { return }
        write(shape.element, element, false, number, .element(position), to: &result)
      }
    }
    if nodes[number].isMutable {
      guard let element = shape.element(at: position, in: UnsafeMutableRawPointer(mutating: list)) else { return }
      write(
        shape.element, UnsafeRawPointer(element.address), element.isOwn, number, .element(position), to: &result)
    } else if let element = shape.element(at: position, in: list) {
      write(shape.element, element, false, number, .element(position), to: &result)
    }
  }

  func readEntry(_ number: Int, _ shape: SliceShape, _ key: MapKey, into result: inout LuaResult) {
    guard shape.isNumbered else {
      return look(number) { map in
        _ = shape.map.read(map, key) { writeEntry(shape.element, $0, Place(), number, key, 0, to: &result) }
      }
    }
    guard let map = address(number) else {
      return read(number) { map in
        guard let (entry, value) = shape.find(key, in: map) else { return }
        writeEntry(shape.element, value, Place(), number, key, entry, to: &result)
      }
    }
    if nodes[number].isMutable {
      guard let (entry, value) = shape.findOwn(key, in: UnsafeMutableRawPointer(mutating: map)) else { return }
      let address = UnsafeRawPointer(value.address)
      let place = place(shape.element, address, value.isOwn)
      writeEntry(shape.element, address, place, number, key, entry, to: &result)
    } else if let (entry, value) = shape.find(key, in: map) {
      writeEntry(shape.element, value, place(shape.element, value, false), number, key, entry, to: &result)
    }
  }

  /// Writes what stands at an address: a scalar as it is, what has parts as an object.
  ///
  /// - Parameter isOwn: true if it can be changed there.
  @inline(__always)
  func write(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ isOwn: Bool, _ parent: Int,
    _ step: SliceNode.Step, to result: inout LuaResult
  ) {
    guard part.pointee.hasParts else { return part.pointee.write(address, to: &result) }
    if part.pointee.isWhole { return writeWhole(part, address, parent, step, to: &result) }
    part.pointee.ifPresent(address) {
      let place = nodes[parent].address == nil ? Place() : place(part, address, isOwn)
      result.append(object(parent, step, part, place))
    }
  }

  private func writeEntry(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ place: Place, _ parent: Int, _ key: MapKey,
    _ entry: Int, to result: inout LuaResult
  ) {
    guard part.pointee.hasParts else { return part.pointee.write(address, to: &result) }
    if part.pointee.isWhole { return writeWhole(part, address, parent, key, to: &result) }
    part.pointee.ifPresent(address) { result.append(object(parent, key, entry: entry, part, place)) }
  }

  /// The address that the node of a part may keep, given the address of the whole.
  @inline(__always)
  private func place(_ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ isOwn: Bool) -> Place {
    guard !part.pointee.isWrapped else { return Place() }
    return Place(address: UnsafeMutableRawPointer(mutating: address), isMutable: isOwn)
  }

  // MARK: Modules

  func getModule(_ name: String, into result: inout LuaResult) throws {
    guard draft == nil else { throw LuaFailure("state cannot be read in a reducer; it gets its draft") }
    if let refusal = refusal(name) { throw LuaFailure(refusal) }
    var found: Schema?
    _ = view?.readSlice(name) { schema, _ in found = schema }
    guard let found else {
      throw LuaFailure("state has no module '\(name)'\(Suggestion.remark(name, among: view?.moduleNames ?? []))")
    }
    let shape = shape(of: found)
    guard shape._withUnsafeGuaranteedRef({ $0.form != .none }) else { return writeWhole(name, to: &result) }
    if let number = modules.firstIndex(of: name).flatMap({ child(-1, .module($0)) }),
      nodes[number].shape.toOpaque() == shape.toOpaque()
    {
      return result.append(object(number))
    }
    modules.append(name)
    let step = SliceNode.Step.module(modules.count - 1)
    result.append(addPart(shape, -1, step, Place()))
  }

  /// Writes a slice that has no parts to hand out: of an enum, an optional or of any type.
  private func writeWhole(_ name: String, to result: inout LuaResult) {
    _ = view?.readSlice(name) { schema, slice in LuaBridge.write(schema.access.read(slice), to: &result) }
  }

  func describe(_ object: LuaObject) -> String {
    switch object.tag {
    case Tag.node: (try? number(of: object)).map { label($0) } ?? "state"
    case Tag.state: "state"
    default: facades[object.id]?.name ?? "object"
    }
  }
}
