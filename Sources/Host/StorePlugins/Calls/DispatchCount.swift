/// The number of actions that one call of a plugin's function has dispatched. A dispatch may cause so many in all
/// (R30). A call that dispatches more by itself does so in vain, and again for each of them.
struct DispatchCount {
  /// The number that is always allowed, whatever the store says: it is counted without asking.
  private static let usual = 1000
  private var count = 0
  /// The error for too many dispatches, even where the plugin took no notice.
  private(set) var overrun: DispatchOverrun?

  /// Counts one more.
  ///
  /// - Parameter most: the number of actions that one dispatch may cause.
  /// - Throws: ``DispatchOverrun`` for each that is too many.
  mutating func add(most: () -> Int) throws(DispatchOverrun) {
    count += 1
    guard count > Self.usual else { return }
    let most = max(most(), Self.usual)
    guard count > most else { return }
    let overrun = DispatchOverrun(most: most)
    self.overrun = overrun
    throw overrun
  }
}

/// A function has dispatched more actions in one call than one dispatch may cause.
struct DispatchOverrun: Error, CustomStringConvertible {
  /// The number of actions allowed.
  let most: Int
  var description: String { "dispatched more than \(grouped(most)) actions" }
}
