import StoreHistory
import StoreSchema

/// An action in a message of a shared log: its entry, and what an action of the shell made of the state beside the application's.
struct NodeEntry {
  let entry: LoggedEntry
  /// The slices of plugins, substates and the shell after an action whose arguments do not tell them; empty: they do.
  private(set) var slices: [JournalSnapshot.Slice]
  /// The entry where it is packed with others; nil: it stands alone.
  private(set) var packed: PackedEntry?

  private enum Part: UInt8 { case entries = 1, module, slice, digest }

  /// What the log is to have beside the entry of an action.
  static func slices(
    beside entry: LoggedEntry, after state: HostState, by action: ShellAction?
  ) -> [JournalSnapshot.Slice] {
    action?.carriesState ?? false && entry.isWhole ? state.slicesBesideApplication : []
  }

  private init(_ entry: LoggedEntry, packedAs packed: PackedEntry?) {
    (self.entry, slices, self.packed) = (entry, [], packed)
  }

  // MARK: Bytes

  // Each part of a list stands behind a byte that tells its kind.

  /// Appends entries, and the slices of the last one: no entry but that may have any.
  static func append(_ entries: EntryChunk, _ slices: [JournalSnapshot.Slice], to out: inout [UInt8]) {
    append(.entries, to: &out) { entries.append(to: &$0) }
    for slice in slices {
      append(.module, to: &out) { $0 += slice.module.utf8 }
      append(.slice, to: &out) { $0 += slice.state.utf8 }
    }
  }

  private static func append(_ part: Part, to out: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
    out.append(part.rawValue)
    PartList.append(to: &out, write)
  }

  /// The bytes of a message whose entries are too large for it: the digest under which the log has them.
  static func bytes(standingFor digest: String) -> [UInt8] {
    var out: [UInt8] = []
    append(.digest, to: &out) { $0 += digest.utf8 }
    return out
  }

  /// The digest under which the log has the entries of a message; nil: the message has them itself.
  static func digest(in bytes: [UInt8]) -> String? {
    var parts = PartList(bytes[...])
    return parts.byte() == Part.digest.rawValue ? parts.text() : nil
  }

  /// The digest of all entries up to those of a message, which continues that of those before.
  static func digest(_ digest: UInt64, behind bytes: [UInt8]) -> UInt64 {
    var hash = StableHash(continuing: digest)
    bytes.withUnsafeBytes { hash.add(words: $0) }
    return hash.value
  }

  /// Reads the entries of a message.
  ///
  /// - Throws: ``EntryError`` at the first that this program cannot read.
  static func read(_ bytes: [UInt8], by reader: EntryReader) throws(EntryError) -> [NodeEntry] {
    var entries: [NodeEntry] = []
    var parts = PartList(bytes[...])
    var module: String?
    while let kind = parts.byte() {
      guard let part = Part(rawValue: kind), let content = parts.next() else { throw EntryError("the message is torn") }
      switch part {
      case .entries:
        let result: Result<(entries: [LoggedEntry], chunk: EntryChunk), EntryError> = content.withUnsafeBytes { bytes in
          Result { () throws(EntryError) in try EntryChunk.read(bytes, by: reader) }
        }
        let (read, chunk) = try result.get()
        for (index, entry) in read.enumerated() {
          entries.append(NodeEntry(entry, packedAs: PackedEntry(chunk, at: index)))
        }
      case .module: module = String(decoding: content, as: UTF8.self)
      case .slice:
        guard let name = module, !entries.isEmpty else { throw EntryError("a state has no name, or no action") }
        let slice = JournalSnapshot.Slice(module: name, state: String(decoding: content, as: UTF8.self))
        entries[entries.count - 1].slices.append(slice)
      case .digest: throw EntryError("the message is torn")
      }
    }
    return entries
  }

  /// The first path at which other changes differ from those of the entry; nil: they are the same, member for member.
  func difference(from changes: [Change]) -> Path? {
    if changes == entry.changes { return nil }
    for index in 0..<max(changes.count, entry.changes.count) {
      let (own, theirs) = (changes.dropFirst(index).prefix(1), entry.changes.dropFirst(index).prefix(1))
      var bytes: (own: [UInt8], theirs: [UInt8]) = ([], [])
      EntryWriter.append(own, to: &bytes.own)
      EntryWriter.append(theirs, to: &bytes.theirs)
      if bytes.own != bytes.theirs, !Self.areSame(bytes.own, bytes.theirs) { return (theirs.first ?? own.first)?.path }
    }
    return nil
  }
}

extension NodeEntry {
  /// True if two texts of JSON are the same but for the order of members: what was read without its type has lost that.
  private static func areSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard let left = try? JSON.value(of: left), let right = try? JSON.value(of: right) else { return false }
    return left == right
  }

  /// The first slice beside the application's that is another than the entry says; nil: all are the same, or it says nothing.
  func difference(from state: HostState) -> String? {
    guard !slices.isEmpty else { return nil }
    let own = state.slicesBesideApplication
    return zip(own, slices).first { $0 != $1 }?.0.module ?? (own.count == slices.count ? nil : "the list of plugins")
  }
}

extension ShellAction {
  /// Whether the action's arguments do not tell what it makes of the state.
  var carriesState: Bool {
    switch self {
    case .restore, .takeBack, .importState, .loadPlugin, .reloadPlugin: true
    default: false
    }
  }
}

extension HostState {
  /// The slices of plugins and substates, and the shell's own.
  var slicesBesideApplication: [JournalSnapshot.Slice] {
    slices(isWhole: true).filter { app.record.index(of: $0.module) == nil }.map { slice in
      var bytes: [UInt8] = []
      slice.write(&bytes)
      return JournalSnapshot.Slice(module: slice.module, state: String(decoding: bytes, as: UTF8.self))
    }
  }
}
