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
      // Of its own: the writer's thread reads it while the store uses the storage of the other for the next action.
      let context = ActionContext(
        number: context.number, source: context.source, time: context.time, root: context.root)
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

/// The text of an action in a log.
public struct LogActionText<Action>: Sendable {
  let text: @Sendable (Action, ActionContext) -> String?

  /// The action's name and no more: `tasks.add`.
  public static var short: LogActionText { LogActionText { action, _ in ActionName.of(action) } }

  /// The number, the action with what it carries, and where it comes from: `#12 add(title: "milk") repl:3 dispatch`.
  public static var long: LogActionText {
    LogActionText { action, context in
      let source = context.source
      return "#\(context.number) \(action) \(source.file):\(source.line) \(source.function)"
    }
  }

  /// Nothing.
  public static var none: LogActionText { LogActionText { _, _ in nil } }

  /// The text that a closure makes of it, on the writer's thread.
  public static func custom(_ text: @escaping @Sendable (Action, ActionContext) -> String) -> LogActionText {
    LogActionText(text: text)
  }
}
