import StoreCore

/// The condition on one end of a transition.
public struct TransitionEnd<Part>: Sendable {
  let accepts: @Sendable (Part) -> Bool

  /// Anything.
  public static var any: TransitionEnd { TransitionEnd { _ in true } }

  /// A value for which a predicate holds.
  public static func matching(_ predicate: @escaping @Sendable (Part) -> Bool) -> TransitionEnd {
    TransitionEnd(accepts: predicate)
  }
}

extension TransitionEnd where Part: Equatable & Sendable {
  /// A certain value.
  public static func value(_ value: Part) -> TransitionEnd { TransitionEnd { $0 == value } }
}

/// When a watched value changes from this to that, dispatch an action (R24): side effects that follow from the state rather
/// than from an action. The idea is SwiftRex's StateMachineMiddleware.
public struct TransitionRule<Output, State>: Sendable {
  /// Reads the watched value before reducing; the result derives the action from the state after. Nil: the value is not
  /// what it must be for a transition to start.
  let begin: @Sendable (State) -> ((State) -> DispatchedAction<Output>?)?

  /// A rule whose action is built from the values at both ends.
  ///
  /// - Parameters:
  ///   - part: the watched value: `.on(\.phase, …)`.
  ///   - from: the condition on its value before the action.
  ///   - to: the condition on its value after the action, which must differ from the one before.
  ///   - derive: the action to dispatch, from the values before and after; nil: none.
  ///   - file: the file of the rule; the source of its actions.
  ///   - function: the function around that place.
  ///   - line: the line of the rule.
  public static func on<Part: Equatable & Sendable>(
    _ part: @escaping @Sendable (State) -> Part, from: TransitionEnd<Part> = .any, to: TransitionEnd<Part> = .any,
    dispatch derive: @escaping @Sendable (_ before: Part, _ after: Part) -> Output?, file: String = #fileID,
    function: String = #function, line: Int = #line
  ) -> TransitionRule {
    on(part, from: from, to: to, dispatch: derive, source: .here(file: file, function: function, line: line))
  }

  /// A rule whose action is built from the values at both ends, for rules that are written elsewhere than in Swift.
  ///
  /// - Parameters:
  ///   - part: the watched value.
  ///   - from: the condition on its value before the action.
  ///   - to: the condition on its value after the action, which must differ from the one before.
  ///   - derive: the action to dispatch, from the values before and after; nil: none.
  ///   - source: the place of the rule.
  public static func on<Part: Equatable & Sendable>(
    _ part: @escaping @Sendable (State) -> Part, from: TransitionEnd<Part> = .any, to: TransitionEnd<Part> = .any,
    dispatch derive: @escaping @Sendable (_ before: Part, _ after: Part) -> Output?, source: ActionSource
  ) -> TransitionRule {
    TransitionRule { before in
      let old = part(before)
      guard from.accepts(old) else { return nil }
      return { after in
        let new = part(after)
        guard old != new, to.accepts(new), let action = derive(old, new) else { return nil }
        return DispatchedAction(action, source: source)
      }
    }
  }

  /// A rule with one and the same action.
  public static func on<Part: Equatable & Sendable>(
    _ part: @escaping @Sendable (State) -> Part, from: TransitionEnd<Part> = .any, to: TransitionEnd<Part> = .any,
    dispatch derived: Output, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> TransitionRule where Output: Sendable {
    on(part, from: from, to: to, dispatch: { (_, _) in derived }, file: file, function: function, line: line)
  }
}

extension Middleware {
  /// Dispatches an action where one action changed a watched value in a certain way (R24). A rule fires once, at the action
  /// that made the transition; several rules fire in their order. Their actions have the source of the rule and, as their
  /// cause, the action that made the transition.
  ///
  /// - Parameters:
  ///   - name: the name of the unit in traces, gates and listings.
  ///   - rules: the rules, in order.
  public static func transitions(_ name: String, _ rules: [TransitionRule<Output, State>]) -> Middleware {
    Middleware(name) { _, _, state in
      // Only the watched values are kept while the action is reduced, not the state.
      let before = state()
      let begun = rules.compactMap { $0.begin(before) }
      guard !begun.isEmpty else { return .none }
      return IO { output in
        let after = state()
        for action in begun.compactMap({ $0(after) }) { output.dispatch(action) }
      }
    }
  }

  /// The same under the name `transitions`.
  public static func transitions(_ rules: [TransitionRule<Output, State>]) -> Middleware {
    transitions("transitions", rules)
  }
}
