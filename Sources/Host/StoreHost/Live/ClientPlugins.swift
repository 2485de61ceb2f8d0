import StoreCore
import StorePlugins

/// Plugins as one client runs them: the code of some point, in Lua states of the client's own. What it asks of the past, and the
/// projections that it asks for, run here, without the turn and never in the states of the plugins that run (R27, R34).
final class ClientPlugins {
  /// How many versions are kept that were not asked for last.
  private static let limit = 4

  private var made: [(version: PluginVersion, hosted: HostedPlugin)] = []
  private let interruptions = Lock<[@Sendable () -> Void]>([])

  /// Stops the Lua that runs here; from any thread.
  var interrupt: @Sendable () -> Void {
    { [interruptions] in for interrupt in interruptions.withLock({ $0 }) { interrupt() } }
  }

  /// The plugins whose Lua ran when it was to be stopped, since it was last asked.
  func takeInterrupted() -> [String] {
    made.filter { $0.hosted.plugin.takeInterruption() }.map(\.version.code.name)
  }

  /// The plugins that run some versions, in that order; those of which nothing is left are not among them.
  ///
  /// - Throws: `PluginError` where one cannot be loaded any more.
  func ready(_ versions: [PluginVersion], of live: LiveStore) throws -> [HostedPlugin] {
    if versions.isEmpty { return [] }
    let missing = live.turnAnywhere {
      versions.filter { hosted($0) == nil }.compactMap { version in version.source.map { (version, $0) } }
    }
    if !missing.isEmpty {
      let others = made.indices.filter { index in !versions.contains { $0 === made[index].version } }
      for index in others.dropLast(Self.limit).reversed() { made.remove(at: index) }
      try PluginOrder.make(missing) { entry, mayLack in
        let own = try live.revive(
          entry.1, beside: versions.compactMap(hosted), mayLack: mayLack, isHeard: false)
        made.append((entry.0, own))
        let all = made.map(\.hosted.plugin.interrupt)
        interruptions.withLock { $0 = all }
      }
    }
    return versions.compactMap(hosted)
  }

  private func hosted(_ version: PluginVersion) -> HostedPlugin? { made.first { $0.version === version }?.hosted }
}
