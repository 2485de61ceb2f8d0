import StoreCore

/// The activity of a client, which others may look at while it goes on.
package final class ClientActivity: Sendable {
  /// The time of day when it came, in milliseconds since 1970.
  package let began = TimeOfDay.now()
  private let state = Lock(State())

  private struct State {
    var latest = TimeOfDay.now()
    var running: (any StatementText)?
    var watches = 0
  }

  /// The source of the text of a statement. A reader has it make the text, on any thread.
  package typealias StatementText = AnyObject & CustomStringConvertible & Sendable

  /// None yet.
  package init() {}

  /// Notes that a statement begins, or with nil that it has ended.
  package func note(running text: (any StatementText)?) {
    let ended = text == nil ? TimeOfDay.now() : nil
    state.withLock { state in
      state.running = text
      if let ended { state.latest = ended }
    }
  }

  /// The number of its watches.
  package var watches: Int {
    get { state.withLock { $0.watches } }
    set { state.withLock { $0.watches = newValue } }
  }

  /// The milliseconds since its latest statement ended; 0 while one runs.
  package var idle: Int {
    let now = TimeOfDay.now()
    return state.withLock { $0.running == nil ? max(now - $0.latest, 0) : 0 }
  }

  /// The text of the statement that runs; nil: none does.
  package var running: String? { state.withLock { $0.running }?.description }
}

extension StoreClient {
  /// The conversations at the store, in the order in which they came.
  package var conversations: [(speaker: @Sendable () -> ActionAuthor?, rights: String, activity: ClientActivity)] {
    live.turn { live.clients.map { ($0.speaker, $0.rights, $0.activity) } }
  }
}
