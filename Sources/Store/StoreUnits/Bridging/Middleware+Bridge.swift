import StoreCore

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

/// An action that some rules are about.
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
