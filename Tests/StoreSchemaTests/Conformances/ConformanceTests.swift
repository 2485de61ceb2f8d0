import StoreCore
import StoreSchema
import Testing

/// Types of the standard library, and types of one's own around them.
@Suite struct ConformanceTests {
  private func fields<Subject: Schematic>(_ type: Subject.Type) throws -> [Field] {
    guard case .record(let record) = type.schema.kind else { throw MacroMismatch() }
    return record.fields
  }

  private func value(of name: String, in programme: Programme) throws -> Value {
    guard case .record(let record) = programme.schemaValue else { throw MacroMismatch() }
    return try #require(record[name])
  }

  private func survives<Subject: Schematic & Equatable>(_ subject: Subject) throws {
    #expect(try Subject(schemaValue: try Subject.schema.check(subject.schemaValue)) == subject)
    let json = try JSON.value(of: JSON.text(of: subject.schemaValue))
    #expect(try Subject(schemaValue: try Subject.schema.value(fromJSON: json)) == subject)
  }

  @Test func integersOfAllWidthsKeepTheirBounds() throws {
    #expect(
      try fields(Widths.self).map { $0.schema.bounds } == [
        "-128...127", "-32768...32767", "-2147483648...2147483647", nil, "0...255", "0...65535", "0...4294967295",
        ">= 0", ">= 0", nil,
      ])
    try survives(Widths())
    let error = #expect(throws: SchemaError.self) { try UInt8(schemaValue: .int(256)) }
    #expect(error?.message == "value must be 0...255, got 256")
  }

  @Test func aFloatShowsTheDecimalThatItWasMadeOf() throws {
    #expect((0.1 as Float).schemaValue == .double(0.1))
    for number in [0.1, 1 / 3, .pi, 16_777_216, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.infinity] as [Float]
    {
      try #expect(Float(schemaValue: number.schemaValue) == number)
    }
    let error = #expect(throws: SchemaError.self) { try Float.schema.check(.double(1e39)) }
    #expect(error?.message == "value must be -3.4028235e+38...3.4028235e+38, got 1e+39")
  }

  @Test func aDurationIsSeconds() throws {
    #expect(Duration.milliseconds(1500).schemaValue == .double(1.5))
    #expect((Duration.seconds(4_000_000) + .nanoseconds(3)).schemaValue == .double(4_000_000.000000003))
    #expect(Duration(attoseconds: 1_000_000_000_100_000_000).schemaValue == .double(1.000_000_000_1))
    #expect((Duration.seconds(1) + Duration(attoseconds: 1)).schemaValue == .string("1.000000000000000001"))
    #expect(try Duration(schemaValue: .double(1e-12)) == Duration(attoseconds: 1_000_000))
    #expect(try Duration.schema.check(.int(3)) == .double(3))
    for (text, expected) in [
      ("1s", 1.0), ("1.5s", 1.5), ("500ms", 0.5), ("2min", 120), ("1h", 3600), ("1d", 86_400), ("-1s", -1),
      ("-1.5min", -90),
    ] {
      #expect(try Duration.schema.check(.string(text)) == .double(expected))
    }
    let texts = [
      "x", "s", "1w", "", "-", "-s", "--1s", "1.", ".5", "1.2.3", "+1", "1.0000000000000000001",
      "170141183460469231732",
    ]
    for value in texts.map(Value.string) + [.double(.infinity), .double(.nan), .bool(true)] {
      let error = #expect(throws: SchemaError.self) { try Duration.schema.check(value) }
      #expect(error?.message.hasPrefix("value must be a number of seconds or a duration such as 500ms, got ") == true)
    }
  }

  @Test(arguments: [3, 4, 5] as [UInt64])
  func aPersistentMapIsSeenAsADictionaryIs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (plain, persistent) = (PlainMaps(), PersistentMaps())
    for _ in 0..<200 {
      let (oldPlain, oldPersistent) = (plain, persistent)
      let value = Bool.random(using: &random) ? Int.random(in: 0..<3, using: &random) : nil
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let key = Int.random(in: -9..<9, using: &random)
        (plain.numbers[key], persistent.numbers[key]) = (value, value)
      case 1:
        let key = ["a", "b", "ä", "Z", "", "10"].randomElement(using: &random) ?? ""
        (plain.names[key], persistent.names[key]) = (value.map { [$0] }, value.map { [$0] })
      case 2:
        let key = Genre.allCases.randomElement(using: &random) ?? .drama
        (plain.genres[key], persistent.genres[key]) = (value, value)
      default:
        let key = [1, .max, UInt64(Int.max), 1 << 63].randomElement(using: &random) ?? 1
        (plain.seeds[key], persistent.seeds[key]) = (value, value)
      }
      #expect(JSON.text(of: persistent.schemaValue) == JSON.text(of: plain.schemaValue))
      #expect(changes(from: oldPersistent, to: persistent) == changes(from: oldPlain, to: plain))
      try survives(persistent)
      let changed = withUnsafePointer(to: oldPersistent) { old in
        withUnsafePointer(to: persistent) { PersistentMaps.schema.access.isEqual(old, $0) }
      }
      #expect(changed == (oldPlain == plain))
    }
    for path in ["numbers", "names", "names.a", "genres.drama", "seeds[18446744073709551615]", "numbers[3]"] {
      let path = try Path(parsing: path)
      #expect(read(path, in: persistent) == read(path, in: plain))
    }
  }

  private func changes<Subject: Schematic>(from old: Subject, to new: Subject) -> [Change] {
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { Subject.schema.changes(from: UnsafeRawPointer(old), to: UnsafeRawPointer($0)) }
    }
  }

  private func read<Subject: Schematic>(_ path: Path, in subject: Subject) -> Value? {
    withUnsafePointer(to: subject) {
      try? Subject.schema.read(path.steps[...], in: UnsafeRawPointer($0), from: path).value
    }
  }

  @Test func noPartOfADurationIsLost() throws {
    var generator = SeededGenerator(seed: 34)
    for scale in 0..<31 {
      var power: Int128 = 1
      for _ in 0..<scale { power *= 10 }
      for _ in 0..<20 {
        let attoseconds = Int128(generator.next() >> 44) * power * (generator.next() & 1 == 0 ? 1 : -1)
        try survives(Duration(attoseconds: attoseconds))
        try survives(Duration(attoseconds: attoseconds + 1))
      }
    }
    let edges: [Duration] = [
      .zero, .seconds(Int64.max), .seconds(Int64.min), .seconds(1e20), .nanoseconds(-1), Duration(attoseconds: .min),
      Duration(attoseconds: .max),
    ]
    for duration in edges {
      try survives(duration)
    }
  }

  /// Numbers as they were written when a duration was no more than a number.
  @Test func aDurationOfNanosecondsIsReadAsItWasWritten() throws {
    var generator = SeededGenerator(seed: 7)
    for bits in 10..<53 {
      let duration = Duration.nanoseconds(Int64(generator.next() >> (64 - UInt64(bits))))
      #expect(try Duration(schemaValue: .double(duration / .seconds(1))) == duration)
    }
  }

  @Test func rawValuesStandForTheirTypes() throws {
    let programme = Programme(id: MovieID(rawValue: "x"))
    try survives(programme)
    #expect(try fields(Programme.self).prefix(4).map(\.schema.typeName) == ["String", "Genre", "Int", "Int"])
    #expect(try value(of: "traits", in: programme) == .int(2))
    #expect(throws: SchemaError.self) { try Rank(schemaValue: .int(3)) }
    #expect(throws: SchemaError.self) { try Genre.schema.check(.string("opera")) }
  }

  @Test func setsAreListsInOrder() throws {
    let programme = Programme(id: MovieID(rawValue: "x"))
    #expect(try value(of: "tags", in: programme) == .list([.string("a"), .string("b")]))
    #expect(try value(of: "ranks", in: programme) == .list([.int(1), .int(2)]))
    #expect(try value(of: "shares", in: programme) == .list([.double(-1), .double(0.5)]))
    #expect(try Set<Int>(schemaValue: .list([.int(1), .int(1)])) == [1])
  }

  @Test func boundsOfARangeAreInOrder() throws {
    let bounds = Value.map([.string("lowerBound"): .int(3), .string("upperBound"): .int(2)])
    let error = #expect(throws: SchemaError.self) { try Range<Int>(schemaValue: bounds) }
    #expect(error?.message == "'upperBound' must be >= 3, got 2")
    #expect(ClosedRange<UInt8>.schema.typeName == "ClosedRange<UInt8>")
  }

  @Test func keysWithARawValueAreOrderedByIt() throws {
    let programme = Programme(id: MovieID(rawValue: "x"))
    guard case .map(let map) = try value(of: "perGenre", in: programme) else { throw MacroMismatch() }
    #expect(map.map(\.key) == [.string("comedy"), .string("drama")])
    #expect(UInt8(mapKey: .int(256)) == nil)
    try survives(programme)
    guard case .map(let seeds) = try value(of: "perSeed", in: programme) else { throw MacroMismatch() }
    #expect(seeds.map(\.key) == [.int(7), .string("18446744073709551615")])
  }

  /// The kind of a key allows more than the type does.
  @Test func keysThatTheTypeDoesNotHaveAreRefused() {
    func message<Subject: Schematic>(_ type: Subject.Type, _ key: MapKey) -> String? {
      #expect(throws: SchemaError.self) { try type.schema.check(.map([key: .int(1)])) }?.message
    }
    #expect(message([UInt8: Int].self, .int(256)) == "value must have UInt8 keys, got number 256")
    #expect(message([Genre: Int].self, .string("opera")) == #"value must have Genre keys, got string "opera""#)
    #expect(message([UInt: Int].self, .string("x")) == #"value must have Int keys, got string "x""#)
    #expect(message([UInt: Int].self, .int(-1)) == "value must have UInt keys, got number -1")
    #expect(message([String: Int].self, .int(1)) == "value must have String keys, got number 1")
  }

  /// The type itself has the last word, wherever a value is checked.
  @Test func checkingAsksTheType() {
    func message<Subject: Schematic>(_ type: Subject.Type, _ value: Value) -> String? {
      #expect(throws: SchemaError.self) { try Field("given", of: type).check(value) }?.message
    }
    let range = Value.map([.string("lowerBound"): .int(3), .string("upperBound"): .int(2)])
    #expect(message(Rank.self, .int(3)) == "'given' must be Rank, got number 3")
    #expect(message(Genre?.self, .string("opera")) == #"'given' must be one of drama, comedy, got string "opera""#)
    #expect(message(Range<Int>.self, range) == "'given.upperBound' must be >= 3, got 2")
    #expect(message([Rank].self, .list([.int(1), .int(9)])) == "'given[2]' must be Rank, got number 9")
    #expect(message(Set<UInt>.self, .list([.bool(true)])) == "'given[1]' must be Int, got bool true")
    #expect(message(Float.self, .string("x")) == #"'given' must be Double, got string "x""#)
  }

  @Test func numbersWithoutDigitsAreReadFromJSONWhateverTheType() throws {
    #expect(try Float.schema.value(fromJSON: .string("-inf")) == .double(-.infinity))
    #expect(
      try Set<Double>.schema.value(fromJSON: .list([.string("inf"), .int(1)]))
        == .list([.double(1), .double(.infinity)]))
  }

  @Test func partsThatChangeAsAWholeAreReadOneByOne() throws {
    let programme = Programme(id: MovieID(rawValue: "x"))
    func read(_ path: String) throws -> Value {
      let path = try Path(parsing: path)
      return try withUnsafePointer(to: programme) {
        try Programme.schema.read(path.steps[...], in: UnsafeRawPointer($0), from: Path()).value
      }
    }
    #expect(try read("tags[2]") == .string("b"))
    #expect(try read("seats.upperBound") == .int(10))
    #expect(throws: PathError.self) { try read("tags[3]") }
  }

  @Test func theyChangeAsAWhole() throws {
    let old = Programme(id: MovieID(rawValue: "x"))
    var new = old
    new.tags.insert("c")
    new.seats = 20..<30
    var changes: [Change] = []
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) {
        changes = Programme.schema.changes(from: UnsafeRawPointer(old), to: UnsafeRawPointer($0))
      }
    }
    #expect(changes.map(\.path.description) == ["seats", "tags"])
    var applied = old
    try withUnsafeMutablePointer(to: &applied) {
      try Programme.schema.apply(changes[...], to: UnsafeMutableRawPointer($0))
    }
    #expect(applied == new)
  }

  @Test func genericTypesAreToldApartByTheirArguments() {
    #expect(Page<Genre>.schema.typeName == "Page<Genre>")
    #expect(Page<Page<Int>>.schema.typeDetail == "Page<Page<Int>>{items: [Page<Int>], next: Position<Page<Int>>?}")
    #expect(Page<UInt8>.schema.typeName == "Page<UInt8>")
    #expect(Page<UInt64?>.schema.typeName == "Page<UInt64?>")
    #expect(Page<[Duration]>.schema.typeName == "Page<[Duration]>")
    #expect(Page<[UInt8: Set<Rank>]>.schema.typeName == "Page<[UInt8: Set<Rank>]>")
    #expect(Page<Range<UInt8>>.schema.typeName == "Page<Range<UInt8>>")
    #expect(Page<Page<UInt8>.Position>.schema.typeName == "Page<Page.Position<UInt8>>")
    #expect(Page<MovieID>.schema.typeName == "Page<MovieID>")
  }

  @Test func typesOfOneNameAreToldApartByTheTypesAroundThem() {
    #expect(Page<Movies.State>.schema.typeName == "Page<Movies.State>")
    #expect(Page<[Books.State?]>.schema.typeName == "Page<[Books.State?]>")
  }

  @Test func functionsAsArgumentsKeepTheirArrows() {
    #expect(Kind<() -> Int>.Part.schema.typeName == "Part<() -> Int>")
    #expect(
      Kind<(Int, [Page<Int>]) -> (Int) -> Bool>.Part.schema.typeName == "Part<(Int, Array<Page<Int>>) -> (Int) -> Bool>"
    )
  }

  @Test func aTypeInAnExtensionHasTheArgumentsOfTheTypesAroundIt() throws {
    struct Local: Equatable, SchematicRawValue { var rawValue: Int }
    #expect(Page<UInt8>.Cursor.schema.typeName == "Cursor<UInt8>")
    #expect(Page<Page<Int>.Position>.Cursor.schema.typeName == "Cursor<Page<Int>.Position>")
    #expect(Page<[Genre]>.Turn.schema.typeName == "Turn<Array<Genre>>")
    #expect(Page<Local>.Cursor.schema.typeName == "Cursor<ConformanceTests.Local>")
    #expect(Page<[UInt8: Int]>.Cursor.schema.typeName == "Cursor<Dictionary<UInt8, Int>>")
    #expect(Ticket.Stub.schema.typeName == "Stub")
    #expect(Page<Int>.Cursor.schema === Page<Int>.Cursor.schema)
    #expect(Page<Int>.Cursor.schema !== Page<UInt8>.Cursor.schema)
    try survives(Page<Int>.Turn.to(Page<Int>.Cursor(row: 3)))
    #expect(Page<Int>.Turn.cases.to.extract(.back) == nil)
  }
}
