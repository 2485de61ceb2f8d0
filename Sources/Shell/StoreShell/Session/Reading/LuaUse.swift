import ShellLanguage
import StoreSchema

/// A use of a global in Lua, with what is read behind its name, as in `state.tasks.items[1].title`.
struct LuaUse {
  enum Step {
    case field(String)
    /// An element whose index or key is computed.
    case element
  }

  let name: String
  let steps: [Step]
  /// The place of the name and of its steps.
  let range: Range<Int>

  /// The uses of globals of some names. A local of that name counts as one.
  static func all(of names: Set<String>, in bytes: ArraySlice<UInt8>) -> [LuaUse] {
    LuaText.places(ofGlobals: names, in: bytes).map { name, range in
      var (steps, end): ([Step], Int) = ([], range.upperBound)
      while let (step, next) = step(in: bytes, at: end) {
        steps.append(step)
        end = next
      }
      return LuaUse(name: name, steps: steps, range: range.lowerBound..<end)
    }
  }

  /// The step at a position, and the position behind it; nil: none is there.
  private static func step(in bytes: ArraySlice<UInt8>, at start: Int) -> (Step, Int)? {
    guard start < bytes.endIndex else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "."):
      let name = bytes[(start + 1)...].prefix { $0.isNameByte }
      guard let first = name.first, !first.isDigit else { return nil }
      return (.field(String(decoding: name, as: UTF8.self)), name.endIndex)
    case UInt8(ascii: "["):
      // A text in long brackets is an argument.
      guard case .code = LuaText.piece(in: bytes, at: start), let end = LuaText.endOfBrackets(in: bytes, at: start)
      else {
        return nil
      }
      return (.element, end)
    default: return nil
    }
  }
}

extension Schema {
  /// What steps of Lua lead to.
  enum Reached {
    case type(Schema)
    /// A record, at a path in Lua, does not have the field.
    case missing(String, path: String, among: [String])
    /// It depends on the value.
    case unknown
  }

  /// What steps from a value of the type lead to.
  ///
  /// - Parameter path: the way to the value, as Lua writes it.
  func reached(by steps: some Sequence<LuaUse.Step>, from path: String) -> Reached {
    var (type, path) = (wrapped, path)
    for step in steps {
      switch (step, type.kind) {
      case (.field(let name), .record(let record)):
        guard let field = record.fields.first(where: { $0.name == name }) else {
          return .missing(name, path: path, among: record.fields.map(\.name))
        }
        path += ".\(name)"
        type = field.schema.wrapped
      case (.element, .list(let element)), (.element, .map(_, let element)):
        path += "[…]"
        type = element.wrapped
      default: return .unknown
      }
    }
    return .type(type)
  }
}
