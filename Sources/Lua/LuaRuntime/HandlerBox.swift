/// Holds a handler at a constant place, so that a callback reaches it without counting a reference.
final class HandlerBox {
  let handler: any LuaObjectHandler

  init(_ handler: any LuaObjectHandler) { self.handler = handler }
}
