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

  /// Watches the folders of the plugins that are loaded, where that is wanted and no thread does it for all sessions.
  func followPlugins() {
    guard store.live.watchesPlugins, !store.live.hasPluginKeeper else {
      plugins.watch = nil
      return
    }
    let watch = plugins.watch ?? PluginWatch()
    plugins.watch = watch
    watch.follow(store.live.sources)
  }

  /// Reloads the plugins that were saved. All sessions are told of a fault of one, its previous version goes on, and the next save
  /// is looked at as this one was. So it is where its files are gone.
  ///
  /// - Parameter pause: the time in which nothing must have been saved.
  func reloadSavedPlugins(after pause: Duration = .zero) {
    // Files that are saved while the past is shown wait for the return.
    guard let watch = plugins.watch, store.viewed == nil else { return }
    for finding in watch.take(after: pause) {
      switch finding {
      case .saved(let folder):
        for plugin in store.live.plugins(from: folder) {
          store.live.tell(
            of: SavedPlugin(plugin) {
              try reload(plugin, PluginReloadOptions(), asks: false, source: SavedPlugin.source(of: plugin))
            })
        }
      case .gone(let folder):
        for plugin in store.live.plugins(from: folder) { store.live.tell(of: SavedPlugin(absent: plugin)) }
      }
    }
    tellOfSavedPlugins()
  }

  /// Tells what became of the plugins that were saved.
  func tellOfSavedPlugins() {
    for saved in store.takeSavedPlugins() where options.rights.allow(.read) {
      write(saved)
      for error in saved.errors { writeError(error) }
    }
  }

  private func write(_ saved: SavedPlugin) {
    guard let entry = saved.entry else { return }
    guard !options.isJSON else {
      return console.writeEvent(
        JSONReport.reload(id: entry.number, plugin: saved.name, version: saved.version, details: saved.details))
    }
    var text = "[plugin.watch] #\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))\n"
    for detail in saved.details { text += "[plugin.watch]  \(detail)\n" }
    console.writeError(text)
  }
}
