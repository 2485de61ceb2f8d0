import StoreCore
import StoreSchema

extension LoggedEntry {
  /// True if there is more to it than the view `actions` has columns for.
  ///
  /// - Parameter nanoseconds: its time, in whole ones.
  func hasRareMembers(at nanoseconds: Int) -> Bool {
    hasRarities && (reason != nil || digest != nil || original != nil || droppedBy != nil)
      || time != .nanoseconds(Int64(nanoseconds))
  }
}

extension JournalRow {
  /// The entry that the row holds, each value by its declared type.
  ///
  /// - Throws: ``EntryError`` at the first place that does not fit.
  public func entry(_ reader: EntryReader) throws(EntryError) -> LoggedEntry {
    if var text = entry {
      let read: Result<LoggedEntry, EntryError> = text.withUTF8 { bytes in
        Result { () throws(EntryError) in try reader.entry(of: bytes) }
      }
      return try read.get()
    }
    let noArguments = {
      let layout = reader.types.action(action)?.layout
      return layout.flatMap { $0.fields.isEmpty ? $0 : nil } ?? RecordLayout(name: action, fields: [])
    }
    return LoggedEntry(
      number: number, time: time, source: source, action: action,
      arguments: try arguments.map { (text) throws(EntryError) in try reader.arguments(of: text, action: action) }
        ?? Record(noArguments(), []),
      isQuiet: isQuiet,
      changes: try changes.map { (text) throws(EntryError) in try reader.reader(ofChangesBy: action).changes(of: text) }
        ?? [],
      failure: failure, wallTime: wallTime)
  }
}
