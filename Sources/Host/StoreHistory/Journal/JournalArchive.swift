import Platform

/// A journal that is only read: one that another process writes, one that stands where nothing may be written, or one that is
/// damaged, as far as it is good.
public final class JournalArchive: JournalReading, Sendable {
  /// The file.
  public let path: String
  /// What the file holds; where it is damaged, up to the last good action.
  public let contents: JournalContents
  /// What is wrong with the file; nil: nothing.
  public let damage: String?
  /// The last action before the first damage; 0: there is none.
  public let lastGood: Int
  /// The actions of a damaged file that are open, from the first to behind the last; empty: only the state before them can be
  /// read. ``contents`` ends there or earlier, as was asked.
  public let openPart: Range<Int>
  /// Other actions of a damaged file that can be read, each run from the first to behind the last; to be opened by their last.
  public let otherParts: [Range<Int>]
  /// Whether there were actions before those that are open, which cannot be read.
  public let isBeginningUnreadable: Bool
  /// What reads what is open.
  public let reader: JournalReader
  /// Whether SQLite put files of its own beside the file.
  private let hasCompany: Bool

  /// Opens a file to read it; nothing in it changes.
  ///
  /// - Parameters:
  ///   - number: the last action that is of interest; nil: the last. Of a damaged file the part is opened that it is in, or the
  ///     one before it; without it the one with the most actions.
  ///   - initial: the state before the first action, for where no state in a damaged file can be read.
  /// - Throws: ``JournalError``; ``JournalError/damaged(path:lastGood:reason:)`` where nothing can be read.
  public convenience init(_ path: String, upTo number: Int? = nil, initial: [StateSlice] = []) throws(JournalError) {
    let path = Files.behindLink(path)
    // While somebody writes it, it is only looked at; else whoever reads it may want to save what is good.
    if Journal.isInUse(path) {
      try self.init(inUse: path, upTo: number)
    } else {
      try self.init(unlocked: path, upTo: number, initial: initial)
    }
  }

  private init(inUse path: String, upTo number: Int?) throws(JournalError) {
    self.path = path
    reader = JournalReader(path: path, database: try JournalFile.opened(path, isReadOnly: true))
    let contents = try reader.contents()
    self.contents = contents.upTo(number)
    (damage, hasCompany, lastGood, otherParts) = (nil, false, contents.last, [])
    openPart = contents.openPart
    isBeginningUnreadable = false
  }

  /// Opens a file that no process writes.
  init(unlocked path: String, upTo number: Int? = nil, initial: [StateSlice]) throws(JournalError) {
    self.path = path
    let head = FileEvidence.head(path)
    if head.bytes.isEmpty {
      // SQLite would take away the log of an empty file.
      if FileEvidence.hasLog(path) {
        throw .damaged(path: path, lastGood: nil, reason: JournalFile.holdsNothingBesideLog(path))
      }
      if let code = head.refusal { throw .refusal(of: path, code: code) }
      throw .notAJournal(path: path)
    }
    let evidence = FileEvidence(path)
    let reason: String
    switch try JournalArchive.examined(path, evidence) {
    case .sound(let contents):
      self.contents = contents.upTo(number)
      (damage, lastGood, otherParts, openPart) = (nil, contents.last, [], contents.openPart)
      isBeginningUnreadable = false
      // Others may begin to write the file, which SQLite sees to where it can.
      if let database = try? JournalFile.opened(path, isReadOnly: true), let reader = Self.reader(path, database) {
        (self.reader, hasCompany) = (reader, !evidence.hasLog)
      } else {
        (reader, hasCompany) = (try JournalReader(inspecting: path, evidence), false)
      }
      return
    case .damaged(let found): reason = found
    }
    guard let best = JournalArchive.best(path, evidence, initial, number) else {
      throw .damaged(path: path, lastGood: nil, reason: reason)
    }
    let good = best.good
    (openPart, otherParts) = (good, best.others)
    var meta = (try? best.reader.meta()) ?? [:]
    meta[JournalMeta.end] = nil
    let base = best.reader.faultInMeta() == nil ? JournalContents.base(meta) : 0
    contents = JournalContents(
      numbers: good.isEmpty ? nil : good.lowerBound...(good.upperBound - 1), meta, nil,
      base: max(good.lowerBound - 1, base), last: good.upperBound - 1
    ).upTo(number)
    reader = best.reader
    let first = meta[JournalMeta.restart] == nil ? 1 : ([good] + best.others).map(\.lowerBound).min() ?? 1
    lastGood = ([good] + best.others).first { $0.lowerBound == first }.map { $0.upperBound - 1 } ?? first - 1
    isBeginningUnreadable = good.lowerBound > first
    damage = reason
    hasCompany = false
  }

