/// The use of a plugin's projection.
public struct ProjectionUse: Hashable, Sendable {
  /// The projection's name within its module.
  public let name: String
  /// The number of runs of its function.
  public let runs: Int
  /// The number of times that the former result was given again, because nothing that it reads had changed.
  public let hits: Int
  /// The modules that it read last.
  public let reads: [String]
}
