/// The plugins that were loaded.
extension JournalReader {
  /// The plugins that were loaded up to an action, in that order.
  func plugins(upTo number: Int) throws(JournalError) -> [JournaledPlugin] {
    try reading { try JournaledPlugin.all(upTo: number, $0) }
  }

  /// Throws where what is written of some plugins is not what was written, with the last action before.
  func check(_ plugins: [JournaledPlugin]) throws(JournalError) {
    for plugin in plugins {
      // Of those that were loaded before the first action the file says itself.
      if let damage = damage(in: plugin.number...plugin.number) { throw damage }
    }
  }

  /// Why it cannot be read when which plugins were loaded; nil: it can.
  func faultInPlugins() -> String? {
    do throws(JournalError) {
      _ = (try plugins(upTo: .max), try states(of: ""))
      return nil
    } catch {
      return error.reason
    }
  }
}
