import Platform
import ShellLanguage

/// Shows a result that is taller than the screen, in a program that scrolls.
public struct Pager: Sendable {
  private let command: String
  /// The same where the first line is the head of a table, which stays.
  private let tableCommand: String
  let rows: @Sendable () -> Int

  /// A pager.
  ///
  /// - Parameters:
  ///   - command: a command line of the system's shell; it reads the text.
  ///   - tableCommand: the same for a table, of which the first line is to stay; nil: no other one.
  ///   - rows: the number of rows of the screen now.
  public init(_ command: String, forTables tableCommand: String? = nil, rows: @escaping @Sendable () -> Int) {
    self.command = command
    self.tableCommand = tableCommand ?? command
    self.rows = rows
  }

  /// Shows a text.
  ///
  /// - Parameter stop: ends it when it becomes readable.
  /// - Returns: true if the command has shown it, or was ended: not where it failed.
  func show(_ text: [UInt8], until stop: Int32) -> Bool {
    let isTable = text.starts(with: StyleMarks.terminal.start(.head).utf8)
    let line = isTable ? tableCommand : command
    guard let ending = try? ShellCommand(line: line, stops: [stop]).run(text) else { return false }
    return ending == .exited(0) || ending == .interrupted
  }
}

extension Console {
  /// Runs something, and hands what it writes to a pager where that is one result, and taller than the screen. Text
  /// that comes meanwhile, such as the lines of watches, stands above it.
  package func paging(with pager: Pager?, until stop: Int32, _ body: () -> Void) {
    guard let pager, let columns = width() else { return body() }
    flush()
    isHolding = true
    body()
    guard isHolding else { return }
    isHolding = false
    let rows = pager.rows()
    takeHeld { ScreenRows.of($0, columns: columns, upTo: rows) >= rows && pager.show($0, until: stop) }
    flush()
  }
}
