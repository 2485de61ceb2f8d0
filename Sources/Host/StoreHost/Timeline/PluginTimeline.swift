import StoreHistory
import StorePlugins

/// One version of a plugin that was loaded at some point: its code, and the plugin that runs it for as long as that is kept.
package final class PluginVersion {
  /// The code, with the action that loaded the plugin. It is other code than that action's where the files were edited while
  /// nobody wrote the journal.
  package let code: JournaledPlugin
  /// What tells the type of its slice from others; empty: it has none; nil: nobody knows.
  package let stateType: String?
  package fileprivate(set) var hosted: HostedPlugin?
  private let read: (() -> PluginSource?)?

  /// A version that is ready.
  package init(_ hosted: HostedPlugin, loadedBy number: Int) {
    let source = hosted.plugin.source
    code = source.journaled(loadedBy: number)
    stateType = hosted.plugin.module.schema?.shapeHash ?? ""
    read = { source }
    self.hosted = hosted
  }

  /// A version that is made ready when somebody returns to it.
  ///
  /// - Parameter read: gives its code; nil: that is nowhere any more.
  package init(_ code: JournaledPlugin, stateType: String?, read: (() -> PluginSource?)?) {
    (self.code, self.stateType, self.read) = (code, stateType, read)
  }

  /// Its files; nil: they are nowhere any more.
  package var source: PluginSource? { hosted?.plugin.source ?? read?() }
  /// Whether its files are nowhere any more: an earlier version of the program did not keep them.
  package var isMissing: Bool { read == nil }
}

