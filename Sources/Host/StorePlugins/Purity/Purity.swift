/// The frequency of the check that reducers and projections keep no state of their own (`set plugin.purity`).
public enum Purity: String, CaseIterable, Sendable {
  /// At every call.
  case always
  /// At the first 32 calls of each function, then at every 64th. A function that captures much is looked at less often,
  /// so that looking costs a call next to nothing. The choice of calls depends on nothing but the plugin: a run can be
  /// repeated.
  case sampled
  /// Never.
  case off
}
