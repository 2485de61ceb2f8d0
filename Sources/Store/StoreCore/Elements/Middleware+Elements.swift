// The lifts to elements for collections and dictionaries, with the labels that reducers have. What holds for all of them says
// `lift(input:output:elementIn:)`.

extension Middleware where State: Identifiable & SendableMetatype, State.ID: Sendable {
  /// Makes this middleware one of a collection: it runs on the first element with the action's id, if there is one (R17).
  ///
  /// - Parameters:
  ///   - input: the id and the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the collection. It is searched from the start, for every read of the state too; large ones had better
  ///     be dictionaries.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection>(
    input: @escaping @Sendable (GlobalInput) -> ElementAction<State.ID, Input>?,
    output: @escaping @Sendable (State.ID, Output) -> GlobalOutput,
    elementOf elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    lift(input: pair(input), output: output, elementOf: elements)
  }

  /// Makes this middleware one of a collection, the action and its id given as a pair; see
  /// ``lift(input:output:elementOf:)``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection>(
    input: @escaping @Sendable (GlobalInput) -> (State.ID, Input)?,
    output: @escaping @Sendable (State.ID, Output) -> GlobalOutput,
    elementOf elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    lift(input: input, output: output, elementIn: IdentifiedElements(elements) { $0.id })
  }

  /// Makes this middleware one of a collection: it runs on every element, in order (R17); see
  /// ``lift(input:output:eachIn:)``.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    output: @escaping @Sendable (State.ID, Output) -> GlobalOutput,
    each elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    lift(input: input, output: output, eachIn: IdentifiedElements(elements) { $0.id })
  }
}

extension Middleware {
  /// Makes this middleware one of a collection: it runs on the first element of which a property has the action's id as its
  /// value, if there is one (R17). An element whose property changes is another one from then on.
  ///
  /// - Parameters:
  ///   - input: the property's value and the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the collection. It is searched from the start.
  ///   - property: what tells one element from another.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection, ID: Hashable & Sendable>(
    input: @escaping @Sendable (GlobalInput) -> ElementAction<ID, Input>?,
    output: @escaping @Sendable (ID, Output) -> GlobalOutput,
    elementOf elements: KeyPath<GlobalState, Elements> & Sendable, by property: KeyPath<State, ID> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    lift(input: pair(input), output: output, elementOf: elements, by: property)
  }

  /// Makes this middleware one of a collection by a property, the action and the property's value given as a pair; see
  /// ``lift(input:output:elementOf:by:)``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection, ID: Hashable & Sendable>(
    input: @escaping @Sendable (GlobalInput) -> (ID, Input)?,
    output: @escaping @Sendable (ID, Output) -> GlobalOutput,
    elementOf elements: KeyPath<GlobalState, Elements> & Sendable, by property: KeyPath<State, ID> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    lift(input: input, output: output, elementIn: IdentifiedElements(elements) { $0[keyPath: property] })
  }

  /// Makes this middleware one of a collection: it runs on every element, told apart by a property (R17); see
  /// ``lift(input:output:eachIn:)``.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the collection.
  ///   - property: what tells one element from another.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection, ID: Hashable & Sendable>(
    input: @escaping @Sendable (GlobalInput) -> Input?, output: @escaping @Sendable (ID, Output) -> GlobalOutput,
    each elements: KeyPath<GlobalState, Elements> & Sendable, by property: KeyPath<State, ID> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> where Elements.Element == State {
    lift(input: input, output: output, eachIn: IdentifiedElements(elements) { $0[keyPath: property] })
  }

  /// Makes this middleware one of a collection: it runs on the element at the action's index, if there is one (R17). The
  /// place is the element: what moves to another index meets the effects of that index.
  ///
  /// - Parameters:
  ///   - input: the index and the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the collection. An index is one of its own: from 0 in an array; it may be out of bounds.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection>(
    input: @escaping @Sendable (GlobalInput) -> ElementAction<Elements.Index, Input>?,
    output: @escaping @Sendable (Elements.Index, Output) -> GlobalOutput,
    elementAt elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Elements.Element == State, Elements.Index: Hashable & Sendable {
    lift(input: pair(input), output: output, elementAt: elements)
  }

  /// Makes this middleware one of a collection by index, the action and the index given as a pair; see
  /// ``lift(input:output:elementAt:)``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection>(
    input: @escaping @Sendable (GlobalInput) -> (Elements.Index, Input)?,
    output: @escaping @Sendable (Elements.Index, Output) -> GlobalOutput,
    elementAt elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Elements.Element == State, Elements.Index: Hashable & Sendable {
    lift(input: input, output: output, elementIn: IndexedElements(elements))
  }

  /// Makes this middleware one of a collection: it runs on every element, told apart by index (R17); see
  /// ``lift(input:output:eachIn:)``.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped.
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the collection.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, GlobalState, Elements: Collection>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    output: @escaping @Sendable (Elements.Index, Output) -> GlobalOutput,
    eachAt elements: KeyPath<GlobalState, Elements> & Sendable
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState>
  where Elements.Element == State, Elements.Index: Hashable & Sendable {
    lift(input: input, output: output, eachIn: IndexedElements(elements))
  }

  /// The input map of a lift to one element, as a pair.
  @inlinable
  func pair<GlobalInput, ID: SendableMetatype>(
    _ input: @escaping @Sendable (GlobalInput) -> ElementAction<ID, Input>?
  ) -> @Sendable (GlobalInput) -> (ID, Input)? {
    { global in input(global).map { ($0.id, $0.action) } }
  }
}
