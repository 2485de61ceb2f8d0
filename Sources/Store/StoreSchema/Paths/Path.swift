/// A place in a value: a Lua accessor with a few selectors of its own, such as `tasks.items[id=3].title`. Indices start
/// at 1, as in Lua.
public struct Path: Hashable, Sendable {
  /// The steps from the outermost value inwards.
  public var steps: [Step]

  /// Makes a path of steps.
  public init(_ steps: [Step] = []) { self.steps = steps }

  /// A step inwards. Extensions of other files take it one way each: along a value, in a text, in a key.
  public enum Step: Hashable, Sendable {
    /// A field of a record, a module of a store, or a map entry whose key is a name.
    case field(String)
    /// An element of a list, from 1; negative: from the end. Also a map entry with an integer key.
    case index(Int)
    /// A map entry by its text key, where the key is not a name.
    case key(MapKey)
    /// The first element of a list whose field has that value.
    case match(field: String, Value)
    /// Every element of a list or entry of a map.
    case all
  }

  /// True if the path stays in its place.
  public var isEmpty: Bool { steps.isEmpty }

  /// The path one step further in.
  public func appending(_ step: Step) -> Path { Path(steps + [step]) }

  /// A path followed by another.
  public static func + (left: Path, right: Path) -> Path { Path(left.steps + right.steps) }
}

extension Path: CustomStringConvertible {
  /// The path as users write it.
  public var description: String {
    var out = ""
    for step in steps { step.append(to: &out) }
    return out
  }
}

extension Path.Step {
  /// Appends the step as users write it: with a leading dot where it is a name and not the first.
  public func append(to out: inout String) {
    switch self {
    case .field(let name), .key(.string(let name)):
      if name.isName {
        if !out.isEmpty { out += "." }
        out += name
      } else {
        out += "[\(ScalarText.quoted(name))]"
      }
    case .index(let index), .key(.int(let index)): out += "[\(index)]"
    case .match(let field, let value):
      out += "[\(field)="
      switch value {
      case .int(let number): out += "\(number)"
      case .string(let text): out += text.isName && Path.Step.bareValue(text) == value ? text : ScalarText.quoted(text)
      default: out += JSON.text(of: value)
      }
      out += "]"
    case .all: out += "[*]"
    }
  }
}

extension String {
  /// True if the text is a name in paths, Lua and the command language: a letter or `_`, then letters, digits and `_`.
  public var isName: Bool {
    var first = true
    for byte in utf8 {
      let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A || byte == 0x5F
      let isDigit = byte >= 0x30 && byte <= 0x39
      guard isLetter || (isDigit && !first) else { return false }
      first = false
    }
    return !first
  }
}
