import StoreSchema

/// Prints what an action changed.
public enum ChangeFormatter {
  /// A change without indentation: `tasks.nextId  1 -> 2`, `pomodoro.task  + 2`, `pomodoro.rounds[1]  - 1`.
  public static func text(of change: Change, marks: StyleMarks = .none) -> String {
    var out = TextBuffer()
    change.append(to: &out, marks: texts(of: marks))
    return out.text
  }

  /// A line for each change, indented by two and ended.
  public static func lines(_ changes: [Change], marks: StyleMarks = .none) -> String {
    var out = TextBuffer()
    append(linesOf: changes, marks: marks, to: &out)
    return out.text
  }

  /// Appends a line for each change, indented and ended, of as many as are asked for.
  package static func append(
    linesOf changes: [Change], most: Int = .max, indent: StaticString = "  ", marks: StyleMarks,
    to out: inout TextBuffer
  ) {
    let texts = texts(of: marks)
    // In place: a copy of a change would count references to what is in it.
    changes.withUnsafeBufferPointer { changes in
      guard let first = changes.baseAddress else { return }
      for index in 0..<min(changes.count, most) {
        out.append(indent)
        Change.append(first + index, to: &out, marks: texts)
        out.append("\n" as Unicode.Scalar)
      }
    }
  }

  /// A line for each change, ended.
  public static func list(_ changes: [Change], marks: StyleMarks = .none) -> String {
    var out = TextBuffer()
    for change in changes {
      change.append(to: &out, marks: texts(of: marks))
      out.append("\n" as Unicode.Scalar)
    }
    return out.text
  }

  /// The changes as JSON: a list of objects with `op`, `path`, and `from` and `to` where they have them: of an element
  /// that moved, its positions from 1.
  public static func json(_ changes: [Change]) -> String { JSON.text(of: value(of: changes)) }

  /// The changes as such a list.
  package static func value(of changes: [Change]) -> Value {
    .list(
      PersistentList(changes.map { .members(members(of: $0).compactMap { name, part in part.map { (name, $0) } }) }))
  }

  /// The parts of a change by their names, in order; nil: it has none of the name.
  package static func members(of change: Change) -> [(name: String, part: Value?)] {
    let operation =
      switch change.kind {
      case .replace: "replace"
      case .add: "add"
      case .remove: "remove"
      case .move: "move"
      }
    var (from, to) = (change.kind.from, change.kind.to)
    if case .move(let position) = change.kind {
      (from, to) = (.int((change.positions.last ?? position) + 1), .int(position + 1))
    }
    return [("op", .string(operation)), ("path", .string(change.path.description)), ("from", from), ("to", to)]
  }

  private static func texts(of marks: StyleMarks) -> (gone: String, added: String, end: String)? {
    marks == .none ? nil : (marks.start(.removed), marks.start(.added), marks.end)
  }
}
