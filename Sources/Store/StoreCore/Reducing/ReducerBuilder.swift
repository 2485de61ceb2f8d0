/// Lists reducers from top to bottom.
@resultBuilder
public enum ReducerBuilder<Action, State> {
  /// One reducer.
  public static func buildExpression(_ reducer: Reducer<Action, State>) -> Reducer<Action, State> { reducer }
  /// A reducer that may be absent.
  public static func buildExpression(_ reducer: Reducer<Action, State>?) -> Reducer<Action, State> {
    reducer ?? .identity
  }
  /// Reducers of a list, in order.
  public static func buildExpression(_ reducers: [Reducer<Action, State>]) -> Reducer<Action, State> {
    buildArray(reducers)
  }
  /// A reducer written in place.
  public static func buildExpression(
    _ body: @escaping @Sendable (Action, inout State) -> Void
  ) -> Reducer<Action, State> { Reducer("reducer", body) }
  /// The composition, which may be empty.
  public static func buildBlock(_ reducers: Reducer<Action, State>...) -> Reducer<Action, State> {
    buildArray(reducers)
  }
  /// Reducers from a loop.
  public static func buildArray(_ reducers: [Reducer<Action, State>]) -> Reducer<Action, State> {
    reducers.reduce(.identity) { $0.appending($1) }
  }
  /// A reducer that may be left out.
  public static func buildOptional(_ reducer: Reducer<Action, State>?) -> Reducer<Action, State> {
    reducer ?? .identity
  }
  /// One of two reducers.
  public static func buildEither(first reducer: Reducer<Action, State>) -> Reducer<Action, State> { reducer }
  /// One of two reducers.
  public static func buildEither(second reducer: Reducer<Action, State>) -> Reducer<Action, State> { reducer }
  /// Reducers that need a newer system than the program's oldest.
  public static func buildLimitedAvailability(_ reducer: Reducer<Action, State>) -> Reducer<Action, State> { reducer }
}
