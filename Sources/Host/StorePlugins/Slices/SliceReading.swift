import LuaRuntime
import StoreSchema

/// Lua's reads of slices: a scalar is written as it is, a value with parts becomes an object.
extension SliceObjects {
  func get(_ object: LuaObject, key: LuaArgument, into result: inout LuaResult) throws {
    guard object.tag == Tag.node else {
      if object.tag == Tag.state { return try getModule(key.name, into: &result) }
      return try facade(object)?.get(key, into: &result) ?? ()
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

  func readEntry(_ number: Int, _ shape: SliceShape, _ key: __owned MapKey, into result: inout LuaResult) {
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
      let isKnown = nodes[parent].address != nil && nodes[parent].time == time
      let place = isKnown ? place(part, address, isOwn) : Place()
      result.append(object(parent, step, part, place))
    }
  }

  private func writeEntry(
    _ part: UnsafeMutablePointer<SlicePart>, _ address: UnsafeRawPointer, _ place: Place, _ parent: Int,
    _ key: __owned MapKey, _ entry: Int, to result: inout LuaResult
  ) {
    guard part.pointee.hasParts else { return part.pointee.write(address, to: &result) }
    if part.pointee.isWhole { return writeWhole(part, address, parent, key, to: &result) }
    // No closure has the key, which is handed on to the stack of keys.
    if part.pointee.form == .parts { return result.append(object(parent, key, entry: entry, part, place)) }
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
    var shape: Unmanaged<SliceShape>?
    var place = Place()
    // Where it stands: a copy of it would count references to what is in it.
    if let view {
      let isKept = isStill && view.keepsPlaces
      _ = view.readSlice(name) { schema, slice in
        shape = self.shape(of: schema)
        if isKept { place.address = UnsafeMutableRawPointer(mutating: slice) }
      }
    }
    guard let shape else {
      let remark = Suggestion.remark(name, among: view?.moduleNames ?? [])
      throw LuaFailure(
        "state has no module '\(name)'\(remark)", mistake: remark.isEmpty ? .noField(name, of: "state") : nil)
    }
    guard shape._withUnsafeGuaranteedRef({ $0.form != .none }) else { return writeWhole(name, to: &result) }
    if let number = modules.firstIndex(of: name).flatMap({ child(-1, .module($0)) }),
      nodes[number].shape.toOpaque() == shape.toOpaque()
    {
      return result.append(object(number))
    }
    modules.append(name)
    let step = SliceNode.Step.module(modules.count - 1)
    result.append(addPart(shape, -1, step, place))
  }

  /// Writes a slice that has no parts to hand out: of an enum, an optional or of any type.
  private func writeWhole(_ name: String, to result: inout LuaResult) {
    _ = view?.readSlice(name) { schema, slice in LuaBridge.write(schema.access.read(slice), to: &result) }
  }

  func describe(_ object: LuaObject) -> String {
    switch object.tag {
    case Tag.node: (try? number(of: object)).map { label($0) } ?? "state"
    case Tag.state: "state"
    default: facade(object)?.name ?? "object"
    }
  }
}

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

/// Lua's counts and walks of slices: records by declared fields, lists by position, maps by key (R31).
extension SliceObjects {
  /// A walk through the keys that a map had when it began; those that are gone by the time of their turn are passed over.
  struct MapWalk {
    private let keys: [MapKey]
    private var position = -1

    init(keys: [MapKey]) { self.keys = keys }

    /// The key that was handed out last; nil at both ends.
    var current: MapKey? { keys.indices.contains(position) ? keys[position] : nil }

    mutating func advance() { position += 1 }
  }

  func length(_ object: LuaObject) throws -> Int {
    let number = try number(of: object)
    var count = 0
    let shape = shape(number)
    switch shape.form {
    case .list: look(number) { count = shape.list.count($0) }
    case .integerMap, .textMap: look(number) { count = shape.map.count($0) }
    default: throw LuaFailure("attempt to get length of \(label(number)), which is no list")
    }
    return count
  }

