import StoreSchema

/// The way of a test store to tell two states apart, and to describe the difference.
public struct StateComparison<State>: Sendable {
  /// The differences, a line each; none: the states are the same.
  let lines: @Sendable (_ expected: State, _ got: State) -> [String]

  /// A comparison of one's own.
  ///
  /// - Parameter lines: what differs between the expected state and the one that was found, a line each; none where they
  ///   count as the same.
  public init(_ lines: @escaping @Sendable (_ expected: State, _ got: State) -> [String]) { self.lines = lines }

  /// By schema where the state has one: a line for each place that differs, `items[id=3].title: expected "a", got "b"`.
  /// Positions count from 0. Else
  /// by `==` where the state is `Equatable`, else by text; the difference is then one of lines, with two lines of context.
  public static var automatic: StateComparison {
    if let type = State.self as? any Schematic.Type {
      let schema = type.schema
      return StateComparison { expected, got in typedLines(schema, expected, got) }
    }
    return StateComparison { expected, got in
      if let expected = expected as? any Equatable, isEqual(expected, got) { return [] }
      let (expectedLines, gotLines) = (ValueText.lines(expected), ValueText.lines(got))
      if expectedLines != gotLines {
        return LineDifference(expectedLines.map { $0[...] }, gotLines.map { $0[...] }).marked(context: 2)
      }
      return State.self is any Equatable.Type ? ["the states differ by ==, though they read the same"] : []
    }
  }

  private static func isEqual<Known: Equatable>(_ expected: Known, _ got: State) -> Bool { expected == got as? Known }

  private static func typedLines(_ schema: Schema, _ expected: State, _ got: State) -> [String] {
    let changes = withUnsafePointer(to: expected) { expected in
      withUnsafePointer(to: got) { got in
        schema.changes(from: UnsafeRawPointer(expected), to: UnsafeRawPointer(got))
      }
    }
    return changes.map { change in
      let place = change.path.isEmpty ? "state" : swiftText(change.path)
      return switch change.kind {
      case .replace(let expected, let got): "\(place): expected \(text(expected)), got \(text(got))"
      case .add(let got): "\(place): expected nothing, got \(text(got))"
      case .remove(let expected): "\(place): expected \(text(expected)), got nothing"
      case .move(let got): "\(place): expected at \(change.positions.last ?? got), got at \(got)"
      }
    }
  }

  /// The text of a path, positions counted from 0 as in the code of the test.
  private static func swiftText(_ path: Path) -> String {
    let steps = path.steps.map { step -> Path.Step in
      if case .index(let index) = step, index > 0 { .index(index - 1) } else { step }
    }
    return Path(steps).description
  }

  private static func text(_ value: Value) -> String {
    // JSON has no words for infinities and for what is not a number.
    if case .double(let number) = value { return ScalarText.text(of: number) }
    return JSON.text(of: value)
  }
}
