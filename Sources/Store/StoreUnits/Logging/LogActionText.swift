import StoreCore

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
