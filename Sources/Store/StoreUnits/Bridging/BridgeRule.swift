import StoreCore
import StoreSchema

/// The place where a rule is written.
struct RulePlace: Sendable {
  let file: String
  let line: Int
}

/// On this action, where these conditions hold, dispatch that one (R25): glue between modules that know nothing of each
/// other. The idea is SwiftRex's BridgeMiddleware; the condition on the state before comes from its 1.x `on(…)`.
///
/// Every closure may be written as a key path: `.on(\.opened, when: \.isReady, dispatch: { .show($0) })`.
public struct BridgeRule<Input, Output, State>: Sendable {
  /// The rule for one action that its map accepts.
  struct Match {
    let place: RulePlace
    /// Looks at the state before reducing.
    let allows: ((State) -> Bool)?
    /// Looks at the state after reducing.
    let holds: ((State) -> Bool)?
    /// Gets the state after reducing.
    let derive: (State) -> Output?
  }

  let match: @Sendable (Input) -> Match?

  /// A rule whose map gets the state after reducing as well.
  ///
  /// - Parameters:
  ///   - payload: the part that the rule takes from an action; nil: the rule is not about that action.
  ///   - allows: looks at the state before reducing.
  ///   - holds: looks at the state after reducing.
  ///   - derive: the action to dispatch, from the payload and the state after reducing; nil: none.
  ///   - file: the file of the rule; the derived action's source names the place.
  ///   - line: the line of the rule.
  public static func on<Payload>(
    _ payload: @escaping @Sendable (Input) -> Payload?, guard allows: (@Sendable (State) -> Bool)? = nil,
    when holds: (@Sendable (State) -> Bool)? = nil, dispatch derive: @escaping @Sendable (Payload, State) -> Output?,
    file: String = #fileID, line: Int = #line
  ) -> BridgeRule {
    let place = RulePlace(file: file, line: line)
    return BridgeRule { action in
      guard let payload = payload(action) else { return nil }
      return Match(place: place, allows: allows, holds: holds) { derive(payload, $0) }
    }
  }

  /// A rule that may carry over what the action holds.
  ///
  /// - Parameter derive: the action to dispatch, from the payload; nil: none.
  public static func on<Payload>(
    _ payload: @escaping @Sendable (Input) -> Payload?, guard allows: (@Sendable (State) -> Bool)? = nil,
    when holds: (@Sendable (State) -> Bool)? = nil, dispatch derive: @escaping @Sendable (Payload) -> Output?,
    file: String = #fileID, line: Int = #line
  ) -> BridgeRule {
    on(payload, guard: allows, when: holds, dispatch: { payload, _ in derive(payload) }, file: file, line: line)
  }

  /// A rule from any action that a map accepts to one and the same.
  public static func on<Payload>(
    _ payload: @escaping @Sendable (Input) -> Payload?, guard allows: (@Sendable (State) -> Bool)? = nil,
    when holds: (@Sendable (State) -> Bool)? = nil, dispatch derived: Output, file: String = #fileID,
    line: Int = #line
  ) -> BridgeRule where Output: Sendable {
    on(payload, guard: allows, when: holds, dispatch: { (_, _) in derived }, file: file, line: line)
  }
}

extension BridgeRule where Input: Equatable & Sendable {
  /// A rule from one action, with what it holds, to another: `.on(action: .opened(page: 1), dispatch: .show)`. The label lets the
  /// compiler say of a misspelt case path that there is no such case.
  public static func on(
    action: Input, guard allows: (@Sendable (State) -> Bool)? = nil, when holds: (@Sendable (State) -> Bool)? = nil,
    dispatch derived: Output, file: String = #fileID, line: Int = #line
  ) -> BridgeRule where Output: Sendable {
    on({ $0 == action ? () : nil }, guard: allows, when: holds, dispatch: derived, file: file, line: line)
  }
}

extension BridgeRule where Input: CasePathable {
  /// A rule from a case, whatever it holds, to one action: `.on(\.opened, dispatch: .show)`.
  public static func on<Payload>(
    _ path: KeyPath<Input.Cases, CasePath<Input, Payload>>, guard allows: (@Sendable (State) -> Bool)? = nil,
    when holds: (@Sendable (State) -> Bool)? = nil, dispatch derived: Output, file: String = #fileID,
    line: Int = #line
  ) -> BridgeRule where Output: Sendable {
    on(Input.cases[keyPath: path].extract, guard: allows, when: holds, dispatch: derived, file: file, line: line)
  }

  /// A rule from a case that carries over what it holds: `.on(\.life.opened, dispatch: { .show($0) })`.
  public static func on<Payload>(
    _ path: KeyPath<Input.Cases, CasePath<Input, Payload>>, guard allows: (@Sendable (State) -> Bool)? = nil,
    when holds: (@Sendable (State) -> Bool)? = nil, dispatch derive: @escaping @Sendable (Payload) -> Output?,
    file: String = #fileID, line: Int = #line
  ) -> BridgeRule {
    on(Input.cases[keyPath: path].extract, guard: allows, when: holds, dispatch: derive, file: file, line: line)
  }
}
