/// Just enough of the language of `sh` to find the variables in a line of it (POSIX, Shell Command Language, 2.2 and 2.6).
package enum ShellText {
  /// The names that a line reads as variables and does not set itself, each once.
  package static func variables(in line: String) -> [String] {
    let bytes = Array(line.utf8)
    var names: [String] = []
    var words: Set<String> = []
    var (position, isQuoted) = (0, false)
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\\"): position += 2
      case UInt8(ascii: "\""):
        isQuoted.toggle()
        position += 1
      case UInt8(ascii: "'") where !isQuoted:
        position = (bytes[(position + 1)...].firstIndex(of: UInt8(ascii: "'")) ?? bytes.count - 1) + 1
      case UInt8(ascii: "$"):
        position += 1
        if position < bytes.count, bytes[position] == UInt8(ascii: "{") { position += 1 }
        let name = name(in: bytes, at: position)
        if let first = name.first, !first.isNumber, !names.contains(name) { names.append(name) }
        position += name.utf8.count
      case let byte where byte.isNameByte:
        let name = name(in: bytes, at: position)
        words.insert(name)
        position += name.utf8.count
      default: position += 1
      }
    }
    // A name that stands there without a dollar may be set there, as by `for` and `read`.
    return names.filter { !words.contains($0) }
  }

  private static func name(in bytes: [UInt8], at start: Int) -> String {
    start < bytes.count ? String(decoding: bytes[start...].prefix { $0.isNameByte }, as: UTF8.self) : ""
  }
}
