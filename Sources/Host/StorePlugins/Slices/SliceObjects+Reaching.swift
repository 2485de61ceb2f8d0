import LuaRuntime
import StoreSchema

/// The way to the memory of a node: by an address that is kept as long as it holds, or else step by step from the
/// slice.
extension SliceObjects {
  /// Hands out what stands at a node.
  @inline(__always)
  func look(_ number: Int, _ body: PartReader) {
    if let address = address(number) { body(address) } else { read(number, body) }
  }

  // MARK: By address

  /// The address of a node's value; nil if it cannot be addressed.
  @inline(__always)
  func address(_ number: Int) -> UnsafeRawPointer? {
    if nodes[number].time == time { return UnsafeRawPointer(nodes[number].address) }
    return nodes[number].draft == 0 ? nil : findAddress(number)
  }

  private func findAddress(_ number: Int) -> UnsafeRawPointer? {
    var found: UnsafeRawPointer?
    switch nodes[number].presence {
    case .loose(let position): found = UnsafeRawPointer(loose[position].address)
    case .whole(let position): found = UnsafeRawPointer(wholes[position].value.address)
    case .inPlace: found = findPlace(number)
    }
    nodes[number].address = UnsafeMutableRawPointer(mutating: found)
    nodes[number].isMutable = false
    nodes[number].time = time
    return found
  }

  private func findPlace(_ number: Int) -> UnsafeRawPointer? {
    if case .draft = nodes[number].step { return draft.map { UnsafeRawPointer($0) } }
    let parent = nodes[number].parent
    guard parent >= 0, let address = address(parent) else { return nil }
    return nodes[parent].shape._withUnsafeGuaranteedRef { findPlace(number, in: $0, at: address) }
  }

  private func findPlace(_ number: Int, in shape: SliceShape, at parent: UnsafeRawPointer) -> UnsafeRawPointer? {
    switch (nodes[number].step, shape.form) {
    case (.field(let position), .record):
      guard !shape.part(position).pointee.isWrapped else { return nil }
      return (shape.isDynamic ? RecordAccess.fields(parent) : parent) + shape.part(position).pointee.offset
    case (.element(let position), .list):
      return shape.element.pointee.isWrapped ? nil : shape.element(at: position, in: parent)
    case (.entry(let position), _) where shape.isNumbered:
      guard !shape.element.pointee.isWrapped, let (entry, address) = shape.find(keys[position], in: parent) else {
        return nil
      }
      nodes[number].entry = entry
      return address
    default: return nil
    }
  }

  /// The address at which the value of a draft's node can be changed; nil if it cannot be addressed.
  @inline(__always)
  func mutableAddress(_ number: Int) -> UnsafeMutableRawPointer? {
    if nodes[number].isMutable, nodes[number].time == time { return nodes[number].address }
    return findMutableAddress(number)
  }

  private func findMutableAddress(_ number: Int) -> UnsafeMutableRawPointer? {
    var found: UnsafeMutableRawPointer?
    switch (nodes[number].presence, nodes[number].step) {
    case (.loose(let position), _): found = UnsafeMutableRawPointer(loose[position].address)
    // Nothing is written there.
    case (.whole, _): return nil
    case (.inPlace, .draft): found = draft
    case (.inPlace, _):
      let parent = nodes[number].parent
      guard parent >= 0, let address = mutableAddress(parent) else { return nil }
      found = nodes[parent].shape._withUnsafeGuaranteedRef { findMutablePlace(number, of: parent, $0, at: address) }
    }
    guard let found else { return nil }
    nodes[number].address = found
    nodes[number].isMutable = true
    nodes[number].time = time
    return found
  }

