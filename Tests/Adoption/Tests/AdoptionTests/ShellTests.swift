import Glibc
import LineEditor
import ShellDoor
import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema
import StoreShell
import StoreUnits
import Testing

@testable import ReducerSamples

@Schema
private enum StereoAction: Equatable, Sendable { case volume(VolumeAction) }

@Schema
private struct Stereo: Equatable, Sendable { var volume = VolumeState() }

/// As a library declares its state: fields without a value, and no `init` for other modules.
@Schema
public struct Shelf: Sendable {
  /// What stands on it.
  public var items: [Item] = []

  /// A thing on the shelf.
  @Schema
  public struct Item: Identifiable, Sendable {
    /// The number of the thing.
    public var id: Int
    /// The name of the thing.
    public var name: String
  }
}

/// The volume of ReducerSamples in a shell: what a program does that puts one around a store of its own.
@Suite struct ShellTests {
  private let stereo = Application<StereoAction, Stereo>(
    initial: Stereo(), reducer: volumeReducer.lift(action: \.volume, state: \.volume))

  @Test func aHostAndItsSessionShareTheStore() throws {
    let host = try StoreHost(stereo, clock: VirtualClock(), program: "stereo")
    let session = try Session(host, options: SessionOptions(program: "stereo"))
    host.store.dispatch(.volume(.louder))
    #expect(session.run(commands: ["dispatch volume.louder --quiet", "assert state.volume.volume == 60"]) == 0)
    #expect(host.store.state.volume.volume == 60)
    try host.close()
  }

  @Test func publicStructsNeedNoInitialiser() throws {
    let shelf = try Shelf(schemaValue: Shelf(items: [Shelf.Item(id: 1, name: "a")]).schemaValue)
    #expect(shelf.items.map(\.name) == ["a"])
  }

  @Test func othersComeInByADoor() throws {
    let host = try StoreHost(stereo, clock: VirtualClock(), program: "stereo")
    let path = "/tmp/stereo-\(getpid())"
    let door = try Door(host, at: .unix(path), allow: [.read, .dispatch("volume.*")])
    let shell = AttachedShell(try DoorClient(at: door.address), console: Console())
    #expect(shell.run(commands: ["dispatch volume.louder --quiet", "assert state.volume.volume == 55"]) == 0)
    try host.close()
    unlink("\(path).lock")
  }

  @Test func whatStandsBeneathAShellMayBeUsedAlone() throws {
    #expect(DurationLiteral.parse("1.5s") == .milliseconds(1500))
    #expect(HistoryFile(path: "lines").path == "lines")
    #expect(PastLines.keeps("show volume", after: "show tasks"))
    #expect(HistoryLimits().entries == 100_000)
    let louder = ActionType(module: "volume", name: "louder", fields: [])
    #expect(ActionCall(louder, []).type.fullName == "volume.louder")
    #expect(PluginTestFailure("too loud").headline == "too loud")
  }
}
