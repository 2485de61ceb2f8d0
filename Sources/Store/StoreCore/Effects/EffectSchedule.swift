/// The start of an effect, and its meaning for others under its token.
public struct EffectSchedule: Sendable {
  /// The name under which it can be cancelled and replaced; private to the unit and the element.
  public var token: EffectToken?
  /// The wait before it starts to work; a negative wait counts as none.
  public var delay: Duration = .zero
  /// The treatment of an older effect under the same token.
  public var arrival = Arrival.replacing

  /// The treatment of an older effect under a new effect's token. Effects without a token have nothing to do with each
  /// other.
  public enum Arrival: Sendable {
    /// The old one is cancelled.
    case replacing
    /// The new one is dropped while the old one runs.
    case exclusive
    /// The old one is cancelled, and the new one waits: a wait starts again with each arrival.
    case debounce(Duration)
    /// The first one starts a window in which all others are dropped.
    case throttle(Duration)
  }

  /// At once, without a token.
  public init() {}

  /// The whole wait.
  var wait: Duration {
    guard case .debounce(let quiet) = arrival else { return max(delay, .zero) }
    return max(delay, .zero) + max(quiet, .zero)
  }
}
