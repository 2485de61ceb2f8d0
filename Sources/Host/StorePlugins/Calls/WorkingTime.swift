import LuaRuntime
import StoreCore

/// How long a plugin's middlewares have worked for one outside dispatch and all that it caused. Each call may take its second,
/// and an action may cause a thousand others: together they would hold the store for a quarter of an hour.
final class WorkingTime {
  /// So many milliseconds.
  static let most = 10_000
  @exclusivity(unchecked) private var root = 0

  /// Whether the plugin may not work any more for what an action is part of.
  @inline(__always)
  func isOver(_ context: ActionContext, _ lua: LuaCaller) -> Bool {
    // Short calls count nothing.
    lua.worked > 0 && isOver(root: context.root, lua)
  }

  @inline(never)
  private func isOver(root: Int, _ lua: LuaCaller) -> Bool {
    guard root == self.root else {
      self.root = root
      lua.worked = 0
      return false
    }
    return lua.worked > Self.most
  }
}
