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

  /// The newest of some lines, as many as one end of a connection gives the other.
  package static func newest(of lines: some BidirectionalCollection<String>) -> [String] {
    var size = 0
    return lines.suffix(most).reversed().prefix {
      size += $0.utf8.count + 16
      return size <= mostBytes
    }.reversed()
  }
}
