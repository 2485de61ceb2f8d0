import StoreCore
import Testing

/// Row 122: states paired with the actions that led to them.
@Suite struct WatchWithActionTests {
  @Test func eachStateComesWithTheActionOfItsOwnCommit() throws {
    let store = try Counting(initial: 0, reducer: count)
    let (told, late, kept) = (Notes<String>(), Notes<String>(), Kept())
    @Sendable func line(_ notification: StoreCore.Notification<Int>, _ action: Act?) -> String {
      "\(notification.new) \(action.map { "\($0)" } ?? "-") \(notification.context?.number ?? 0)"
    }
    // Dispatching from within a subscriber is where zipped streams slip.
    let first = store.watchWithAction { [weak store] notification, action in
      told.note(line(notification, action))
      if notification.new == 1 {
        store?.dispatch(.set(10))
        store?.dispatch(.named("n"))
      }
      if action == .set(10), let store {
        kept.keep(store.watchWithAction { late.note(line($0, $1)) })
      }
    }
    let second = store.watchWithAction { told.note("b " + line($0, $1)) }
    for action in [Act.inc, .noop, .dec] { store.dispatch(action) }
    withExtendedLifetime((first, second)) {}
    #expect(
      told.all == [
        "0 - 0", "b 0 - 0", "1 inc 1", "b 1 inc 1", "10 set(10) 2", "b 10 set(10) 2", "11 n 3", "b 11 n 3", "10 dec 5",
        "b 10 dec 5",
      ])
    #expect(late.all == ["10 - 0", "11 n 3", "10 dec 5"])
  }

  @Test func aPartComesWithTheActionThatChangedIt() throws {
    let store = try Counting(initial: 0, reducer: count)
    let told = Notes<String>()
    let watch = store.watchWithAction({ $0 / 10 }) { told.note("\($0.new) \($1.map { "\($0)" } ?? "-")") }
    for action in [Act.set(5), .set(12), .inc, .set(1)] { store.dispatch(action) }
    withExtendedLifetime(watch) {}
    #expect(told.all == ["0 -", "1 set(12)", "0 set(1)"])
  }

  @Test func aWatcherAddedLaterIsNotToldOfActionsBefore() throws {
    let store = try Counting(initial: 0, reducer: count)
    store.dispatch(.inc)
    let told = Notes<Act?>()
    let watch = store.watchWithAction { told.note($1) }
    store.setEmission(.never)
    store.dispatch(.dec)
    store.setEmission(.whenDifferent)
    store.dispatch(.set(3))
    withExtendedLifetime(watch) {}
    #expect(told.all == [nil, .set(3)])
  }

  @Test func aReplayTellsOfNoAction() throws {
    let store = try Counting(initial: 0, reducer: count)
    let told = Notes<String>()
    let watch = store.watchWithAction { told.note("\($0.new) \($1.map { "\($0)" } ?? "-")") }
    store.dispatch(.inc)
    let context = ActionContext(number: 5, source: .here(), time: .zero, root: 5)
    try store.replay([ReplayedAction(.set(7), context: context)])
    store.dispatch(.inc)
    withExtendedLifetime(watch) {}
    #expect(told.all == ["0 -", "1 inc", "7 -", "8 inc"])
  }
}
