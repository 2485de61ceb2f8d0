import ShellLanguage
import StoreSchema

/// The values that a person keeps above the line that is typed.
struct PinList {
  /// What is kept, in the order in which it was asked for.
  private(set) var list: [Entry] = []
  /// True where there is a line that it can be kept above.
  var hasLine = false

  /// A path or an expression, and its value.
  struct Entry {
    let name: String
    let watched: WatchedPath
  }

  var isEmpty: Bool { list.isEmpty }

  /// Keeps one more; of two with one name the later one.
  mutating func add(_ entry: Entry) {
    list.removeAll { $0.name == entry.name }
    list.append(entry)
  }

  /// Lets one go; false where there is none of that name.
  mutating func remove(_ name: String) -> Bool {
    let count = list.count
    list.removeAll { $0.name == name || name == "all" }
    return list.count < count
  }
}

extension Session {
  /// The pinned values as they are drawn: whole lines, a third of the screen at most.
  func pinned(rows: Int, columns: Int) -> String {
    guard !pins.isEmpty else { return "" }
    var formatter = formatter(.auto)
    formatter.marks = .none
    var text = ""
    for pin in pins.list {
      let value = (try? formatter.text(of: pin.watched.present, .dynamic(.any))) ?? "-\n"
      let lines = value.split(separator: "\n", omittingEmptySubsequences: false).dropLast(value.hasSuffix("\n") ? 1 : 0)
      if lines.count == 1 {
        text += "\(pin.name)  \(lines[0])\n"
      } else {
        text += "\(pin.name)\n" + lines.map { "  \($0)\n" }.joined()
      }
    }
    return ScreenText.cut(text, columns: columns, rows: max(1, rows / 3), isUTF8: options.isUTF8).text
  }
}
