import StoreHistory
import StorePlugins
import StoreSchema

extension ShellHost {
  /// Which plugins were loaded when, as a journal tells: each load and each reload brought a version of its own, though its
  /// code may be the same, and a restore brings back those of its point. Nobody can go back to one whose code is no longer
  /// there as it was.
  func pluginTimeline(_ file: any JournalReading, upTo last: Int) throws -> PluginTimeline {
    let loads = try file.plugins(upTo: last)
    guard !loads.isEmpty else { return PluginTimeline() }
    let points = try JournaledPlugins(file, loads, upTo: last).points
    var versions: [JournaledPlugin: PluginVersion] = [:]
    for load in points.last?.loads ?? [] {
      guard let hosted = plugins.first(where: { $0.plugin.module.name == load.name }) else { continue }
      versions[load] = PluginVersion(hosted)
    }
    var sources = Dictionary(plugins.map { ($0.plugin.source.digest, $0.plugin.source) }, uniquingKeysWith: { $1 })
    for load in loads where versions[load] == nil {
      let source = sources[load.digest] ?? (try? PluginSource(folder: load.directory, displayedAs: load.name))
      guard let source, source.digest == load.digest else { continue }
      sources[load.digest] = source
      versions[load] = PluginVersion(source)
    }
    return PluginTimeline(
      points.map { point in
        (
          point.number, point.loads.compactMap { versions[$0] }, point.loads.filter { versions[$0] == nil }
        )
      })
  }
}

/// After which actions of a journal which plugins were there, by the action that loaded each.
private struct JournaledPlugins {
  private(set) var points: [(number: Int, loads: [JournaledPlugin])] = [(0, [])]

  init(_ file: any JournalReading, _ loads: [JournaledPlugin], upTo last: Int) throws {
    let restores = Dictionary(try file.restores().map { ($0.number, $0.target) }, uniquingKeysWith: { $1 })
    let states = try file.states(of: "shell").map { (number: $0.number, state: $0.state) }
    let numbers = Set(states.map(\.number) + loads.map(\.number) + restores.keys).filter { $0 <= last }
    var next = states.startIndex
    var shell = ShellState()
    for number in numbers.sorted() {
      while next < states.endIndex, states[next].number <= number {
        shell = ShellState(json: try JSON.value(of: states[next].state))
        next += 1
      }
      let before = restores[number].map(self.loads) ?? points[points.count - 1].loads
      let present = shell.plugins.compactMap { plugin in
        loads.last { $0.number == number && $0.name == plugin.name } ?? before.first { $0.name == plugin.name }
          ?? loads.last { $0.number <= number && $0.digest == plugin.digest }
      }
      points.append((number, present))
    }
  }

  private func loads(at number: Int) -> [JournaledPlugin] { points.last { $0.number <= number }?.loads ?? [] }
}
