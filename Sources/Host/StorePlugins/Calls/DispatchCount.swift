/// How many actions one call of a plugin's function has dispatched. One dispatch may cause so many in all (R30); what dispatches
/// more by itself does so in vain, and again for each of them.
struct DispatchCount {
  /// What is counted as no more than it costs, whatever the store allows.
  private static let usual = 1000
  private var count = 0
  /// That it was more than may be, even where the plugin took no notice.
  private(set) var overrun: DispatchOverrun?

  /// Counts one more.
  ///
  /// - Parameter most: how many actions one dispatch may cause.
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
  /// How many it may.
  let most: Int
  var description: String { "dispatched more than \(grouped(most)) actions" }
}
