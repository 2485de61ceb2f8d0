import Glibc
import Testing

@testable import StoreShell

@Suite struct ConsoleTests {
  /// Whoever asked for the results may never read them.
  @Test func aRunThatIsToEndDoesNotWaitForItsReader() {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let console = Console(output: ends[1], error: ends[1])
    let key = InterruptKey()
    console.delivery.stop = key.descriptor
    key.press()
    console.write(String(repeating: "x", count: 1 << 20))
    console.flush()
    var waiting: Int32 = 0
    #expect(ioctl(ends[0], UInt(FIONREAD), &waiting) == 0)
    #expect(waiting > 0 && waiting < 1 << 20, "it wrote what the pipe took, and then gave up")
    #expect(console.end() == 0)
  }
}
