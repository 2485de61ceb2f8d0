import StoreHistory
import StorePlugins

/// What was taken up from a journal.
package struct RecoveredStore {
  /// The last action.
  package let last: Int
  /// Whether the session that wrote it came to its end in order.
  package let hadEnded: Bool
  /// What is missing at its end; nil: nothing.
  package let loss: JournalContents.Loss?
  /// Whether plugins run other code than what the file says, with a state of the same type.
  package let hasOtherCode: Bool
  /// The code of plugins that the file does not keep yet.
  package let unkept: [JournaledCode]
  /// The file as it was, where the state has another type now.
  package let kept: String?
  /// The plugins of which only the state is there: of a file that is only read.
  package let absent: [AbsentPlugin]

  /// A plugin that could not be brought back.
  package struct AbsentPlugin {
    package let name: String
    /// Why, in words that go on a sentence.
    package let reason: String

    /// One that cannot be loaded.
    package init(_ name: String, _ error: any Error) {
      self.name = name
      reason = HostError(describing: error).message
    }

    /// One that cannot take over its state.
    ///
    /// - Parameter misfits: what does not fit, a line each.
    package init(_ name: String, misfits: [String]) {
      self.name = name
      let more = misfits.count - 1
      reason = "its state does not fit its present type (\(misfits[0])\(more > 0 ? "; and \(more) more" : ""))"
    }
  }
}
