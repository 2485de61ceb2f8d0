import StoreCore
import StoreHistory

extension LiveStore {
  /// Has the time of the store go on from where a file left it. It has gone on by the clock on the wall while the store was closed,
  /// and never goes back; a virtual clock stands where it stood.
  ///
  /// - Parameter wallTime: the time by the clock on the wall, since 1970.
  /// - Returns: a note, where that clock is behind the store's time by more than a day.
  package func goOn(from contents: JournalContents, in file: any JournalReading, at wallTime: Duration) -> String? {
    guard let clock = clock as? any ContinuingClock else { return nil }
    let last = max(contents.time ?? .zero, file.reader.time(of: contents.last))
    guard !(clock is VirtualClock), contents.header.began > .zero else {
      clock.goOn(from: last)
      return nil
    }
    let passed = wallTime - contents.header.began
    clock.goOn(from: max(last, passed))
    let lag = last - passed
    // The clock on the wall was ahead once, or goes on from a virtual one: time passes from here on.
    if lag > .seconds(1), let journal = file as? Journal {
      journal.noteBeginning(wallTime - last)
    }
    guard lag > .seconds(86_400) else { return nil }
    let days = lag.components.seconds / 86_400
    return "the clock of this machine is \(days) \(days == 1 ? "day" : "days") behind the time of \(file.path), "
      + "which goes on from where it stood"
  }
}
