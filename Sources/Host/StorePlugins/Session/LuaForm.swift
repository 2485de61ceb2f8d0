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
  /// - Throws: `LuaError` for what is none; it says so where an expression is wanted and several are given.
  func load(_ text: String, as form: LuaForm, chunkName: String) throws(LuaError) -> LuaFunction {
    switch form {
    case .chunk: return try load(text, chunkName: chunkName)
    case .expressions: return try load("return \(text)", chunkName: chunkName)
    case .expression:
      do throws(LuaError) {
        // Behind the line, because it may end in a comment.
        return try load("return (\(text)\n)", chunkName: chunkName)
      } catch {
        // Lua's own words, where it would not take them without the parentheses either.
        _ = try load("return \(text)", chunkName: chunkName)
        let isThere = (try? load("local _ = \(text)", chunkName: chunkName)) != nil
        throw LuaError(
          kind: .syntax,
          message: isThere
            ? "one expression is wanted, and there are several; { … } makes a list of them" : "an expression is wanted")
      }
    }
  }
}
