import StoreCore

/// What a journal holds, as found when it was opened.
public struct JournalContents: Hashable, Sendable {
  /// The first and the last action; nil: none was journaled.
  public let numbers: ClosedRange<Int>?
  /// Whether the session that wrote it came to its end in order.
  public let hasEnded: Bool
  /// What the writer said of itself.
  public let header: JournalHeader
  /// The process that writes it, or wrote it last.
  public let process: Int?

  /// The action from whose state on states can be restored: before it the state had another type.
  public let base: Int
  /// Whether it did not come to its end and the write-ahead log that should stand beside the file is missing: what it held is
  /// lost, unless another program has taken it into the file.
  public let lacksLog: Bool

  /// The last action; 0: none.
  public var last: Int { numbers?.upperBound ?? 0 }
}

/// What a journal says of the program that writes it.
public struct JournalHeader: Hashable, Sendable {
  /// The program and its version.
  public var program: String
  /// When the session began, in seconds since 1970.
  public var began: Int
  /// The type of the state, in a form that a person can read; one line a field.
  public var schema: String
  /// A hash of the type, by which a change is noticed.
  public var schemaHash: String

  /// Describes a program.
  public init(program: String, began: Int, schema: String, schemaHash: String) {
    self.program = program
    self.began = began
    self.schema = schema
    self.schemaHash = schemaHash
  }
}

/// One action as its row holds it: what has a type of its own is JSON.
public struct JournalRow: Hashable, Sendable {
  /// The action's number.
  public let number: Int
  /// When it was dispatched, since the session began.
  public let time: Duration
  /// Where it comes from.
  public let source: ActionSource
  /// Its full name.
  public let action: String
  /// Whether runs of it fold into one line of a listing.
  public let isQuiet: Bool
  /// Its arguments, a JSON object; nil: it has none.
  public let arguments: String?
  /// What it changed, a JSON array; nil: nothing.
  public let changes: String?
  /// The error's code, if it was undone.
  public let failure: String?
  /// The whole entry as JSON, where it has members beside those above.
  public let entry: String?
}

/// What one action changed, as its row holds it.
public struct ChangedRow {
  /// The action's number.
  public let number: Int
  /// Whether it is an action of the shell, which may have changed more.
  public let isOfShell: Bool
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
  /// Whether it may have changed otherwise than by the changes of entries.
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
