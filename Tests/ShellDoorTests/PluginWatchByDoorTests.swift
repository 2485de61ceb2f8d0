import Glibc
import StoreShell
import Testing

@testable import ShellDoor

/// `set plugin.watch on` by a client of a door: saved plugins are reloaded without anybody asking, and all who may look are told.
@Suite struct PluginWatchByDoorTests {
  private let house: House
  private let folder: String

  init() throws {
    house = try House([.read, .dispatch(), .plugins, .all])
    folder = "\(house.folder)/p"
    mkdir(folder, 0o755)
    try Self.write(#"{"name":"p","version":"1.0.0","api":1}"#, to: "\(folder)/plugin.json")
    try write("1")
  }

  private static func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    fputs(text, file)
    fclose(file)
  }

  private func write(_ by: String) throws {
    try Self.write(
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "add" } },
        reducers = { add = function(s) s.n = s.n + \(by) end },
      }
      """, to: "\(folder)/init.lua")
  }

  private func clean() {
    for name in ["init.lua", "plugin.json"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  @Test func whoeverSetItAndWhoeverIsThere() throws {
    defer { clean() }
    let (setter, other) = (try house.client(), try house.client())
    #expect(try other.ask(#"{"run":"echo here"}"#).contains("here"))
    _ = try setter.ask(#"{"run":"plugin load \#(folder)"}"#)
    #expect(try setter.ask(#"{"run":"set plugin.watch on"}"#).contains("\"status\":0"))
    try write("10")
    for client in [setter, other] {
      #expect(try client.lines(until: "state kept").joined().contains("[plugin.watch] #"))
    }
    #expect(try other.ask(#"{"run":"dispatch p.add"}"#).contains("0 -> 10"))
    // A fault is told to both, and the version before goes on.
    try write("10 +")
    for client in [setter, other] {
      #expect(try client.lines(until: "previous version").joined().contains("unexpected symbol"))
    }
    #expect(try other.ask(#"{"run":"dispatch p.add"}"#).contains("10 -> 20"))
    // Nobody who set it is there any more.
    try write("100")
    _ = try other.lines(until: "state kept")
    #expect(try other.ask(#"{"run":"dispatch p.add"}"#).contains("20 -> 120"))
    #expect(try other.ask(#"{"run":"set plugin.watch off"}"#).contains("\"status\":0"))
    try write("1000")
    #expect(try other.ask(#"{"run":"dispatch p.add"}"#).contains("120 -> 220"))
  }

  /// A version that asks for more than what runs is refused, and said to be.
  @Test func permissionsAreNotWidened() throws {
    defer { clean() }
    let client = try house.client()
    _ = try client.ask(#"{"run":"plugin load \#(folder)"}"#)
    _ = try client.ask(#"{"run":"set plugin.watch on"}"#)
    try Self.write(
      #"{"name":"p","version":"1.0.0","api":1,"permissions":["timers"]}"#, to: "\(folder)/plugin.json")
    #expect(try client.lines(until: "not granted").joined().contains("p asks for timers; not granted"))
    #expect(try client.ask(#"{"run":"dispatch p.add"}"#).contains("0 -> 1"))
  }

  /// The thread ends with the door, whether or not plugins are watched.
  @Test func itEndsWithTheDoor() throws {
    defer { clean() }
    let client = try house.client()
    _ = try client.ask(#"{"run":"plugin load \#(folder)"}"#)
    _ = try client.ask(#"{"run":"set plugin.watch on"}"#)
    #expect(house.host.live.hasPluginKeeper)
    house.door.close()
    #expect(!house.host.live.hasPluginKeeper)
    try write("10")
    let shell = try Session(house.host)
    #expect(shell.run(commands: ["dispatch p.add --quiet"]) == 0)
  }
}
