import StoreHistory
import StorePlugins
import StoreSchema

/// After which actions of a journal which plugins were there, in which version.
package struct JournaledPlugins {
  /// A plugin, and what tells the type of its slice from others; empty: it has none; nil: nobody knows.
  private typealias Loaded = (code: JournaledPlugin, type: String?)

  private var points: [(number: Int, plugins: [Loaded])] = [(0, [])]
  private let file: any JournalReading

  package init(_ file: any JournalReading, upTo last: Int) throws {
    self.file = file
    let loads = try file.plugins(upTo: last)
    guard !loads.isEmpty else { return }
    let states = Dictionary(try file.reader.states(of: "shell").map { ($0.number, $0.state) }, uniquingKeysWith: { $1 })
    var known: [[String]: JournaledPlugin] = [:]
    var json = Value.none
    // A load of the same code changes nothing of the state.
    for number in Set(states.keys).union(loads.map(\.number)).filter({ $0 <= last }).sorted() {
      if let state = states[number] { json = try JSON.value(of: state) }
      let types = ShellState.types(json: json)
      let plugins = ShellState(json: json).plugins.compactMap { plugin -> Loaded? in
        let load =
          loads.last { $0.number == number && $0.name == plugin.name } ?? known[[plugin.name, plugin.digest]]
          ?? present.first { $0.name == plugin.name }
          ?? loads.last { $0.number <= number && $0.name == plugin.name }
        guard let code = load?.running(plugin) else { return nil }
        known[[code.name, code.digest]] = code
        return (code, types[plugin.name])
      }
      points.append((number, plugins))
    }
  }

  package var present: [JournaledPlugin] { points.last?.plugins.map(\.code) ?? [] }

  /// Which versions were loaded when, the present one the one that runs now, which may be other code than what ran last.
  ///
  /// - Returns: these, and the code that the file does not keep yet.
  package func timeline(
    upTo last: Int, running: [HostedPlugin]
  ) -> (timeline: PluginTimeline, unkept: [JournaledCode]) {
    let (present, kept) = (present, file.reader.keptCode)
    let now = running.map { hosted in
      let load = present.first { $0.name == hosted.plugin.module.name }
      return PluginVersion(hosted, loadedBy: load?.number ?? last)
    }
    var known = now
    func version(_ plugin: Loaded) -> PluginVersion {
      if let version = known.first(where: {
        $0.code.number == plugin.code.number && $0.code.digest == plugin.code.digest
      }) {
        return version
      }
      let isKept = kept.contains(plugin.code.digest)
      let version = PluginVersion(plugin.code, stateType: plugin.type, read: plugin.code.reader(isKept ? file : nil))
      known.append(version)
      return version
    }
    let absent = present.filter { code in !now.contains { $0.code.name == code.name } }
    let timeline = PluginTimeline(
      points.filter { $0.number < last }.map { .init($0.number, $0.plugins.map(version)) }
        + [.init(last, now + absent.map { PluginVersion($0, stateType: nil, read: nil) })])
    let unkept = known.filter { !kept.contains($0.code.digest) }
    return (timeline, unkept.compactMap { $0.source?.journaledCode })
  }
}

extension JournaledPlugin {
  /// The plugin with the code that a state says was running.
  fileprivate func running(_ plugin: ShellState.LoadedPlugin) -> JournaledPlugin {
    guard !plugin.digest.isEmpty, plugin.digest != digest else { return self }
    return JournaledPlugin(
      number: number, name: name, version: plugin.version, directory: directory, digest: plugin.digest)
  }

  /// The plugin as a file keeps it; nil: it does not, or what it keeps is not what was written.
  package func kept(in file: any JournalReading) -> PluginSource? {
    guard let files = file.reader.code(digest)?.files,
      let source = try? PluginSource(kept: files, of: directory, displayedAs: name)
    else { return nil }
    return source.digest == digest ? source : nil
  }

  /// What reads the code from a file or, where none keeps it, gives what is in the folder now; nil: it is in neither.
  fileprivate func reader(_ file: (any JournalReading)?) -> (() -> PluginSource?)? {
    if let file { return { kept(in: file) } }
    guard let source = try? PluginSource(folder: directory, displayedAs: name), source.digest == digest else {
      return nil
    }
    return { source }
  }
}
