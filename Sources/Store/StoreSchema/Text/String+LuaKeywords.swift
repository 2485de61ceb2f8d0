extension String {
  /// True if the text is a word of Lua that names nothing (Lua 5.4 reference manual, 3.1). Code reaches a field of such
  /// a name by `state["end"]` only.
  package var isLuaKeyword: Bool { Self.luaKeywords.contains(self) }

  private static let luaKeywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}