  /// The last action that can be read; nil: there is none.
  public var lastRow: JournalRow? {
    guard contents.last > 0 else { return nil }
    var last: JournalRow?
    try? reader.visit(contents.last...contents.last) { last = $0 }
    return last
  }

  /// Ends reading, and takes away what SQLite put beside the file, unless another program has the file open: that would go on with a
  /// log of its own, and at its end take away the one that is written meanwhile. The archive is not used thereafter.
  public func close() {
    reader.close()
    guard hasCompany, !FileEvidence.hasLog(path), let lock = try? FileLock(path, creates: false) else { return }
    // A log that came meanwhile stays as well.
    if lock.excludesReaders(), !FileEvidence.hasLog(path) { for suffix in ["-wal", "-shm"] { unlink(path + suffix) } }
    lock.release()
  }

  private static func reader(_ path: String, _ database: DatabaseQueue) -> JournalReader? {
    let reader = JournalReader(path: path, database: database)
    do throws(JournalError) {
      _ = try reader.isEmpty()
      return reader
    } catch {
      return nil
    }
  }

  private enum Examined {
    case sound(JournalContents)
    case damaged(String)
  }

  /// Looks whether all of a file is sound.
  private static func examined(_ path: String, _ evidence: FileEvidence) throws(JournalError) -> Examined {
    do throws(JournalError) {
      if let fault = evidence.fault { return .damaged(fault) }
      let reader = try JournalReader(inspecting: path, evidence)
      defer { reader.close() }
      let contents = try reader.contents(evidence.loss)
      if let fault = reader.faultInTables() { return .damaged(fault) }
      // Where the pages do not lead to all rows, it is not the rows that are at fault.
      if let damage = contents.numbers.flatMap({ reader.damage(in: $0) }) {
        return .damaged(reader.malformation() ?? damage.reason)
      }
      if let fault = reader.faultAtEnd(contents) ?? reader.faultInMeta() { return .damaged(fault) }
      if !contents.hasEnded || evidence.hasLog, let fault = reader.malformation() { return .damaged(fault) }
      guard let numbers = contents.numbers else { return .sound(contents) }
      if try reader.snapshot(upTo: contents.last) == nil { return .damaged(JournalReader.noState) }
      let damage = reader.damageOfStates(for: numbers) ?? reader.damageOfPlaces(for: numbers)
      let fault = damage?.reason ?? reader.faultInPlugins()
      return fault.map { .damaged($0) } ?? .sound(contents)
    } catch {
      switch error {
      case .damaged(_, _, let reason): return .damaged(reason)
      case .notAJournal where FileEvidence.head(path).bytes.allSatisfy({ $0 == 0 }):
        return .damaged("its beginning is damaged")
      default: throw error
      }
    }
  }

  /// The way to read a damaged file by which most of what is asked for can be read; nil: none of it can.
  static func best(
    _ path: String, _ evidence: FileEvidence, _ initial: [StateSlice], _ number: Int?
  ) -> (reader: JournalReader, good: Range<Int>, others: [Range<Int>])? {
    var best: (reader: JournalReader, good: Range<Int>, others: [Range<Int>])?
    let ways: [() throws -> DatabaseQueue?] = [
      evidence.database, { try Salvage(FileBytes(path), initial).database() },
    ]
    for open in ways {
      guard let database = try? open() else { continue }
      let reader = JournalReader(path: path, database: database)
      guard (try? reader.contents()) != nil, reader.faultInPlugins() == nil else { continue }
      let parts = reader.goodParts()
      guard let good = choice(among: parts, number) else { continue }
      if let best, best.good.count >= good.count, best.good.upperBound >= good.upperBound { continue }
      best = (reader, good, parts.filter { $0 != good && !$0.isEmpty })
    }
    return best
  }

  /// The part that a number is in or that ends before it; without a number the one with the most actions, the later of two that
  /// have as many.
  private static func choice(among parts: [Range<Int>], _ number: Int?) -> Range<Int>? {
    if let number { return parts.last { $0.lowerBound - 1 <= number } }
    return parts.reversed().max { $0.count < $1.count }
  }
}
