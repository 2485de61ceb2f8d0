// Written by scripts/expand.
import CEvents
import Dispatch
import Glibc
import Platform
import ShellDoor
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import StoreUnits
import Synchronization

extension Board: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Board",
    fields: [
      StoreSchema.StoredField<Self>("count", \.count, default: 0),
      StoreSchema.StoredField<Self>("cells", \.cells, default: ([]) as PersistentList<Cell>),
    ])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.count = try fields.next("count")
    self.cells = try fields.next("cells")
  }
}

extension Board.Cell: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Cell",
    fields: [
      StoreSchema.StoredField<Self>("id", \.id),
      StoreSchema.StoredField<Self>("value", \.value, default: 0),
    ])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.id = try fields.next("id")
    self.value = try fields.next("value")
  }
}

extension BoardAction: StoreSchema.SchematicUnion {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "BoardAction",
    cases: [
      StoreSchema.UnionSchema.Case("add", fields: [StoreSchema.Field("by", of: Int.self, default: (1) as Int)]),
      StoreSchema.UnionSchema.Case("fill", fields: [StoreSchema.Field("count", of: Int.self)]),
      StoreSchema.UnionSchema.Case("touch", fields: [StoreSchema.Field("cell", of: Int.self)]),
    ])

  init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .add(by: fields.next("by"))
    case 1: self = try .fill(count: fields.next("count"))
    case 2: self = try .touch(cell: fields.next("cell"))
    default:
      throw StoreSchema.SchemaError(
        StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["add", "fill", "touch"]))
    }
  }

  var schemaCaseIndex: Swift.Int {
    switch self {
    case .add: 0
    case .fill: 1
    case .touch: 2
    }
  }

  var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .add(let value0): [value0.schemaValue]
    case .fill(let value0): [value0.schemaValue]
    case .touch(let value0): [value0.schemaValue]
    }
  }

  mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .add(var value0):
        defer { place.initialize(to: .add(by: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .fill(var value0):
        defer { place.initialize(to: .fill(count: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .touch(var value0):
        defer { place.initialize(to: .touch(cell: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      }
    }
  }
}

extension BoardState: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "BoardState",
    fields: [StoreSchema.StoredField<Self>("board", \.board, default: Board())])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.board = try fields.next("board")
  }
}

extension BoardActions: StoreSchema.SchematicUnion, StoreSchema.CasePathable {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "BoardActions",
    cases: [
      StoreSchema.UnionSchema.Case("board", fields: [StoreSchema.Field("value", of: BoardAction.self)])
    ])

  struct Cases: Swift.Sendable {
    let board = StoreSchema.CasePath<BoardActions, BoardAction>(
      caseName: "board", embed: { .board($0) },
      extract: { if case .board(let value0) = $0 { value0 } else { nil } })
  }

  static let cases: Cases = Cases()

  init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .board(fields.next("value"))
    default:
      throw StoreSchema.SchemaError(StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["board"]))
    }
  }

  var schemaCaseIndex: Swift.Int {
    switch self {
    case .board: 0
    }
  }

  var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .board(let value0): [value0.schemaValue]
    }
  }

  mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .board(var value0):
        defer { place.initialize(to: .board(value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      }
    }
  }
}

extension Ledger: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Ledger",
    fields: [
      StoreSchema.StoredField<Self>("count", \.count, default: 0),
      StoreSchema.StoredField<Self>("rows", \.rows, default: ([]) as PersistentList<Row>),
    ])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.count = try fields.next("count")
    self.rows = try fields.next("rows")
  }
}

extension Ledger.Row: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Row",
    fields: [
      StoreSchema.StoredField<Self>("id", \.id),
      StoreSchema.StoredField<Self>("title", \.title),
    ])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.id = try fields.next("id")
    self.title = try fields.next("title")
  }
}

extension LedgerAction: StoreSchema.SchematicUnion {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "LedgerAction",
    cases: [
      StoreSchema.UnionSchema.Case("add", fields: [StoreSchema.Field("by", of: Int.self, default: (1) as Int)]),
      StoreSchema.UnionSchema.Case("fill", fields: [StoreSchema.Field("count", of: Int.self)]),
    ])

  init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .add(by: fields.next("by"))
    case 1: self = try .fill(count: fields.next("count"))
    default:
      throw StoreSchema.SchemaError(
        StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["add", "fill"]))
    }
  }

  var schemaCaseIndex: Swift.Int {
    switch self {
    case .add: 0
    case .fill: 1
    }
  }

  var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .add(let value0): [value0.schemaValue]
    case .fill(let value0): [value0.schemaValue]
    }
  }

  mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .add(var value0):
        defer { place.initialize(to: .add(by: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .fill(var value0):
        defer { place.initialize(to: .fill(count: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      }
    }
  }
}

extension Tally: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Tally",
    fields: [StoreSchema.StoredField<Self>("count", \.count, default: 0)])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.count = try fields.next("count")
  }
}

