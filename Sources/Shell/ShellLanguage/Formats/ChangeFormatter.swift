import StoreSchema

/// Prints what an action changed.
public enum ChangeFormatter {
  /// A change without indentation: `tasks.nextId  1 -> 2`, `pomodoro.task  + 2`, `pomodoro.rounds[1]  - 1`.
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
    return out.text
  }

  private static func append(_ change: Change, _ usesColor: Bool, to out: inout TextBuffer) {
    guard usesColor else { return change.append(to: &out) }
    change.append(to: &out, marks: (Color.red.start, Color.green.start, Color.end))
  }
}
