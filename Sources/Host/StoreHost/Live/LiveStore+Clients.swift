import StoreCore
import StoreHistory

/// What the clients of a live store hear of it.
extension LiveStore {
  /// Has what units, plugins and tasks say and do wrong told to those whom it concerns.
  func attend() {
    attendance.interruption.isRequested = { [unowned self] in attendance.acting?.interruption.isRequested() ?? false }
    store.setInterruption { [unowned self] in attendance.acting?.interruption.isRequested() ?? false }
    attendance.logSink.write = { [unowned self] line in
      for client in clients { client.hearing.logger?(line) }
    }
    attendance.faults.root = { [unowned self] in store.currentRoot }
    attendance.faults.handOn = { [unowned self] error, action in
      if let client = client(ofFaultStartedBy: action) { client.hear(error) } else { attendance.onFault?(error) }
    }
  }

  /// Has a note told to the client that a fault would concern.
  func leave(note: String, startedBy action: Int?) { client(ofFaultStartedBy: action)?.hear(note: note) }

  /// Has the clients told whose actions started effects that another client has cancelled, in one note each.
  func tell(ofCancelled effects: [EffectListing], by number: Int, _ source: ActionSource, except canceller: StoreClient)
  {
    var theirs: [(client: StoreClient, ids: [String])] = []
    for effect in effects {
      guard let start = effect.startedBy, let client = client(ofFaultStartedBy: start), client !== canceller else {
        continue
      }
      if let index = theirs.firstIndex(where: { $0.client === client }) {
        theirs[index].ids.append(effect.id)
      } else {
        theirs.append((client, [effect.id]))
      }
    }
    for (client, ids) in theirs {
      let what = ids.count == 1 ? ids[0] : "\(ids.count) tasks, \(ids[0]) among them"
      client.hear(note: "\(source.short) cancelled \(what) (#\(number))")
    }
  }

  /// The clients that are there, in the order in which they came.
  var clients: [StoreClient] { attendance.clients.compactMap(\.client) }

  /// The client that a fault concerns: the one that dispatched what led to it, or, of what no action led to, the one on whose
  /// behalf the turn is held, or, where nobody did and no owner hears of it, the first.
  private func client(ofFaultStartedBy action: Int?) -> StoreClient? {
    let clients = clients
    var number = action ?? store.currentRoot
    if let cause = store.currentCause, action == nil { number = cause }
    while number > 0 {
      if let client = clients.first(where: { $0.dispatched.contains(number) }) { return client }
      number = history.recent(number)?.source.cause ?? 0
    }
    if action == nil, store.currentRoot == 0, let acting = attendance.acting { return acting }
    return attendance.onFault == nil ? clients.first : nil
  }

  /// Has the phases of actions reported to the clients that want that.
  func spreadTrace() {
    let sinks = clients.compactMap(\.hearing.trace)
    attendance.traceSink = sinks.isEmpty ? nil : { event in for sink in sinks { sink(event) } }
    store.setTrace(attendance.traceSink)
  }

  /// Has the phases of actions timed for the clients that want that, all by one clock. It begins with the first of them.
  func spreadSpans() {
    let sinks = clients.compactMap(\.hearing.spans)
    guard !sinks.isEmpty else {
      attendance.spansBegan = nil
      return store.setSpans(nil)
    }
    let began = attendance.spansBegan ?? .now
    attendance.spansBegan = began
    store.setSpans(
      SpanListener(clock: { began.duration(to: .now) }) { event in
        for sink in sinks { sink(event) }
      })
  }
}
