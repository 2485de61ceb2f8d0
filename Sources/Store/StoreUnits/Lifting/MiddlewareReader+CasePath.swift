import StoreCore
import StoreSchema

extension MiddlewareReader {
  /// Makes this reader's middleware one of a larger store by case paths and a key path, before it is built (R14). For
  /// example `lift(input: \.tasks, output: \.tasks, state: \.tasks)`.
  ///
  /// - Parameters:
  ///   - input: the case of the global action that holds this middleware's; other cases skip it.
  ///   - output: the case that wraps what it dispatches.
  ///   - state: the slice.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, Output>>,
    state: KeyPath<GlobalState, State> & Sendable
  ) -> MiddlewareReader<Dependencies, GlobalInput, GlobalOutput, GlobalState> {
    lift(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embed,
      state: { $0[keyPath: state] })
  }
}
