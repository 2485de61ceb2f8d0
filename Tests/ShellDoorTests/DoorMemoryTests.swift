import Glibc
import StoreSchema
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

  /// All who watch a list have one copy of it, for as long as any does.
  @Test func watchesShareWhatTheyWatch() throws {
    let house = try House()
    let live = house.host.live
    let path = try Path(parsing: "tasks.items")
    weak var kept: WatchedPlace?
    do {
      let clients = try (0..<3).map { _ in try house.client() }
      for client in clients {
        for line in ["watch tasks.items", "watch tasks.items where done"] {
          client.send(#"{"id":1,"run":"\#(line)"}"#)
          _ = try client.lines(until: #""status":0"#)
        }
        kept = kept ?? live.watchedPlace(at: path)
        #expect(kept != nil && kept === live.watchedPlace(at: path))
      }
      _ = try clients[0].ask(#"{"run":"dispatch tasks.add milk --quiet"}"#)
      for client in clients[1...] { #expect(try client.lines(until: "[watch 1]").last?.contains("milk") == true) }
    }
    for _ in 0..<2000 where kept != nil { usleep(5000) }
    #expect(kept == nil)
  }

  /// One client cannot take the memory of the host by coming in several times.
  @Test func theLuaOfAllHasABound() throws {
    var limits = DoorLimits()
    limits.luaBytes = 24 << 20
    let house = try House(limits: limits)
    func take() throws -> (client: Client, answer: String) {
      let client = try house.client()
      client.send(#"{"id":1,"run":"lua t = {} for i = 1, 10 do t[i] = ('x'):rep(1000000) .. i end"}"#)
      return (client, try client.lines(until: "\"status\"").joined())
    }
    let refusal = "not enough memory (the Lua of all conversations has no more)"
    var held: [Client] = []
    var answer = try take()
    while !answer.answer.contains(refusal), held.count < 5 {
      held.append(answer.client)
      answer = try take()
    }
    #expect((1...2).contains(held.count), "\(answer.answer)")
    // A line of Lua needs little, and others go on.
    let small = try house.client()
    for line in ["= 1", "assert true", "let a = 3", "echo $(1)", "wait until true"] {
      small.send("{\"id\":1,\"run\":\"\(line)\"}")
      #expect(try small.lines(until: "\"status\"").joined().contains("\"status\":0"), "\(line)")
    }
    // What those leave who go others may take, once the door has heard of it.
    held = []
    for _ in 0..<200 where try take().answer.contains(refusal) { usleep(50_000) }
    #expect(try take().answer.contains("\"status\":0"))
  }
}
