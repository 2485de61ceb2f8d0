import StoreHistory

/// How far back the history goes, and why no further.
extension LiveStore {
  /// Why states go back no further than they do.
  package var reasonOfBeginning: String {
    if oldestEntry < oldest { return "the state had another type then" }
    return isBeginningUnreadable ? "the file is damaged there" : "they are no longer kept"
  }

  /// What to do about a point that states do not go back to.
  package var hintAtBeginning: String {
    turn {
      if oldestEntry < oldest { return "the state had another type then; log and why still tell of it" }
      if isBeginningUnreadable { return "what else of the file can be read is said where it is opened" }
      let limit = "set journal.limit says how much is kept"
      return history.older == nil ? "\(limit); --store FILE keeps all of it" : limit
    }
  }

  /// The error for a point before the oldest one that there is.
  package func beforeBeginning(_ number: Int, oldest: Int) -> HistoryError {
    isBeginningUnreadable ? .unreadable(number, oldest: oldest) : .notKept(number, oldest: oldest)
  }
}
