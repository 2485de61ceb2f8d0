import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins
import StoreSchema

/// Writes what the logger middleware and plugins say, to standard error, or with `--json` as events.
final class LogLineWriter: @unchecked Sendable {
  // Safe: called on the thread of its session.
  fileprivate let console: Console
  var isJSON: Bool

  init(console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  func write(_ line: LoggedLine) {
    guard !isJSON else {
      return console.writeEvent(
        JSONReport.log(
          id: line.number, action: line.call.type.fullName, source: line.source.short, changes: line.changes))
    }
    let action = ActionText.text(line.call.type.fullName, arguments: line.call.record)
    var text = "[logger] #\(line.number) \(action)  <- \(line.source.short)\n"
    if line.changes.isEmpty { text += "[logger]  no change\n" }
    for change in line.changes { text += "[logger]  \(ChangeFormatter.text(of: change))\n" }
    console.writeError(text)
  }
}

extension LogLineWriter {
  /// Writes what a command prints.
  func print(_ text: String, asEvent isEvent: Bool) {
    if isEvent { console.writeEvent(JSONReport.printed(text)) } else { console.write(text + "\n") }
  }

  /// Writes a phase of an action.
  func write(traced line: String) {
    if isJSON { console.writeEvent(JSONReport.traced(line)) } else { console.writeError(line + "\n") }
  }

  /// Writes what a plugin says.
  func write(_ line: PluginLogLine) {
    guard !isJSON else {
      return console.writeEvent(JSONReport.said(plugin: line.plugin, level: line.level.rawValue, text: line.text))
    }
    console.writeError("[\(line.plugin)] \(line.level == .warn ? "warning: " : "")\(line.text)\n")
  }
}

/// Writes what a watch sees, to standard error, or with `--json` as events.
final class WatchLineWriter: @unchecked Sendable {
  // Safe: called on the thread of its session.
  private let console: Console
  private let isJSON: Bool
  private let id: Int
  private let path: Path

  init(console: Console, isJSON: Bool, id: Int, path: Path) {
    self.console = console
    self.isJSON = isJSON
    self.id = id
    self.path = path
  }

  /// Writes a change that an action made.
  func write(from old: Value, to new: Value, by number: Int, _ action: String) {
    let change = Change(path, WatchLineWriter.kind(from: old, to: new))
    guard !isJSON else {
      return console.writeEvent(
        JSONReport.watch(
          id: id, path: path.description, from: old, to: new, action: number))
    }
    console.writeError(
      "[watch \(id)] \(ChangeFormatter.text(of: change))  (#\(number) \(action))\n")
  }

  /// Writes why there is no value to see.
  func write(_ error: any Error) {
    let error = ShellError(describing: error)
    guard !isJSON else {
      return console.writeEvent(JSONReport.watch(id: id, path: path.description, failure: error))
    }
    console.writeError("[watch \(id)] error[\(error.code)]: \(error.message)\n")
  }

  private static func kind(from old: Value, to new: Value) -> Change.Kind {
    switch (old, new) {
    case (.none, let new) where new != .none: .add(new)
    case (let old, .none) where old != .none: .remove(old)
    default: .replace(from: old, to: new)
    }
  }
}
