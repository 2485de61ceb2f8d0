import StoreHistory

/// The history, and which plugins were loaded when, as they were at some moment.
final class Moment {
  unowned let client: StoreClient
  let history: History<HostState>
  let points: [PluginTimeline.Point]
  private let live: LiveStore

  init(of client: StoreClient) {
    self.client = client
    live = client.live
    (history, points) = live.turn { [live] in (live.history, live.timeline.points) }
  }

  // Whoever changes the history in its place, as nobody else has it any more, comes behind those who have read it.
  deinit { live.turn {} }
}
