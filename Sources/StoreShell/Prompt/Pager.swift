#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Shows a result that is taller than the screen, in a program that scrolls.
public struct Pager: Sendable {
  private let command: String
  /// The rows of the screen.
  let rows: @Sendable () -> Int

  /// A pager.
  ///
  /// - Parameters:
  ///   - command: a command line of the system's shell; it reads the text.
  ///   - rows: how many rows the screen has now.
  public init(_ command: String, rows: @escaping @Sendable () -> Int) {
    self.command = command
    self.rows = rows
  }

  /// Shows a text.
  ///
  /// - Returns: whether there is such a command.
  func show(_ text: [UInt8]) -> Bool {
    guard let stream = popen(command, "w") else { return false }
    // Whoever has read enough leaves.
    let previous = signal(SIGPIPE, SIG_IGN)
    setvbuf(stream, nil, _IONBF, 0)
    fwrite(text, 1, text.count, stream)
    let status = pclose(stream)
    signal(SIGPIPE, previous)
    // What the shell says of a command that it does not find or may not run.
    return ![126, 127].contains(status >> 8 & 0xFF)
  }
}

extension Console {
  /// Runs something, and hands what it writes to a pager where that is one result, written by nothing else, and taller than
  /// the screen.
  func paging(with pager: Pager?, _ body: () -> Void) {
    guard let pager, width() != nil else { return body() }
    flush()
    isHolding = true
    body()
    guard isHolding else { return }
    isHolding = false
    takeHeld { text in text.count { $0 == 0x0A } >= pager.rows() && pager.show(text) }
    flush()
  }
}
