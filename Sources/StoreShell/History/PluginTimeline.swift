import StorePlugins

/// Which plugins were loaded when. An earlier version of a plugin, or one that was unloaded, stays here for as long as the
/// history may return to it.
struct PluginTimeline {
  private var points: [(number: Int, plugins: [HostedPlugin])]

  /// A timeline of what is known already: which plugins were loaded after which actions, in that order.
  init(_ points: [(number: Int, plugins: [HostedPlugin])] = [(0, [])]) { self.points = points }

  /// The plugins that were loaded after an action, in load order.
  func plugins(at number: Int) -> [HostedPlugin] {
    points.last { $0.number <= number }?.plugins ?? []
  }

  /// Takes note of the plugins that are loaded after an action.
  ///
  /// - Parameter oldest: the oldest action that can be returned to.
  mutating func note(_ plugins: [HostedPlugin], after number: Int, oldest: Int) {
    let last = points.last?.plugins ?? []
    guard !last.elementsEqual(plugins, by: { $0.plugin === $1.plugin }) else { return }
    points.append((number, plugins))
    if let first = points.lastIndex(where: { $0.number <= oldest }) { points.removeFirst(first) }
  }
}
