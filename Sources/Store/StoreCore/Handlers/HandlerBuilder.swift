/// Lists handlers from top to bottom; reducers and middlewares may stand among them.
@resultBuilder
public enum HandlerBuilder<Action, State> {
  /// One handler.
  public static func buildExpression(_ handler: Handler<Action, State>) -> Handler<Action, State> { handler }
  /// A reducer alone.
  public static func buildExpression(_ reducer: Reducer<Action, State>) -> Handler<Action, State> {
    Handler(reducer: reducer)
  }
  /// A middleware alone.
  public static func buildExpression(_ middleware: Middleware<Action, Action, State>) -> Handler<Action, State> {
    Handler(middleware: middleware)
  }
  /// The composition, which may be empty.
  public static func buildBlock(_ handlers: Handler<Action, State>...) -> Handler<Action, State> {
    buildArray(handlers)
  }
  /// Handlers from a loop.
  public static func buildArray(_ handlers: [Handler<Action, State>]) -> Handler<Action, State> {
    handlers.reduce(.identity) { $0.appending($1) }
  }
  /// A handler that may be left out.
  public static func buildOptional(_ handler: Handler<Action, State>?) -> Handler<Action, State> {
    handler ?? .identity
  }
  /// One of two handlers.
  public static func buildEither(first handler: Handler<Action, State>) -> Handler<Action, State> { handler }
  /// One of two handlers.
  public static func buildEither(second handler: Handler<Action, State>) -> Handler<Action, State> { handler }
}
