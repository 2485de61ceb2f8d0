import Observation
import StoreCore
import StoreHost
import StoreSchema
import StoreUnits
import Synchronization
import Testing

@Schema
private struct Lamp: Equatable, Sendable {
  var level = 0
  var name = "lamp"
}

@Schema
private enum LampAction: Equatable, Sendable { case dim(to: Int), rename(to: String) }

@Schema
private struct Room: Equatable, Sendable { var lamp = Lamp() }

@Schema
private enum RoomAction: Equatable, Sendable { case lamp(LampAction) }

/// A hosted store as the main actor shows it, while its program, its threads and a session act on it.
@MainActor
@Suite struct HostedViewTests {
  private let host: StoreHost<RoomAction, Room>

  init() throws {
    let reducer = Reducer<LampAction, Lamp>("lamp") { action, lamp in
      switch action {
      case .dim(let level): lamp.level = level
      case .rename(let name): lamp.name = name
      }
    }
    host = try StoreHost(
      Application(initial: Room(), reducer: reducer.lift(action: \.lamp, state: \.lamp)), clock: VirtualClock())
  }

  /// Lets the main actor do what it was asked to, until something holds.
  private func turn(until isDone: () -> Bool) async throws {
    for _ in 0..<10_000 where !isDone() { try await Task.sleep(for: .milliseconds(1)) }
    #expect(isDone())
  }

  @Test func itIsObservedWhoeverChangesIt() async throws {
    let room = host.store.observable()
    let changes = Atomic(0)
    func observe() {
      withObservationTracking {
        _ = room.lamp
      } onChange: {
        changes.add(1, ordering: .relaxed)
      }
    }
    observe()
    room.dispatch(.lamp(.dim(to: 3)))
    #expect(room.lamp.level == 3, "at once")
    #expect(changes.load(ordering: .relaxed) == 1)
    observe()
    try Conversation(with: host).say("dispatch lamp.dim 4 --quiet", "undo --quiet", "dispatch lamp.dim 5 --quiet")
    try await turn { changes.load(ordering: .relaxed) == 2 }
    #expect(room.lamp.level == 5)
    observe()
    await Task.detached { [store = host.store] in _ = store.dispatch(.lamp(.rename(to: "sun"))) }.value
    try await turn { changes.load(ordering: .relaxed) == 3 }
    #expect(room.state == host.store.state)
  }

  @Test func aModuleOfItIsObserved() throws {
    let lamp = host.store.projection(action: \.lamp, state: \.lamp.level).observable()
    let changes = Atomic(0)
    withObservationTracking {
      #expect(lamp.state == 0)
    } onChange: {
      changes.add(1, ordering: .relaxed)
    }
    lamp.dispatch(.rename(to: "sun"))
    #expect(changes.load(ordering: .relaxed) == 0)
    lamp.dispatch(.dim(to: 2))
    #expect(changes.load(ordering: .relaxed) == 1)
    #expect(lamp.state == 2)
  }

  @Test func aWatcherOnTheMainActorIsToldOfTheNewest() async throws {
    var told: [Int] = []
    let watching = host.store.watchOnMain(\.lamp.level) { told.append($0) }
    #expect(told == [0])
    for level in 1...3 { host.store.dispatch(.lamp(.dim(to: level))) }
    #expect(told == [0], "the main actor is busy here")
    try await turn { told.count > 1 }
    #expect(told == [0, 3])
    try Conversation(with: host).say("dispatch lamp.dim 9 --quiet")
    try await turn { told.count > 2 }
    #expect(told == [0, 3, 9])
    watching.cancel()
  }

  @Test func itsStatesAreASequence() async throws {
    let session = try Conversation(with: host)
    var levels: [Int] = []
    for await room in host.store.states() {
      levels.append(room.lamp.level)
      if levels.count == 1 { host.store.dispatch(.lamp(.dim(to: 1))) }
      if levels.count == 2 { session.say("dispatch lamp.dim 2 --quiet") }
      if levels.count == 3 { break }
    }
    #expect(levels == [0, 1, 2])
    var names: [String] = []
    for await name in host.store.states(of: \.lamp.name) {
      names.append(name)
      if name == "sun" { break }
      host.store.dispatch(.lamp(.dim(to: 7)))
      host.store.dispatch(.lamp(.rename(to: "sun")))
    }
    #expect(names == ["lamp", "sun"])
  }

  @Test func itsStatesEndWithTheStore() async throws {
    var states = host.store.states().makeAsyncIterator()
    #expect(await states.next() != nil)
    try host.close()
    #expect(await states.next() == nil)
    var late = host.store.states().makeAsyncIterator()
    #expect(await late.next() != nil)
    #expect(await late.next() == nil)
  }
}
