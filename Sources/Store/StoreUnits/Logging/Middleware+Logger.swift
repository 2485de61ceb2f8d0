import StoreCore

extension Middleware where Input: Sendable, State: Sendable {
  /// Logs actions, in processing order, each with its own states before and after (R22), through a writer that never delays
  /// the store. The idea is SwiftRex's LoggerMiddleware.
  ///
  /// A logger logs by its place. Composed with all other units it logs the whole store. In front of one unit it logs
  /// that unit's actions and state, local or global ones (``Middleware/logged(_:only:action:state:to:)``). Lifted to a
  /// branch it logs that branch. Gate it to switch it while the store runs.
  ///
  /// - Parameters:
  ///   - name: the name in traces, gates and listings; unique in a store.
  ///   - accepts: true for an action to log; for others the unit is skipped and nothing is kept.
  ///   - actionText: the text of the action.
  ///   - stateText: the text of the state, on lines of its own.
  ///   - writer: writes the entries; several loggers may share it.
  public static func logger(
    _ name: String = "logger", only accepts: (@Sendable (Input) -> Bool)? = nil,
    action actionText: LogActionText<Input> = .long, state stateText: LogStateText<State>, to writer: LogWriter
  ) -> Middleware {
    let logger = Middleware(name) { action, context, state in
      switch stateText.kind {
      case .none:
        return IO { _ in writer.write { entry(actionText.text(action, context), nil) } }
      case .after(let text):
        return IO { _ in
          let after = state()
          writer.write { entry(actionText.text(action, context), text(after)) }
        }
      case .both(let text):
        let before = state()
        return IO { _ in
          let after = state()
          writer.write { entry(actionText.text(action, context), text(before, after)) }
        }
      }
    }
    guard let accepts else { return logger }
    return logger.lift(input: { accepts($0) ? $0 : nil })
  }

  /// These middlewares with a logger in front of them, which logs the actions and the state that they see.
  public func logged(
    _ name: String = "logger", only accepts: (@Sendable (Input) -> Bool)? = nil,
    action actionText: LogActionText<Input> = .long, state stateText: LogStateText<State>, to writer: LogWriter
  ) -> Middleware {
    .logger(name, only: accepts, action: actionText, state: stateText, to: writer).appending(self)
  }

  private static func entry(_ action: String?, _ state: String?) -> String? {
    guard let action else { return state }
    guard let state else { return action }
    return "\(action)\n  " + state.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
  }
}
