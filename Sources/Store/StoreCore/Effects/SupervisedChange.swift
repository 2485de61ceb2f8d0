/// The long-lived effects that a unit states, by what has changed about them since it was last asked (R33): of many that go on
/// as they are, nobody has to look at any.
public enum SupervisedChange<Output>: Sendable {
  /// All of them; those that are not named stop.
  case all([Supervised<Output>])
  /// Those that start, and the ids of those that stop, which come first: an id in both starts anew.
  case some(started: [Supervised<Output>], gone: [EffectToken])

  /// Says what has changed since it was last asked, or all where that is asked for, as for the first time.
  public typealias Declaration = @Sendable (_ isWhole: Bool) -> SupervisedChange

  /// The same with every action that they emit mapped.
  @inlinable
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> SupervisedChange<Other> {
    switch self {
    case .all(let stated): .all(stated.map { $0.map(transform) })
    case .some(let started, let gone): .some(started: started.map { $0.map(transform) }, gone: gone)
    }
  }

  /// The whole statement, for those who do not take it by its changes.
  public static func whole(_ change: @escaping Declaration) -> @Sendable () -> [Supervised<Output>] {
    let kept = KeptStatement<Output>()
    return { kept.taking(change(false)) }
  }

  /// A statement that holds while a condition does: nothing is stated meanwhile, and all when it holds again.
  @usableFromInline
  static func declared(
    _ change: @escaping Declaration, while condition: @escaping @Sendable () -> Bool
  ) -> Declaration {
    let last = LastCondition()
    return { isWhole in
      guard condition() else {
        last.held = false
        return .all([])
      }
      defer { last.held = true }
      return change(isWhole || !last.held)
    }
  }
}

/// Whether a condition held when a unit was asked last.
private final class LastCondition: @unchecked Sendable {
  // Safe: used by the thread that owns the store, which asks a unit for its statement.
  var held = false
}

/// A statement that is made by its changes, as a whole.
private final class KeptStatement<Output>: @unchecked Sendable {
  // Safe: used by the thread that owns the store, which asks a unit for its statement.
  private var stated: [EffectToken: (order: Int, effect: Supervised<Output>)] = [:]
  private var last = 0

  func taking(_ change: SupervisedChange<Output>) -> [Supervised<Output>] {
    switch change {
    case .all(let all):
      stated = [:]
      all.forEach(add)
    case .some(let started, let gone):
      for id in gone { stated[id] = nil }
      started.forEach(add)
    }
    return stated.values.sorted { $0.order < $1.order }.map(\.effect)
  }

  private func add(_ effect: Supervised<Output>) {
    last += 1
    stated[effect.id] = (last, effect)
  }
}
