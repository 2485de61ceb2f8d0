/// Actions as they are dispatched: `tasks.add title="Buy milk"`. The command language reads the text back.
package enum ActionText {
  /// An action by its full name and its arguments; those that are none are left out.
  package static func text(_ name: String, arguments: Record) -> String {
    text(name, arguments, mostElements: .max)
  }

  /// An action for a person: a long list among its arguments is cut, with a count.
  package static func brief(_ name: String, arguments: Record) -> String { text(name, arguments, mostElements: 20) }

  /// Appends an action for a person.
  package static func appendBrief(_ name: String, arguments: Record, to out: inout TextBuffer) {
    append(name, arguments.layout, arguments.values, mostElements: 20, to: &out)
  }

  /// Appends a line for a person: an action, its number in the log before it, and a remark behind it.
  package static func appendBrief(
    _ name: String, _ layout: RecordLayout, _ arguments: [Value], numbered number: Int, remark: String?,
    to out: inout TextBuffer
  ) {
    out.append(UInt8(ascii: "#"))
    out.append(number)
    out.append(UInt8(ascii: " "))
    append(name, layout, arguments, mostElements: 20, to: &out)
    if let remark { out.append(remark) }
    out.append(UInt8(ascii: "\n"))
  }

  private static func text(_ name: String, _ arguments: Record, mostElements: Int) -> String {
    var out = TextBuffer()
    append(name, arguments.layout, arguments.values, mostElements: mostElements, to: &out)
    return out.text
  }

  private static func append(
    _ name: String, _ layout: RecordLayout, _ arguments: [Value], mostElements: Int, to out: inout TextBuffer
  ) {
    out.append(name)
    // In place: a copy of a value or a name would count what it refers to.
    arguments.withUnsafeBufferPointer { arguments in
      layout.fields.withUnsafeBufferPointer { names in
        guard let value = arguments.baseAddress, let name = names.baseAddress else { return }
        for index in 0..<arguments.count {
          append(value + index, named: name + index, mostElements: mostElements, to: &out)
        }
      }
    }
  }

  private static func append(
    _ value: UnsafePointer<Value>, named name: UnsafePointer<String>, mostElements: Int, to out: inout TextBuffer
  ) {
    if case .none = value.pointee { return }
    out.append(UInt8(ascii: " "))
    out.append(name.pointee)
    out.append(UInt8(ascii: "="))
    guard case .list(let list) = value.pointee, list.count > mostElements else {
      return InlineText.append(value.pointee, .language, to: &out)
    }
    let shown = list.prefix(mostElements / 2)
    out.append("[" as Unicode.Scalar)
    for element in shown {
      InlineText.append(element, .data, to: &out)
      out.append(", " as StaticString)
    }
    out.append("and \(list.count - shown.count) more]")
  }

  /// A value on one line as the command language reads it: text in quotes, `[1, 2]`, `{ id = 1 }`.
  package static func literal(of value: Value) -> String { InlineText.text(of: value) }
}

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
    to out: inout TextBuffer, marks: (gone: String, added: String, end: String)? = nil
  ) {
    withUnsafePointer(to: self) { Self.append($0, to: &out, marks: marks) }
  }

  /// Adds a change in a line, from where it lies: a copy would count references to what is in it.
  package static func append(
    _ change: UnsafePointer<Change>, to out: inout TextBuffer, marks: (gone: String, added: String, end: String)?
  ) {
    func append(_ value: Value, _ mark: String?, behind sign: StaticString? = nil) {
      if let mark { out.append(mark) }
      if let sign { out.append(sign) }
      InlineText.append(value, .language, to: &out)
      if let marks { out.append(marks.end) }
    }
    out.append(pathOf: change)
    out.append("  " as StaticString)
    switch change.pointee.kind {
    case .replace(let from, let to):
      append(from, marks?.gone)
      out.append(" -> " as StaticString)
      append(to, marks?.added)
    case .add(let value): append(value, marks?.added, behind: "+ ")
    case .remove(let value): append(value, marks?.gone, behind: "- ")
    case .move(let position):
      out.append("moved from \((change.pointee.positions.last ?? position) + 1) to \(position + 1)")
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
