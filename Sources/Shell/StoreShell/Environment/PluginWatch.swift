import Platform
import StorePlugins

/// Says which loaded plugins were saved, or are gone (`set plugin.watch on`).
final class PluginWatch {
  /// The fate of a plugin's folder.
  enum Finding: Equatable {
    /// There is another plugin text in it than before.
    case saved(String)
    /// The folder is no plugin's any more.
    case gone(String)
  }

  /// The time in which nothing must have been saved, so that the steps of an editor count once.
  static let pause = Duration.milliseconds(50)
  /// The time that a plugin's files must have been gone: an editor that has moved one away is about to put another in
  /// its place.
  static let absence = Duration.seconds(1)

  /// Readable when something was saved; -1: never.
  var descriptor: Int32 { folders.descriptor }
  private let folders = FolderWatch()
  /// The folders in which something was saved lately, with when that was.
  private var touched: [String: ContinuousClock.Instant] = [:]
  private var followed: [String] = []
  private var wasFollowed: Set<String> = []
  /// The text that was last loaded, or tried to be loaded, from a folder.
  private var seen: [String: String] = [:]
  /// The folders that were told to be gone.
  private var gone: Set<String> = []

  /// Watches the folders of plugins.
  ///
  /// - Parameter plugins: the plugins that are loaded, as they were read.
  func follow(_ plugins: [PluginSource]) {
    for source in plugins { seen[source.folder] = seen[source.folder] ?? source.digest }
    let wanted = plugins.map(\.folder)
    guard wanted != followed else { return }
    // A folder that comes back may have been saved while it was away.
    for folder in wanted where !followed.contains(folder) && wasFollowed.contains(folder) { touched[folder] = .now }
    followed = wanted
    wasFollowed.formUnion(wanted)
    gone.formIntersection(wanted)
    folders.follow(wanted)
  }

  /// The time until there may be a finding; nil: nothing happened.
  var untilReady: Duration? {
    touched.map { max($1 + (Self.isPlugin($0) ? Self.pause : Self.absence) - .now, .zero) }.min()
  }

  /// The folders with another plugin text than before, or with none any more, each told once.
  ///
  /// - Parameter pause: the time in which nothing must have been saved there.
  func take(after pause: Duration) -> [Finding] {
    let changed = folders.take()
    for folder in changed { touched[folder] = .now }
    // There may be folders now that were not there before.
    if !changed.isEmpty { folders.follow(followed) }
    return followed.compactMap { folder in
      guard let time = touched[folder] else { return nil }
      let isThere = Self.isPlugin(folder)
      guard time + (isThere ? pause : Self.absence) <= .now else { return nil }
      touched[folder] = nil
      guard isThere else { return gone.insert(folder).inserted ? .gone(folder) : nil }
      gone.remove(folder)
      return isNew(folder) ? .saved(folder) : nil
    }
  }

  private static func isPlugin(_ folder: String) -> Bool {
    ["plugin.json", "init.lua"].allSatisfy { Files.exists("\(folder)/\($0)") }
  }

  private func isNew(_ folder: String) -> Bool {
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
