/// Values without a schema as text of several lines, the same for equal values in every run: sets and dictionaries are
/// sorted.
enum ValueText {
  /// The lines of a value, one a field, element or entry.
  static func lines(_ value: Any) -> [String] {
    var writer = ValueWriter()
    writer.write(value, label: nil, indent: 0)
    return writer.lines
  }
}

/// Writes one value and what is in it.
private struct ValueWriter {
  var lines: [String] = []
  /// The objects around the one that is written: objects may hold each other.
  private var open = Set<ObjectIdentifier>()

  mutating func write(_ value: Any, label: String?, indent: Int) {
    let prefix = String(repeating: "  ", count: indent) + (label.map { "\($0): " } ?? "")
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      guard let wrapped = mirror.children.first else { return lines.append("\(prefix)nil") }
      return write(wrapped.value, label: label, indent: indent)
    }
    guard let shape = ValueShape(value, mirror) else { return lines.append(prefix + leaf(value)) }
    guard mirror.displayStyle == .class else { return write(shape, prefix, indent) }
    let object = ObjectIdentifier(value as AnyObject)
    guard open.insert(object).inserted else { return lines.append("\(prefix)\(shape.opening)…\(shape.closing)") }
    write(shape, prefix, indent)
    open.remove(object)
  }

  private mutating func write(_ shape: ValueShape, _ prefix: String, _ indent: Int) {
    guard !shape.parts.isEmpty else { return lines.append("\(prefix)\(shape.opening)\(shape.closing)") }
    lines.append(prefix + shape.opening)
    for part in shape.parts { write(part.value, label: part.label, indent: indent + 1) }
    lines.append(String(repeating: "  ", count: indent) + shape.closing)
  }

  private func leaf(_ value: Any) -> String {
    if let text = value as? String { return text.debugDescription }
    return String(describing: value)
  }
}

private struct ValueShape {
  struct Part {
    let label: String?
    let value: Any

    init(_ label: String?, _ value: Any) {
      // Tuples number what has no label: `.0`.
      self.label = label?.first == "." ? nil : label
      self.value = value
    }
  }

  let opening: String
  let closing: String
  let parts: [Part]

  /// Nil where the value is shown in one line.
  init?(_ value: Any, _ mirror: Mirror) {
    let children = mirror.children.map { Part($0.label, $0.value) }
    switch mirror.displayStyle {
    case .struct, .class:
      guard !children.isEmpty, !ValueShape.isOpaque(value) else { return nil }
      (opening, closing, parts) = ("\(type(of: value))(", ")", children)
    case .tuple: (opening, closing, parts) = ("(", ")", children)
    case .enum:
      guard let payload = children.first else { return nil }
      let inner = Mirror(reflecting: payload.value)
      (opening, closing) = ("\(payload.label ?? "")(", ")")
      parts =
        inner.displayStyle == .tuple ? inner.children.map { Part($0.label, $0.value) } : [Part(nil, payload.value)]
    case .collection: (opening, closing, parts) = ("[", "]", children.map { Part(nil, $0.value) })
    case .set: (opening, closing, parts) = ("Set[", "]", ValueShape.sorted(children.map { Part(nil, $0.value) }))
    case .dictionary: (opening, closing, parts) = ("[", "]", ValueShape.sorted(mirror.children.map(ValueShape.entry)))
    default: return nil
    }
  }

  /// An entry of a dictionary, its key as label.
  private static func entry(_ child: Mirror.Child) -> Part {
    let pair = Array(Mirror(reflecting: child.value).children)
    guard pair.count == 2 else { return Part(nil, child.value) }
    return Part(ValueText.lines(pair[0].value).joined(separator: " "), pair[1].value)
  }

  private static func sorted(_ parts: [Part]) -> [Part] {
    parts.map { (key: $0.label ?? ValueText.lines($0.value).joined(separator: "\n"), part: $0) }
      .sorted { $0.key < $1.key }.map(\.part)
  }

  /// True if a value reads best by its own description: the durations, dates and numbers of the system's libraries.
  private static func isOpaque(_ value: Any) -> Bool {
    guard value is any CustomStringConvertible else { return false }
    let name = String(reflecting: type(of: value))
    return name.hasPrefix("Swift.") || name.hasPrefix("Foundation")
  }
}
