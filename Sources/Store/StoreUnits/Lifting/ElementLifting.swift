import HashTreeCollections
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

extension CasePath {
  /// Gives the function that wraps an element's action together with the element's id.
  @inlinable
  func embeddingElement<ID: SendableMetatype, Action>() -> @Sendable (ID, Action) -> Root
  where Payload == ElementAction<ID, Action> {
    let embed = embed
    return { embed(ElementAction(id: $0, action: $1)) }
  }

  /// Gives the function that wraps an element's action together with the element's id, as a pair.
  @inlinable
  func embeddingPair<ID, Action>() -> @Sendable (ID, Action) -> Root where Payload == (ID, Action) {
    let embed = embed
    return { embed(($0, $1)) }
  }
}

extension ElementAction: Schematic, SchematicRecord where ID: Schematic, Action: Schematic {
  /// A record of `id` and `action`: as JSON `{"id": 2, "action": "toggle"}`.
  public static var schema: Schema {
    .record(
      Self.self, name: "ElementAction",
      fields: [
        StoredField("id", \Self.id, documentation: "Which element."),
        StoredField("action", \Self.action, documentation: "What is to be done with it."),
      ])
  }

  /// Reads the two fields.
  public init(schemaFields fields: inout FieldReader) throws(SchemaError) {
    self.init(id: try fields.next(), action: try fields.next())
  }
}

extension PersistentMap: KeyedCollection {
  /// Changes the value under a key in place; O(log n), shared nodes are copied.
  ///
  /// - Returns: the closure's result, or nil if there is no such key.
  @inlinable
  public mutating func modifyValue<Result>(
    forKey key: Key, _ body: (inout Value) throws -> Result
  ) rethrows -> Result? {
    try withMutableValue(forKey: key) { try body(&$0.pointee) }
  }
}

extension PersistentList: IdentifiedCollection where Element: Identifiable {}

extension TreeDictionary: KeyedCollection {
  /// Changes the value under a key in place; O(log n), shared nodes are copied.
  ///
  /// - Returns: the closure's result, or nil if there is no such key.
  @inlinable
  public mutating func modifyValue<Result>(
    forKey key: Key, _ body: (inout Value) throws -> Result
  ) rethrows -> Result? {
    // Asked first: the subscript below makes room for a key that it does not find.
    guard index(forKey: key) != nil else { return nil }
    return try TreeDictionary.modify(&self[key], body)
  }

  @inlinable
  static func modify<Result>(_ optional: inout Value?, _ body: (inout Value) throws -> Result) rethrows -> Result? {
    // Emptied meanwhile, so that `value` is the only owner and changes in place.
    guard var value = optional.take() else { return nil }
    defer { optional = value }
    return try body(&value)
  }
}
