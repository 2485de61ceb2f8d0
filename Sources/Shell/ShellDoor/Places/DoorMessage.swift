import FoundationEssentials
import ShellLanguage
import StoreSchema
import StoreShell

/// A line that one end of a conversation sent, as the other end reads it.
struct DoorMessage {
  private let members: [(name: String, value: Value)]
  let line: String

  /// Nothing.
  init() { (members, line) = ([], "") }

  init?(_ line: ArraySlice<UInt8>) {
    guard let members = try? JSON.fields(of: Array(line).span) else { return nil }
    self.members = members
    self.line = String(decoding: line, as: UTF8.self)
  }

  subscript(name: String) -> Value? { members.first { $0.name == name }?.value }

  func text(_ name: String) -> String? { if case .string(let text)? = self[name] { text } else { nil } }
  func number(_ name: String) -> Int? { if case .int(let number)? = self[name] { number } else { nil } }

  /// An exit status; 1 where something else stands there, nil where nothing does.
  func status(_ name: String) -> Int32? {
    self[name].map { if case .int(0...255) = $0 { Int32(number(name) ?? 1) } else { 1 } }
  }

  /// Bytes, which stand there as base 64.
  func bytes(_ name: String) -> [UInt8]? { text(name).flatMap { Data(base64Encoded: $0) }.map(Array.init) }

  /// Bytes as they stand in a message.
  static func text(of bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

  /// The elements of a list, each by its members.
  func list(_ name: String) -> [Value] { if case .list(let list)? = self[name] { Array(list) } else { [] } }

  /// The results as they were written: a value would lose the order of their members.
  var results: [String] {
    let bytes = line.utf8
    // Within a text its quotes are escaped.
    guard let start = line.firstRange(of: "\"results\":[")?.upperBound else { return [] }
    var results: [String] = []
    var (depth, isText, isEscaped, first) = (0, false, false, start)
    for place in bytes[start...].indices {
      switch bytes[place] {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isText: isEscaped = true
      case UInt8(ascii: "\""): isText.toggle()
      case _ where isText: break
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if depth == 0 { first = place }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return results }
        depth -= 1
        if depth == 0 { results.append(String(line[first...place])) }
      default: break
      }
    }
    return results
  }

  /// The error that it tells of; nil: none.
  var error: ShellError? {
    guard let error = self["error"] else { return nil }
    let code = error.member("code")?.text.flatMap(ErrorCode.init(rawValue:)) ?? .failed
    return ShellError(
      code: code, message: SafeText.line(error.member("message")?.text ?? ""), hint: error.member("hint")?.text)
  }
}

extension Value {
  /// The whole number that it is; nil: it is none.
  var number: Int? { if case .int(let number) = self { number } else { nil } }

  func member(_ name: String) -> Value? {
    if case .map(let members) = self { members[.string(name)] } else { nil }
  }
}
