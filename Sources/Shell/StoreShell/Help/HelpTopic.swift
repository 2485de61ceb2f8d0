import ShellLanguage

/// A page of help on the language. Its text is Markdown, one file of the folder `Topics` each; `docs/language.md` and the manual
/// have the same pages.
struct HelpTopic {
  /// The word that `help` takes.
  let name: String
  let title: String
  let blocks: [Block]

  /// The parts of a page.
  enum Block {
    /// Sentences, which fill lines.
    case paragraph(String)
    /// Items of a list.
    case items([String])
    /// Terms with their meanings.
    case terms([NamedMeaning])
    /// Lines that stand as they are.
    case lines([String])
  }

  /// The names of the pages, in the order in which they are read.
  static let names = [
    "language", "quoting", "variables", "paths", "where", "pipes", "durations", "decimal", "json", "status", "reports",
    "permissions", "words",
  ]

  /// Words by which a page is found as well.
  private static let otherWords = [
    "arg": "variables", "arguments": "variables", "columns": "where", "command": "variables", "conditions": "where",
    "count": "where", "decimals": "decimal",
    "dollar": "variables", "duration": "durations", "env": "variables", "errors": "status", "event": "json",
    "events": "json", "filter": "where", "functions": "variables", "glossary": "words", "group": "where",
    "grants": "permissions", "jsonl": "json", "junit": "reports", "limit": "where", "money": "decimal", "path": "paths",
    "permission": "permissions", "pipe": "pipes", "quote": "quoting", "quotes": "quoting", "redirection": "pipes",
    "report": "reports", "round": "decimal", "rounding": "decimal", "sort": "where", "state": "paths",
    "steps": "reports",
    "string": "quoting", "strings": "quoting", "sum": "where", "tap": "reports", "text": "quoting", "texts": "quoting",
    "topics": "language", "variable": "variables",
  ]

  static var all: [HelpTopic] { names.compactMap(HelpTopic.init(named:)) }

  /// The page of a name; nil: there is none.
  init?(named name: String) {
    let name = Self.otherWords[name] ?? name
    guard let bytes = Self.bytes(of: name) else { return nil }
    self.init(name, markdown: String(decoding: bytes, as: UTF8.self))
  }

  private static func bytes(of name: String) -> [UInt8]? {
    switch name {
    case "language": PackageResources.language_md
    case "quoting": PackageResources.quoting_md
    case "variables": PackageResources.variables_md
    case "paths": PackageResources.paths_md
    case "where": PackageResources.where_md
    case "pipes": PackageResources.pipes_md
    case "durations": PackageResources.durations_md
    case "decimal": PackageResources.decimal_md
    case "json": PackageResources.json_md
    case "status": PackageResources.status_md
    case "reports": PackageResources.reports_md
    case "permissions": PackageResources.permissions_md
    case "words": PackageResources.words_md
    default: nil
    }
  }

  init(_ name: String, markdown: String) {
    self.name = name
    var title = ""
    var blocks: [Block] = []
    var lines = markdown.split(separator: "\n", omittingEmptySubsequences: false).makeIterator()
    while let line = lines.next() {
      if line.hasPrefix("# ") {
        title = String(line.dropFirst(2))
      } else if line.hasPrefix("```") {
        var shown: [String] = []
        while let line = lines.next(), !line.hasPrefix("```") { shown.append(String(line)) }
        blocks.append(.lines(shown))
      } else if line.hasPrefix("- ") {
        let item = Self.plain(line.dropFirst(2))
        if case .items(let items)? = blocks.last {
          blocks[blocks.count - 1] = .items(items + [item])
        } else {
          blocks.append(.items([item]))
        }
      } else if line.hasPrefix("| ") {
        let cells = line.split(separator: "|").map { Self.plain($0).trimmed }
        guard cells.count > 1 else { continue }
        let row = NamedMeaning(name: cells[0], meaning: cells[1])
        if case .terms(let rows)? = blocks.last {
          blocks[blocks.count - 1] = .terms(rows + [row])
        } else {
          // The first row is the head of the table.
          blocks.append(.terms([]))
        }
      } else if !line.hasPrefix("|"), !line.isEmpty {
        let sentence = Self.plain(line)
        if case .paragraph(let text)? = blocks.last {
          blocks[blocks.count - 1] = .paragraph(text + " " + sentence)
        } else {
          blocks.append(.paragraph(sentence))
        }
      } else if line.isEmpty, case .paragraph? = blocks.last {
        blocks.append(.paragraph(""))
      }
    }
    self.title = title
    self.blocks = blocks.compactMap { block in
      guard case .paragraph(let text) = block else { return block }
      return text.trimmed.isEmpty ? nil : .paragraph(text.trimmed)
    }
  }

  /// A text without the marks of Markdown.
  private static func plain(_ text: some StringProtocol) -> String {
    String(text).replacing("**", with: "").replacing("`", with: "")
  }

  func text(width: Int?) -> String {
    var out = "\(title)\n"
    for block in blocks {
      out += "\n"
      switch block {
      case .paragraph(let text): out += WrappedText.hanging(text, indentation: 0, width: width) + "\n"
      case .items(let items):
        for item in items { out += "- " + WrappedText.hanging(item, indentation: 2, width: width) + "\n" }
      case .terms(let rows):
        let widest = rows.map(\.name.count).max() ?? 0
        for row in rows {
          let gap = String(repeating: " ", count: widest - row.name.count)
          out += "  \(row.name)\(gap)  \(WrappedText.hanging(row.meaning, indentation: widest + 4, width: width))\n"
        }
      case .lines(let lines):
        // Longer ones break between words.
        for line in lines {
          out += line.isEmpty ? "\n" : "  \(WrappedText.hanging(line, indentation: 6, width: width))\n"
        }
      }
    }
    return out
  }

  /// The page in the macros of `man(7)`.
  func write(to page: inout ManualText) {
    page.subsection(title)
    for block in blocks {
      switch block {
      case .paragraph(let text): page.paragraph(text)
      case .items(let items): for item in items { page.item("\u{2022}", item) }
      case .terms(let rows): for row in rows { page.item(row.name, row.meaning) }
      case .lines(let lines): page.lines(lines)
      }
    }
  }
}

extension StringProtocol {
  /// The text without blanks around it.
  var trimmed: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