extension TallyAction: StoreSchema.SchematicUnion {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "TallyAction",
    cases: [
      StoreSchema.UnionSchema.Case("add")
    ])

  init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = .add
    default:
      throw StoreSchema.SchemaError(StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["add"]))
    }
  }

  var schemaCaseIndex: Swift.Int {
    switch self {
    case .add: 0
    }
  }

  var schemaPayload: [StoreSchema.Value] {
    []
  }
}

extension Owned: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Owned",
    fields: [
      StoreSchema.StoredField<Self>("ledger", \.ledger, default: Ledger()),
      StoreSchema.StoredField<Self>("tally", \.tally, default: Tally()),
    ])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.ledger = try fields.next("ledger")
    self.tally = try fields.next("tally")
  }
}

extension OwnedAction: StoreSchema.SchematicUnion, StoreSchema.CasePathable {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "OwnedAction",
    cases: [
      StoreSchema.UnionSchema.Case("ledger", fields: [StoreSchema.Field("value", of: LedgerAction.self)]),
      StoreSchema.UnionSchema.Case("tally", fields: [StoreSchema.Field("value", of: TallyAction.self)]),
    ])

  struct Cases: Swift.Sendable {
    let ledger = StoreSchema.CasePath<OwnedAction, LedgerAction>(
      caseName: "ledger", embed: { .ledger($0) },
      extract: { if case .ledger(let value0) = $0 { value0 } else { nil } })
    let tally = StoreSchema.CasePath<OwnedAction, TallyAction>(
      caseName: "tally", embed: { .tally($0) },
      extract: { if case .tally(let value0) = $0 { value0 } else { nil } })
  }

  static let cases: Cases = Cases()

  init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .ledger(fields.next("value"))
    case 1: self = try .tally(fields.next("value"))
    default:
      throw StoreSchema.SchemaError(
        StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["ledger", "tally"]))
    }
  }

  var schemaCaseIndex: Swift.Int {
    switch self {
    case .ledger: 0
    case .tally: 1
    }
  }

  var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .ledger(let value0): [value0.schemaValue]
    case .tally(let value0): [value0.schemaValue]
    }
  }

  mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .ledger(var value0):
        defer { place.initialize(to: .ledger(value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .tally(var value0):
        defer { place.initialize(to: .tally(value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      }
    }
  }
}

extension Desk: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Desk",
    fields: [StoreSchema.StoredField<Self>("holds", \.holds, default: ([]) as PersistentList<Hold>)])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.holds = try fields.next("holds")
  }
}

extension Desk.Hold: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Hold",
    fields: [
      StoreSchema.StoredField<Self>("id", \.id),
      StoreSchema.StoredField<Self>("until", \.until),
    ])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.id = try fields.next("id")
    self.until = try fields.next("until")
  }
}

extension DeskAction: StoreSchema.SchematicUnion {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "DeskAction",
    cases: [
      StoreSchema.UnionSchema.Case("fill", fields: [StoreSchema.Field("count", of: Int.self)]),
      StoreSchema.UnionSchema.Case(
        "extend",
        fields: [
          StoreSchema.Field("id", of: Int.self),
          StoreSchema.Field("until", of: Duration.self),
        ]),
      StoreSchema.UnionSchema.Case("expire", fields: [StoreSchema.Field("id", of: Int.self)]),
    ])

  init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .fill(count: fields.next("count"))
    case 1: self = try .extend(id: fields.next("id"), until: fields.next("until"))
    case 2: self = try .expire(id: fields.next("id"))
    default:
      throw StoreSchema.SchemaError(
        StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["fill", "extend", "expire"]))
    }
  }

  var schemaCaseIndex: Swift.Int {
    switch self {
    case .fill: 0
    case .extend: 1
    case .expire: 2
    }
  }

  var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .fill(let value0): [value0.schemaValue]
    case .extend(let value0, let value1): [value0.schemaValue, value1.schemaValue]
    case .expire(let value0): [value0.schemaValue]
    }
  }

  mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .fill(var value0):
        defer { place.initialize(to: .fill(count: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .extend(var value0, var value1):
        defer { place.initialize(to: .extend(id: value0, until: value1)) }
        switch index {
        case 0:
          try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
        case 1:
          try Swift.withUnsafeMutablePointer(to: &value1) { try body(Swift.UnsafeMutableRawPointer($0)) }
        default: break
        }
      case .expire(var value0):
        defer { place.initialize(to: .expire(id: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      }
    }
  }
}

extension Branch: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Branch",
    fields: [StoreSchema.StoredField<Self>("desk", \.desk, default: Desk())])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.desk = try fields.next("desk")
  }
}

