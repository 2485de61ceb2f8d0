/// A value that a Lua state keeps alive for the host. When the last holder lets go, the state forgets it at its next use.
/// A reference may outlive its state; it then stands for nothing.
public class LuaReference {
  let link: LuaLink
  let reference: Int32

  init(_ link: LuaLink, _ reference: Int32) {
    self.link = link
    self.reference = reference
  }

  deinit { link.release(reference) }
}

/// A Lua function, or a host function as Lua sees it.
public final class LuaFunction: LuaReference {}

/// A host object whose userdata is made once and used often; ``LuaState/setObject(_:to:)`` lets it stand for another object.
public final class LuaObjectReference: LuaReference {}
