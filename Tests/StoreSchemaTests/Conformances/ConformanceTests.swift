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
        ">= 0", nil, nil,
      ])
    try survives(Widths())
    let error = #expect(throws: SchemaError.self) { try UInt8(schemaValue: .int(256)) }
    #expect(error?.message == "value must be 0...255, got 256")
  }

  @Test func aNumberThatIsNoIntIsNotTakenForAnother() throws {
    #expect(UInt64.max.schemaValue == .string("18446744073709551615"))
    #expect(throws: SchemaError.self) { try UInt.schema.check(UInt.max.schemaValue) }
    #expect(throws: SchemaError.self) { try UInt64(schemaValue: .string("-1")) }
  }

  @Test func aFloatShowsTheDecimalThatItWasMadeOf() throws {
    #expect((0.1 as Float).schemaValue == .double(0.1))
    for number in [0.1, 1 / 3, .pi, 16_777_216, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.infinity] as [Float]
    {
      try #expect(Float(schemaValue: number.schemaValue) == number)
    }
  }

  @Test func aDurationIsSeconds() throws {
    #expect(Duration.milliseconds(1500).schemaValue == .double(1.5))
    for duration in [.zero, .milliseconds(100), .nanoseconds(-1), .seconds(4_000_000) + .nanoseconds(3)] as [Duration] {
      try #expect(Duration(schemaValue: duration.schemaValue) == duration)
    }
    #expect(throws: SchemaError.self) { try Duration(schemaValue: .double(.infinity)) }
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
    #expect(ClosedRange<UInt8>.schema.typeName == "ClosedRange<Int>")
  }

  @Test func keysWithARawValueAreOrderedByIt() throws {
    let programme = Programme(id: MovieID(rawValue: "x"))
    guard case .map(let map) = try value(of: "perGenre", in: programme) else { throw MacroMismatch() }
    #expect(map.map(\.key) == [.string("comedy"), .string("drama")])
    #expect(UInt8(mapKey: .int(256)) == nil)
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
  }
}
