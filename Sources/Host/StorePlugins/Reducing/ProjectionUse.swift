/// How a projection of a plugin was used.
public struct ProjectionUse: Hashable, Sendable {
  /// The projection's name within its module.
  public let name: String
  /// How often its function ran.
  public let runs: Int
  /// How often what it gave before was given again, because nothing that it reads had changed.
  public let hits: Int
  /// The modules that it read last.
  public let reads: [String]
}
