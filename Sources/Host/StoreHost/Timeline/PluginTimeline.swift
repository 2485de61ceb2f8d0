import StoreHistory
import StorePlugins

/// One version of a plugin that was loaded at some point: its code, and the plugin that runs it for as long as that is kept.
package final class PluginVersion {
  package let source: PluginSource
  /// What tells the type of its slice from others; empty: it has none; nil: nobody knows.
  package let stateType: String?
  package fileprivate(set) var hosted: HostedPlugin?

  /// A version that is ready.
  package init(_ hosted: HostedPlugin) {
    source = hosted.plugin.source
    stateType = hosted.plugin.module.schema?.shapeHash ?? ""
    self.hosted = hosted
  }

  /// A version that is made ready when somebody returns to it.
  package init(_ source: PluginSource, stateType: String?) { (self.source, self.stateType) = (source, stateType) }
}

/// Which plugins were loaded when. An earlier version of a plugin, or one that was unloaded, is known here for as long as
/// the history may return to it: the latest few as they are, ready to run, the others as code that is loaded again when
/// somebody returns to them. A plugin has no state but its slice, so that nobody can tell.
package final class PluginTimeline {
  /// How many versions that do not run are kept ready.
  private static let readyLimit = 4

  /// After an action: what was loaded, in load order.
  package typealias Point = (number: Int, members: [Member])

  /// A plugin that was loaded after an action.
  package struct Member {
    /// The version that it was, or where that is lost, one whose state has the same type, which shows it; nil: there is none.
    package let version: PluginVersion?
    /// The code that ran, where it is no longer there as it was.
    package var lost: JournaledPlugin?
    /// Whether the version goes on for a lost one when somebody returns to it: no action brought the one in place of the other,
    /// but the files were edited while the store was not open.
    package var goesOn = false

    /// The plugin's name.
    package var name: String? { lost?.name ?? version?.source.manifest.name }

    /// Whether another one runs the same code.
    package func isSame(as other: Member) -> Bool { version === other.version && lost == other.lost }
  }

  private var points: [Point]
  /// The versions that are ready and not loaded, that of longest ago first.
  private var idle: [PluginVersion] = []

  /// A timeline of what is known already: which plugins were loaded after which actions, in that order.
  package init(_ known: [Point] = [(0, [])]) { points = known }

  /// The plugins that were loaded after an action, or that show one whose code is lost, in load order, as far as they are
  /// ready.
  package func plugins(at number: Int) -> [HostedPlugin] { versions(at: number).compactMap(\.hosted) }

  /// What was loaded after an action, in load order.
  package func members(at number: Int) -> [Member] { points.last { $0.number <= number }?.members ?? [] }

  /// Those whose code is gone, and with it the type of their state, of which there is no other version either.
  package var unreadable: [JournaledPlugin] {
    var found: [JournaledPlugin] = []
    for case let (nil, lost?) in points.flatMap(\.members).map({ ($0.version, $0.lost) }) where !found.contains(lost) {
      found.append(lost)
    }
    return found
  }

  /// The names of the plugins that were loaded after an action, in load order.
  package func names(at number: Int) -> [String] {
    members(at: number).compactMap(\.name)
  }

  /// The action since which a plugin that is loaded has had a state of the type that it has now: the one that loaded it, or
  /// that brought a version with another type.
  package func start(ofStateTypeOf plugin: String) -> Int? {
    func type(_ point: Point) -> String? { point.members.first { $0.name == plugin }?.version?.stateType }
    guard let now = points.last.flatMap(type) else { return nil }
    return points.reversed().prefix { type($0) == now }.last?.number
  }

  /// The plugins that ran other code after an action than before it, though the action brought none: their files were edited
  /// while the store was not open.
  package func edited(at entry: LoggedEntry) -> [Member] {
    guard points.contains(where: { $0.number == entry.number }) else { return [] }
    let before = members(at: entry.restoreTarget ?? entry.number - 1)
    return members(at: entry.number).filter { member in
      guard let old = before.first(where: { $0.name == member.name }), !old.isSame(as: member) else { return false }
      return entry.action != ShellAction.Types.reloadPlugin.fullName
        || entry.arguments.values.first != .string(member.name ?? "")
    }
  }

  /// Takes note of the plugins that are loaded after an action.
  ///
  /// - Parameter oldest: the oldest action that can be returned to.
  package func note(_ plugins: [HostedPlugin], after number: Int, oldest: Int) {
    let last = points.last?.members.compactMap(\.version) ?? []
    guard !last.elementsEqual(plugins, by: { $0.hosted?.plugin === $1.plugin }) else { return }
    let known = last + idle
    let versions = plugins.map { version(of: $0, known) }
    if !versions.elementsEqual(last, by: ===) { points.append((number, versions.map { Member(version: $0) })) }
    if let first = points.lastIndex(where: { $0.number <= oldest }) { points.removeFirst(first) }
    idle = known.filter { old in old.hosted != nil && !versions.contains { $0 === old } }
    dropIdle()
  }

  /// The known version that a plugin is: where one has the same code, the plugin runs it from now on.
  private func version(of hosted: HostedPlugin, _ known: [PluginVersion]) -> PluginVersion {
    if let version = known.first(where: { $0.hosted?.plugin === hosted.plugin }) { return version }
    guard let version = known.first(where: { $0.source == hosted.plugin.source }) else { return PluginVersion(hosted) }
    version.hosted = hosted
    return version
  }

  /// A plugin that runs some code, or ran it lately.
  package func ready(_ source: PluginSource) -> Plugin? {
    let running = points.last?.members.compactMap(\.version) ?? []
    return (running + idle).first { $0.source == source }?.hosted?.plugin
  }

  private func dropIdle() {
    while idle.count > Self.readyLimit { idle.removeFirst().hosted = nil }
  }

  /// Has the plugins of a point made ready that are not any more.
  ///
  /// - Parameter make: makes a version ready beside the plugins of the point that are.
  /// - Throws: as ``PluginOrder/make(_:_:)``.
  package func makeReady(
    at number: Int, _ make: (PluginSource, [HostedPlugin], _ mayLack: Bool) throws -> HostedPlugin
  ) throws {
    let versions = versions(at: number)
    let missing = versions.filter { $0.hosted == nil }
    guard !missing.isEmpty else { return }
    // Those of the point are the last to go.
    let others = idle.filter { old in !versions.contains { $0 === old } }
    for old in others.dropLast(Self.readyLimit) { old.hosted = nil }
    idle.removeAll { $0.hosted == nil }
    try PluginOrder.make(missing) { version, mayLack in
      version.hosted = try make(version.source, versions.compactMap(\.hosted), mayLack)
      idle.append(version)
    }
  }

  private func versions(at number: Int) -> [PluginVersion] { members(at: number).compactMap(\.version) }
}
