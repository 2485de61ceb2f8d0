// A middleware of one element as a middleware of the collection (R17). The unit is attached for an element when it is first
// asked about it, and forgotten when the element is gone.

extension Middleware {
  /// Makes this middleware one of a larger store: it runs on the element that an action is for, if there is one (R17).
  ///
  /// Each element has effects of its own: a token that one uses means nothing to another (D18). The long-lived effects
  /// of all elements run (R33). After every action, its IO included, the elements that are gone are forgotten and their
  /// effects cancelled, tokens or not. An effect ends by itself or with its owner (R18), which is the element. An
  /// element that comes later under the same id starts afresh. An element that went and came back within one action has
  /// never been gone. In IO the state is the live element or, if it went through this very action, what it was when the
  /// unit was asked. A unit says for every element or for none what should be running.
  ///
  /// - Parameters:
  ///   - input: the id and the local action in a global one, or nil: the middleware is skipped altogether (R14).
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, Elements: ElementReading>(
    input: @escaping @Sendable (GlobalInput) -> (Elements.ID, Input)?,
    output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput, element elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    liftUnits(output, elements) { all, global, context in
      guard let (id, local) = input(global) else { return nil }
      return all.handle(id, local, context)
    }
  }

  /// Makes this middleware one of a larger store, the id and the local action in an ``ElementAction``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, Elements: ElementReading>(
    input: @escaping @Sendable (GlobalInput) -> ElementAction<Elements.ID, Input>?,
    output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput, element elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    lift(input: { global in input(global).map { ($0.id, $0.action) } }, output: output, element: elements)
  }

  /// Makes this middleware one of a larger store: it runs on every element (R17).
  ///
  /// Each unit is asked about the elements in their order, before the next unit is. IO runs the other way round (R9).
  /// Units a and b over elements 1 and 2 are asked a1, a2, b1, b2, and act b2, b1, a2, a1. Of two elements with one id
  /// the first stands for both. Otherwise as the lift to one element.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped altogether (R14).
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, Elements: ElementReading>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput, each elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    liftUnits(output, elements) { all, global, context in
      guard let local = input(global) else { return nil }
      return all.handleEach(local, context)
    }
  }

  @inlinable
  func liftUnits<GlobalInput, GlobalOutput, Elements: ElementReading>(
    _ output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput, _ elements: Elements,
    isAddressed: Bool = true,
    _ handle:
      @escaping @Sendable (
        AttachedElements<Elements, Input, Output, GlobalOutput>, GlobalInput, ActionContext
      ) -> IO<GlobalOutput>?
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    Middleware<GlobalInput, GlobalOutput, Elements.Whole>(
      units: units.map { unit in
        MiddlewareUnit<GlobalInput, GlobalOutput, Elements.Whole>(name: unit.name) { attachment in
          let all = AttachedElements<Elements, Input, Output, GlobalOutput>(
            unit, elements: elements, isAddressed: isAddressed, state: attachment.state, trace: attachment.trace,
            effects: attachment.effects, output: output)
          attachment.supervise { all.follow() }
          return { global, context in handle(all, global, context) }
        }
      })
  }
}