/// Which plugins were loaded when. An earlier version of a plugin, or one that was unloaded, is known here for as long as
/// the history may return to it: the latest few as they are, ready to run, the others as code that is loaded again when
/// somebody returns to them. A plugin has no state but its slice, so that nobody can tell.
package final class PluginTimeline {
  /// How many versions that do not run are kept ready.
  private static let readyLimit = 4

  /// After an action: what was loaded, in load order.
  package struct Point {
    package let number: Int
    package let versions: [PluginVersion]

    package init(_ number: Int, _ versions: [PluginVersion]) { (self.number, self.versions) = (number, versions) }
  }

  package private(set) var points: [Point]
  /// The versions that are ready and not loaded, that of longest ago first.
  private var idle: [PluginVersion] = []

  /// A timeline of what is known already: which plugins were loaded after which actions, in that order.
  package init(_ known: [Point] = [Point(0, [])]) { points = known }

  /// What was loaded after an action, in load order.
  package func versions(at number: Int) -> [PluginVersion] { points.versions(at: number) }

  /// What is loaded where somebody goes on from the point after an action. A plugin that no action has brought since keeps the
  /// code that it runs, though its files were edited meanwhile.
  package func versions(toGoOnFrom number: Int) -> [PluginVersion] {
    let running = points.last?.versions ?? []
    return versions(at: number).map { version in
      version.isMissing
        ? version
        : running.first { $0.code.name == version.code.name && $0.code.number == version.code.number } ?? version
    }
  }

  /// The code of a digest, where it is that of a plugin that was loaded.
  package func source(_ digest: String) -> PluginSource? {
    points.lazy.flatMap(\.versions).first { $0.code.digest == digest }?.source
  }

  /// The code of what was loaded after an action, in load order, as far as it is there.
  package func sources(at number: Int) -> [PluginSource] { versions(at: number).compactMap(\.source) }

  /// Takes note of the plugins that are loaded after an action.
  ///
  /// - Parameter oldest: the oldest action that can be returned to.
  package func note(_ plugins: [HostedPlugin], after number: Int, oldest: Int) {
    let last = points.last?.versions ?? []
    guard !last.elementsEqual(plugins, by: { $0.hosted?.plugin === $1.plugin }) else { return }
    let known = last + idle
    let versions = plugins.map { version(of: $0, known, loadedBy: number) }
    if !versions.elementsEqual(last, by: ===) { points.append(Point(number, versions)) }
    if let first = points.lastIndex(where: { $0.number <= oldest }) { points.removeFirst(first) }
    idle = known.filter { old in old.hosted != nil && !versions.contains { $0 === old } }
    dropIdle()
  }

  /// Takes in which plugins were loaded after an action that lies before all that is known.
  package func learn(_ versions: [PluginVersion], at number: Int) {
    points.removeAll { $0.number == number }
    points.insert(Point(number, versions), at: points.firstIndex { $0.number > number } ?? points.endIndex)
  }

  /// The known version that a plugin is: where one has the same code, the plugin runs it from now on.
  private func version(
    of hosted: HostedPlugin, _ known: [PluginVersion], loadedBy number: Int
  ) -> PluginVersion {
    if let version = known.first(where: { $0.hosted?.plugin === hosted.plugin }) { return version }
    guard let version = known.first(where: { $0.hosted?.plugin.source == hosted.plugin.source }) else {
      return PluginVersion(hosted, loadedBy: number)
    }
    version.hosted = hosted
    return version
  }

  /// A plugin that runs some code, or ran it lately.
  package func ready(_ source: PluginSource) -> Plugin? {
    let running = points.last?.versions ?? []
    return (running + idle).first { $0.hosted?.plugin.source == source }?.hosted?.plugin
  }

  private func dropIdle() {
    while idle.count > Self.readyLimit { idle.removeFirst().hosted = nil }
  }

  /// Makes versions ready that are not any more.
  ///
  /// - Parameter make: makes one ready beside those of them that are.
  /// - Returns: the plugins that run them; those of which nothing is left are not among them.
  /// - Throws: as ``PluginOrder/make(_:_:)``.
  package func ready(
    _ versions: [PluginVersion], _ make: (PluginSource, [HostedPlugin], _ mayLack: Bool) throws -> HostedPlugin
  ) throws -> [HostedPlugin] {
    let missing = versions.filter { $0.hosted == nil }
    guard !missing.isEmpty else { return versions.compactMap(\.hosted) }
    // Those of the point are the last to go.
    let others = idle.filter { old in !versions.contains { $0 === old } }
    for old in others.dropLast(Self.readyLimit) { old.hosted = nil }
    idle.removeAll { $0.hosted == nil }
    let sources = missing.compactMap { version in version.source.map { (version, $0) } }
    try PluginOrder.make(sources) { entry, mayLack in
      entry.0.hosted = try make(entry.1, versions.compactMap(\.hosted), mayLack)
      idle.append(entry.0)
    }
    return versions.compactMap(\.hosted)
  }
}

extension [PluginTimeline.Point] {
  /// What was loaded after an action, in load order.
  package func versions(at number: Int) -> [PluginVersion] { last { $0.number <= number }?.versions ?? [] }

  /// The action since which a plugin that is loaded has had a state of the type that it has now: the one that loaded it, or
  /// that brought a version with another type.
  package func start(ofStateTypeOf plugin: String) -> Int? {
    func type(_ point: Element) -> String? { point.versions.first { $0.code.name == plugin }?.stateType }
    guard let now = last.flatMap(type) else { return nil }
    return reversed().prefix { type($0) == now }.last?.number
  }

  /// The plugins that ran other code after an action than before it, though the action brought none: their files were edited
  /// while the store was not open.
  package func edited(at entry: LoggedEntry) -> [String] {
    guard entry.restoreTarget != nil || contains(where: { $0.number == entry.number }) else { return [] }
    let before = versions(at: entry.restoreTarget ?? entry.number - 1)
    return versions(at: entry.number).filter { version in
      guard let old = before.first(where: { $0.code.name == version.code.name }), old !== version else { return false }
      return entry.action != ShellAction.Types.reloadPlugin.fullName
        || entry.arguments.values.first != .string(version.code.name)
    }.map(\.code.name)
  }
}
