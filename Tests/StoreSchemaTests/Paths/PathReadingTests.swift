import StoreSchema
import Testing

/// Reading what stands at a path, in a Swift value and in a ``Value`` alike.
@Suite struct PathReadingTests {
  private static let text = """
    {"title":"t","note":"n","numbers":[7,8,9],"stock":{"a":1,"b c":2},"favourite":{"id":5,"plants":["rose"]},
     "beds":[{"id":3,"plants":["x","y"]},{"id":1,"depth":null},{"id":-2}],"weather":{"rain":{"mm":4}}}
    """

  private static func both() throws -> [Held] {
    var value = try Garden.schema.check(json(text))
    if case .record(var record) = value, let index = record.layout.index(of: "rows") {
      record.values[index] = try Schema.dynamic(.map(key: .int, Garden.Bed.schema.dynamic)).check(
        .map([.int(10): json(#"{"id":10}"#), .int(-2): json(#"{"id":2}"#)]))
      value = .record(record)
    }
    return try Held.both(value)
  }

  @Test(arguments: [
    ("title", "\"t\""), ("note", "\"n\""), ("numbers", "[7,8,9]"), ("numbers[1]", "7"), ("numbers[3]", "9"),
    ("numbers[-1]", "9"), ("numbers[-3]", "7"), ("numbers[*]", "[7,8,9]"), ("stock.a", "1"), ("stock[\"b c\"]", "2"),
    ("stock[\"a\"]", "1"), ("stock[*]", "[1,2]"), ("rows[10].id", "10"), ("rows[-2].id", "2"), ("rows[*].id", "[2,10]"),
    ("favourite.id", "5"), ("favourite.plants[1]", "\"rose\""), ("beds[id=3].plants[-1]", "\"y\""),
    ("beds[id=-2].id", "-2"), ("beds[*].id", "[3,1,-2]"), ("beds[*].plants[*]", "[[\"x\",\"y\"],[],[]]"),
    ("beds[2].depth", "null"), ("beds[3].depth", "3"), ("[\"title\"]", "\"t\""), ("favourite[\"id\"]", "5"),
    ("weather", #"{"rain":{"mm":4,"note":null}}"#), ("beds[depth=3].id", "3"), ("beds[depth=nil].id", "1"),
  ])
  func reads(path: String, expected: String) throws {
    for held in try Self.both() { #expect(JSON.text(of: try held.read(path)) == expected) }
  }

  @Test(arguments: [
    ("titel", "'garden' has no field 'titel'", "did you mean 'garden.title'?"),
    ("zzz", "'garden' has no field 'zzz'", nil),
    ("favourite.plant", "'garden.favourite' has no field 'plant'", "did you mean 'garden.favourite.plants'?"),
    ("numbers[0]", "'garden.numbers[0]': indices start at 1", "did you mean 'garden.numbers[1]'?"),
    ("beds[0].id", "'garden.beds[0]': indices start at 1", "did you mean 'garden.beds[1]'?"),
    ("numbers[4]", "'garden.numbers[4]': the list has 3 items", nil),
    ("numbers[-4]", "'garden.numbers[-4]': the list has 3 items", nil),
    ("favourite.plants[2]", "'garden.favourite.plants[2]': the list has 1 item", nil),
    ("numbers[9223372036854775807]", "'garden.numbers[9223372036854775807]': the list has 3 items", nil),
    ("numbers[-9223372036854775808]", "'garden.numbers[-9223372036854775808]': the list has 3 items", nil),
    ("beds[id=9]", "'garden.beds' has no item with id = 9", nil),
    ("beds[plants=1]", "'garden.beds' has no item with plants = 1", nil),
    ("beds[idd=9]", "'garden.beds' has no field 'idd'", "did you mean 'garden.beds.id'?"),
    ("numbers[id=9]", "'garden.numbers' has no field 'id'", nil),
    (
      "beds.id", "'garden.beds' is a list; it has no field 'id'",
      "say which item: garden.beds[1].id, or all: garden.beds[*].id"
    ),
    ("stock.zz", "'garden.stock' has no entry \"zz\"", nil), ("rows[3]", "'garden.rows' has no entry 3", nil),
    ("stock[3]", "'garden.stock' is [String: Int]; it has no items", nil),
    ("rows.a", "'garden.rows' is [Int: Bed]; it has no field 'a'", nil),
    ("title.x", "'garden.title' is String; it has no field 'x'", nil),
    ("count[1]", "'garden.count' is Int; it has no items", nil),
    ("note.x", "'garden.note' is String; it has no field 'x'", nil),
    ("weather.mm", "'garden.weather' is Weather; it has no field 'mm'", nil),
    ("beds[*].depht", "'garden.beds[1]' has no field 'depht'", "did you mean 'garden.beds[1].depth'?"),
  ])
  func leadsNowhere(path: String, message: String, hint: String?) throws {
    for held in try Self.both() {
      #expect(throws: PathError(message: message, hint: hint)) { try held.read(path) }
    }
  }

  @Test func anAbsentOptionalReadsAsNil() throws {
    for held in try Held.both(json("{}")) {
      #expect(try held.read("note") == .none)
      #expect(try held.read("favourite") == .none)
      #expect(try held.read("favourite.id") == .none)
      #expect(try held.read("beds[*].id") == .list([]))
    }
  }

  @Test func theTypeComesWithTheValue() throws {
    let held = try Held(json(Self.text), as: Garden.schema)
    func type(_ path: String) throws -> String {
      try held.schema.read(Path(parsing: path).steps[...], in: held.pointer, from: Path()).schema.typeName
    }
    #expect(try type("beds[*].plants") == "[[String]]")
    #expect(try type("beds[1]") == "Bed")
    #expect(try type("favourite") == "Bed?")
    #expect(try type("numbers[-1]") == "Int")
  }

  @Test func valuesWithoutADeclaredTypeShowTheirOwn() throws {
    let value = try json(#"{"rows":[{"a":1},{"a":2}],"n":{"b c":[true]}}"#)
    let held = try Held(value, as: .dynamic(.any))
    #expect(try held.read("rows[2].a") == .int(2))
    #expect(try held.read("rows[*].a") == .list([.int(1), .int(2)]))
    #expect(try held.read("n[\"b c\"][-1]") == .bool(true))
    #expect(throws: PathError(message: "'garden.rows[3]': the list has 2 items")) { try held.read("rows[3]") }
    #expect(throws: PathError(message: "'garden.rows[1].a' is Any; it has no field 'x'")) {
      try held.read("rows[1].a.x")
    }
  }
}
