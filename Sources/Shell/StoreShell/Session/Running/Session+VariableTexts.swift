import ShellLanguage
import StorePlugins

/// Texts of Lua that hold `$name`: in words it stands for a variable, in Lua for itself.
extension Session {
  /// Has a note tell of a `$name` in a text of a Lua verb, which somebody may have meant to be replaced.
  func noteTextsOfVariables(_ statement: Statement) {
    guard statement.isMoreThanWords else { return }
    var texts = statement.words.compactMap(\.luaExpression)
    let inner = statement.lua == nil ? statement : commands.innermost(statement)
    if let tail = inner.lua, commands[inner]?.lua?.isLua == true { texts.append(tail.text) }
    var told: Set<String> = []
    for text in texts where text.utf8.contains(0x24) {
      for name in LuaText.variables(in: Array(text.utf8)) where told.insert(name).inserted {
        note(textOfVariable: name, in: statement)
      }
    }
  }

  private func note(textOfVariable name: String, in statement: Statement) {
    let meaning: String
    if let number = Int(name) {
      guard number > 0, running.isChecking || number <= running.origin.arguments.count else { return }
      meaning = "arg[\(number)]"
    } else {
      guard names.variables.contains(name) else { return }
      meaning = name
    }
    let place = running.origin.kind == .repl ? "" : "\(running.origin.file):\(statement.line): "
    store.leave(note: "\(place)$\(name) is not replaced in Lua; it is \(meaning) here")
  }
}
