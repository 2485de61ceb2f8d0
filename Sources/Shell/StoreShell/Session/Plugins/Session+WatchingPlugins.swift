import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins
import StoreSchema

extension Session {
  /// The descriptors that wake a wait for a line or for time to pass.
  var wakeDescriptors: [Int32] { [clock.wakeDescriptor] + (plugins.watch.map { [$0.descriptor] } ?? []) }

  /// The time until something is to be done without anybody asking.
  var untilNext: Duration? { [clock.untilNext, plugins.watch?.untilReady].compactMap { $0 }.min() }

  /// Watches the folders of the plugins that are loaded, where that is wanted.
  func followPlugins() {
    guard store.live.watchesPlugins else {
      plugins.watch = nil
      return
    }
    let watch = plugins.watch ?? PluginWatch()
    plugins.watch = watch
    watch.follow(store.live.sources)
  }

  /// Reloads the plugins that were saved. A fault of one is printed, its previous version goes on, and the next save is
  /// looked at as this one was. So it is where its files are gone.
  ///
  /// - Parameter pause: the time in which nothing must have been saved.
  func reloadSavedPlugins(after pause: Duration = .zero) {
    // Files that are saved while the past is shown wait for the return.
    guard let watch = plugins.watch, store.viewed == nil else { return }
    for finding in watch.take(after: pause) {
      switch finding {
      case .saved(let folder): plugins(from: folder).forEach(reloadSaved)
      case .gone(let folder): plugins(from: folder).forEach(writeAbsence)
      }
    }
  }

  private func plugins(from folder: String) -> [Plugin] {
    store.live.sources.filter { $0.folder == folder }.compactMap { store.plugin(named: $0.manifest.name) }
  }

  private func writeAbsence(of plugin: Plugin) {
    writeError(
      PluginError(
        .load, of: plugin.module.name, "\(plugin.source.folder) has no plugin.json and init.lua any more",
        hint: "the version that was loaded is still active; it is reloaded once they are back"))
  }

  private func reloadSaved(_ plugin: Plugin) {
    let name = plugin.module.name
    let source = ActionSource(
      file: plugin.source.displayName, function: "watch", line: 0, kind: .plugin, plugin: name, unit: "watch")
    do {
      let report = try reload(plugin, PluginReloadOptions(), asks: false, source: source)
      if let failure = report.report.failure { throw failure }
      write(report)
      for fault in report.report.faults { writeError(fault) }
    } catch {
      writeError(error)
    }
  }

  private func write(_ report: PluginReloadReport) {
    guard let entry = report.report.entry else { return }
    guard !options.isJSON else {
      let manifest = report.plugin.source.manifest
      return console.writeEvent(
        JSONReport.reload(id: entry.number, plugin: manifest.name, version: manifest.version, details: report.details))
    }
    var text = "[plugin.watch] #\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))\n"
    for detail in report.details { text += "[plugin.watch]  \(detail)\n" }
    console.writeError(text)
  }
}
