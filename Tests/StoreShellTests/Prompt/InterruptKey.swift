import Glibc

/// A key that interrupts, for a test to press.
final class InterruptKey {
  private var ends: [Int32] = [-1, -1]
  /// Holds a byte for each press that was not taken.
  var descriptor: Int32 { ends[0] }

  init() {
    _ = pipe(&ends)
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
  }

  deinit { for end in ends { close(end) } }

  func press() { _ = write(ends[1], "\u{3}", 1) }

  /// Whether it was pressed since it was last asked.
  func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64)
    return read(ends[0], &bytes, bytes.count) > 0
  }
}
