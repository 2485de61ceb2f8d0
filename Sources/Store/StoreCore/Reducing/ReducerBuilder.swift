/// Lists reducers from top to bottom.
public typealias ReducerBuilder<Action, State> = CompositionBuilder<Reducer<Action, State>>
