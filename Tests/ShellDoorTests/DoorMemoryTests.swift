import Glibc
import Testing

@testable import ShellDoor
@testable import StoreHost

/// What is left of those who came in by a door and have gone.
@Suite struct DoorMemoryTests {
  /// Nothing of a session stays, whatever its Lua did.
  @Test(arguments: [
    "dispatch counter.increment", "= 1", "lua x = {}; function x.f() return x end", "watch $(state.counter.value)",
    "set name = $(1)", "project twice = state.counter.value * 2", "show tasks.items where id > 1",
  ])
  func sessionsGoWithTheirClients(statement: String) throws {
    let house = try House()
    let live = house.host.live
    do {
      let client = try house.client()
      client.send("{\"run\":\"\(statement)\",\"form\":\"json\"}", #"{"id":2,"run":"echo done"}"#)
      _ = try client.lines(until: "\"id\":2")
      #expect(live.turn { live.clients.count } == 1)
    }
    // The door hears of it on a thread of its own.
    for _ in 0..<2000 where live.turn({ !live.clients.isEmpty }) { usleep(5000) }
    #expect(live.turn { live.clients.isEmpty })
  }
}
