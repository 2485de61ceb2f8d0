/// A line of a test.
public struct TestLocation: Hashable, Sendable, CustomStringConvertible {
  /// Module and file: `AppTests/CounterTests.swift`.
  public let fileID: String
  /// The path of the file.
  public let filePath: String
  /// The line, from 1.
  public let line: Int

  /// Joins the three; by default of the line where this is written.
  public init(fileID: String = #fileID, filePath: String = #filePath, line: Int = #line) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
  }

  /// `AppTests/CounterTests.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
