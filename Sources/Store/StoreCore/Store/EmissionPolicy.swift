/// The policy by which watchers are told (R10). A mutation is committed whatever the policy says, IO runs, and the
/// action is recorded.
public struct EmissionPolicy<State>: Sendable {
  /// The name of the policy in settings.
  public let name: String
  @usableFromInline let decide: Decision

  @usableFromInline
  enum Decision: Sendable {
    case always
    case never
    case when(@Sendable (State, State) -> Bool)
    /// Holds for states that differ, and may be left out where all who are told compare by themselves.
    case whenDifferent(@Sendable (State, State) -> Bool)
  }

  @inlinable
  init(name: String, decide: Decision) {
    self.name = name
    self.decide = decide
  }

  /// After every action.
  @inlinable public static var always: EmissionPolicy { EmissionPolicy(name: "always", decide: .always) }

  /// Not at all.
  @inlinable public static var never: EmissionPolicy { EmissionPolicy(name: "never", decide: .never) }

  /// After the actions for which the predicate over the states before and after holds.
  @inlinable
  public static func when(_ predicate: @escaping @Sendable (State, State) -> Bool) -> EmissionPolicy {
    EmissionPolicy(name: "when", decide: .when(predicate))
  }
}

extension EmissionPolicy {
  /// The same policy for a store whose state holds this one's.
  package func lift<Whole>(_ read: @escaping @Sendable (Whole) -> State) -> EmissionPolicy<Whole> {
    switch decide {
    case .always: .always
    case .never: .never
    case .when(let predicate): EmissionPolicy<Whole>(name: name, decide: .when { predicate(read($0), read($1)) })
    case .whenDifferent(let isDifferent):
      EmissionPolicy<Whole>(name: name, decide: .whenDifferent { isDifferent(read($0), read($1)) })
    }
  }
}

extension EmissionPolicy where State: Equatable & Sendable {
  /// After the actions that changed the state.
  @inlinable public static var whenDifferent: EmissionPolicy {
    EmissionPolicy(name: "whenDifferent", decide: .whenDifferent { $0 != $1 })
  }
}
