import LuaRuntime

/// The places of a definition's parts in its files, as far as its functions and its text tell.
final class DefinitionPlaces {
  private let lua: LuaState
  private let names: FunctionNames
  /// The number of rules found with each text.
  private var found: [String: Int] = [:]
  /// The key of the definition that is read, and the name of the entry below it.
  private var part: (key: String, entry: String?)?

  init(_ lua: LuaState, _ names: FunctionNames) {
    self.lua = lua
    self.names = names
  }

  /// Takes note of the part of the definition that is being read.
  func enter(_ key: String) { part = (key, nil) }

  /// Takes note of the entry of the part that is being read.
  func enter(entry name: String) { part?.entry = name }

  /// From now on what is read is found by what messages call it.
  func leave() { part = nil }

  /// The place of the part being read, if only one line holds its key or the name of its entry.
  var present: DefinitionPlace? {
    guard let part else { return nil }
    let entries = part.entry.map { names.places(of: "name", $0) } ?? []
    let keys = entries.count == 1 ? entries : names.places(of: part.key, nil)
    return keys.count == 1 ? keys[0] : nil
  }

  /// The name of a function, from the line on which it is defined; nil where it has none.
  func name(of function: LuaFunction) -> String? {
    lua.place(of: function).flatMap { names.name(definedAt: $0.line, of: $0.chunk) }
  }

  /// The place where a function begins.
  func place(of function: LuaFunction) -> DefinitionPlace? {
    lua.place(of: function).map { DefinitionPlace(chunk: $0.chunk, line: $0.line) }
  }

  /// The place of the next rule with `KEY = "TEXT"`, in the order of the text; nil if it is written otherwise.
  func place(ofRule key: String, _ text: String) -> DefinitionPlace? {
    let lines = names.places(of: key, text)
    let number = found["\(key)=\(text)", default: 0]
    found["\(key)=\(text)"] = number + 1
    return lines.indices.contains(number) ? lines[number] : lines.last
  }
}

/// The place of a plugin's rule in its files.
struct DefinitionPlace {
  let chunk: String
  let line: Int
}

extension FunctionNames {
  /// The places where a table says `KEY = "TEXT"`, or `KEY =` anything, in the order of the chunks and their lines.
  fileprivate func places(of key: String, _ text: String?) -> [DefinitionPlace] {
    chunks.flatMap { chunk in
      (lines[chunk] ?? []).enumerated().filter { $0.element.assigns(text, to: key) }
        .map { DefinitionPlace(chunk: chunk, line: $0.offset + 1) }
    }
  }
}

extension Substring {
  /// True if the line says `KEY = "TEXT"` or `["KEY"] = 'TEXT'`, or `KEY =` anything, outside a comment.
  fileprivate func assigns(_ text: String?, to key: String) -> Bool {
    var rest = self[...]
    while let range = rest.firstRange(of: key) {
      let before = self[..<range.lowerBound]
      rest = self[range.upperBound...]
      guard !before.contains("--"), before.last.map({ !$0.isPartOfName }) ?? true else { continue }
      let value = rest.drop { $0 == " " || $0 == "\t" || $0 == "\"" || $0 == "'" || $0 == "]" }
      guard value.first == "=", !value.hasPrefix("==") else { continue }
      guard let text else { return true }
      let quoted = value.dropFirst().drop { $0 == " " || $0 == "\t" }
      if quoted.hasPrefix("\"\(text)\"") || quoted.hasPrefix("'\(text)'") { return true }
    }
    return false
  }
}
