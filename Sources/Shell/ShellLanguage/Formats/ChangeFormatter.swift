import StoreSchema

/// Prints what an action changed.
public enum ChangeFormatter {
  /// One change without indentation: `tasks.nextId  1 -> 2`, `pomodoro.task  + 2`, `pomodoro.rounds[1]  - 1`.
  public static func text(of change: Change, usesColor: Bool = false) -> String {
    var out = TextBuffer()
    append(change, usesColor, to: &out)
    return out.text
  }

  /// A line for each change, indented by two and ended.
  public static func lines(_ changes: [Change], usesColor: Bool = false) -> String {
    var out = TextBuffer()
    for change in changes {
      out.append("  " as StaticString)
      append(change, usesColor, to: &out)
      out.append("\n" as Unicode.Scalar)
    }
    return out.text
  }

  /// A line for each change, ended.
  public static func list(_ changes: [Change], usesColor: Bool = false) -> String {
    var out = TextBuffer()
    for change in changes {
      append(change, usesColor, to: &out)
      out.append("\n" as Unicode.Scalar)
    }
    return out.text
  }

  /// The changes as a JSON list; an addition has only `to`, a removal only `from`.
  public static func json(_ changes: [Change]) -> String {
    var out = TextBuffer()
    appendJSON(changes, to: &out)
    return out.text
  }

  package static func appendJSON(_ changes: [Change], to out: inout TextBuffer) {
    out.append("[" as Unicode.Scalar)
    for (index, change) in changes.enumerated() {
      if index > 0 { out.append("," as Unicode.Scalar) }
      out.append("{\"op\":\"" as StaticString)
      switch change.kind {
      case .replace: out.append("replace" as StaticString)
      case .add: out.append("add" as StaticString)
      case .remove: out.append("remove" as StaticString)
      }
      out.append("\",\"path\":" as StaticString)
      out.appendQuoted(change.path.description)
      if let value = change.kind.from {
        out.append(",\"from\":" as StaticString)
        out.append(JSON.text(of: value))
      }
      if let value = change.kind.to {
        out.append(",\"to\":" as StaticString)
        out.append(JSON.text(of: value))
      }
      out.append("}" as Unicode.Scalar)
    }
    out.append("]" as Unicode.Scalar)
  }

  private static func append(_ change: Change, _ usesColor: Bool, to out: inout TextBuffer) {
    out.append(change.path.description)
    out.append("  " as StaticString)
    switch change.kind {
    case .replace(let from, let to):
      append("", from, usesColor ? .red : nil, to: &out)
      out.append(" -> " as StaticString)
      append("", to, usesColor ? .green : nil, to: &out)
    case .add(let value): append("+ ", value, usesColor ? .green : nil, to: &out)
    case .remove(let value): append("- ", value, usesColor ? .red : nil, to: &out)
    }
  }

  private static func append(_ sign: StaticString, _ value: Value, _ color: Color?, to out: inout TextBuffer) {
    if let color { out.append(color.start) }
    out.append(sign)
    InlineText.append(value, .language, to: &out)
    if color != nil { out.append(Color.end) }
  }
}

extension Change.Kind {
  /// The value before; nil where one appeared.
  public var from: Value? {
    switch self {
    case .replace(let value, _), .remove(let value): value
    case .add: nil
    }
  }

  /// The value after; nil where one went away.
  public var to: Value? {
    switch self {
    case .replace(_, let value), .add(let value): value
    case .remove: nil
    }
  }
}
