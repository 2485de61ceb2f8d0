import LuaRuntime
import StoreSchema

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
