import Testing

/// The verdict of a ``TestStore`` on one step: what was expected, what was found, and at which line.
public struct TestFailure: Hashable, Sendable, CustomStringConvertible {
  /// The fault in one line, then the details, each in a line indented by two.
  public let text: String
  /// The line of the step, or of the declared change.
  public let location: TestLocation
  /// True if this only reports skipped events, and fails nothing.
  public let isNote: Bool

  /// Makes a failure, or a note.
  public init(_ text: String, at location: TestLocation, isNote: Bool = false) {
    self.text = text
    self.location = location
    self.isNote = isNote
  }

  /// `AppTests/CounterTests.swift:12: …`.
  public var description: String { "\(location): \(text)" }

  /// Records a failure as an issue of the running test of Swift Testing, a note as a warning.
  ///
  /// Outside a test of Swift Testing, where nobody would hear of it, a failure stops the program. Give ``TestStore`` a
  /// function of your own there, as for XCTest: `report: { if !$0.isNote { XCTFail($0.text) } }`.
  public static func record(_ failure: TestFailure) {
    guard Test.current != nil else { return stop(failure) }
    let location = failure.location
    Issue.record(
      Comment(rawValue: failure.text), severity: failure.isNote ? .warning : .error,
      sourceLocation: SourceLocation(
        fileID: location.fileID, filePath: location.filePath, line: location.line, column: 1))
  }

  private static func stop(_ failure: TestFailure) {
    guard failure.isNote else { preconditionFailure(failure.description) }
    print(failure.description)
  }
}
