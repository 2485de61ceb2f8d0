/// How often the host looks whether reducers and projections keep state of their own (`set plugin.purity`).
public enum Purity: String, CaseIterable, Sendable {
  /// At every call.
  case always
  /// At the first 32 calls of each function, then at every 64th: always the same ones, so that a run can be repeated.
  case sampled
  /// Never.
  case off
}
