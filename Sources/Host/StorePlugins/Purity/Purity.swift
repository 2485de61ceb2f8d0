/// How often the host looks whether reducers and projections keep state of their own (`set plugin.purity`).
public enum Purity: String, CaseIterable, Sendable {
  /// At every call.
  case always
  /// At the first 32 calls of each function, then at every 64th; less often where it captures much, so that looking costs
  /// a call next to nothing. Which calls those are depends on nothing but the plugin: a run can be repeated.
  case sampled
  /// Never.
  case off
}
