extension PluginManifest {
  /// The words of Lua that name nothing (Lua 5.4 reference manual, 3.1): a plugin or field of such a name is there, but code
  /// reaches it by `state["end"]` only.
  public static let luaKeywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
}
