extension PersistentList where Element: Schematic {
  /// The position of the first element whose field `id` has a value; nil: there is none. O(log n) where the ids ascend or
  /// descend, as they do where each new element gets the next number.
  @inlinable
  public func firstIndex<ID: SchematicKey>(id: ID) -> Int? {
    guard let identity = Element.schema.identity else { return nil }
    return firstIndex(ofID: id.mapKey) { identity.id(UnsafeRawPointer($0)) }
  }

  /// The first element whose field `id` has a value, changed in place; nil: there is none. Setting nil takes the element
  /// away, and an element for an id that is not there comes last. O(log n) where the ids ascend or descend.
  @inlinable
  public subscript<ID: SchematicKey>(id id: ID) -> Element? {
    get { firstIndex(id: id).map { self[$0] } }
    _modify {
      guard let index = firstIndex(id: id) else {
        var added: Element?
        defer { if let added { append(added) } }
        yield &added
        return
      }
      var bounds = tree.idBounds(onWayTo: index)
      let place = tree.mutableElement(at: index)
      var element: Element? = place.move()
      defer {
        if let element {
          place.initialize(to: element)
          if Element.schema.identity?.id(UnsafeRawPointer(place)) == id.mapKey { tree.keep(&bounds, onWayTo: index) }
        } else {
          // The element has been moved out.
          tree.remove(at: index) { _ in }
        }
      }
      yield &element
    }
  }
}
