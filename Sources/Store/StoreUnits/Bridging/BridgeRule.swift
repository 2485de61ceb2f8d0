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

extension Middleware {
  /// Turns actions into others by rules (R25).
  ///
  /// All conditions of all rules look at the state after reducing; then all maps are asked. Then all derived actions
  /// are enqueued in the order of the rules. A derived action has the file, function and line of the original, kind
  /// `bridge`, and the original as its cause. A further line of info names the original action and the place of the
  /// rule. Actions that no rule is about skip the unit altogether (R14).
  ///
  /// - Parameters:
  ///   - name: the name of the unit in traces, gates and listings.
  ///   - rules: the rules, in order.
  ///   - actionName: the name of the original action in the info.
  public static func bridge(
    _ name: String, _ rules: [BridgeRule<Input, Output, State>],
    naming actionName: @escaping @Sendable (Input) -> String = { ActionName.of($0) }
  ) -> Middleware {
    Middleware<BridgedAction<Input, Output, State>, Output, State>(name) { bridged, context, state in
      let allowed = bridged.allowed(state)
      guard !allowed.isEmpty else { return .none }
      return IO { output in
        let derived = bridged.derived(by: allowed, state())
        guard !derived.isEmpty else { return }
        let original = actionName(bridged.action)
        for (action, place) in derived {
          let source = context.source.bridged(original, at: place, number: context.number)
          output.dispatch(DispatchedAction(action, source: source))
        }
      }
    }.lift(input: { BridgedAction($0, rules) })
  }

  /// The same under the name `bridge`: `.bridge([.on(\.opened, dispatch: .show)])`.
  public static func bridge(_ rules: [BridgeRule<Input, Output, State>]) -> Middleware { bridge("bridge", rules) }
}

private struct BridgedAction<Input, Output, State> {
  typealias Match = BridgeRule<Input, Output, State>.Match
  typealias Derived = (action: Output, place: RulePlace)

  let action: Input
  private let matches: [Match]

  init?(_ action: Input, _ rules: [BridgeRule<Input, Output, State>]) {
    matches = rules.compactMap { $0.match(action) }
    if matches.isEmpty { return nil }
    self.action = action
  }

  /// The matches whose conditions on the state before reducing hold.
  func allowed(_ before: StateReader<State>) -> [Match] {
    // The state is not copied where nobody asks for it: reducers then change it in place.
    guard matches.contains(where: { $0.allows != nil }) else { return matches }
    let before = before()
    return matches.filter { $0.allows?(before) ?? true }
  }

  /// The actions that the rules derive, in their order: first all conditions, then all maps.
  func derived(by allowed: [Match], _ after: State) -> [Derived] {
    let holding = allowed.filter { $0.holds?(after) ?? true }
    return holding.compactMap { match in match.derive(after).map { ($0, match.place) } }
  }
}

extension ActionSource {
  /// The source of an action that a bridge derives from one of this source.
  fileprivate func bridged(_ original: String, at place: RulePlace, number: Int) -> ActionSource {
    let line = "bridged from \(original) by \(place.file):\(place.line)"
    var source = self
    source.kind = .bridge
    source.cause = number
    source.info = info.map { "\($0)\n\(line)" } ?? line
    return source
  }
}

extension Reducer {
  /// Changes the state in answer to one action, where a condition holds: what ``BridgeRule`` is for dispatching.
  ///
  /// - Parameters:
  ///   - payload: the part of an action that the change needs; nil: the action changes nothing.
  ///   - name: the name of the reducer in traces.
  ///   - allows: looks at the state as this reducer finds it.
  ///   - change: changes the state in place.
  public static func on<Payload>(
    _ payload: @escaping @Sendable (Action) -> Payload?, name: String = "reducer",
    guard allows: @escaping @Sendable (State) -> Bool = { _ in true },
    change: @escaping @Sendable (inout State, Payload) -> Void
  ) -> Reducer {
    Reducer(name) { action, state in
      guard let payload = payload(action), allows(state) else { return }
      change(&state, payload)
    }
  }

  /// Changes the state in answer to one case, which may lie further in: `.on(\.movies.select) { $0.selected = $1 }`.
  ///
  /// - Parameters:
  ///   - path: the case; other actions change nothing.
  ///   - name: the name of the reducer in traces.
  ///   - allows: looks at the state as this reducer finds it.
  ///   - change: changes the state in place, given the payload.
  public static func on<Payload>(
    _ path: KeyPath<Action.Cases, CasePath<Action, Payload>>, name: String = "reducer",
    guard allows: @escaping @Sendable (State) -> Bool = { _ in true },
    change: @escaping @Sendable (inout State, Payload) -> Void
  ) -> Reducer where Action: CasePathable {
    on(Action.cases[keyPath: path].extract, name: name, guard: allows, change: change)
  }
}
