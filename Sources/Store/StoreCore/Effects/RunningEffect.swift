/// An effect that runs or waits, as listings show it.
public struct RunningEffect: Hashable, Sendable {
  /// The unit.
  public let unit: String
  /// The elements, from the outside, where the unit is lifted to collections.
  public let path: [EffectToken]
  /// The token or, where it is a long-lived effect that has one, its id; nil: none.
  public let token: EffectToken?
  /// The token's text, with its type where another of the unit's effects has the same text; `-`: none.
  public let tokenText: String
  /// True for a long-lived effect (R33).
  public let isSupervised: Bool
  /// The number of the action that started it; 0: the state did before any action.
  public let startedBy: Int
  /// The time since it started.
  public let age: Duration
  /// In how long it goes on, where it waits for the clock.
  public let wakesIn: Duration?

  init(_ entry: EffectEntry, unit: UnitEffects, isAmbiguous: Bool) {
    let now = unit.runtime.clock.now
    self.unit = unit.unit
    path = entry.path
    token = entry.key?.token
    tokenText = token.map { isAmbiguous ? $0.textWithType : $0.description } ?? "-"
    isSupervised = entry.key?.isChannel ?? false
    startedBy = entry.start.number
    age = now - entry.start.time
    wakesIn = entry.wakesAt.map { max($0 - now, .zero) }
  }

  /// `unit/token`, in a collection `unit[element]/token`.
  public var name: String { unit + path.map { "[\($0)]" }.joined() + "/" + tokenText }
}
