import StoreSchema

/// An action of a history, as much of it as a walk from state to state needs. Its changes are read only on request, and
/// only for modules that somebody needs.
public struct HistoryStep {
  /// The action's number.
  public let number: Int
  private let changed: Changed

  private enum Changed {
    case entry(LoggedEntry)
    case written(UnsafeBufferPointer<UInt8>, EntryReader)
  }

  /// A step whose entry is at hand.
  public init(_ entry: LoggedEntry) {
    number = entry.number
    changed = .entry(entry)
  }

  /// A step whose changes still stand as ``EntryWriter`` wrote them.
  ///
  /// - Parameters:
  ///   - text: the changes, empty where there are none; it must outlive the step.
  ///   - reader: reads them by their types.
  public init(_ number: Int, changes text: UnsafeBufferPointer<UInt8>, by reader: EntryReader) {
    self.number = number
    changed = .written(text, reader)
  }

  /// True if the action changed more than its changes tell.
  public var isWhole: Bool {
    if case .entry(let entry) = changed { return entry.isWhole }
    return false
  }

  /// The changes of the action in some modules.
  ///
  /// - Throws: ``EntryError`` where it does not fit their types.
  public func changes(in modules: ModuleNames) throws(EntryError) -> [Change] {
    switch changed {
    case .entry(let entry): entry.changes.filter { modules.contains($0) }
    case .written(let text, let reader):
      modules.mayBeMentioned(in: text) ? try reader.changes(of: text).filter { modules.contains($0) } : []
    }
  }
}

/// A set of modules by which changes are chosen.
public struct ModuleNames: Equatable, Sendable {
  private var names: Set<String> = []
  private var bytes: [[UInt8]] = []
  /// The eight bytes in front of a path, `"path":"`, as they lie in memory.
  private static let mark = Array("\"path\":\"".utf8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }

  /// No modules.
  public init() {}

  /// Adds modules.
  ///
  /// - Returns: whether any was not among them.
  public mutating func formUnion(_ more: Set<String>) -> Bool {
    guard !more.isSubset(of: names) else { return false }
    names.formUnion(more)
    bytes = names.map { Array($0.utf8) }
    return true
  }

  /// True if a change is in one of the modules; one in no module is in all.
  func contains(_ change: Change) -> Bool { change.module.map(names.contains) ?? true }

  /// True if changes as ``EntryWriter`` writes them may be in one of the modules. A glance at their paths errs on the
  /// safe side where a value looks like one.
  func mayBeMentioned(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = UnsafeRawBufferPointer(text)
    var offset = 0
    while offset + 8 < text.count {
      defer { offset += 1 }
      guard text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == Self.mark else { continue }
      let path = UnsafeRawBufferPointer(rebasing: text[(offset + 8)...])
      // A module whose name is none of Lua's stands in brackets, escaped.
      if path.first == UInt8(ascii: "[") || bytes.contains(where: { path.starts(with: $0) }) { return true }
    }
    return false
  }
}
