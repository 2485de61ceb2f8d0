/// Lists reducers from top to bottom.
public typealias ReducerBuilder<Action, State> = CompositionBuilder<Reducer<Action, State>>

extension CompositionBuilder {
  /// A reducer written in place.
  public static func buildExpression<Action, State>(
    _ body: @escaping @Sendable (Action, inout State) -> Void
  ) -> Part where Part == Reducer<Action, State> { Reducer("reducer", body) }
}
