import ShellLanguage

/// A line that somebody gave before.
public struct PastLine: Equatable, Sendable {
  /// The statement.
  public let text: String
  /// Seconds since 1970 when it was given; nil: that is not known.
  public let time: Int?
  /// True if it is known to have failed.
  public var hasFailed = false

  /// Makes a past line.
  public init(_ text: String, at time: Int? = nil) {
    self.text = text
    self.time = time
  }
}

/// The lines that somebody gave before, as the command `history` lists them.
public enum PastLines {
  /// As many are listed where others keep them.
  private static let most = 2000
  /// Of lines of more bytes the newest are listed.
  private static let mostBytes = 1 << 20

  /// Returns true if a statement belongs to them. Blank statements, statements that start with a space and repetitions
  /// of the last one do not.
  public static func keeps(_ statement: String, after last: String?) -> Bool {
    statement.contains { !$0.isWhitespace } && !statement.hasPrefix(" ") && statement != last
  }

  /// A statement as it is kept: a paste may end in an empty line.
  package static func kept(_ statement: String) -> String {
    String(statement.reversed().drop(while: \.isNewline).reversed())
  }

  /// The line that `!41` offers for editing, or the reason why there is none; nil: a statement is none of those.
  package static func recalled(by statement: String, from lines: [String]) -> Result<String, ShellError>? {
    let text = statement.drop(while: \.isWhitespace)
    let hint = "history --last 10 shows the newest lines with their numbers"
    if ["!!", "!$", "!-"].contains(where: { text.hasPrefix($0) }) {
      return .failure(
        ShellError(code: .unknownCommand, message: "a past line is recalled by its number: !N", hint: hint))
    }
    let first = text.dropFirst().prefix { !$0.isWhitespace }
    guard text.first == "!", let number = Int(first) else { return nil }
    let rest = text.dropFirst(1 + first.count).drop(while: \.isWhitespace)
    guard rest.isEmpty else {
      return .failure(
        ShellError(
          code: .unexpectedArgument, message: "!\(number) takes nothing after it: it offers that line for editing",
          hint: hint))
    }
    guard lines.indices.contains(number - 1) else {
      return .failure(
        ShellError(
          code: .outOfRange, message: "there is no past line \(number)",
          hint: lines.isEmpty ? nil : "they are numbered from 1 to \(lines.count); history --last 10 shows the newest"))
    }
    return .success(lines[number - 1])
  }

  /// The newest of some lines, as many as one end of a connection gives the other.
  package static func newest(of lines: some BidirectionalCollection<PastLine>) -> [PastLine] {
    var size = 0
    return lines.suffix(most).reversed().prefix {
      size += $0.text.utf8.count + 16
      return size <= mostBytes
    }.reversed()
  }
}
