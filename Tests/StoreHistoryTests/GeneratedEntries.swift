import StoreCore
import StoreHistory
import StoreSchema

/// Entries of a log at random, the same ones for the same seed.
struct GeneratedEntries {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SeededGenerator (Steele, Lea, Flood).
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  private static let item = Schema.dynamic(
    .record(
      RecordSchema(
        name: "Item",
        fields: [
          Field("id", .dynamic(.int(minimum: nil, maximum: nil))), Field("price", .dynamic(.double)),
          Field("tags", .dynamic(.list(.dynamic(.optional(.dynamic(.string)))))),
        ])))

  private static let mood = Schema.dynamic(
    .union(
      UnionSchema(
        name: "Mood", cases: [.init("calm"), .init("busy", fields: [Field("since", .dynamic(.double))])])))

  static let shop = Schema.dynamic(
    .record(
      RecordSchema(
        name: "Shop",
        fields: [
          Field("open", .dynamic(.bool)), Field("items", .dynamic(.list(item))),
          Field("stock", .dynamic(.map(key: .string, .dynamic(.int(minimum: 0, maximum: nil))))),
          Field("rows", .dynamic(.map(key: .int, item))), Field("mood", mood),
          Field("best", .dynamic(.optional(item))),
        ])))

  private static let shapes: [String: EntryTypes.ActionShape] = [
    "shop.put": shape("shop.put", [Field("amount", .dynamic(.int(minimum: nil, maximum: nil)), default: .int(1))]),
    "shop.take": shape("shop.take", [Field("item", .dynamic(.optional(item))), Field("mood", mood)]),
    "shop.close": shape("shop.close", []),
  ]

  private static func shape(_ name: String, _ fields: [Field]) -> EntryTypes.ActionShape {
    EntryTypes.ActionShape(fields: fields, layout: RecordLayout(name: name, fields: fields.map(\.name)))
  }

  static var types: EntryTypes { EntryTypes(action: { shapes[$0] }, slice: { $0 == "shop" ? shop : nil }) }

  mutating func entry(_ number: Int) -> LoggedEntry {
    let action = ["shop.close", "shop.put", "shop.take"][below(3)]
    return LoggedEntry(
      number: number, time: time(), source: source(), action: action, arguments: arguments(action),
      isQuiet: below(2) == 0, changes: (0..<below(4)).map { _ in change() },
      failure: below(5) == 0 ? "plugin-runtime" : nil, reason: below(5) == 0 ? text() : nil,
      digest: below(5) == 0 ? StableHash.text(of: next() >> UInt64(below(64))) : nil,
      original: below(6) == 0
        ? LoggedEntry.Original(action: "shop.take", arguments: arguments("shop.take")) : nil,
      droppedBy: below(6) == 0 ? text() : nil)
  }

  private mutating func time() -> Duration {
    switch below(4) {
    case 0: .seconds(below(100))
    case 1: .seconds(Double(below(1000)) / 10)
    case 2: .nanoseconds(Int64(truncatingIfNeeded: next() >> 2))
    default: Duration(secondsComponent: Int64(below(3)), attosecondsComponent: Int64(below(1_000_000_000_000_000_000)))
    }
  }

  private mutating func source() -> ActionSource {
    let kinds: [ActionSource.Kind] = [.repl, .batch, .plugin, .effect, .bridge, .replay, .remote, .code]
    return ActionSource(
      file: text(), function: text(), line: below(100), info: below(3) == 0 ? text() : nil, kind: kinds[below(8)],
      plugin: below(3) == 0 ? text() : nil, unit: below(3) == 0 ? text() : nil, cause: below(2) == 0 ? below(9) : nil)
  }

  private mutating func arguments(_ action: String) -> Record {
    let shape = GeneratedEntries.shapes[action] ?? GeneratedEntries.shape(action, [])
    return Record(shape.layout, shape.fields.map { value($0.schema) })
  }

  private mutating func change() -> Change {
    let id = Path.Step.match(field: "id", .int(below(5)))
    let (steps, positions): ([Path.Step], [Int]) =
      switch below(8) {
      case 0: ([.field("open")], [])
      case 1: ([.field("items"), id], [below(4)])
      case 2: ([.field("items"), id, .field("tags"), .index(below(3) + 1)], [below(4)])
      case 3: ([.field("stock"), .key(.string(text()))], [])
      case 4: ([.field("rows"), .key(.int(below(9) - 4)), .field("price")], [])
      case 5: ([.field("mood")], [])
      case 6: ([.field("best"), .field("price")], [])
      default: ([.field("best")], [])
      }
    let schema = GeneratedEntries.shop.part(at: steps[...])?.schema ?? .dynamic(.any)
    let kind: Change.Kind =
      switch below(4) {
      case 0: .replace(from: value(schema), to: value(schema))
      case 1 where positions.count == steps.count - 1: .move(to: below(9))
      case 2: .add(value(schema))
      default: .remove(value(schema))
      }
    return Change(Path([.field("shop")] + steps), kind, positions: positions, isInPlace: below(6) == 0)
  }

  private mutating func value(_ schema: Schema) -> Value {
    switch schema.kind {
    case .bool: return .bool(below(2) == 0)
    case .int(let minimum, _): return .int(minimum ?? Int(truncatingIfNeeded: next()) >> below(64))
    case .double:
      return .double([0, -0.0, 1.5, 1e300, .infinity, -.infinity, Double.leastNonzeroMagnitude, 3][below(8)])
    case .string: return .string(text())
    case .optional(let wrapped): return below(2) == 0 ? .none : value(wrapped)
    case .list(let element): return .list(PersistentList((0..<below(4)).map { _ in value(element) }))
    case .record(let record): return .record(Record(record.layout, record.fields.map { value($0.schema) }))
    case .union: return below(2) == 0 ? .string("calm") : busy()
    default: return .none
    }
  }

  private mutating func busy() -> Value {
    guard case .union(let union) = GeneratedEntries.mood.kind else { return .none }
    return .variant(Variant(name: "busy", payload: Record(union.cases[1].layout, [.double(Double(below(9)))])))
  }

  private mutating func text() -> String {
    let words = [
      "", "a", "tasks.add", "é", "\u{0}\u{1F}\u{7F}", "\"\\/", "a]b.c[1]", "line\nline\ttab", "😀", "12", "nil",
    ]
    return words[below(words.count)]
  }
}
