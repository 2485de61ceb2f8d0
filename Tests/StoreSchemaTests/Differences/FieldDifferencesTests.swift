import StoreCore
import StoreSchema
import Testing

/// R22: of a record, exactly the fields that differ are told, whatever their types, sizes and places in memory.
@Suite struct FieldDifferencesTests {
  /// Small fields between large ones, so that there is padding.
  @Schema
  struct Mixed: Equatable {
    var a = false
    var b = 0
    var c = false
    var d = false
    var e: Int?
    var f = ""
    var g = 0.0
    var h: PersistentList<Int> = []
    var i: Pair = .init()
    var j = Mood.calm
    var k: Reply = .none
    var l = false
  }

  @Schema
  struct Pair: Equatable {
    var left = false
    var right = 0
  }

  @Schema
  enum Mood: Equatable { case calm, merry }

  @Schema
  enum Reply: Equatable {
    case none
    case text(String)
  }

  private static func changes<Root: Schematic>(_ old: Root, _ new: Root) -> [Change] {
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { Root.schema.changes(from: UnsafeRawPointer(old), to: UnsafeRawPointer($0)) }
    }
  }

  /// The first steps of the changes, each once.
  private static func fields(_ changes: [Change]) -> [String] {
    changes.reduce(into: []) { fields, change in
      guard case .field(let name) = change.path.steps.first, fields.last != name else { return }
      fields.append(name)
    }
  }

  private static func random(_ mixed: inout Mixed, using random: inout SeededGenerator) {
    let number = Int.random(in: 0..<3, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: mixed.a = number > 0
    case 1: mixed.b = number
    case 2: mixed.c = number > 0
    case 3: mixed.d = number > 0
    case 4: mixed.e = number == 0 ? nil : number
    case 5: mixed.f = String(repeating: "long enough for the heap ", count: number)
    case 6: mixed.g = [0.0, -0.0, 1.5][number]
    case 7: mixed.h = PersistentList(0..<number)
    case 8: mixed.i = Pair(left: number == 1, right: number)
    case 9: mixed.j = number == 0 ? .calm : .merry
    case 10: mixed.k = number == 0 ? .none : .text("\(number)")
    default: mixed.l = number > 0
    }
  }

  private static func different(_ old: Mixed, _ new: Mixed) -> [String] {
    let all: [(String, Bool)] = [
      ("a", old.a != new.a), ("b", old.b != new.b), ("c", old.c != new.c), ("d", old.d != new.d), ("e", old.e != new.e),
      ("f", old.f != new.f), ("g", old.g.bitPattern != new.g.bitPattern), ("h", old.h != new.h), ("i", old.i != new.i),
      ("j", old.j != new.j),
      ("k", old.k != new.k), ("l", old.l != new.l),
    ]
    return all.filter(\.1).map(\.0)
  }

  @Test(arguments: [41, 42, 43, 44] as [UInt64])
  func exactlyTheFieldsThatDiffer(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      var old = Mixed()
      for _ in 0..<Int.random(in: 0..<8, using: &random) { Self.random(&old, using: &random) }
      var new = old
      for _ in 0..<Int.random(in: 0..<4, using: &random) { Self.random(&new, using: &random) }
      #expect(Self.fields(Self.changes(old, new)) == Self.different(old, new))
    }
  }

  @Schema
  struct Exact: Equatable {
    var number = 0.0
    var share: Float = 0
    var maybe: Double? = 0
    var id = MovieID(rawValue: "\u{E9}")
    var range: ClosedRange<Double> = 0...1
    var tags: Set<String> = ["\u{E9}"]
    var list: [Double] = [0]
  }

  /// Swift calls them equal, but whoever reads them can tell them apart.
  @Test func valuesAreComparedAsTheyAreWritten() {
    var new = Exact()
    new.number = -0.0
    new.share = -0.0
    new.maybe = -0.0
    new.id.rawValue = "e\u{301}"
    new.range = -0.0...1
    new.tags = ["e\u{301}"]
    new.list = [-0.0]
    #expect(new == Exact())
    #expect(
      Self.fields(Self.changes(Exact(), new)) == ["number", "share", "maybe", "id", "range", "tags", "list"])
  }

  /// Swift says that it differs from itself, and there are many.
  @Test func thereIsOneThatIsNotANumber() {
    var (old, new) = (Exact(), Exact())
    (old.number, new.number) = (.nan, -.nan)
    (old.share, new.share) = (.nan, -.nan)
    (old.maybe, new.maybe) = (.nan, .signalingNaN)
    (old.list, new.list) = ([.nan], [-.nan])
    #expect(Self.changes(old, new).isEmpty)
  }

  /// A schema that lists the fields in another order than memory holds them.
  struct Shuffled: SchematicRecord, Equatable {
    var first = 1
    var second = false
    var third = 3

    init() {}

    init(schemaFields fields: inout FieldReader) throws(SchemaError) { self.init() }

    static let schema = Schema.record(
      Self.self, name: "Shuffled",
      fields: [StoredField("third", \.third), StoredField("first", \.first), StoredField("second", \.second)])
  }

  @Test func fieldsInAnotherOrderThanInMemory() {
    for (first, second, third) in [(1, false, 9), (9, false, 3), (1, true, 3), (9, true, 9), (1, false, 3)] {
      var new = Shuffled()
      (new.first, new.second, new.third) = (first, second, third)
      let expected = [("third", third != 3), ("first", first != 1), ("second", second)].filter(\.1).map(\.0)
      #expect(Self.fields(Self.changes(Shuffled(), new)) == expected)
    }
  }
}
