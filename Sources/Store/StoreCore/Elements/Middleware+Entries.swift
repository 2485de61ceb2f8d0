// A middleware of one entry as a middleware of the dictionary (R17). Keys are comparable, because long-lived effects of the
// entries start in the order of the keys (R31).

extension Middleware {
  /// Makes this middleware one of a dictionary: it runs on the value under the action's key, if there is one (R17); see
  /// ``lift(input:output:elementIn:)``.
  ///
  /// - Parameters:
  ///   - input: the key and the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one of an entry.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Entries: KeyedCollection>(
    input: @escaping @Sendable (GlobalInput) -> ElementAction<Entries.Key, Input>?,
    output: @escaping @Sendable (Entries.Key, Output) -> GlobalOutput,
    elementOf entries: KeyPath<GlobalState, Entries> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    lift(input: pair(input), output: output, elementOf: entries)
  }

  /// Makes this middleware one of a dictionary, the action and its key given as a pair; see
  /// ``lift(input:output:elementOf:)``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Entries: KeyedCollection>(
    input: @escaping @Sendable (GlobalInput) -> (Entries.Key, Input)?,
    output: @escaping @Sendable (Entries.Key, Output) -> GlobalOutput,
    elementOf entries: KeyPath<GlobalState, Entries> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    lift(input: input, output: output, elementIn: EntriesByKey(entries))
  }

  /// Makes this middleware one of a dictionary: it runs on every value, in the order of the keys (R17, R31); see
  /// ``lift(input:output:eachIn:)``.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one of an entry.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Entries: KeyedCollection>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    output: @escaping @Sendable (Entries.Key, Output) -> GlobalOutput,
    each entries: KeyPath<GlobalState, Entries> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    lift(input: input, output: output, eachIn: EntriesByKey(entries))
  }
}