  private func findMutablePlace(
    _ number: Int, of parentNumber: Int, _ shape: SliceShape, at parent: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer? {
    switch (nodes[number].step, shape.form) {
    case (.field(let position), .record):
      guard !shape.part(position).pointee.isWrapped else { return nil }
      return mutableFields(parentNumber, shape, parent) + shape.part(position).pointee.offset
    case (.element(let position), .list):
      guard !shape.element.pointee.isWrapped, let old = shape.element(at: position, in: UnsafeRawPointer(parent)) else {
        return nil
      }
      let found = shape.mutableElement(at: position, in: parent)
      if old != UnsafeRawPointer(found) { move(below: parentNumber) }
      return found
    case (.entry(let position), _) where shape.isNumbered:
      guard !shape.element.pointee.isWrapped else { return nil }
      if nodes[number].time != time || nodes[number].address == nil {
        guard let (entry, address) = shape.find(keys[position], in: parent) else { return nil }
        nodes[number].entry = entry
        nodes[number].address = UnsafeMutableRawPointer(mutating: address)
      }
      let old = nodes[number].address
      let found = shape.mutableValue(numbered: nodes[number].entry, in: parent)
      if found != old { move(below: parentNumber) }
      return found
    default: return nil
    }
  }

  /// The address at which the fields of a record of the draft, itself at an address, can be changed.
  @inline(__always)
  func mutableFields(_ number: Int, _ shape: SliceShape, _ record: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    guard shape.isDynamic else { return record }
    let old = RecordAccess.fields(record)
    let fields = RecordAccess.mutableFields(record)
    if old != UnsafeRawPointer(fields) { move(below: number) }
    return fields
  }

  /// Notes that the values below a node were copied, so that they are no longer where they were. The node itself and
  /// its parents were reached for change just now and stay.
  private func move(below number: Int) {
    time += 1
    var current = number
    while current >= 0 {
      nodes[current].time = time
      current = nodes[current].parent
    }
  }

  // MARK: Step by step

  /// Hands out what stands at a node that has no address.
  func read(_ number: Int, _ body: PartReader) {
    let node = nodes[number]
    switch node.presence {
    case .loose(let position): return body(UnsafeRawPointer(loose[position].address))
    case .whole(let position): return body(UnsafeRawPointer(wholes[position].value.address))
    case .inPlace: break
    }
    switch node.step {
    case .draft:
      if let draft, node.draft == draftNumber { body(UnsafeRawPointer(draft)) }
    case .module(let position): _ = view?.readSlice(modules[position]) { _, pointer in body(pointer) }
    case .field(let position):
      let access = shape(node.parent).record
      read(node.parent) { access.read($0, position) { unwrap(number, $0, body) } }
    case .element(let position):
      let access = shape(node.parent).list
      read(node.parent) { list in
        if position < access.count(list) { unwrap(number, access.address(list, position), body) }
      }
    case .entry(let position):
      let access = shape(node.parent).map
      read(node.parent) { _ = access.read($0, keys[position]) { unwrap(number, $0, body) } }
    }
  }

  /// Hands out what stands at a node of the draft for change in place.
  ///
  /// - Parameter isOriginal: whether it is what stands where the node was first found, whatever was replaced since.
  func modify(_ number: Int, isOriginal: Bool = false, _ body: PartWriter) throws {
    let node = nodes[number]
    if !isOriginal, let address = mutableAddress(number) { return try body(address) }
    switch node.step {
    case .draft:
      if let draft { try body(draft) }
    case .module: throw LuaFailure("\(label(number)) is read-only here; change it by dispatching an action")
    case .field(let position):
      let access = shape(node.parent).record
      try modify(node.parent, isOriginal: isOriginal) {
        try access.modify($0, position) { try unwrap(number, $0, body) }
      }
    case .element(let position):
      let access = shape(node.parent).list
      try modify(node.parent, isOriginal: isOriginal) { list in
        guard position < access.count(list) else { throw LuaFailure("\(label(number)) no longer exists") }
        try access.modify(list, position) { try unwrap(number, $0, body) }
      }
    case .entry(let position):
      let access = shape(node.parent).map
      try modify(node.parent, isOriginal: isOriginal) { map in
        guard try access.modify(map, keys[position], { try unwrap(number, $0, body) }) else {
          throw LuaFailure("\(label(number)) no longer exists")
        }
      }
    }
  }

  /// The way through the optional that what stands at a node is wrapped in, if it is.
  private func wrapper(_ number: Int) -> OptionalAccess? {
    let node = nodes[number]
    let shape = shape(node.parent)
    let part: SlicePart
    if case .field(let position) = node.step { part = shape.fields[position] } else { part = shape.element.pointee }
    guard part.form == .optionalParts, case .optional(let access) = part.schema.access.parts else { return nil }
    return access
  }

  private func unwrap(_ number: Int, _ pointer: UnsafeRawPointer, _ body: PartReader) {
    guard let wrapper = wrapper(number) else { return body(pointer) }
    _ = wrapper.read(pointer, body)
  }

  private func unwrap(_ number: Int, _ pointer: UnsafeMutableRawPointer, _ body: PartWriter) throws {
    guard let wrapper = wrapper(number) else { return try body(pointer) }
    _ = try wrapper.modify(pointer, body)
  }
}
