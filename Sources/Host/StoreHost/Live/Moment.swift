import StoreHistory

/// The history, and which plugins were loaded when, as they were at some moment.
struct Moment {
  unowned let client: StoreClient
  let history: History<HostState>
  let points: [PluginTimeline.Point]

  init(of client: StoreClient) {
    self.client = client
    (history, points) = client.turn { (client.live.history, client.live.timeline.points) }
  }
}
