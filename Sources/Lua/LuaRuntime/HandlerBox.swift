/// Holds a handler at a constant place, so that a callback reaches it without counting a reference.
final class HandlerBox {
  let handler: any LuaObjectHandler

  init(_ handler: any LuaObjectHandler) { self.handler = handler }
}

extension LuaState {
  /// Answers for the host's objects; without it every use of one is an error.
  public var objectHandler: (any LuaObjectHandler)? {
    get { handlerBox?.handler }
    set {
      // A handler may be replaced by one of its own callbacks, which still runs then.
      if machine.pointee.depth == 0 { retiredBoxes.removeAll() }
      if let handlerBox { retiredBoxes.append(handlerBox) }
      handlerBox = newValue.map(HandlerBox.init)
      borrowedBox = handlerBox.map(Unmanaged.passUnretained)
    }
  }
}
