import Glibc
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import StoreUnits
import Testing

// A store of somebody's own, and the few lines that put the shell around it.

@Schema
struct Lamp: Sendable { var isOn = false }

@Schema
enum LampAction: Sendable { case toggle }

@Schema
struct House: Sendable { var lamp = Lamp() }

@Schema
enum HouseAction: Sendable { case lamp(LampAction) }

@Suite struct EmbeddingTests {
  @Test func theShellGoesAroundAStoreOfYourOwn() throws {
    let lamp = Reducer<LampAction, Lamp>("lamp") { _, lamp in lamp.isOn.toggle() }
    let reducer: Reducer<HouseAction, House> = lamp.lift(action: \.lamp, state: \.lamp)
    let file = try #require(tmpfile())
    defer { fclose(file) }
    let session = try Session(
      Application(initial: House(), reducer: reducer), console: Console(output: fileno(file), error: fileno(file)))
    let status = session.run(commands: ["dispatch lamp.toggle", "show lamp.isOn"])
    session.console.flush()
    #expect(status == 0)
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    #expect(text == "#1 lamp.toggle\n  lamp.isOn  false -> true\ntrue\n")
  }
}
