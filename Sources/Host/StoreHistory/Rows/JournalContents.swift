import StoreCore
import StoreSchema

/// The contents of a journal, as found when it was opened.
public struct JournalContents: Hashable, Sendable {
  /// The first and the last action; nil: none was journaled.
  public private(set) var numbers: ClosedRange<Int>?
  /// True if the session that wrote it came to its end in order.
  public let hasEnded: Bool
  /// The last action by what the session noted at its end; nil: it noted none.
  let notedLast: Int?
  /// The writer's statements about itself.
  public let header: JournalHeader
  /// The process that writes it, or wrote it last.
  public let process: Int?

  /// The action from whose state on states can be restored: before it the state had another type.
  public let base: Int
  /// The time of the store at the end of the last session that noted it; nil: it was as late as its last action.
  public let time: Duration?
  /// The place in a shared log up to which a node's file has all; nil: the file is of a store of its own.
  package let place: String?
  /// When the time of the store began, by the clock that counts from the start of the machine, where it was last written in the
  /// present run of the machine; nil: the clock on the wall alone tells.
  package let beganInBoot: Duration?
  /// The known loss at its end, if it did not come to its end. nil: none is known; a log that was cut tells nothing of it.
  public let loss: Loss?

  /// The possible loss of a session that did not come to its end.
  public enum Loss: Hashable, Sendable {
    /// The write-ahead log that should stand beside the file, unless another program has taken it into the file.
    case log
    /// So many frames of the write-ahead log, which were written and cannot be read.
    case frames(Int)
    /// The bytes that the system had not brought to the disk when it stopped, if any.
    case unknown
  }

  /// What is said of frames of the log that cannot be read.
  package static func unread(frames count: Int) -> String {
    "\(count == 1 ? "1 frame" : "\(count) frames") of its write-ahead log cannot be read"
  }

  /// The last action; 0: none.
  public private(set) var last: Int

  /// The note at the end, before the number of the last action.
  static let endInOrder = "in order after #"

  /// - Parameters:
  ///   - meta: the file's statements about itself, by the names of ``JournalMeta``.
  ///   - base: the action from whose state on states can be restored; nil: as the file says.
  ///   - last: the last action, where it is none of the numbers.
  init(numbers: ClosedRange<Int>?, _ meta: [String: String], _ loss: Loss?, base: Int? = nil, last: Int = 0) {
    self.numbers = numbers
    self.last = numbers?.upperBound ?? last
    hasEnded = meta[JournalMeta.end] != nil
    notedLast = meta[JournalMeta.end].flatMap { end in
      end.hasPrefix(Self.endInOrder) ? Int(end.dropFirst(Self.endInOrder.count)) : nil
    }
    header = JournalHeader(
      program: meta[JournalMeta.program] ?? "", began: JournalMeta.began(meta),
      schema: meta[JournalMeta.schema] ?? "", schemaHash: meta[JournalMeta.schemaHash] ?? "")
    time = meta[JournalMeta.time].flatMap { Int64($0) }.map { .nanoseconds($0) }
    place = meta[JournalMeta.place]
    let isOfThisBoot = meta[JournalMeta.boot] != nil && meta[JournalMeta.boot] == JournalMeta.presentBoot
    beganInBoot = isOfThisBoot ? meta[JournalMeta.beganInBoot].flatMap { Int64($0) }.map { .nanoseconds($0) } : nil
    process = meta[JournalMeta.process].flatMap { Int($0) }
    self.base = base ?? Self.base(meta)
    self.loss = loss
  }

  /// The actions, from the first to behind the last.
  var openPart: Range<Int> { numbers.map { $0.lowerBound..<$0.upperBound + 1 } ?? last + 1..<last + 1 }

  /// The action from whose state on states can be restored, by what a file says of itself.
  static func base(_ meta: [String: String]) -> Int {
    let base = meta[JournalMeta.base].flatMap { Int($0) } ?? 0
    return (0...LoggedEntry.greatestNumber).contains(base) ? base : 0
  }

  /// The contents after an action, as far as they go.
  func upTo(_ number: Int?) -> JournalContents {
    guard let number, number < last else { return self }
    var contents = self
    contents.numbers = numbers.flatMap { $0.lowerBound <= number ? $0.lowerBound...number : nil }
    contents.last = number
    return contents
  }
}

