import StoreCore
import StoreSchema

// The lifts of middlewares to elements and entries (R17) with actions given by the names of their cases: `input: \.row,
// output: \.row`. An element's action is an ``ElementAction``, or a pair of the case's two payloads.

extension Middleware {
  /// Makes this middleware one of a larger store, on one element.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput: CasePathable, Elements: ElementReading>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, ElementAction<Elements.ID, Input>>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, ElementAction<Elements.ID, Output>>>,
    element elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    lift(
      input: GlobalInput.cases[keyPath: input].extract,
      output: GlobalOutput.cases[keyPath: output].embeddingElement(), element: elements)
  }

  /// Makes this middleware one of a larger store, on one element, by cases with two payloads.
  ///
  /// - Parameters:
  ///   - input: the case that says which element and what is done to it; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput: CasePathable, Elements: ElementReading>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, (Elements.ID, Input)>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, (Elements.ID, Output)>>, element elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    lift(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embeddingPair(),
      element: elements)
  }

  /// Makes this middleware one of a larger store, on every element.
  ///
  /// - Parameters:
  ///   - input: the case that holds the elements' action; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches for an element.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput: CasePathable, Elements: ElementReading>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, ElementAction<Elements.ID, Output>>>,
    each elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    lift(
      input: GlobalInput.cases[keyPath: input].extract,
      output: GlobalOutput.cases[keyPath: output].embeddingElement(), each: elements)
  }

  /// Makes this middleware one of a larger store, on every element, what it dispatches in a case with two payloads.
  ///
  /// - Parameters:
  ///   - input: the case that holds the elements' action; other cases skip the middleware.
  ///   - output: the case that wraps what it dispatches for an element.
  ///   - elements: the way to the elements.
  @inlinable
  public func lift<GlobalInput: CasePathable, GlobalOutput: CasePathable, Elements: ElementReading>(
    input: KeyPath<GlobalInput.Cases, CasePath<GlobalInput, Input>>,
    output: KeyPath<GlobalOutput.Cases, CasePath<GlobalOutput, (Elements.ID, Output)>>, each elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    lift(
      input: GlobalInput.cases[keyPath: input].extract, output: GlobalOutput.cases[keyPath: output].embeddingPair(),
      each: elements)
  }
}
