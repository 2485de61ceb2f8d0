import StoreCore
import Synchronization

/// The activity of a client, which others may look at while it goes on.
package final class ClientActivity: Sendable {
  /// The time of day when it came, in milliseconds since 1970.
  package let began = TimeOfDay.now()
  /// The time of day when its latest statement ended; 0 while one runs.
  private let ended = Atomic(TimeOfDay.now())
  /// The statement that began last.
  private let latest = SeenObject()
  private let watchCount = Atomic(0)

  /// The source of the text of a statement. A reader has it make the text, on any thread.
  package typealias StatementText = AnyObject & CustomStringConvertible & Sendable

  /// None yet.
  package init() {}

  /// Notes that a statement begins. Its text stays until the next one or ``rest()``.
  package func note(running text: some StatementText) {
    latest.show(text)
    ended.store(0, ordering: .releasing)
  }

  /// Notes that the statement has ended.
  package func noteEnd() { ended.store(TimeOfDay.now(), ordering: .releasing) }

  /// Lets go of the text of a statement that has ended, which may be long.
  package func rest() { latest.hide() }

  /// The number of its watches.
  package var watches: Int {
    get { watchCount.load(ordering: .relaxed) }
    set { watchCount.store(newValue, ordering: .relaxed) }
  }

  /// The milliseconds since its latest statement ended; 0 while one runs.
  package var idle: Int {
    let ended = ended.load(ordering: .acquiring)
    return ended == 0 ? 0 : max(TimeOfDay.now() - ended, 0)
  }

  /// True while a statement runs.
  package var isRunning: Bool { ended.load(ordering: .acquiring) == 0 }

  /// The text of the statement that runs; nil: none does.
  package var running: String? {
    isRunning ? (latest.object as? any CustomStringConvertible)?.description : nil
  }
}

extension StoreClient {
  /// The conversations at the store, in the order in which they came.
  package var conversations: [(speaker: @Sendable () -> ActionAuthor?, rights: String, activity: ClientActivity)] {
    live.turn { live.clients.map { ($0.speaker, $0.rights, $0.activity) } }
  }
}
