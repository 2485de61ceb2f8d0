import GRDB

/// A journal that is only read: one that another process writes, or one that is damaged, as far as it is good.
public final class JournalArchive: JournalReading, Sendable {
  /// The file.
  public let path: String
  /// What the file holds; where it is damaged, up to the last good action.
  public let contents: JournalContents
  /// What is wrong with the file; nil: nothing.
  public let damage: String?
  private let reader: JournalReader

  /// Opens a file to read it; nothing in it changes.
  ///
  /// - Throws: ``JournalError``; ``JournalError/damaged(path:lastGood:reason:)`` where nothing can be read.
  public init(_ path: String) throws(JournalError) {
    self.path = path
    reader = JournalReader(path: path, database: try JournalFile.opened(path, isReadOnly: true))
    var damage: String?
    var found: JournalContents?
    do throws(JournalError) {
      let contents = try reader.contents()
      found = contents
      if !contents.hasEnded { damage = reader.malformation() }
      // While somebody writes it, it is only looked at; else whoever reads it may want to save what is good.
      if damage == nil, let numbers = contents.numbers, !Journal.isInUse(path) { damage = reader.fault(in: numbers) }
    } catch {
      guard case .damaged(_, _, let reason) = error else { throw error }
      damage = reason
    }
    if let found, damage == nil {
      contents = found
    } else {
      let reason = damage ?? ""
      guard let range = reader.goodNumbers() else { throw .damaged(path: path, lastGood: nil, reason: reason) }
      contents = JournalContents(
        numbers: range.isEmpty ? nil : range.lowerBound...(range.upperBound - 1), hasEnded: false,
        header: found?.header ?? JournalHeader(program: "", began: 0, schema: "", schemaHash: ""),
        process: found?.process, base: found?.base ?? 0, lacksLog: found?.lacksLog ?? false)
    }
    self.damage = damage
  }

  /// Hands out the rows of some actions, in their order.
  public func visit(_ numbers: ClosedRange<Int>, _ body: (JournalRow) throws -> Void) throws {
    try reader.visit(numbers, body)
  }

  /// Hands out what some actions changed, in their order.
  public func visitChanges(_ numbers: ClosedRange<Int>, _ body: (ChangedRow) throws -> Void) throws {
    try reader.visitChanges(numbers, body)
  }

  /// The latest state that was written, up to an action; nil: none that can be read.
  public func snapshot(upTo number: Int) throws(JournalError) -> JournalSnapshot? { try reader.snapshot(upTo: number) }

  /// The plugins that were loaded up to an action, in that order.
  public func plugins(upTo number: Int) throws(JournalError) -> [JournaledPlugin] { try reader.plugins(upTo: number) }

  /// The actions that returned to an earlier one and were done, each with that one.
  public func restores() throws(JournalError) -> [(number: Int, target: Int)] {
    return try reader.restores()
  }

  /// The states of a module that were written, each with the first action after which it was, as JSON.
  public func states(of module: String) throws(JournalError) -> [(number: Int, state: String)] {
    try reader.states(of: module)
  }
}
