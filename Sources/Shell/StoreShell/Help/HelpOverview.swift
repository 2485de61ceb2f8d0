import ShellLanguage

/// The page of `help` alone: the commands by what one wants to do, on one screen.
struct HelpOverview {
  /// A group of commands: each verb with the few words that say what it is for.
  struct Group: Sendable {
    let name: String
    let commands: [(verb: String, words: String)]
  }

  /// The groups. Every command of the shell stands in one of them.
  static let groups = [
    Group(
      name: "look",
      commands: [
        ("show", "values"), ("describe", "types"), ("=", "Lua"), ("log", "of actions"), ("why", "a value is so"),
        ("diff", "states"), ("plot", "a curve"), ("effects", "that wait"), ("who", "is here"), ("node", ""),
      ]),
    Group(
      name: "change",
      commands: [
        ("dispatch", "an action"), ("ingest", "a file"), ("thunk", "of actions"), ("import", "a state"),
        ("middleware", "on or off"), ("substate", "of your own"),
      ]),
    Group(
      name: "go back",
      commands: [
        ("undo", "a statement"), ("redo", "it"), ("goto", "the past"), ("bisect", "for an action"),
        ("skip", "one action"), ("unskip", "it"), ("atomic", "all or nothing"),
      ]),
    Group(
      name: "watch",
      commands: [
        ("watch", "changes"), ("pin", "above the line"), ("wait", "for a time or value"), ("trace", "each step"),
      ]),
    Group(name: "plugins", commands: [("plugin", "load, list, new, test, check, grant")]),
    Group(
      name: "scripts",
      commands: [
        ("source", "a file"), ("let", "a variable"), ("lua", "code"), ("echo", "text"), ("assert", "a condition"),
        ("step", ""), ("checks", ""), ("try", ""), ("retry", ""), ("time", ""),
        ("run", "a program"),
        ("export", "a file"), ("replay", "it"),
      ]),
    Group(
      name: "prompt",
      commands: [
        ("use", "short names"), ("alias", "a command"), ("project", ""), ("bind", "names"),
        ("history", "of lines"), ("sessions", "kept"), ("compact", "a store file"), ("set", "options"),
        ("!", "your shell"), ("help", ""),
        ("quit", ""),
      ]),
  ]

  /// The commands that the program has beside the shell's.
  let ownCommands: [String]
  let firstLines: [NamedMeaning]

  func text(width: Int?) -> String {
    let widest = firstLines.map(\.name.count).max() ?? 0
    var out = "try first\n"
    for line in firstLines {
      out += "  \(line.name)\(String(repeating: " ", count: widest - line.name.count))  \(line.meaning)\n"
    }
    var groups = Self.groups
    if !ownCommands.isEmpty { groups.append(Group(name: "more", commands: ownCommands.map { ($0, "") })) }
    for group in groups {
      let items = group.commands.map { $0.words.isEmpty ? $0.verb : "\($0.verb) \($0.words)" }
      out += group.name + String(repeating: " ", count: Self.margin - group.name.count)
      out += Self.filled(items, indentation: Self.margin, width: width) + "\n"
    }
    let topics = HelpTopic.names.joined(separator: ", ")
    for ending in [
      "help COMMAND, MODULE, ACTION or ERROR-CODE explains it; help commands lists all.",
      "help TOPIC: \(topics), keys.",
    ] {
      out += WrappedText.hanging(ending, indentation: 0, width: width) + "\n"
    }
    return out
  }

  private static let margin = 9

  /// Items with commas, none of which is taken apart at the end of a line.
  private static func filled(_ items: [String], indentation: Int, width: Int?) -> String {
    var out = ""
    var column = indentation
    for (index, item) in items.enumerated() {
      let text = index == items.count - 1 ? item : item + ","
      if column > indentation, let width, column + 1 + text.count > width {
        out += "\n" + String(repeating: " ", count: indentation)
        column = indentation
      } else if column > indentation {
        out += " "
        column += 1
      }
      out += text
      column += text.count
    }
    return out
  }
}
