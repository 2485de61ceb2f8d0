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
  /// How many arguments the function takes notice of; `Int.max` where that is not known.
  public private(set) lazy var parameterCount: Int = {
    guard let machine = link.machine else { return .max }
    let count = clua_parameterCount(machine, reference)
    return count == .max ? .max : Int(count)
  }()
}
