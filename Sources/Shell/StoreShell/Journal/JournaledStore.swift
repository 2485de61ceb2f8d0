import StoreHistory
import StorePlugins

/// A store whose actions are kept in a file and taken up again from there.
protocol JournaledStore: AnyObject {
  /// Where what happens is kept; nil: nowhere but in memory.
  var journal: HostJournal? { get set }
  /// What a journal says of the store, the time in seconds since 1970.
  func journalHeader(began: Int) -> JournalHeader
  /// The state at present, as journals take it.
  var journaledState: HostState { get }
  /// Restores the state after the last action of a journal, with the plugins that were loaded then, as far as they are there
  /// where it is only read.
  ///
  /// - Parameter source: reads a plugin again, and sees to its permissions.
  /// - Returns: nil: there is nothing to restore.
  func recover(
    _ file: any JournalReading, _ contents: JournalContents, source: (JournaledPlugin) throws -> PluginSource
  ) throws -> RecoveredStore?
  /// Has tasks follow what was restored, once what they dispatch is kept.
  func startTasks()
}

/// What was taken up from a journal.
struct RecoveredStore {
  /// The last action.
  let last: Int
  /// Whether the session that wrote it came to its end in order.
  let hadEnded: Bool
  /// What is missing at its end; nil: nothing.
  let loss: JournalContents.Loss?
  /// Whether plugins run other code than what the file says, with a state of the same type.
  let hasOtherCode: Bool
  /// The file as it was, where the state has another type now.
  let kept: String?
  /// The plugins of which only the state is there: of a file that is only read.
  let absent: [AbsentPlugin]

  /// A plugin that could not be brought back.
  struct AbsentPlugin {
    let name: String
    /// Why, in words that go on a sentence.
    let reason: String

    /// One that cannot be loaded.
    init(_ name: String, _ error: any Error) {
      self.name = name
      reason = ShellError(describing: error).message
    }

    /// One that cannot take over its state.
    ///
    /// - Parameter misfits: what does not fit, a line each.
    init(_ name: String, misfits: [String]) {
      self.name = name
      let more = misfits.count - 1
      reason = "its state does not fit what it declares now (\(misfits[0])\(more > 0 ? "; and \(more) more" : ""))"
    }
  }
}
