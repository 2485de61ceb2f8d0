// Written by scripts/expand.
import StoreCore
import StoreSchema

extension UndoAction: StoreSchema.SchematicUnion, StoreSchema.CasePathable {
  /// The type's description and the way into its values.
  public static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "UndoAction",
    cases: [
      StoreSchema.UnionSchema.Case("undo", documentation: "One step back."),
      StoreSchema.UnionSchema.Case("redo", documentation: "One step forward again."),
      StoreSchema.UnionSchema.Case(
        "jump", fields: [StoreSchema.Field("by", of: Int.self)],
        documentation: "Several steps: back where negative, forward where positive."),
      StoreSchema.UnionSchema.Case(
        "jumpToPast", fields: [StoreSchema.Field("index", of: Int.self)],
        documentation: "To a state of the past, the oldest being 0."),
      StoreSchema.UnionSchema.Case(
        "jumpToFuture", fields: [StoreSchema.Field("index", of: Int.self)],
        documentation: "To a state of the future, the nearest being 0."),
      StoreSchema.UnionSchema.Case("clear", documentation: "Forgets past and future."),
    ])

  /// The payload of `jump`, nil in another case; setting it does nothing in another case.
  public var jump: (Int)? {
    get { if case .jump(let value0) = self { value0 } else { nil } }
    set {
      guard case .jump = self, let newValue else { return }
      self = .jump(by: newValue)
    }
  }

  /// The payload of `jumpToPast`, nil in another case; setting it does nothing in another case.
  public var jumpToPast: (Int)? {
    get { if case .jumpToPast(let value0) = self { value0 } else { nil } }
    set {
      guard case .jumpToPast = self, let newValue else { return }
      self = .jumpToPast(index: newValue)
    }
  }

  /// The payload of `jumpToFuture`, nil in another case; setting it does nothing in another case.
  public var jumpToFuture: (Int)? {
    get { if case .jumpToFuture(let value0) = self { value0 } else { nil } }
    set {
      guard case .jumpToFuture = self, let newValue else { return }
      self = .jumpToFuture(index: newValue)
    }
  }

  /// Whether this is the case `undo`.
  public var isUndo: Swift.Bool { if case .undo = self { true } else { false } }

  /// Whether this is the case `redo`.
  public var isRedo: Swift.Bool { if case .redo = self { true } else { false } }

  /// Whether this is the case `jump`.
  public var isJump: Swift.Bool { if case .jump = self { true } else { false } }

  /// Whether this is the case `jumpToPast`.
  public var isJumpToPast: Swift.Bool { if case .jumpToPast = self { true } else { false } }

  /// Whether this is the case `jumpToFuture`.
  public var isJumpToFuture: Swift.Bool { if case .jumpToFuture = self { true } else { false } }

  /// Whether this is the case `clear`.
  public var isClear: Swift.Bool { if case .clear = self { true } else { false } }

  /// The ways into the cases.
  public struct Cases: Swift.Sendable {
    /// The way into `undo`.
    public let undo = StoreSchema.CasePath<UndoAction, Swift.Void>(
      caseName: "undo", embed: { _ in .undo },
      extract: { if case .undo = $0 { () } else { nil } })
    /// The way into `redo`.
    public let redo = StoreSchema.CasePath<UndoAction, Swift.Void>(
      caseName: "redo", embed: { _ in .redo },
      extract: { if case .redo = $0 { () } else { nil } })
    /// The way into `jump`.
    public let jump = StoreSchema.CasePath<UndoAction, Int>(
      caseName: "jump", embed: { .jump(by: $0) },
      extract: { if case .jump(let value0) = $0 { value0 } else { nil } })
    /// The way into `jumpToPast`.
    public let jumpToPast = StoreSchema.CasePath<UndoAction, Int>(
      caseName: "jumpToPast", embed: { .jumpToPast(index: $0) },
      extract: { if case .jumpToPast(let value0) = $0 { value0 } else { nil } })
    /// The way into `jumpToFuture`.
    public let jumpToFuture = StoreSchema.CasePath<UndoAction, Int>(
      caseName: "jumpToFuture", embed: { .jumpToFuture(index: $0) },
      extract: { if case .jumpToFuture(let value0) = $0 { value0 } else { nil } })
    /// The way into `clear`.
    public let clear = StoreSchema.CasePath<UndoAction, Swift.Void>(
      caseName: "clear", embed: { _ in .clear },
      extract: { if case .clear = $0 { () } else { nil } })
  }

  /// The ways into the cases.
  public static let cases: Cases = Cases()

  /// Builds the case at a position of the schema, from 0, from its payload in declared order.
  public init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = .undo
    case 1: self = .redo
    case 2: self = try .jump(by: fields.next("by"))
    case 3: self = try .jumpToPast(index: fields.next("index"))
    case 4: self = try .jumpToFuture(index: fields.next("index"))
    case 5: self = .clear
    default:
      throw StoreSchema.SchemaError(
        StoreSchema.Path(),
        .unknownCase(found: "case \(index)", expected: ["undo", "redo", "jump", "jumpToPast", "jumpToFuture", "clear"]))
    }
  }

  /// The position of the current case in the schema, from 0.
  public var schemaCaseIndex: Swift.Int {
    switch self {
    case .undo: 0
    case .redo: 1
    case .jump: 2
    case .jumpToPast: 3
    case .jumpToFuture: 4
    case .clear: 5
    }
  }

  /// The current case's payload in declared order.
  public var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .undo: []
    case .redo: []
    case .jump(let value0): [value0.schemaValue]
    case .jumpToPast(let value0): [value0.schemaValue]
    case .jumpToFuture(let value0): [value0.schemaValue]
    case .clear: []
    }
  }

  /// Changes the current case's payload field at a position, from 0, in place.
  public mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .jump(var value0):
        defer { place.initialize(to: .jump(by: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .jumpToPast(var value0):
        defer { place.initialize(to: .jumpToPast(index: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .jumpToFuture(var value0):
        defer { place.initialize(to: .jumpToFuture(index: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case let other: place.initialize(to: other)
      }
    }
  }
}

extension UndoGroup: StoreSchema.SchematicRecord {
  /// The type's description and the way into its values.
  public static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "UndoGroup",
    fields: [
      StoreSchema.StoredField<Self>(
        "root", \.root, documentation: "The action from outside that caused the latest of them."),
      StoreSchema.StoredField<Self>("key", \.key, documentation: "Their key."),
    ])

  /// Builds the struct from its fields in declared order.
  public init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.root = try fields.next("root")
    self.key = try fields.next("key")
  }

  /// Not there: the struct declares no initialiser for other modules.
  @available(
    *, unavailable, message: "'UndoGroup' has no public init; write 'public init() {}' in it, for other modules"
  )
  public init(root: Any? = nil, key: Any? = nil, _ none: Swift.Never...) {

  }
}