  func next(_ object: LuaObject, after previous: LuaArgument?, isWalk: Bool, into result: inout LuaResult) throws
    -> Bool
  {
    if object.tag == Tag.state { return try nextModule(after: previous, into: &result) }
    let number = try number(of: object)
    guard number < LuaObject.maximumID else {
      throw LuaFailure("more than \(LuaObject.maximumID) parts of the state are in use")
    }
    let shape = shape(number)
    if let previous, !isWalk { try requireKnown(previous, number, shape) }
    switch shape.form {
    case .record:
      var position = 0
      if case .string(let text) = previous?.kind { position = (shape.position(of: text) ?? shape.fields.count) + 1 }
      guard position < shape.fields.count else { return false }
      result.append(fieldName(number, position))
      readField(number, shape, position, into: &result)
      return true
    case .list:
      var position = 0
      if case .integer(let number) = previous?.kind { position = number }
      var found = false
      look(number) { list in
        guard position >= 0, position < shape.list.count(list) else { return }
        found = true
        result.append(position + 1)
        write(shape.element, shape.list.address(list, position), false, number, .element(position), to: &result)
      }
      return found
    case .integerMap, .textMap:
      var nextKey: MapKey?
      look(number) { nextKey = self.key(after: previous.flatMap { shape.mapKey($0) }, of: number, shape.map, at: $0) }
      guard let nextKey else { return false }
      switch nextKey {
      case .int(let number): result.append(number)
      case .string(let text): result.append(text)
      }
      readEntry(number, shape, nextKey, into: &result)
      return true
    case .none: return false
    }
  }

  /// Refuses a key that a part of the state does not have, nor had before this call took it away.
  private func requireKnown(_ key: LuaArgument, _ number: Int, _ shape: SliceShape) throws {
    var isKnown = false
    switch (shape.form, key.kind) {
    case (.record, .string(let text)): isKnown = shape.position(of: text) != nil
    case (.list, .integer(let position)):
      look(number) { isKnown = position >= 1 && position <= shape.list.count($0) + removals(from: number) }
    case (.integerMap, _), (.textMap, _):
      guard let key = shape.mapKey(key) else { break }
      look(number) { isKnown = shape.map.read($0, key) { _ in } }
      isKnown = isKnown || hadEntry(number, key)
    default: break
    }
    guard isKnown else { throw Self.unknownKey(key, in: label(number)) }
  }

  private static func unknownKey(_ key: LuaArgument, in label: String) -> LuaFailure {
    LuaFailure("invalid key to 'next': \(label) has no \(key.keyText)")
  }

  /// The number of elements that this call took out of a list.
  private func removals(from list: Int) -> Int {
    (0..<undos.count).count { position in
      if case .removed = undos[position].change { return undos[position].node == list }
      return false
    }
  }

  /// True if a map had an entry at a time of this call.
  private func hadEntry(_ map: Int, _ key: MapKey) -> Bool {
    (0..<undos.count).contains { position in
      if case .entry(key, .some) = undos[position].change { return undos[position].node == map }
      return false
    }
  }

  /// The key behind another in a map; behind none, the first. A map that keeps no order sorts its keys once a walk.
  private func key(after previous: MapKey?, of number: Int, _ access: MapAccess, at map: UnsafeRawPointer) -> MapKey? {
    guard let sortedKeys = access.sortedKeys else { return access.nextKey(map, previous) }
    if previous == nil { walks[number] = MapWalk(keys: sortedKeys(map) { _ in true }) }
    guard walks[number] != nil, walks[number]?.current == previous else { return access.nextKey(map, previous) }
    repeat { walks[number]?.advance() } while walks[number]?.current.map { !access.read(map, $0) { _ in } } ?? false
    guard let key = walks[number]?.current else {
      walks[number] = nil
      return nil
    }
    return key
  }

