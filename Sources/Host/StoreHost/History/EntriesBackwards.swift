import StoreHistory

/// The entries of a moment, which are asked for one by one, mostly from the last to the first: what memory no longer holds is read
/// in pieces.
final class EntriesBackwards {
  private let moment: Moment
  /// What was read last of what memory no longer holds.
  private var piece: [LoggedEntry] = []
  private static let size = 512

  init(of moment: Moment) { self.moment = moment }

  /// The entry of an action; nil where there is none of that number.
  func entry(_ number: Int) throws -> LoggedEntry? {
    if let entry = moment.recent(number) ?? inPiece(number) { return entry }
    if number > 0, piece.first?.number == number + 1 {
      do {
        piece = try moment.entries(max(number - Self.size, 0) + 1...number)
        return inPiece(number)
      } catch is JournalError {
        // It may be another one that cannot be read.
      }
    }
    let entry = try moment.entry(number)
    piece = entry.map { [$0] } ?? []
    return entry
  }

  private func inPiece(_ number: Int) -> LoggedEntry? {
    guard let first = piece.first, piece.indices.contains(number - first.number) else { return nil }
    let entry = piece[number - first.number]
    return entry.number == number ? entry : nil
  }
}
