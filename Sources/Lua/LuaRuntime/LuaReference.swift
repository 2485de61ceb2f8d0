import CLua

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
public final class LuaFunction: LuaReference {
  /// The facts that its code tells about its calls; nothing for a host function.
  public private(set) lazy var sketch = LuaCodeSketch(link.bytecode(of: self))
}
