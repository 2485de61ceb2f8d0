import StoreSchema
import Testing

/// Changing parts in place, in a Swift value and in a ``Value`` alike.
@Suite struct InPlaceAccessTests {
  private static let text = #"""
    {"title":"t","numbers":[1,2],"beds":[{"id":1,"plants":["x"]},{"id":2}],"stock":{"b":2,"a":1},"favourite":{"id":7}}
    """#

  /// Makes a change to a field in both ways of holding a value; they must agree on what comes of it.
  private func after(_ field: String, _ body: (Schema, UnsafeMutableRawPointer) throws -> Void) throws -> Value {
    let results = try Held.both(json(Self.text)).map { held in
      let snapshot = held.value
      guard case .record(let access) = held.schema.access.parts, case .record(let record) = held.schema.kind,
        let index = record.index(of: field)
      else { throw NotARecord() }
      try access.modify(held.pointer, index) { try body(record.fields[index].schema, $0) }
      #expect(snapshot == (try Garden.schema.check(json(Self.text))), "the snapshot changed")
      return try held.read(field)
    }
    #expect(results[0] == results[1])
    return results[0]
  }

  private struct NotARecord: Error {}

  @Test func scalarsAreAssigned() throws {
    #expect(try after("title") { try $0.access.assign(.string("new"), $1) } == .string("new"))
    #expect(try after("season") { try $0.access.assign(.string("summer"), $1) } == .string("summer"))
    #expect(try after("ratio") { try $0.access.assign($0.check(.int(2)), $1) } == .double(2))
    #expect(try after("weather") { try $0.access.assign($0.check(json(#"{"rain":{"mm":1}}"#)), $1) } != .string("dry"))
  }

  @Test func aRefusedValueChangesNothing() throws {
    for held in try Held.both(json(Self.text)) {
      let before = held.value
      #expect(throws: SchemaError.self) {
        guard case .record(let access) = held.schema.access.parts, case .record(let record) = held.schema.kind else {
          return
        }
        try access.modify(held.pointer, 1) {
          try record.fields[1].schema.access.assign(
            record.fields[1].schema.check(.string("x")), $0)
        }
      }
      #expect(held.value == before)
    }
  }

  private func list(_ schema: Schema) throws -> (ListAccess, Schema) {
    guard case .list(let access) = schema.access.parts, case .list(let element) = schema.kind else {
      throw NotARecord()
    }
    return (access, element)
  }

  @Test func elementsComeGoAndChange() throws {
    let inserted = try after("numbers") { (schema, part) throws in
      let (access, _) = try list(schema)
      try access.insert(part, 0, .int(9))
      try access.insert(part, 3, .int(8))
      try access.insert(part, 2, .int(7))
      #expect(access.count(part) == 5)
    }
    #expect(JSON.text(of: inserted) == "[9,1,7,2,8]")
    let removed = try after("numbers") { (schema, part) throws in try list(schema).0.remove(part, 0) }
    #expect(JSON.text(of: removed) == "[2]")
    let changed = try after("beds") { (schema, part) throws in
      let (access, element) = try list(schema)
      guard case .record(let bed) = element.access.parts, case .record(let record) = element.kind else { return }
      try access.modify(part, 1) {
        try bed.modify($0, 1) { plants in
          try list(record.fields[1].schema).0.insert(plants, 0, .string("rose"))
        }
      }
    }
    #expect(JSON.text(of: changed) == #"[{"id":1,"plants":["x"],"depth":3},{"id":2,"plants":["rose"],"depth":3}]"#)
  }

  @Test func entriesComeGoAndChange() throws {
    let result = try after("stock") { (schema, part) throws in
      guard case .map(let access) = schema.access.parts else { return }
      try access.set(part, .string("c"), .int(3))
      try access.set(part, .string("a"), .int(10))
      access.remove(part, .string("b"))
      access.remove(part, .string("zz"))
      #expect(access.count(part) == 2)
      #expect(access.nextKey(part, nil) == .string("a"))
      #expect(access.nextKey(part, .string("a")) == .string("c"))
      #expect(access.nextKey(part, .string("b")) == .string("c"))
      #expect(access.nextKey(part, .string("c")) == nil)
      #expect(!access.read(part, .string("b")) { _ in Issue.record("there is no b") })
      #expect(!(try access.modify(part, .string("b")) { _ in Issue.record("there is no b") }))
      #expect(try access.modify(part, .string("c")) { try Int.schema.dynamicLike(schema).access.assign(.int(4), $0) })
    }
    #expect(JSON.text(of: result) == #"{"a":10,"c":4}"#)
  }

  @Test func optionalsAreReachedWhereTheyHoldSomething() throws {
    let result = try after("favourite") { (schema, part) throws in
      guard case .optional(let access) = schema.access.parts, case .optional(let wrapped) = schema.kind,
        case .record(let bed) = wrapped.access.parts, case .record(let record) = wrapped.kind
      else { return }
      #expect(
        try access.modify(part) { try bed.modify($0, 0) { try record.fields[0].schema.access.assign(.int(8), $0) } })
    }
    #expect(JSON.text(of: result) == #"{"id":8,"plants":[],"depth":3}"#)
    let none = try after("note") { (schema, part) throws in
      guard case .optional(let access) = schema.access.parts else { return }
      #expect(!(try access.modify(part) { _ in Issue.record("there is no note") }))
      #expect(!access.read(part) { _ in Issue.record("there is no note") })
    }
    #expect(none == .none)
    #expect(try after("note") { try $0.access.assign(.string("x"), $1) } == .string("x"))
    #expect(try after("favourite") { try $0.access.assign(.none, $1) } == .none)
  }

  @Test func payloadsKnowTheirCase() throws {
    for held in try Held.both(json(#"{"weather":{"rain":{"mm":4,"note":"n"}}}"#)) {
      guard case .record(let access) = held.schema.access.parts, case .record(let record) = held.schema.kind,
        let index = record.index(of: "weather"), case .union(let union) = record.fields[index].schema.access.parts,
        case .union(let cases) = record.fields[index].schema.kind
      else { throw NotARecord() }
      try access.modify(held.pointer, index) { weather in
        #expect(union.caseIndex(weather) == 1)
        #expect(union.payload(weather) == [.int(4), .string("n")])
        try union.modify(weather, 0) { try cases.cases[1].fields[0].schema.access.assign(.int(5), $0) }
        #expect(union.payload(weather) == [.int(5), .string("n")])
        try record.fields[index].schema.access.assign(.string("dry"), weather)
        #expect(union.caseIndex(weather) == 0)
        #expect(union.payload(weather) == [])
      }
    }
  }

  @Test func anErrorWhileAPartIsChangedLosesNothing() throws {
    struct Stop: Error {}
    for field in ["favourite", "stock", "beds", "numbers"] {
      let value = try after(field) { (schema, part) throws in
        do {
          switch schema.access.parts {
          case .optional(let access): _ = try access.modify(part) { _ in throw Stop() }
          case .map(let access): _ = try access.modify(part, .string("a")) { _ in throw Stop() }
          case .list(let access): try access.modify(part, 1) { _ in throw Stop() }
          default: Issue.record("\(field) has no parts")
          }
        } catch is Stop {}
      }
      #expect(value == (try Held(json(Self.text)).read(field)))
    }
  }

  @Test func equalityIsThatOfTheValues() throws {
    var values = GeneratedValues(seed: 11)
    for _ in 0..<300 {
      let (left, right) = (values.garden(), values.garden())
      for (first, second) in zip(try Held.both(left.schemaValue), try Held.both(right.schemaValue)) {
        #expect(first.schema.access.isEqual(first.pointer, second.pointer) == (left == right))
        #expect(first.schema.access.isEqual(first.pointer, first.pointer))
      }
    }
  }
}

extension Schema {
  /// This type over the memory that another schema reaches into.
  fileprivate func dynamicLike(_ other: Schema) -> Schema { other.isDynamic ? dynamic : self }
}