/// The facts that a journal gives about the program that writes it.
public struct JournalHeader: Hashable, Sendable {
  /// The program and its version.
  public var program: String
  /// When the time of the store began, since 1970.
  public var began: Duration
  /// The type of the state, in a form that a person can read; one line a field.
  public var schema: String
  /// A hash of the type, by which a change is noticed.
  public var schemaHash: String

  /// Describes a program.
  public init(program: String, began: Duration, schema: String, schemaHash: String) {
    self.program = program
    self.began = began
    self.schema = schema
    self.schemaHash = schemaHash
  }
}

/// An action as its row holds it: values with types of their own are JSON.
public struct JournalRow: Hashable, Sendable {
  /// The action's number.
  public let number: Int
  /// The time of the store when it was dispatched.
  public let time: Duration
  /// The source of the action.
  public let source: ActionSource
  /// Its full name.
  public let action: String
  /// True if runs of it fold into one line of a listing.
  public let isQuiet: Bool
  /// Its arguments, a JSON object; nil: it has none.
  public let arguments: String?
  /// The changes that it made, a JSON array; nil: none.
  public let changes: String?
  /// The error's code, if it was undone.
  public let failure: String?
  /// The whole entry as JSON, where it has members beside those above.
  public let entry: String?
  /// The time of day when it was processed, in milliseconds since 1970 (UTC); nil: it is not known.
  public let wallTime: Int?
  /// True if it is an action of the shell that changed nothing but what the row tells.
  public let tellsAll: Bool

  /// True if it is an action of the shell, which may have changed more than the row tells.
  public var isOfShell: Bool { action.hasPrefix("shell.") }

  /// True if it changed more than the row tells: the state after it was written, too.
  public var changesMore: Bool { isOfShell && !tellsAll && failure == nil && !Self.isDropped(entry) }

  /// True if the JSON of an entry names an interceptor that dropped the action.
  static func isDropped(_ entry: String?) -> Bool {
    guard let entry, case .map(let members)? = try? JSON.value(of: entry) else { return false }
    return members[.string("droppedBy")] != nil
  }

  /// Why nothing behind an action that changed more than its row tells can be read, where the state after it cannot.
  public func stateIsLost(_ path: String) -> JournalError {
    .damaged(path: path, lastGood: number - 1, reason: "the state after #\(number) is damaged")
  }
}

/// The changes of one action, as its row holds them.
public struct ChangedRow {
  /// The action's number.
  public let number: Int
  /// True if it is an action of the shell that may have changed more.
  public let mayChangeMore: Bool
  /// A JSON array; empty: nothing. Valid until whoever got the row returns.
  public let changes: UnsafeBufferPointer<UInt8>
}

/// The whole state after an action, as the journal holds it.
public struct JournalSnapshot: Hashable, Sendable {
  /// The action; 0: before the first.
  public let number: Int
  /// The states of the modules in their order, each as JSON.
  public let slices: [Slice]

  /// The state of one module.
  public struct Slice: Hashable, Sendable {
    /// The module's name.
    public let module: String
    /// Its state, as JSON.
    public let state: String

    /// Joins the two.
    public init(module: String, state: String) {
      self.module = module
      self.state = state
    }
  }
}

/// A plugin that was loaded, as the journal notes it.
public struct JournaledPlugin: Hashable, Sendable {
  /// The action that loaded it.
  public let number: Int
  /// Its name.
  public let name: String
  /// Its version.
  public let version: String
  /// The folder from which it was loaded.
  public let directory: String
  /// A digest of its files.
  public let digest: String

  /// Notes a plugin.
  public init(number: Int, name: String, version: String, directory: String, digest: String) {
    self.number = number
    self.name = name
    self.version = version
    self.directory = directory
    self.digest = digest
  }
}

/// A module's state that is written when its turn comes, on the journal's own thread.
public struct StateSlice: Sendable {
  /// The module's name.
  public let module: String
  /// True if it may have changed otherwise than by the changes of entries.
  public let isWhole: Bool
  /// Appends the state as JSON.
  public let write: @Sendable (inout [UInt8]) -> Void

  /// Describes a module's state.
  public init(module: String, isWhole: Bool = false, write: @escaping @Sendable (inout [UInt8]) -> Void) {
    self.module = module
    self.isWhole = isWhole
    self.write = write
  }
}
