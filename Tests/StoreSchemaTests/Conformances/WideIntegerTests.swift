import StoreSchema
import Testing

/// Integers of which no `Int` holds all: those that one holds are numbers, the others the text of their digits.
@Suite struct WideIntegerTests {
  @Schema
  struct Seat: Equatable {
    var id: UInt64
    var taken = false
  }

  @Schema
  struct Hall: Equatable {
    var seats: PersistentList<Seat> = [Seat(id: 3), Seat(id: 10), Seat(id: .max), Seat(id: 1 << 63)]
    var perCount: [UInt: Int] = [78: 1, .max: 2]
    var shares: [Share] = [Share(part: 1e19)]
  }

  @Schema
  struct Share: Equatable { var part = 0.0 }

  private func message(_ body: () throws -> Void) -> String? {
    #expect(throws: SchemaError.self) { try body() }?.message
  }

  private func read(_ path: String, in hall: Hall = Hall()) throws -> Value {
    let path = try Path(parsing: path)
    return try withUnsafePointer(to: hall) {
      try Hall.schema.read(path.steps[...], in: UnsafeRawPointer($0), from: Path()).value
    }
  }

  private func survives<Subject: Schematic & Equatable>(_ subject: Subject) throws {
    #expect(try Subject(schemaValue: try Subject.schema.check(subject.schemaValue)) == subject)
    let json = try JSON.value(of: JSON.text(of: subject.schemaValue))
    #expect(try Subject(schemaValue: try Subject.schema.value(fromJSON: json)) == subject)
  }

  @Test func numbersAboveIntAreDigits() throws {
    #expect(UInt64.max.schemaValue == .string("18446744073709551615"))
    #expect(UInt(3).schemaValue == .int(3))
    #expect(Int128.min.schemaValue == .string("-170141183460469231731687303715884105728"))
    try survives([UInt.max, 0, UInt(Int.max), UInt(Int.max) + 1])
    try survives([UInt64.max: UInt128.max, 0: 1])
    try survives([Int128.min, -1, .max, Int128(Int.min) - 1])
    try survives(Set<UInt>([.max, 2]))
    try survives(Hall())
    // As files of before have it.
    #expect(try UInt.schema.check(.string("42")) == .int(42))
    #expect(try [UInt].schema.value(fromJSON: .list([.int(42)])) == .list([.int(42)]))
  }

  @Test func whatTheTypeDoesNotHoldIsRefused() {
    let bounds = "value must be 0...18446744073709551615, got"
    #expect(message { _ = try UInt64.schema.check(.int(-1)) } == "\(bounds) -1")
    #expect(message { _ = try UInt.schema.check(.string("18446744073709551616")) } == "\(bounds) 18446744073709551616")
    #expect(
      message { _ = try UInt.schema.check(.double(0x1p64)) }
        == "value must be Int, or its digits as text, got number 1.8446744073709552e+19")
    #expect(message { _ = try UInt.schema.check(.double(1.5)) } == "value must be Int, got number 1.5")
    #expect(message { _ = try UInt32.schema.check(.string("1")) } == #"value must be Int, got string "1""#)
    for text in ["", "-", "x", "1.0", "1e3"] {
      #expect(message { _ = try UInt.schema.check(.string(text)) } == "value must be Int, got string \"\(text)\"")
    }
  }

  @Test func anElementIsFoundByALiteral() {
    var seats = Hall().seats
    seats[id: 10]?.taken = true
    seats[id: UInt64.max]?.taken = true
    seats[id: UInt8(3)] = nil
    #expect(seats.map(\.id) == [10, .max, 1 << 63])
    #expect(seats.map(\.taken) == [true, true, false])
  }

  @Test func theyAreSelectedWithoutQuotes() throws {
    #expect(try read("seats[id=10].taken") == .bool(false))
    #expect(try read("seats[id=18446744073709551615].id") == .string("18446744073709551615"))
    #expect(try read(#"seats[id="9223372036854775808"].id"#) == .string("9223372036854775808"))
    #expect(try read("perCount[78]") == .int(1))
    #expect(try read("perCount[18446744073709551615]") == .int(2))
    #expect(try read(#"perCount["18446744073709551615"]"#) == .int(2))
    #expect(try read("shares[part=10000000000000000000].part") == .double(1e19))
    #expect(throws: PathError.self) { try read("seats[99999999999999999999]") }
    #expect(throws: PathError.self) { try read(#"perCount["078"]"#) }
  }

  @Test func aKeyHasOneSpelling() throws {
    func check(_ keys: MapKey...) throws -> [UInt: Int] {
      try .init(schemaValue: try [UInt: Int].schema.value(fromJSON: .map(PersistentMap(keys.map { ($0, .int(1)) }))))
    }
    #expect(try check(.string("7"), .string("18446744073709551615")) == [7: 1, .max: 1])
    #expect(message { _ = try check(.string("7"), .string("007")) } == #"value must have Int keys, got string "007""#)
    #expect(
      message { _ = try check(.string("-9223372036854775809")) }?.hasPrefix("value must have UInt keys, got ") == true)
    #expect(
      message { _ = try [Int: Int].schema.check(.map([.string("18446744073709551615"): .int(1)])) }
        == #"value must have Int keys, got string "18446744073709551615""#)
  }

  @Test func changesNameThem() throws {
    let old = Hall()
    var new = old
    new.seats[id: UInt64.max]?.taken = true
    new.seats[id: 3] = nil
    new.perCount[.max] = 5
    new.perCount[78] = nil
    var changes: [Change] = []
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) {
        changes = Hall.schema.changes(from: UnsafeRawPointer(old), to: UnsafeRawPointer($0))
      }
    }
    let paths = changes.map(\.path.description)
    #expect(
      paths == [
        "seats[id=3]", #"seats[id="18446744073709551615"].taken"#, "perCount[78]", #"perCount["18446744073709551615"]"#,
      ])
    var applied = old
    try withUnsafeMutablePointer(to: &applied) {
      try Hall.schema.apply(changes[...], to: UnsafeMutableRawPointer($0))
    }
    #expect(applied == new)
  }
}
