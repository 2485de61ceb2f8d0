import LuaRuntime
import StoreSchema

/// Finding and making the nodes of parts, so that a part has one object.
extension SliceObjects {
  /// A part as it was found: where it is, nil where it cannot be addressed, and whether it can be changed there.
  struct Place {
    var address: UnsafeMutableRawPointer?
    var isMutable = false
  }

  /// The number of the node of a field, an element or a module's slice, if there is one.
  func child(_ parent: Int, _ step: SliceNode.Step) -> Int? {
    find({ hash(parent, step) }) { number in
      nodes[number].parent == parent && nodes[number].step == step && nodes[number].presence == .inPlace
    }
  }

  /// The number of the node of an entry, if there is one.
  func child(_ parent: Int, _ key: MapKey) -> Int? {
    find({ hash(parent, key) }) { number in
      guard nodes[number].parent == parent, case .entry(let position) = nodes[number].step else { return false }
      return nodes[number].presence == .inPlace && keys[position] == key
    }
  }

  /// The number of the node of a field or an element whose object stands for a copy of what is at an address, if there is one.
  func copy(_ parent: Int, _ step: SliceNode.Step, of address: UnsafeRawPointer) -> Int? {
    find({ hash(parent, step) }) { number in
      nodes[number].parent == parent && nodes[number].step == step && isCopy(number, of: address)
    }
  }

  /// The same for an entry.
  func copy(_ parent: Int, _ key: MapKey, of address: UnsafeRawPointer) -> Int? {
    find({ hash(parent, key) }) { number in
      guard nodes[number].parent == parent, case .entry(let position) = nodes[number].step else { return false }
      return keys[position] == key && isCopy(number, of: address)
    }
  }

  private func isCopy(_ number: Int, of address: UnsafeRawPointer) -> Bool {
    guard case .whole(let position) = nodes[number].presence else { return false }
    return wholes[position].isCopy(of: address)
  }

  /// Of so many nodes or fewer, as nearly all calls have, each is looked at.
  private static let fewNodes = 8

  @inline(__always)
  private func find(_ hash: () -> Int, where fits: (Int) -> Bool) -> Int? {
    if nodes.count - base > Self.fewNodes { return index.find(hash(), where: fits) }
    for number in base..<nodes.count where fits(number) { return number }
    return nil
  }

  /// The object for a field or an element.
  func object(
    _ parent: Int, _ step: SliceNode.Step, _ part: UnsafeMutablePointer<SlicePart>, _ place: Place
  ) -> LuaObject {
    if let number = child(parent, step) { return seen(number, place) }
    return addPart(shape(of: part), parent, step, place)
  }

  /// The object for an entry.
  ///
  /// - Parameter entry: the number that it has in its map.
  func object(
    _ parent: Int, _ key: MapKey, entry: Int, _ part: UnsafeMutablePointer<SlicePart>, _ place: Place
  ) -> LuaObject {
    let object: LuaObject
    if let known = child(parent, key) {
      object = seen(known, place)
    } else {
      meter.hold(key.heldBytes)
      keys.append(key)
      object = addPart(shape(of: part), parent, .entry(keys.count - 1), place)
    }
    nodes[Int(object.id)].entry = entry
    return object
  }

  private func seen(_ number: Int, _ place: Place) -> LuaObject {
    if nodes[number].time != time {
      nodes[number].address = place.address
      nodes[number].isMutable = place.isMutable
      nodes[number].time = time
      if let address = place.address { showRecord(number, nodes[number].shape, at: address) }
    }
    return object(number)
  }

  func addPart(_ shape: Unmanaged<SliceShape>, _ parent: Int, _ step: SliceNode.Step, _ place: Place) -> LuaObject {
    let number = nodes.count
    nodes.append(
      SliceNode(
        shape: shape, parent: parent, step: step, draft: parent < 0 ? 0 : nodes[parent].draft,
        address: place.address, time: time, isMutable: place.isMutable, generation: generation))
    if number - base >= Self.fewNodes { note(number) }
    if let address = place.address { showRecord(number, shape, at: address) }
    return object(number)
  }

  /// Has the index find a node; with the first one all before it.
  private func note(_ number: Int) {
    for number in (number - base == Self.fewNodes ? base : number)...number {
      index.insert(
        number, hash(ofNode: number), hashOf: { hash(ofNode: $0) }, isGone: { nodes[$0].isGone })
    }
  }

  @inline(__always)
  func shape(of part: UnsafeMutablePointer<SlicePart>) -> Unmanaged<SliceShape> {
    if let shape = part.pointee.shape { return shape }
    let schema = part.pointee.schema.unwrapped
    let shape = findShape(of: part.pointee.isWhole ? schema.dynamic : schema)
    part.pointee.shape = shape
    return shape
  }

  private func hash(_ parent: Int, _ step: SliceNode.Step) -> Int {
    switch step {
    case .draft: 0
    case .module(let position): position &* 61
    case .field(let position): (parent &+ 1) &* 31 &+ position
    case .element(let position): (parent &+ 1) &* 8_191 &+ position
    case .entry(let position): hash(parent, keys[position])
    }
  }

  private func hash(_ parent: Int, _ key: MapKey) -> Int { (parent &+ 1) &* 8_191 &+ key.quickHash }

  private func hash(ofNode number: Int) -> Int { hash(nodes[number].parent, nodes[number].step) }
}
