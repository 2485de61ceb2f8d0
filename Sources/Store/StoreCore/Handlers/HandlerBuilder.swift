/// Lists handlers from top to bottom; reducers and middlewares may stand among them.
public typealias HandlerBuilder<Action, State> = CompositionBuilder<Handler<Action, State>>

/// A reducer, or a middleware whose actions go in and out: half of a handler. One function of the builder takes both, so that
/// the compiler names what is wrong with a handler.
public protocol HalfHandler {
  /// The actions, in and out.
  associatedtype Action
  /// The state.
  associatedtype State
  /// The handler that does no more.
  var handler: Handler<Action, State> { get }
}

extension Reducer: HalfHandler {
  /// The handler of this reducer and no middleware.
  public var handler: Handler<Action, State> { Handler(reducer: self) }
}

extension Middleware: HalfHandler where Input == Output {
  /// The handler of this middleware and no reducer.
  public var handler: Handler<Input, State> { Handler(middleware: self) }
}

extension CompositionBuilder {
  /// A reducer or a middleware alone.
  public static func buildExpression<Half: HalfHandler>(
    _ half: Half
  ) -> Part where Part == Handler<Half.Action, Half.State> { half.handler }
}
