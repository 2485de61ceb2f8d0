import ShellLanguage
import StorePlugins

/// Texts of Lua that hold `$name`: in words it stands for a variable, in Lua for itself.
extension Session {
  /// Has a note tell of a `$name` in a text of a Lua verb, which somebody may have meant to be replaced.
  func noteTextsOfVariables(_ statement: Statement) {
    let inner = statement.lua == nil ? statement : commands.innermost(statement)
    guard let tail = inner.lua, commands[inner.words[0].text]?.lua?.isLua == true, tail.text.utf8.contains(0x24) else {
      return
    }
    for name in LuaText.variables(in: Array(tail.text.utf8)) {
      let meaning: String
      if let number = Int(name) {
        guard number > 0, running.isChecking || number <= running.origin.arguments.count else { continue }
        meaning = "arg[\(number)]"
      } else {
        guard names.variables.contains(name) else { continue }
        meaning = name
      }
      let place = running.origin.kind == .repl ? "" : "\(running.origin.file):\(statement.line): "
      store.leave(note: "\(place)$\(name) is not replaced in Lua; it is \(meaning) here")
    }
  }
}