  private func nextModule(after previous: LuaArgument?, into result: inout LuaResult) throws -> Bool {
    let names = (view?.moduleNames ?? []).filter { refusal($0) == nil }
    var position = 0
    if let previous {
      guard let last = names.firstIndex(of: previous.keyText) else { throw Self.unknownKey(previous, in: "state") }
      position = last + 1
    }
    guard position < names.count else { return false }
    result.append(names[position])
    try getModule(names[position], into: &result)
    return true
  }
}

/// Records of the draft whose short fields Lua reads and writes in place (`LuaWindows`). A window is open as long as
/// the address of its record holds. Notes of writes through it are taken back in order with the writes of ``Undo``.
///
/// Nobody comes to share the memory behind a writable window. A record is shared by assigning it somewhere in the
/// draft, or by keeping a value that an assignment replaces. With every assignment time moves on, which shuts all
/// windows.
extension SliceObjects {
  /// Opens the window of a record of the draft. The window is for writing if its fields can be changed in place, since
  /// the way to them and they are nobody else's.
  ///
  /// - Returns: where the fields are, and whether they can be changed there; of what is no record nothing of use.
  @inline(__always)
  @discardableResult
  func showRecord(_ number: Int, _ shape: Unmanaged<SliceShape>, at address: UnsafeMutableRawPointer) -> FoundPart {
    shape._withUnsafeGuaranteedRef { shape in
      guard shape.form == .record else { return FoundPart(address, isOwn: false) }
      let isMutable = nodes[number].isMutable && isInPlace(number)
      let fields: FoundPart
      if !shape.isDynamic {
        fields = FoundPart(address, isOwn: isMutable)
      } else if isMutable {
        fields = RecordAccess.foundFields(address)
      } else {
        fields = FoundPart(UnsafeMutableRawPointer(mutating: RecordAccess.fields(address)), isOwn: false)
      }
      windows.open(number, shape.slots, fields.address, isWritable: fields.isOwn, parts: firstPart(number))
      return fields
    }
  }

  /// Opens the window of a record for writing, where it is still in the draft: elsewhere there is nothing to undo.
  func openWindow(_ object: LuaObject) {
    let number = Int(object.id)
    guard draft != nil, number < nodes.count, nodes[number].draft == draftNumber, isInPlace(number),
      let record = mutableAddress(number)
    else { return }
    nodes[number].shape._withUnsafeGuaranteedRef { shape in
      windows.open(
        number, shape.slots, mutableFields(number, shape, record), isWritable: true, parts: firstPart(number))
    }
  }

  /// Makes nodes for the parts of the draft that Lua finds without asking here, the next numbers.
  ///
  /// - Parameter fields: the address of the fields of the draft, and if they can be changed there.
  func addShownParts(of shape: Unmanaged<SliceShape>, _ fields: FoundPart) {
    shape._withUnsafeGuaranteedRef { shape in
      for number in 0..<shape.shownPartCount {
        let position = shape.shownParts[number]
        let part = shape.part(position)
        nodes.append(
          SliceNode(
            shape: self.shape(of: part), parent: 0, step: .field(position), depth: 1, top: position, draft: draftNumber,
            address: fields.address + part.pointee.offset, time: time, isMutable: fields.isOwn,
            generation: generation))
      }
    }
  }

  /// The number of the first part that Lua finds in the window of a node; 0: none.
  @inline(__always)
  private func firstPart(_ number: Int) -> Int { number == 0 && showsParts ? 1 : 0 }
}

/// Scalars between Lua and memory, without a ``Value`` where there is none.
extension SlicePart {
  /// True if the value is in a Swift optional, which lets nobody have its address.
  var isWrapped: Bool { form == .optionalParts && memory != .value }