extension BranchAction: StoreSchema.SchematicUnion, StoreSchema.CasePathable {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "BranchAction",
    cases: [
      StoreSchema.UnionSchema.Case("desk", fields: [StoreSchema.Field("value", of: DeskAction.self)])
    ])

  struct Cases: Swift.Sendable {
    let desk = StoreSchema.CasePath<BranchAction, DeskAction>(
      caseName: "desk", embed: { .desk($0) },
      extract: { if case .desk(let value0) = $0 { value0 } else { nil } })
  }

  static let cases: Cases = Cases()

  init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .desk(fields.next("value"))
    default:
      throw StoreSchema.SchemaError(StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["desk"]))
    }
  }

  var schemaCaseIndex: Swift.Int {
    switch self {
    case .desk: 0
    }
  }

  var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .desk(let value0): [value0.schemaValue]
    }
  }

  mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .desk(var value0):
        defer { place.initialize(to: .desk(value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      }
    }
  }
}

extension HundredFields: StoreSchema.SchematicRecord {
  static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "HundredFields",
    fields: [
      StoreSchema.StoredField<Self>("field01", \.field01, default: 0),
      StoreSchema.StoredField<Self>("field02", \.field02, default: 0),
      StoreSchema.StoredField<Self>("field03", \.field03, default: 0),
      StoreSchema.StoredField<Self>("field04", \.field04, default: 0),
      StoreSchema.StoredField<Self>("field05", \.field05, default: 0),
      StoreSchema.StoredField<Self>("field06", \.field06, default: 0),
      StoreSchema.StoredField<Self>("field07", \.field07, default: 0),
      StoreSchema.StoredField<Self>("field08", \.field08, default: 0),
      StoreSchema.StoredField<Self>("field09", \.field09, default: 0),
      StoreSchema.StoredField<Self>("field10", \.field10, default: 0),
      StoreSchema.StoredField<Self>("field11", \.field11, default: 0),
      StoreSchema.StoredField<Self>("field12", \.field12, default: 0),
      StoreSchema.StoredField<Self>("field13", \.field13, default: 0),
      StoreSchema.StoredField<Self>("field14", \.field14, default: 0),
      StoreSchema.StoredField<Self>("field15", \.field15, default: 0),
      StoreSchema.StoredField<Self>("field16", \.field16, default: 0),
      StoreSchema.StoredField<Self>("field17", \.field17, default: 0),
      StoreSchema.StoredField<Self>("field18", \.field18, default: 0),
      StoreSchema.StoredField<Self>("field19", \.field19, default: 0),
      StoreSchema.StoredField<Self>("field20", \.field20, default: 0),
      StoreSchema.StoredField<Self>("field21", \.field21, default: 0),
      StoreSchema.StoredField<Self>("field22", \.field22, default: 0),
      StoreSchema.StoredField<Self>("field23", \.field23, default: 0),
      StoreSchema.StoredField<Self>("field24", \.field24, default: 0),
      StoreSchema.StoredField<Self>("field25", \.field25, default: 0),
      StoreSchema.StoredField<Self>("field26", \.field26, default: 0),
      StoreSchema.StoredField<Self>("field27", \.field27, default: 0),
      StoreSchema.StoredField<Self>("field28", \.field28, default: 0),
      StoreSchema.StoredField<Self>("field29", \.field29, default: 0),
      StoreSchema.StoredField<Self>("field30", \.field30, default: 0),
      StoreSchema.StoredField<Self>("field31", \.field31, default: 0),
      StoreSchema.StoredField<Self>("field32", \.field32, default: 0),
      StoreSchema.StoredField<Self>("field33", \.field33, default: 0),
      StoreSchema.StoredField<Self>("field34", \.field34, default: 0),
      StoreSchema.StoredField<Self>("field35", \.field35, default: 0),
      StoreSchema.StoredField<Self>("field36", \.field36, default: 0),
      StoreSchema.StoredField<Self>("field37", \.field37, default: 0),
      StoreSchema.StoredField<Self>("field38", \.field38, default: 0),
      StoreSchema.StoredField<Self>("field39", \.field39, default: 0),
      StoreSchema.StoredField<Self>("field40", \.field40, default: 0),
      StoreSchema.StoredField<Self>("field41", \.field41, default: 0),
      StoreSchema.StoredField<Self>("field42", \.field42, default: 0),
      StoreSchema.StoredField<Self>("field43", \.field43, default: 0),
      StoreSchema.StoredField<Self>("field44", \.field44, default: 0),
      StoreSchema.StoredField<Self>("field45", \.field45, default: 0),
      StoreSchema.StoredField<Self>("field46", \.field46, default: 0),
      StoreSchema.StoredField<Self>("field47", \.field47, default: 0),
      StoreSchema.StoredField<Self>("field48", \.field48, default: 0),
      StoreSchema.StoredField<Self>("field49", \.field49, default: 0),
      StoreSchema.StoredField<Self>("field50", \.field50, default: 0),
      StoreSchema.StoredField<Self>("field51", \.field51, default: 0),
      StoreSchema.StoredField<Self>("field52", \.field52, default: 0),
      StoreSchema.StoredField<Self>("field53", \.field53, default: 0),
      StoreSchema.StoredField<Self>("field54", \.field54, default: 0),
      StoreSchema.StoredField<Self>("field55", \.field55, default: 0),
      StoreSchema.StoredField<Self>("field56", \.field56, default: 0),
      StoreSchema.StoredField<Self>("field57", \.field57, default: 0),
      StoreSchema.StoredField<Self>("field58", \.field58, default: 0),
      StoreSchema.StoredField<Self>("field59", \.field59, default: 0),
      StoreSchema.StoredField<Self>("field60", \.field60, default: 0),
      StoreSchema.StoredField<Self>("field61", \.field61, default: 0),
      StoreSchema.StoredField<Self>("field62", \.field62, default: 0),
      StoreSchema.StoredField<Self>("field63", \.field63, default: 0),
      StoreSchema.StoredField<Self>("field64", \.field64, default: 0),
      StoreSchema.StoredField<Self>("field65", \.field65, default: 0),
      StoreSchema.StoredField<Self>("field66", \.field66, default: 0),
      StoreSchema.StoredField<Self>("field67", \.field67, default: 0),
      StoreSchema.StoredField<Self>("field68", \.field68, default: 0),
      StoreSchema.StoredField<Self>("field69", \.field69, default: 0),
      StoreSchema.StoredField<Self>("field70", \.field70, default: 0),
      StoreSchema.StoredField<Self>("field71", \.field71, default: 0),
      StoreSchema.StoredField<Self>("field72", \.field72, default: 0),
      StoreSchema.StoredField<Self>("field73", \.field73, default: 0),
      StoreSchema.StoredField<Self>("field74", \.field74, default: 0),
      StoreSchema.StoredField<Self>("field75", \.field75, default: 0),
      StoreSchema.StoredField<Self>("field76", \.field76, default: 0),
      StoreSchema.StoredField<Self>("field77", \.field77, default: 0),
      StoreSchema.StoredField<Self>("field78", \.field78, default: 0),
      StoreSchema.StoredField<Self>("field79", \.field79, default: 0),
      StoreSchema.StoredField<Self>("field80", \.field80, default: 0),
      StoreSchema.StoredField<Self>("field81", \.field81, default: 0),
      StoreSchema.StoredField<Self>("field82", \.field82, default: 0),
      StoreSchema.StoredField<Self>("field83", \.field83, default: 0),
      StoreSchema.StoredField<Self>("field84", \.field84, default: 0),
      StoreSchema.StoredField<Self>("field85", \.field85, default: 0),
      StoreSchema.StoredField<Self>("field86", \.field86, default: 0),
      StoreSchema.StoredField<Self>("field87", \.field87, default: 0),
      StoreSchema.StoredField<Self>("field88", \.field88, default: 0),
      StoreSchema.StoredField<Self>("field89", \.field89, default: 0),
      StoreSchema.StoredField<Self>("field90", \.field90, default: 0),
      StoreSchema.StoredField<Self>("field91", \.field91, default: 0),
      StoreSchema.StoredField<Self>("field92", \.field92, default: 0),
      StoreSchema.StoredField<Self>("field93", \.field93, default: 0),
      StoreSchema.StoredField<Self>("field94", \.field94, default: 0),
      StoreSchema.StoredField<Self>("field95", \.field95, default: 0),
      StoreSchema.StoredField<Self>("field96", \.field96, default: 0),
      StoreSchema.StoredField<Self>("field97", \.field97, default: 0),
      StoreSchema.StoredField<Self>("field98", \.field98, default: 0),
      StoreSchema.StoredField<Self>("field99", \.field99, default: 0),
      StoreSchema.StoredField<Self>("field00", \.field00, default: 0),
    ])

  init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.field01 = try fields.next("field01")
    self.field02 = try fields.next("field02")
    self.field03 = try fields.next("field03")
    self.field04 = try fields.next("field04")
    self.field05 = try fields.next("field05")
    self.field06 = try fields.next("field06")
    self.field07 = try fields.next("field07")
    self.field08 = try fields.next("field08")
    self.field09 = try fields.next("field09")
    self.field10 = try fields.next("field10")
    self.field11 = try fields.next("field11")
    self.field12 = try fields.next("field12")
    self.field13 = try fields.next("field13")
    self.field14 = try fields.next("field14")
    self.field15 = try fields.next("field15")
    self.field16 = try fields.next("field16")
    self.field17 = try fields.next("field17")
    self.field18 = try fields.next("field18")
    self.field19 = try fields.next("field19")
    self.field20 = try fields.next("field20")
    self.field21 = try fields.next("field21")
    self.field22 = try fields.next("field22")
    self.field23 = try fields.next("field23")
    self.field24 = try fields.next("field24")
    self.field25 = try fields.next("field25")
    self.field26 = try fields.next("field26")
    self.field27 = try fields.next("field27")
    self.field28 = try fields.next("field28")
    self.field29 = try fields.next("field29")
    self.field30 = try fields.next("field30")
    self.field31 = try fields.next("field31")
    self.field32 = try fields.next("field32")
    self.field33 = try fields.next("field33")
    self.field34 = try fields.next("field34")
    self.field35 = try fields.next("field35")
    self.field36 = try fields.next("field36")
    self.field37 = try fields.next("field37")
    self.field38 = try fields.next("field38")
    self.field39 = try fields.next("field39")
    self.field40 = try fields.next("field40")
    self.field41 = try fields.next("field41")
    self.field42 = try fields.next("field42")
    self.field43 = try fields.next("field43")
    self.field44 = try fields.next("field44")
    self.field45 = try fields.next("field45")
    self.field46 = try fields.next("field46")
    self.field47 = try fields.next("field47")
    self.field48 = try fields.next("field48")
    self.field49 = try fields.next("field49")
    self.field50 = try fields.next("field50")
    self.field51 = try fields.next("field51")
    self.field52 = try fields.next("field52")
    self.field53 = try fields.next("field53")
    self.field54 = try fields.next("field54")
    self.field55 = try fields.next("field55")
    self.field56 = try fields.next("field56")
    self.field57 = try fields.next("field57")
    self.field58 = try fields.next("field58")
    self.field59 = try fields.next("field59")
    self.field60 = try fields.next("field60")
    self.field61 = try fields.next("field61")
    self.field62 = try fields.next("field62")
    self.field63 = try fields.next("field63")
    self.field64 = try fields.next("field64")
    self.field65 = try fields.next("field65")
    self.field66 = try fields.next("field66")
    self.field67 = try fields.next("field67")
    self.field68 = try fields.next("field68")
    self.field69 = try fields.next("field69")
    self.field70 = try fields.next("field70")
    self.field71 = try fields.next("field71")
    self.field72 = try fields.next("field72")
    self.field73 = try fields.next("field73")
    self.field74 = try fields.next("field74")
    self.field75 = try fields.next("field75")
    self.field76 = try fields.next("field76")
    self.field77 = try fields.next("field77")
    self.field78 = try fields.next("field78")
    self.field79 = try fields.next("field79")
    self.field80 = try fields.next("field80")
    self.field81 = try fields.next("field81")
    self.field82 = try fields.next("field82")
    self.field83 = try fields.next("field83")
    self.field84 = try fields.next("field84")
    self.field85 = try fields.next("field85")
    self.field86 = try fields.next("field86")
    self.field87 = try fields.next("field87")
    self.field88 = try fields.next("field88")
    self.field89 = try fields.next("field89")
    self.field90 = try fields.next("field90")
    self.field91 = try fields.next("field91")
    self.field92 = try fields.next("field92")
    self.field93 = try fields.next("field93")
    self.field94 = try fields.next("field94")
    self.field95 = try fields.next("field95")
    self.field96 = try fields.next("field96")
    self.field97 = try fields.next("field97")
    self.field98 = try fields.next("field98")
    self.field99 = try fields.next("field99")
    self.field00 = try fields.next("field00")
  }
}
