/// The outcome that a test expects of one action.
public struct ExpectedOutcome<State> {
  enum Kind {
    case unchanged
    case changing((inout State) throws -> Void)
    case throwing(text: String, matches: (any Error) -> Bool)
    case dropped(by: String)
  }

  let kind: Kind
  /// The line of the declaration, where it has one of its own.
  var location: TestLocation?

  /// The action is committed and leaves the state as it was.
  public static var unchanged: ExpectedOutcome { ExpectedOutcome(kind: .unchanged) }

  /// The action is committed and changes the state. Mismatches are reported at the line of this call, so that the line of an
  /// action and that of its change can be told apart.
  ///
  /// - Parameter change: turns the state before the action into the expected one. Under ``Exhaustivity/off(showSkipped:)`` it
  ///   gets the state after the action, and what it sets must be what is there already.
  public static func changing(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    _ change: @escaping (inout State) throws -> Void
  ) -> ExpectedOutcome {
    ExpectedOutcome(
      kind: .changing(change), location: TestLocation(fileID: fileID, filePath: filePath, line: line))
  }

  /// A reducer fails with an error: the state is as it was (R7).
  public static func throwing<Failure: Error & Equatable>(_ error: Failure) -> ExpectedOutcome {
    ExpectedOutcome(kind: .throwing(text: "\(error)") { $0 as? Failure == error })
  }

  /// A reducer fails with an error of a type: the state is as it was (R7).
  public static func throwing<Failure: Error>(_ type: Failure.Type) -> ExpectedOutcome {
    ExpectedOutcome(kind: .throwing(text: "an error of type \(type)") { $0 is Failure })
  }

  /// An interceptor takes the action: nothing is reduced (R5).
  public static func dropped(by interceptor: String) -> ExpectedOutcome {
    ExpectedOutcome(kind: .dropped(by: interceptor))
  }
}