  /// The way that Lua reads and writes the field without asking anybody, where it can.
  ///
  /// - Parameter part: which one of the record's shown parts it is; nil: none.
  func slot(_ key: LuaKey, part: Int?) -> LuaWindowSlot {
    if let part { return LuaWindowSlot(key, offset: offset, .part(part)) }
    var kind: LuaWindowSlot.Kind
    var tag: (offset: Int, value: UInt8)?
    let tags = Value.scalarTags
    func tagged(_ value: UInt8?) -> (offset: Int, value: UInt8)? {
      tags.flatMap { tags in value.map { (tags.offset, $0) } }
    }
    switch form {
    case .int: (kind, tag) = (.integer(minimum...max(minimum, maximum)), tagged(tags?.int))
    case .double: (kind, tag) = (.number, tagged(tags?.double))
    case .bool: (kind, tag) = (.boolean, tagged(tags?.bool))
    case .string:
      kind = ShortText.marks.map { .text(asciiMark: $0.ascii, otherMark: $0.other) } ?? .other
      tag = tagged(tags?.string)
    case .other, .parts, .optionalParts: kind = .other
    }
    switch (memory, form) {
    case (.int, .int), (.double, .double), (.bool, .bool), (.string, .string): tag = nil
    case (.value, _): if tag == nil { kind = .other }
    default: kind = .other
    }
    return LuaWindowSlot(key, offset: offset, kind, tag: tag)
  }

  /// Runs a body where something stands at an address.
  @inline(__always)
  func ifPresent(_ address: UnsafeRawPointer, _ body: () -> Void) {
    guard form == .optionalParts, case .optional(let access) = schema.access.parts else { return body() }
    _ = access.read(address) { _ in body() }
  }

  /// Writes the scalar at an address for Lua.
  @inline(__always)
  func write(_ address: UnsafeRawPointer, to result: inout LuaResult) {
    switch memory {
    case .int: result.append(address.load(as: Int.self))
    case .bool: result.append(address.load(as: Bool.self))
    case .double: result.append(address.load(as: Double.self))
    case .string: result.append(address.assumingMemoryBound(to: String.self).pointee)
    case .value:
      switch address.assumingMemoryBound(to: Value.self).pointee {
      case .int(let value): result.append(value)
      case .bool(let value): result.append(value)
      case .double(let value): result.append(value)
      case .string(let value): result.append(value)
      case let value: LuaBridge.write(value, to: &result)
      }
    case .other: LuaBridge.write(schema.access.read(address), to: &result)
    }
  }

  /// The value that a Lua argument is, where it is a scalar of the type: nothing has to be converted or looked into then.
  @inline(__always)
  func scalar(_ argument: LuaArgument) -> Value? {
    // The Swift type has a say in it, or the value is converted.
    if case .other = memory { return nil }
    return switch (form, argument.kind) {
    case (.int, .integer(let number)): number >= minimum && number <= maximum ? .int(number) : nil
    case (.double, .number(let number)): .double(number)
    case (.double, .integer(let number)): .double(Double(number))
    case (.bool, .boolean(let value)): .bool(value)
    case (.string, .string): argument.text.map { .string($0) }
    default: nil
    }
  }

  /// Exchanges the scalar at an address for another one of the type.
  ///
  /// - Returns: what stood there; nil, and nothing is done, where the memory is of another kind.
  @inline(__always)
  func exchange(_ value: Value, _ address: UnsafeMutableRawPointer) -> Value? {
    func replaced<Scalar>(by scalar: Scalar) -> Scalar {
      let slot = address.assumingMemoryBound(to: Scalar.self)
      defer { slot.initialize(to: scalar) }
      return slot.move()
    }
    switch (memory, value) {
    case (.value, _): return replaced(by: value)
    case (.int, .int(let number)): return .int(replaced(by: number))
    case (.bool, .bool(let isOn)): return .bool(replaced(by: isOn))
    case (.double, .double(let number)): return .double(replaced(by: number))
    case (.string, .string(let text)): return .string(replaced(by: text))
    default: return nil
    }
  }
}

extension LuaArgument {
  /// The key as a name; few are too long to be kept in place.
  var name: String {
    if case .string(let text) = kind, let short = ShortText.text(text.bytes) { return short }
    return keyText
  }
}
