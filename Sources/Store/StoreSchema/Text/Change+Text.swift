extension Change {
  /// The change in a line: `tasks.nextId  1 -> 2`, `pomodoro.task  + 2`, `pomodoro.rounds[1]  - 1`.
  package var text: String {
    var out = TextBuffer()
    append(to: &out)
    return out.text
  }

  /// Adds the change in a line.
  ///
  /// - Parameter marks: the texts around a value that went, and around one that is there now.
  package func append(
    to out: inout TextBuffer, marks: (gone: String, added: String, end: String) = ("", "", "")
  ) {
    func append(_ sign: StaticString, _ value: Value, _ mark: String) {
      if !mark.isEmpty { out.append(mark) }
      out.append(sign)
      InlineText.append(value, .language, to: &out)
      if !mark.isEmpty { out.append(marks.end) }
    }
    out.append(path.description)
    out.append("  " as StaticString)
    switch kind {
    case .replace(let from, let to):
      append("", from, marks.gone)
      out.append(" -> " as StaticString)
      append("", to, marks.added)
    case .add(let value): append("+ ", value, marks.added)
    case .remove(let value): append("- ", value, marks.gone)
    case .move(let position): out.append("moved from \((positions.last ?? position) + 1) to \(position + 1)")
    }
  }
}

extension Change.Kind {
  /// The value before; nil where one appeared or moved.
  public var from: Value? {
    switch self {
    case .replace(let value, _), .remove(let value): value
    case .add, .move: nil
    }
  }

  /// The value after; nil where one went away or moved.
  public var to: Value? {
    switch self {
    case .replace(_, let value), .add(let value): value
    case .remove, .move: nil
    }
  }
}
