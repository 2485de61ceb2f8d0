import StoreCore
import StoreSchema

// The lifts of middlewares to entries of dictionaries (R17) with actions given by the names of their cases.

extension Middleware {
  /// Makes this middleware one of a dictionary, by key.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Entries: KeyedCollection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, ElementAction<Entries.Key, Input>>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, ElementAction<Entries.Key, Output>>>,
    elementOf entries: KeyPath<GlobalState, Entries> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingElement(),
      elementOf: entries)
  }

  /// Makes this middleware one of a dictionary, by key, by cases with two payloads.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Entries: KeyedCollection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, (Entries.Key, Input)>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, (Entries.Key, Output)>>,
    elementOf entries: KeyPath<GlobalState, Entries> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingPair(), elementOf: entries)
  }

  /// Makes this middleware one of every value of a dictionary.
  ///
  /// - Parameters:
  ///   - input: the case that holds the elements' action; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches for an element.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Entries: KeyedCollection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, ElementAction<Entries.Key, Output>>>,
    each entries: KeyPath<GlobalState, Entries> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingElement(),
      each: entries)
  }

  /// Makes this middleware one of every value of a dictionary, what it dispatches in a case with two payloads.
  ///
  /// - Parameters:
  ///   - input: the case that holds the elements' action; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches for an element.
  ///   - entries: the dictionary.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Entries: KeyedCollection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, (Entries.Key, Output)>>,
    each entries: KeyPath<GlobalState, Entries> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Entries.Value == State, Entries.Key: Comparable & Hashable & Sendable {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingPair(), each: entries)
  }
}
