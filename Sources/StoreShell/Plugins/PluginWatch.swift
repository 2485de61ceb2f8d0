import StorePlugins

/// Says which loaded plugins were saved (`set plugin.watch on`).
final class PluginWatch {
  /// How long nothing must have been saved, so that what an editor writes in several steps counts once.
  static let pause = Duration.milliseconds(50)

  /// Readable when something was saved; -1: never.
  var descriptor: Int32 { folders.descriptor }
  private let folders = FolderWatch()
  /// The folders in which something was saved lately, with when that was.
  private var touched: [String: ContinuousClock.Instant] = [:]
  /// The plugins' folders that are followed.
  private var followed: [String] = []
  /// What was last loaded, or tried to be loaded, from a folder.
  private var seen: [String: String] = [:]

  /// Watches the folders of plugins.
  ///
  /// - Parameter plugins: the plugins that are loaded, as they were read.
  func follow(_ plugins: [PluginSource]) {
    for source in plugins { seen[source.folder] = seen[source.folder] ?? source.digest }
    let wanted = plugins.map(\.folder)
    guard wanted != followed else { return }
    followed = wanted
    seen = seen.filter { wanted.contains($0.key) }
    folders.follow(wanted)
  }

  /// How long it is until something that was saved may be taken; nil: nothing was.
  var untilReady: Duration? { touched.values.min().map { max($0 + Self.pause - .now, .zero) } }

  /// The folders in which there is another plugin text than before, each told once.
  ///
  /// - Parameter pause: how long nothing must have been saved there.
  func take(after pause: Duration) -> [String] {
    let saved = folders.take()
    for folder in saved { touched[folder] = .now }
    // There may be folders now that were not there before.
    if !saved.isEmpty { folders.follow(followed) }
    let ready = followed.filter { folder in touched[folder].map { $0 + pause <= .now } ?? false }
    for folder in ready { touched[folder] = nil }
    return ready.filter { isNew($0) }
  }

  private func isNew(_ folder: String) -> Bool {
    // An editor that has moved a file away is about to put another in its place.
    guard ["plugin.json", "init.lua"].allSatisfy({ Files.exists("\(folder)/\($0)") }) else { return false }
    let now: String
    do throws(PluginError) {
      now = try PluginSource(folder: folder).digest
    } catch {
      now = error.message
    }
    return seen.updateValue(now, forKey: folder) != now
  }

  /// Takes note of what a folder holds that is loaded without being saved anew, such as by `plugin reload`.
  func note(_ source: PluginSource) { seen[source.folder] = source.digest }
}
