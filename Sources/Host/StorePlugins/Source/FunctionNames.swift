import LuaRuntime

/// The names of Lua functions that Lua itself cannot tell, because the host called them. They are read from the line on
/// which a function is defined (`function NAME`, `NAME = function`).
final class FunctionNames {
  private(set) var lines: [String: [Substring]] = [:]
  /// The chunks in the order in which they were noted.
  private(set) var chunks: [String] = []
  /// True if a chunk names its table of globals, and so may replace it.
  private(set) var mentionsEnvironment = false
  /// The names found on lines: every dispatch of a task asks for one.
  private var found: [String: [Int: String?]] = [:]

  /// Takes note of a chunk's text.
  func note(_ text: String, _ chunk: String) {
    found[chunk] = nil
    if lines[chunk] == nil { chunks.append(chunk) }
    lines[chunk] = text.split(separator: "\n", omittingEmptySubsequences: false)
    mentionsEnvironment = mentionsEnvironment || text.contains("_ENV")
  }

  /// The name of a function that calls one of the host's: as Lua knows it, else as its text says.
  func name(of caller: LuaCall.Caller) -> String? {
    caller.name ?? name(definedAt: caller.lineDefined, of: caller.chunk)
  }

  /// The name of the function that is defined on a line, counted from 1; nil where the line names none, or several.
  func name(definedAt line: Int, of chunk: String) -> String? {
    if let known = found[chunk]?[line] { return known }
    let name = readName(definedAt: line, of: chunk)
    found[chunk, default: [:]].updateValue(name, forKey: line)
    return name
  }

  private func readName(definedAt line: Int, of chunk: String) -> String? {
    guard let lines = lines[chunk], lines.indices.contains(line - 1) else { return nil }
    var names: [String] = []
    var rest = lines[line - 1]
    var before = rest.prefix(0)
    while let keyword = rest.firstRange(of: "function") {
      before = lines[line - 1][..<keyword.lowerBound]
      rest = rest[keyword.upperBound...]
      guard before.last?.isPartOfName != true, rest.first?.isPartOfName != true else { continue }
      names.append(Self.nameBehind(rest) ?? Self.nameAssigned(before) ?? "")
    }
    return names.count == 1 && !names[0].isEmpty ? names[0] : nil
  }

  /// `NAME(`, `table.NAME(`, `table:NAME(`.
  private static func nameBehind(_ text: Substring) -> String? {
    let path = text.drop { $0 == " " }.prefix { $0.isPartOfName || $0 == "." || $0 == ":" }
    return path.split { $0 == "." || $0 == ":" }.last.map(String.init)
  }

  /// `NAME =`, `table.NAME =`, `["NAME"] =`.
  private static func nameAssigned(_ text: Substring) -> String? {
    var text = text.trimmingEnd { $0 == " " }
    guard text.last == "=" else { return nil }
    text = text.dropLast().trimmingEnd { $0 == " " || $0 == "]" || $0 == "\"" || $0 == "'" }
    let name = text.reversed().prefix { $0.isPartOfName || $0 == "." }.reversed()
    return name.isEmpty ? nil : String(name)
  }
}

extension Character {
  var isPartOfName: Bool { self == "_" || isASCII && (isLetter || isNumber) }
}

extension Substring {
  fileprivate func trimmingEnd(_ isTrimmed: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
