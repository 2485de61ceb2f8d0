import LuaRuntime

/// What a text of Lua is to be.
public enum LuaForm: Sendable {
  /// Statements.
  case chunk
  /// An expression, whose first value counts.
  case expression
  /// One expression or several, with commas between them.
  case expressions
}

extension LuaState {
  /// Reads a text as what it is to be.
  ///
  /// - Throws: `LuaError` for what is none; it says so where one is expected and several are given.
  func load(_ text: String, as form: LuaForm, chunkName: String) throws(LuaError) -> LuaFunction {
    switch form {
    case .chunk: return try load(text, chunkName: chunkName)
    case .expressions: return try load("return \(text)", chunkName: chunkName)
    case .expression:
      // In Lua's own words, where it would not take it without the parentheses either.
      _ = try load("return \(text)", chunkName: chunkName)
      do throws(LuaError) {
        // Behind the line where it may end in a comment; elsewhere faults of its last part would be told of the line behind.
        return try load("return (\(text)\(text.contains("--") ? "\n" : ""))", chunkName: chunkName)
      } catch {
        if let end = text.lastIndex(of: ";") {
          // Lua takes one there.
          let bare = text[..<end] + " " + text[text.index(after: end)...]
          if let function = try? load("return (\(bare)\n)", chunkName: chunkName) { return function }
        }
        let isThere = (try? load("local _ = \(text)", chunkName: chunkName)) != nil
        throw LuaError(
          kind: .syntax,
          message: isThere
            ? "expected one expression, got several; { … } makes a list of them" : "expected an expression")
      }
    }
  }
}
