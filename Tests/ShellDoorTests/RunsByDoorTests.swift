import Glibc
import StandardModules
import StoreHost
import Testing

@testable import ShellDoor

/// Runs of `atomic` by a door.
@Suite struct RunsByDoorTests {
  /// Statements that take a while, as one text or each in a request of its own.
  private static func requests(_ form: String) -> [String] {
    let lines =
      ["dispatch tasks.add milk --quiet"]
      + Array(repeating: "lua for i = 1, 200 do dispatch('counter.increment') end", count: 40)
    let text = (["atomic begin"] + lines + ["atomic end", "dispatch tasks.add later --quiet"]).joined(separator: "\\n")
    switch form {
    case "lines":
      return (["atomic begin"] + lines + ["atomic end", "dispatch tasks.add later --quiet"]).map {
        "{\"run\":\"\($0)\"}"
      }
    case "text": return ["{\"run\":\"\(text)\",\"file\":\"a.stsh\"}"]
    default:
      return ["{\"run\":\"\(lines.joined(separator: "\\n"))\",\"file\":\"a.stsh\",\"script\":true,\"atomic\":true}"]
    }
  }

  private static let addresses: [DoorAddress?] = [nil, .loopback(port: 0)]

  /// A client that has said what a port wants to hear first.
  private static func client(of house: House) throws -> Client {
    let client = try house.client()
    if let token = house.door.token { _ = try client.ask("{\"token\":\"\(token)\"}") }
    return client
  }

  /// Nothing of what it sent ahead ends the run, and nothing behind the run is done.
  @Test(arguments: ["lines", "text", "script"], addresses) func aRunWhoseClientIsGoneIsTakenBack(
    form: String, address: DoorAddress?
  ) throws {
    let house = try House(at: address)
    var client: Client? = try Self.client(of: house)
    let lines = Self.requests(form)
    client?.send(Array(lines.map { "\($0)\n" }.joined().utf8))
    while house.host.store.withState({ $0.counter.value }) == 0 { usleep(100) }
    client = nil
    let look = StoreClient(of: house.host.live)
    while look.conversations.count > 1 { usleep(1000) }
    #expect(house.host.store.withState { $0.counter.value } == 0)
    #expect(house.host.store.withState { $0.tasks.items.isEmpty })
    let head = house.host.live.head
    #expect(house.host.live.turn { house.host.live.history.recent(head)?.action } == "shell.restore")
  }

  /// A client that has said all, and still listens, is there.
  @Test(arguments: ["lines", "text", "script"], addresses) func aRunWhoseClientListensEnds(
    form: String, address: DoorAddress?
  ) throws {
    let house = try House(at: address)
    let client = try Self.client(of: house)
    client.send(Array(Self.requests(form).map { "\($0)\n" }.joined().utf8))
    shutdown(client.descriptor, Int32(SHUT_WR))
    var answers = 0
    while let line = try client.lineIfAny() { if line.contains("\"status\":0") { answers += 1 } }
    #expect(answers == Self.requests(form).count)
    #expect(house.host.store.withState { $0.counter.value } == 8000)
    #expect(house.host.store.withState { $0.tasks.items.count } == (form == "script" ? 1 : 2))
  }

  /// The lines of a run that is typed are the numbers of its statements.
  @Test func aTypedRunHasTheNumberOfItsStatement() throws {
    let house = try House()
    let client = try house.client()
    func type(_ line: String) throws -> String { try client.ask("{\"run\":\"\(line)\\n\",\"more\":true}") }
    #expect(try !type("dispatch counter.increment --quiet").contains("\"run\":"))
    #expect(try type("atomic begin").contains("\"run\":2"))
    #expect(try type("dispatch counter.increment --quiet").contains("\"run\":2"))
    #expect(try type("atomic begin").contains("a run began on line 2 already"))
    // That was the fourth statement, and failed.
    #expect(try type("dispatch counter.increment").contains("the run was cancelled, and nothing is dispatched"))
    #expect(try type("atomic end").contains("since line 4 failed"))
    #expect(try !type("echo over").contains("\"run\":"))
    #expect(house.host.store.withState { $0.counter.value } == 1)
    // Whoever leaves in a run is told what becomes of it.
    #expect(try type("atomic begin").contains("\"run\":8"))
    #expect(try !type("dispatch counter.increment --quiet").contains("err"))
    let left = try type("quit")
    #expect(left.contains("takes back 1 action, since no atomic end came"), "\(left)")
    #expect(left.contains("error[syntax]: a run began on line 8, and no line ends it"), "\(left)")
  }

  /// In a run that was lost with another conversation nothing is dispatched until it is left.
  @Test func aLostRunIsLeft() throws {
    let house = try House()
    let client = try house.client()
    func type(_ line: String, _ members: String = "") throws -> String {
      try client.ask("{\"run\":\"\(line)\\n\",\"more\":true\(members)}")
    }
    #expect(try type("", #","lostRun":3"#).contains("\"run\":3"))
    let refused = try type("dispatch counter.increment")
    #expect(refused.contains("error[not-allowed]: the run was lost with the connection, and nothing is dispatched"))
    #expect(refused.contains("hint: atomic end leaves it") && refused.contains("\"run\":3"))
    #expect(try type("show counter.value").contains("\"out\":\"0\\n\""))
    #expect(try type("atomic end").contains("error[failed]: the run was lost with the connection"))
    #expect(try type("dispatch counter.increment --quiet").contains("\"status\":0"))
    _ = try type("", #","lostRun":9"#)
    #expect(try type("atomic cancel").contains("\"status\":0"))
    #expect(try type("dispatch counter.increment --quiet").contains("\"status\":0"))
    #expect(house.host.store.withState { $0.counter.value } == 2)
  }
}
