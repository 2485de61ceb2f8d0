import Platform
import Synchronization
import Testing

@testable import StoreShell

/// How far a long command is, on a terminal that cannot go back.
@Suite struct ProgressLineTests {
  @Test func aLineComesEveryTenSeconds() throws {
    let ends = try #require(Pipe())
    let start = ContinuousClock.now
    let time = Mutex(0)
    var line = ProgressLine(on: ends.write, goesBack: false) { start + .seconds(time.withLock { $0 }) }
    for second in 0..<25 {
      time.withLock { $0 = second }
      line.show("replaying \(second)")
    }
    line.hide()
    time.withLock { $0 = 31 }
    line.show("replaying 31")
    line.end()
    close(ends.write)
    #expect(try Files.read(ends.read, path: "pipe").elementsEqual("replaying 10\nreplaying 20\nreplaying 31\n".utf8))
    close(ends.read)
  }
}
