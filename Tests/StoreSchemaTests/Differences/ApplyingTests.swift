import StoreCore
import StoreSchema
import Testing

/// Changes lead from the old value to the new one, and from the new one back to the old one.
@Suite struct ApplyingTests {
  /// Applies the changes between two values to either, and gives what does not come out as it should.
  private static func misses<Root: Sendable>(_ old: Root, _ new: Root, _ schema: Schema) throws -> [String] {
    let changes = withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { new in
        let (old, new) = (UnsafeRawPointer(old), UnsafeRawPointer(new))
        let changes = schema.changes(from: old, to: new)
        if let edited = schema.edit(from: old, to: new) { #expect(edited == changes) }
        return changes
      }
    }
    return try [(Change.Direction.forward, old, new), (.backward, new, old)].compactMap { direction, start, end in
      var walked = start
      let (got, wanted, kept) = try withUnsafeMutablePointer(to: &walked) { walked in
        try schema.apply(changes[...], direction, to: UnsafeMutableRawPointer(walked))
        return withUnsafePointer(to: end) { end in
          withUnsafePointer(to: start) { start in
            (
              JSON.text(of: schema.access.read(walked)), JSON.text(of: schema.access.read(end)),
              JSON.text(of: schema.access.read(start))
            )
          }
        }
      }
      return got == wanted ? nil : "\(direction) from \(kept)\n  by \(changes)\n  got \(got)\n  not \(wanted)"
    }
  }

  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func thereAndBackInGeneratedTypes(seed: UInt64) throws {
    var generated = GeneratedSchemas(seed: seed)
    for _ in 0..<60 {
      let schema = generated.record(depth: 4, hasId: false)
      for _ in 0..<8 {
        let old = generated.value(schema)
        let new = generated.variation(of: old, schema)
        #expect(try Self.misses(old, new, schema) == [])
      }
    }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func thereAndBackInSwiftTypes(seed: UInt64) throws {
    var generated = GeneratedSchemas(seed: seed)
    for (schema, make) in [
      (Plot.schema, { try Held(plot: $0) }), (Garden.schema, { try Held($0, as: Garden.schema) }),
    ] as [(Schema, (Value) throws -> Held)] {
      for _ in 0..<150 {
        let old = generated.value(schema)
        let new = generated.variation(of: old, schema)
        let (typedOld, typedNew) = (try make(old), try make(new))
        let changes = typedOld.changes(to: typedNew)
        let (wanted, start) = (JSON.text(of: typedNew.value), JSON.text(of: typedOld.value))
        try schema.apply(changes[...], .forward, to: typedOld.pointer)
        #expect(JSON.text(of: typedOld.value) == wanted, "forward from \(start) by \(changes)")
        try schema.apply(changes[...], .backward, to: typedOld.pointer)
        #expect(JSON.text(of: typedOld.value) == start, "back from \(wanted) by \(changes)")
      }
    }
  }

  private static let items = Schema.dynamic(
    .record(RecordSchema(name: "S", fields: [Field("items", [Garden.Bed].schema.dynamic)])))

  private static func walk(_ old: String, _ new: String) throws -> [String] {
    let (old, new) = (try Held(json(old), as: items), try Held(json(new), as: items))
    let changes = old.changes(to: new)
    #expect(try misses(old.value, new.value, items) == [])
    return changes.map(\.path.description)
  }

  @Test func anElementAddedInFrontGoesThere() throws {
    #expect(
      try Self.walk(#"{"items":[{"id":2},{"id":3}]}"#, #"{"items":[{"id":1},{"id":2},{"id":3,"depth":1}]}"#)
        == ["items[id=3].depth", "items[id=1]"])
  }

  @Test func elementsRemovedInTheMiddleComeBackThere() throws {
    #expect(
      try Self.walk(#"{"items":[{"id":1},{"id":2},{"id":3},{"id":4}]}"#, #"{"items":[{"id":1},{"id":4},{"id":5}]}"#)
        == ["items[id=2]", "items[id=3]", "items[id=5]"])
  }

  @Test func ofTwoElementsWithOneIdTheOneThatChangedChanges() throws {
    #expect(
      try Self.walk(#"{"items":[{"id":1},{"id":1,"depth":1}]}"#, #"{"items":[{"id":1},{"id":1,"depth":2}]}"#)
        == ["items[2].depth"])
  }

  @Test func elementsThatMoveGoThereAndBack() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      var (ids, depths) = (Array(1...12), Array(repeating: 3, count: 30))
      func text() -> String {
        "{\"items\":[\(ids.map { "{\"id\":\($0),\"depth\":\(depths[$0])}" }.joined(separator: ","))]}"
      }
      let old = text()
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        ids.insert(ids.remove(at: .random(in: ids.indices, using: &random)), at: .random(in: 0..<11, using: &random))
        depths[Int.random(in: 1...12, using: &random)] += 1
        if Bool.random(using: &random) { ids.remove(at: .random(in: ids.indices, using: &random)) }
        ids.insert(Int.random(in: 20...29, using: &random), at: 5)
        ids = ids.enumerated().filter { ids.firstIndex(of: $1) == $0 }.map(\.element)
      }
      #expect(try !Self.walk(old, text()).contains { $0.contains("items[1") })
    }
  }

  @Test func aChangeThatDoesNotFitIsRefused() throws {
    let held = try Held(json(#"{"items":[{"id":1}]}"#), as: Self.items)
    func refusal(_ change: Change, _ direction: Change.Direction = .forward) -> String? {
      do {
        try Self.items.apply([change], direction, to: held.pointer)
        return nil
      } catch {
        return (error as? ChangeError)?.message
      }
    }
    let one = Value.int(1)
    #expect(
      refusal(Change(try Path(parsing: "items[2].id"), .replace(from: one, to: one))) == "there is no such element")
    #expect(
      refusal(Change(try Path(parsing: "items[id=7].id"), .replace(from: one, to: one))) == "there is no such element")
    #expect(refusal(Change(try Path(parsing: "items[4]"), .add(one))) == "the list has 1 elements")
    #expect(refusal(Change(try Path(parsing: "items[4]"), .remove(one))) == "there is no such element")
    #expect(refusal(Change(try Path(parsing: "other"), .add(one))) == "'S' has no such field")
    #expect(refusal(Change(try Path(parsing: "items[1].id.x"), .add(one))) == "Int has no parts")
    #expect(refusal(Change(try Path(parsing: "items[1].depth"), .remove(one))) == nil)
    #expect(refusal(Change(try Path(parsing: "items[id=1]"), .remove(one))) == nil)
    #expect(try held.read("items") == .list([]))
    #expect(
      refusal(Change(try Path(parsing: "items[id=1]"), .move(to: 1), positions: [0])) == "there is no such element")
  }

  @Test func withoutPositionsTheIdDecides() throws {
    let held = try Held(json(#"{"items":[{"id":1},{"id":2}]}"#), as: Self.items)
    let bed = try Garden.Bed.schema.dynamic.check(json(#"{"id":3}"#))
    try Self.items.apply(
      [
        Change(Path([.field("items"), .match(field: "id", .int(1))]), .remove(.none)),
        Change(
          Path([.field("items"), .match(field: "id", .int(2)), .field("depth")]), .replace(from: .int(3), to: .int(4))),
        Change(Path([.field("items"), .match(field: "id", .int(3))]), .add(bed)),
      ], to: held.pointer)
    #expect(try held.read("items[*].id") == .list([.int(2), .int(3)]))
    #expect(try held.read("items[1].depth") == .int(4))
  }

  @Test func aPathHasATypeByDeclaration() throws {
    func name(_ path: String) throws -> String? { try Garden.schema.type(at: Path(parsing: path).steps[...])?.typeName }
    #expect(try name("count") == "Int")
    #expect(try name("beds[id=4].plants[1]") == "String")
    #expect(try name("rows[7].depth") == "Int?")
    #expect(try name("favourite.depth") == "Int?")
    #expect(try name("stock.a") == "Int")
    #expect(try name("stock[1]") == nil)
    #expect(try name("weather.x") == nil)
    #expect(try name("nothing") == nil)
  }
}
