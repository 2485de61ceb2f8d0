/// The extent to which a test has to declare events. The idea and the name come from The Composable Architecture's test
/// store.
public enum Exhaustivity: Hashable, Sendable {
  /// All: an undeclared change, an action that was not received and an effect that still runs are failures.
  case on
  /// Only what the test cares for: a declared change is checked for what it sets, from the state as it is after the action;
  /// actions that were not received are processed unchecked; effects may run on.
  ///
  /// - showSkipped: true if skipped events are reported, as notes.
  case off(showSkipped: Bool)

  /// Nothing but what the test cares for, and no word about the rest.
  public static var off: Exhaustivity { .off(showSkipped: false) }

  var isOn: Bool { self == .on }
}
