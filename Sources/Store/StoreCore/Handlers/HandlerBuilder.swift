/// Lists handlers from top to bottom; reducers and middlewares may stand among them.
public typealias HandlerBuilder<Action, State> = CompositionBuilder<Handler<Action, State>>

extension CompositionBuilder {
  /// A reducer alone.
  public static func buildExpression<Action, State>(
    _ reducer: Reducer<Action, State>
  ) -> Part where Part == Handler<Action, State> { Handler(reducer: reducer) }

  /// A middleware alone.
  public static func buildExpression<Action, State>(
    _ middleware: Middleware<Action, Action, State>
  ) -> Part where Part == Handler<Action, State> { Handler(middleware: middleware) }
}
