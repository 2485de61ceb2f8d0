import StoreCore
import StoreSchema

// The lifts of middlewares to elements and entries (R17) with actions given by the names of their cases: `input: \.row,
// output: \.row`. An element's action is an ``ElementAction``, or a pair of the case's two payloads.

extension Middleware where State: Identifiable & SendableMetatype, State.ID: Sendable {
  /// Makes this middleware one of a collection, by the elements' ids.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - elements: the collection.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Elements: Collection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, ElementAction<State.ID, Input>>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, ElementAction<State.ID, Output>>>,
    elementOf elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingElement(),
      elementOf: elements)
  }

  /// Makes this middleware one of a collection, by the elements' ids, by cases with two payloads.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - elements: the collection.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Elements: Collection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, (State.ID, Input)>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, (State.ID, Output)>>,
    elementOf elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingPair(), elementOf: elements)
  }

  /// Makes this middleware one of every element of a collection.
  ///
  /// - Parameters:
  ///   - input: the case that holds the elements' action; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches for an element.
  ///   - elements: the collection.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Elements: Collection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, ElementAction<State.ID, Output>>>,
    each elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingElement(),
      each: elements)
  }

  /// Makes this middleware one of every element of a collection, what it dispatches in a case with two payloads.
  ///
  /// - Parameters:
  ///   - input: the case that holds the elements' action; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches for an element.
  ///   - elements: the collection.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Elements: Collection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, (State.ID, Output)>>,
    each elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingPair(), each: elements)
  }
}

extension Middleware {
  /// Makes this middleware one of a collection, by a property of the elements.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - elements: the collection.
  ///   - property: what tells one element from another.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Elements: Collection, ID: Hashable & Sendable
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, ElementAction<ID, Input>>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, ElementAction<ID, Output>>>,
    elementOf elements: KeyPath<GlobalState, Elements> & Sendable,
    by property: KeyPath<State, ID> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingElement(),
      elementOf: elements, by: property)
  }

  /// Makes this middleware one of a collection, by a property of the elements, by cases with two payloads.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - elements: the collection.
  ///   - property: what tells one element from another.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Elements: Collection, ID: Hashable & Sendable
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, (ID, Input)>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, (ID, Output)>>,
    elementOf elements: KeyPath<GlobalState, Elements> & Sendable,
    by property: KeyPath<State, ID> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingPair(), elementOf: elements,
      by: property)
  }

  /// Makes this middleware one of a collection, by index.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - elements: the collection.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Elements: Collection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, ElementAction<Elements.Index, Input>>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, ElementAction<Elements.Index, Output>>>,
    elementAt elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Elements.Element == State, Elements.Index: Hashable & Sendable {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingElement(),
      elementAt: elements)
  }

  /// Makes this middleware one of a collection, by index, by cases with two payloads.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - elements: the collection.
  @inlinable
  public func lift<
    GlobalInput: CasePathable, GlobalOutput: CasePathable, GlobalState, Elements: Collection
  >(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, (Elements.Index, Input)>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, (Elements.Index, Output)>>,
    elementAt elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Elements.Element == State, Elements.Index: Hashable & Sendable {
    let path = GlobalOutput.cases[keyPath: output]
    return lift(
      input: GlobalInput.cases[keyPath: input].extract, output: path.embeddingPair(), elementAt: elements)
  }
}
