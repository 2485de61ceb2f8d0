import LuaRuntime
import StoreCore

/// The time that a plugin's middlewares have worked for one outside dispatch and all that it caused. Each call may take
/// its second, and an action may cause a thousand others. Together they would hold the store for a quarter of an hour.
final class WorkingTime {
  /// So many milliseconds.
  static let most = 10_000
  @exclusivity(unchecked) private var root = 0

  /// True if the plugin may not work any more for the dispatch behind an action.
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
