import StoreCore
import StoreSchema

/// The report of a logger on one action: its own before and after, as a typed difference (R22).
public struct LoggedAction<Action> {
  /// The action.
  public let action: Action
  /// Its number, source and time.
  public let context: ActionContext
  /// The changes by the action, in schema order; empty: no change.
  public let changes: [Change]
}

extension LoggedAction: Sendable where Action: Sendable {}

extension Middleware {
  /// Logs every action, in processing order. Gate it to switch it while the store runs. It dispatches nothing, whatever its
  /// output is, so it stands among other middlewares without a lift.
  ///
  /// - Parameters:
  ///   - name: the name in traces, gates and listings.
  ///   - difference: the changes between two states.
  ///   - write: gets one entry an action, after the commit, on the thread that processes actions.
  public static func logger(
    _ name: String = "logger", difference: @escaping @Sendable (State, State) -> [Change],
    write: @escaping @Sendable (LoggedAction<Input>) -> Void
  ) -> Middleware {
    Middleware(name) { action, context, state in
      let before = state()
      return IO { _ in
        write(LoggedAction(action: action, context: context, changes: difference(before, state())))
      }
    }
  }
}

extension Middleware where State: Schematic {
  /// Logs every action of a store whose state has a schema.
  public static func logger(
    _ name: String = "logger", write: @escaping @Sendable (LoggedAction<Input>) -> Void
  ) -> Middleware {
    logger(
      name,
      difference: { before, after in
        withUnsafePointer(to: before) { before in
          withUnsafePointer(to: after) {
            State.schema.changes(from: UnsafeRawPointer(before), to: UnsafeRawPointer($0))
          }
        }
      }, write: write)
  }
}
