import StoreCore
import StoreHistory
import StoreHost
import StoreSchema
import StoreShell

/// The log as a client follows it: in batches, so many a second at most. Of what it cannot keep up with it is told the number.
final class FollowedLog: Sendable {
  private let id: Value?
  private let action: String?
  private let count: Int
  private let state: Lock<State>

  private struct State {
    /// The next action to be told of.
    var next: Int
    /// The time of the last batch.
    var told: ContinuousClock.Instant?
    /// The time at which it is looked at again, where that is still to come.
    var due: ContinuousClock.Instant?
    /// True if the next action is waited for.
    var isWaiting = false
  }

  /// The shortest time between two batches.
  private static let pause = Duration.milliseconds(34)
  /// The most actions in any batch.
  static let most = 1000
  /// Of entries of more bytes the last are told.
  private static let mostBytes = 1 << 20

  /// - Parameters:
  ///   - number: the first action to be told of.
  ///   - action: the pattern of names of actions; nil: all.
  ///   - count: the most actions in a batch; of more, the last are told.
  init(_ id: Value?, from number: Int, action: String?, count: Int) {
    self.id = id
    self.action = action
    self.count = count
    state = Lock(State(next: number))
  }

  /// Tells what happened since, where it is time to; else has that looked at later. Where nothing did, it waits for the next action.
  func tell(_ conversation: Conversation) {
    let live = conversation.loop.host.live
    let (next, told) = state.withLock { ($0.next, $0.told) }
    let now = ContinuousClock.now
    // Who does not read is looked at again, and told the rest as a number.
    if conversation.outbox.isWorthSending { return look(at: now + Self.pause, conversation) }
    if let told, now - told < Self.pause { return look(at: told + Self.pause, conversation) }
    let (newest, head) = live.actions(from: next, atMost: count)
    guard head >= next else { return wait(for: next, conversation) }
    var size = 0
    let mostBytes = conversation.loop.answers.isSpent ? Self.mostBytes / 16 : Self.mostBytes
    let entries = newest.suffix(
      max(
        1,
        newest.reversed().prefix {
          size += $0.footprint; return size < mostBytes
        }.count))
    let shown = action.map { pattern in entries.filter { Glob.matches(pattern, $0.action) } } ?? Array(entries)
    let folded = head - next + 1 - entries.count
    if !shown.isEmpty || folded > 0 {
      conversation.outbox.append { out in
        var event = Answer(id: id)
        event.set("event", "actions")
        event.set("entries") { $0.append(Array(shown)) }
        if folded > 0 { event.set("folded", folded) }
        event.set("head", head)
        event.append(to: &out)
        out.removeLast()
      }
    }
    state.withLock { ($0.next, $0.told) = (head + 1, now) }
    look(at: now + Self.pause, conversation)
  }

  private func look(at time: ContinuousClock.Instant, _ conversation: Conversation) {
    let isNew = state.withLock { state in
      if let due = state.due, due > .now { return false }
      state.due = time
      return true
    }
    if isNew { conversation.loop.timer.schedule(conversation, in: time - .now) }
  }

  private func wait(for next: Int, _ conversation: Conversation) {
    let isNew = state.withLock { state in
      defer { state.isWaiting = true }
      return !state.isWaiting
    }
    let live = conversation.loop.host.live
    if isNew {
      live.actionSignal.next { [weak conversation, weak self] in
        self?.state.withLock { $0.isWaiting = false }
        conversation?.wake()
      }
    }
    // What came in between has been signalled to nobody.
    if live.head >= next { conversation.wake() }
  }
}
