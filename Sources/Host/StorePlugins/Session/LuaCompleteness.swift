import LuaRuntime

extension LuaState {
  /// True if a text lacks only its end. Neither as an expression nor as a chunk is it whole, and as one of them it could go on.
  func isUnfinished(_ text: String) -> Bool {
    var couldGoOn = false
    for source in ["return \(text)", text] {
      do throws(LuaError) {
        _ = try load(source, chunkName: "?")
        return false
      } catch {
        couldGoOn = couldGoOn || error.isIncomplete
      }
    }
    return couldGoOn
  }
}

/// Tells which Lua texts go on, where none of them runs: of statements that are read for a store elsewhere.
package final class LuaCompleteness: @unchecked Sendable {
  // Safe: a reader of statements and the grammar that asks this live on one thread.
  private lazy var lua = try? LuaState(sandbox: .session)

  package init() {}

  /// True if a text lacks only its end.
  package func isUnfinished(_ text: String) -> Bool { lua?.isUnfinished(text) ?? false }
}
