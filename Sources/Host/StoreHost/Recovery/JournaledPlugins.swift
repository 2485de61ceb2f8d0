import StoreHistory
import StorePlugins
import StoreSchema

extension LiveStore {
  /// Which plugins were loaded when, as a journal tells: each load and each reload brought a version of its own, though its
  /// code may be the same, and a restore brings back those of its point. One whose code is no longer there as it was is shown
  /// by another whose state has the same type.
  ///
  /// - Parameter unsaidTypes: what tells the types of plugins' slices apart where the journal does not say it.
  package func pluginTimeline(
    _ file: any JournalReading, upTo last: Int, unsaidTypes: [String: String]
  ) throws -> PluginTimeline {
    let loads = try file.plugins(upTo: last)
    guard !loads.isEmpty else { return PluginTimeline() }
    var journaled = try JournaledPlugins(file, loads, upTo: last)
    journaled.fillTypes(byName: unsaidTypes, loaded: plugins)
    let points = journaled.points
    let versions = JournaledVersions(of: points, loaded: plugins)
    let present = plugins.map { hosted in
      PluginTimeline.Member(version: versions.running[hosted.plugin.module.name] ?? PluginVersion(hosted))
    }
    let absent = (points.last?.plugins ?? []).map(\.code).filter { code in !present.contains { $0.name == code.name } }
    // What runs now may be other code than what ran last, and is what anything from here on meets.
    return PluginTimeline(
      points.filter { $0.number < last }.map { ($0.number, $0.plugins.map(versions.member)) }
        + [(last, present + absent.map { PluginTimeline.Member(version: nil, lost: $0) })])
  }
}

/// A plugin that was there after an action, as a journal tells.
private struct JournaledCode: Hashable {
  /// The code that ran, with the action that loaded the plugin. It is other code than that action's where the files were edited
  /// while nobody wrote the journal.
  let code: JournaledPlugin
  /// What tells the type of its slice from others; empty: it has none; nil: nobody knows.
  let type: String?

  /// The same with a type where it has none.
  func typed(_ type: String?) -> JournaledCode { JournaledCode(code: code, type: self.type ?? type) }

  /// Whether another one was brought by the same action.
  func isSameLoad(as other: JournaledCode) -> Bool { code.number == other.code.number && code.name == other.code.name }
}

/// After which actions of a journal which plugins were there, by the action that loaded each.
package struct JournaledPlugins {
  fileprivate private(set) var points: [(number: Int, plugins: [JournaledCode])] = [(0, [])]

  package init(_ file: any JournalReading, _ loads: [JournaledPlugin], upTo last: Int) throws {
    let restores = Dictionary(try file.restores().map { ($0.number, $0.target) }, uniquingKeysWith: { $1 })
    let states = try file.states(of: "shell").map { (number: $0.number, state: $0.state) }
    let numbers = Set(states.map(\.number) + loads.map(\.number) + restores.keys).filter { $0 <= last }
    var next = states.startIndex
    var (shell, types) = (ShellState(), [String: String]())
    for number in numbers.sorted() {
      while next < states.endIndex, states[next].number <= number {
        let json = try JSON.value(of: states[next].state)
        (shell, types) = (ShellState(json: json), ShellState.types(json: json))
        next += 1
      }
      let before = (restores[number].map(self.plugins) ?? points[points.count - 1].plugins).map(\.code)
      let present = shell.plugins.compactMap { plugin -> JournaledCode? in
        let load =
          loads.last { $0.number == number && $0.name == plugin.name } ?? before.first { $0.name == plugin.name }
          ?? loads.last { $0.number <= number && $0.name == plugin.name && $0.digest == plugin.digest }
        return load.map { JournaledCode(code: $0.running(plugin), type: types[plugin.name]) }
      }
      points.append((number, present))
    }
  }

  /// Fills in types that the journal does not say: the same code has the same one wherever it ran.
  ///
  /// - Parameters:
  ///   - types: those of plugins, by name, whatever code of theirs it was.
  ///   - plugins: those that are loaded now.
  package mutating func fillTypes(byName types: [String: String], loaded plugins: [HostedPlugin]) {
    var known: [String: String] = [:]
    for hosted in plugins { known[hosted.plugin.source.digest] = hosted.plugin.module.schema?.shapeHash ?? "" }
    for plugin in points.flatMap(\.plugins) { known[plugin.code.digest] = plugin.type ?? known[plugin.code.digest] }
    points = points.map { number, plugins in
      (number, plugins.map { $0.typed(known[$0.code.digest] ?? types[$0.code.name]) })
    }
  }

  /// The plugins that are there at the end.
  package var present: [JournaledPlugin] { points.last?.plugins.map(\.code) ?? [] }

  private func plugins(at number: Int) -> [JournaledCode] { points.last { $0.number <= number }?.plugins ?? [] }
}

extension JournaledPlugin {
  /// The plugin with the code that a state says was running.
  package func running(_ plugin: ShellState.LoadedPlugin) -> JournaledPlugin {
    guard !plugin.digest.isEmpty, plugin.digest != digest else { return self }
    return JournaledPlugin(
      number: number, name: name, version: plugin.version, directory: directory, digest: plugin.digest)
  }
}

/// What there is of the plugins that a journal tells of.
private struct JournaledVersions {
  /// The versions that run now, by name.
  private(set) var running: [String: PluginVersion] = [:]
  /// What was there last, as the journal tells: what runs now goes on for it.
  private var last: [JournaledCode]
  /// Those whose code is there as it was; nil: it is not.
  private var asTheyWere: [JournaledPlugin: PluginVersion?] = [:]
  /// The types of slices, each with a version that has it.
  private var typed: [(name: String, type: String, version: PluginVersion)] = []

  init(of points: [(number: Int, plugins: [JournaledCode])], loaded plugins: [HostedPlugin]) {
    last = points.last?.plugins ?? []
    var sources: [String: PluginSource] = [:]
    for hosted in plugins {
      let (name, version) = (hosted.plugin.module.name, PluginVersion(hosted))
      running[name] = version
      sources[version.source.digest] = version.source
      typed.append((name, hosted.plugin.module.schema?.shapeHash ?? "", version))
    }
    for plugin in points.flatMap(\.plugins) where asTheyWere[plugin.code] == nil {
      let code = plugin.code
      var version: PluginVersion?
      if isLast(plugin), let now = running[code.name], now.source.digest == code.digest {
        version = now
      } else {
        let source = sources[code.digest] ?? (try? PluginSource(folder: code.directory, displayedAs: code.name))
        if let source, source.digest == code.digest {
          sources[code.digest] = source
          version = PluginVersion(source, stateType: plugin.type)
        }
      }
      asTheyWere[code] = .some(version)
      if let type = plugin.type, let version { typed.append((code.name, type, version)) }
    }
  }

  private func isLast(_ plugin: JournaledCode) -> Bool { last.contains { $0.isSameLoad(as: plugin) } }

  /// What a timeline says of a plugin.
  func member(_ plugin: JournaledCode) -> PluginTimeline.Member {
    if let version = asTheyWere[plugin.code] ?? nil { return PluginTimeline.Member(version: version) }
    let other = typed.first { $0.name == plugin.code.name && $0.type == plugin.type }?.version
    let goesOn = isLast(plugin) && other != nil && other === running[plugin.code.name]
    return PluginTimeline.Member(version: other, lost: plugin.code, goesOn: goesOn)
  }
}
