import StoreSchema
import Testing

/// Rule R22: fields as declared, lists by id or index, maps by key.
@Suite struct DifferencesTests {
  private static func text(_ changes: [Change]) -> [String] {
    changes.map { change in
      switch change.kind {
      case .replace(let old, let new): "\(change.path) \(JSON.text(of: old)) -> \(JSON.text(of: new))"
      case .add(let value): "\(change.path) + \(JSON.text(of: value))"
      case .remove(let value): "\(change.path) - \(JSON.text(of: value))"
      case .move(let position): "\(change.path) \(change.positions) -> \(position)"
      }
    }
  }

  /// The differences, which both ways of holding the values must agree on.
  private static func changes(_ old: String, _ new: String) throws -> [String] {
    let pairs = zip(try Held.both(json(old)), try Held.both(json(new)))
    let found = pairs.map { text($0.changes(to: $1)) }
    #expect(found[0] == found[1])
    return found[0]
  }

  @Test func fieldsInDeclaredOrder() throws {
    #expect(
      try Self.changes(
        #"{"title":"a","count":1,"ratio":1,"season":"spring"}"#, #"{"season":"summer","count":2,"title":"b","ratio":2}"#
      )
        == ["count 1 -> 2", "ratio 1.0 -> 2.0", "title \"a\" -> \"b\"", "season \"spring\" -> \"summer\""])
  }

  @Test func optionalsComeAndGo() throws {
    #expect(try Self.changes("{}", #"{"note":"x"}"#) == ["note + \"x\""])
    #expect(try Self.changes(#"{"note":"x"}"#, "{}") == ["note - \"x\""])
    #expect(try Self.changes(#"{"note":"x"}"#, #"{"note":"y"}"#) == ["note \"x\" -> \"y\""])
    #expect(
      try Self.changes(#"{"favourite":{"id":1}}"#, #"{"favourite":{"id":1,"depth":null}}"#) == ["favourite.depth - 3"])
    #expect(
      try Self.changes("{}", #"{"favourite":{"id":1}}"#) == [#"favourite + {"id":1,"plants":[],"depth":3}"#])
  }

  @Test func plainListsByIndex() throws {
    #expect(try Self.changes(#"{"numbers":[1,2]}"#, #"{"numbers":[1,2,3]}"#) == ["numbers[3] + 3"])
    #expect(
      try Self.changes(#"{"numbers":[1,2,3]}"#, #"{"numbers":[]}"#)
        == ["numbers[1] - 1", "numbers[2] - 2", "numbers[3] - 3"])
    #expect(try Self.changes(#"{"numbers":[1,2,3]}"#, #"{"numbers":[1,9,3]}"#) == ["numbers[2] 2 -> 9"])
    #expect(try Self.changes(#"{"numbers":[1,1]}"#, #"{"numbers":[1]}"#).count == 1)
  }

  /// Whether the ids ascend, descend, repeat or stand in no order: what differs far apart is told as what differs nearby.
  @Test func listsOfManyRecordsById() throws {
    func beds(_ ids: [Int], depths: [Int: Int] = [:]) -> String {
      let beds = ids.enumerated().map { "{\"id\":\($1),\"depth\":\(depths[$0] ?? 3)}" }
      return "{\"beds\":[\(beds.joined(separator: ","))]}"
    }
    let ascending = Array(1...200)
    for ids in [ascending, ascending.reversed(), [200] + (1...199)] {
      #expect(
        try Self.changes(beds(ids), beds(ids, depths: [0: 7, 199: 8]))
          == ["beds[id=\(ids[0])].depth 3 -> 7", "beds[id=\(ids[199])].depth 3 -> 8"])
      #expect(
        try Self.changes(beds(ids), beds([0] + ids.dropFirst(), depths: [199: 8]))
          == [
            #"beds[id=\#(ids[0])] - {"id":\#(ids[0]),"plants":[],"depth":3}"#, "beds[id=\(ids[199])].depth 3 -> 8",
            #"beds[id=0] + {"id":0,"plants":[],"depth":3}"#,
          ])
    }
    let repeating = [1] + (2...100) + (2...100) + [200]
    #expect(
      try Self.changes(beds(repeating), beds(repeating, depths: [0: 7, 199: 8]))
        == ["beds[1].depth 3 -> 7", "beds[200].depth 3 -> 8"])
    #expect(
      try Self.changes(beds([1] + repeating), beds([9] + repeating, depths: [200: 8]))
        == ["beds[1].id 1 -> 9", "beds[201].depth 3 -> 8"])
    #expect(try Self.changes(beds(ascending + [77]), beds(ascending + [77, 50])).count == 1)
    #expect(
      try Self.changes(beds(ascending), beds(ascending + [50])) == [#"beds[201] + {"id":50,"plants":[],"depth":3}"#])
    #expect(
      try Self.changes(beds(ascending), beds(ascending + [500])) == [
        #"beds[id=500] + {"id":500,"plants":[],"depth":3}"#
      ])
  }

  @Test func listsOfRecordsById() throws {
    #expect(
      try Self.changes(#"{"beds":[{"id":1},{"id":2},{"id":3}]}"#, #"{"beds":[{"id":1},{"id":3,"depth":9},{"id":4}]}"#)
        == [
          #"beds[id=2] - {"id":2,"plants":[],"depth":3}"#, "beds[id=3].depth 3 -> 9",
          #"beds[id=4] + {"id":4,"plants":[],"depth":3}"#,
        ])
    #expect(
      try Self.changes(#"{"beds":[{"id":2}]}"#, #"{"beds":[{"id":1},{"id":2}]}"#)
        == [#"beds[id=1] + {"id":1,"plants":[],"depth":3}"#])
  }

  @Test func aNewOrderIsAChange() throws {
    #expect(
      try Self.changes(#"{"beds":[{"id":1},{"id":2}]}"#, #"{"beds":[{"id":2},{"id":1}]}"#) == ["beds[id=1] [0] -> 1"])
    #expect(
      try Self.changes(
        #"{"beds":[{"id":1},{"id":2},{"id":3},{"id":4}]}"#, #"{"beds":[{"id":2},{"id":4},{"id":5},{"id":1,"depth":9}]}"#
      )
        == [
          "beds[id=1].depth 3 -> 9", "beds[id=1] [0] -> 3", #"beds[id=3] - {"id":3,"plants":[],"depth":3}"#,
          #"beds[id=5] + {"id":5,"plants":[],"depth":3}"#,
        ])
  }

  /// Whether the others of an id are among the elements that differ or not.
  @Test func idsThatRepeatAreComparedByIndex() throws {
    let few = #"{"id":1},{"id":2},{"id":3},{"id":2}"#
    #expect(
      try Self.changes("{\"beds\":[\(few)]}", #"{"beds":[{"id":1},{"id":2},{"id":3},{"id":2,"depth":9}]}"#)
        == ["beds[4].depth 3 -> 9"])
    #expect(
      try Self.changes("{\"beds\":[\(few)]}", "{\"beds\":[\(few),{\"id\":3}]}")
        == [#"beds[5] + {"id":3,"plants":[],"depth":3}"#])
    #expect(
      try Self.changes("{\"beds\":[\(few)]}", #"{"beds":[{"id":1},{"id":2},{"id":3}]}"#)
        == [#"beds[4] - {"id":2,"plants":[],"depth":3}"#])
    #expect(
      try Self.changes("{\"beds\":[\(few)]}", #"{"beds":[{"id":4},{"id":2,"depth":9},{"id":3},{"id":2}]}"#)
        == ["beds[1].id 1 -> 4", "beds[2].depth 3 -> 9"])
    #expect(
      try Self.changes("{\"beds\":[\(few)]}", #"{"beds":[{"id":1},{"id":2},{"id":3,"depth":9},{"id":2}]}"#)
        == ["beds[id=3].depth 3 -> 9"])
    #expect(
      try Self.changes(#"{"beds":[{"id":1},{"id":1,"depth":1}]}"#, #"{"beds":[{"id":2},{"id":2,"depth":2}]}"#)
        == ["beds[1].id 1 -> 2", "beds[2].id 1 -> 2", "beds[2].depth 1 -> 2"])
  }

  @Test func mapsByKeyInOrder() throws {
    #expect(
      try Self.changes(#"{"stock":{"b":1,"a":1,"z":1}}"#, #"{"stock":{"a":2,"c d":1,"z":1}}"#)
        == ["stock.a 1 -> 2", "stock.b - 1", #"stock["c d"] + 1"#])
  }

  @Test func casesAsAWhole() throws {
    #expect(
      try Self.changes("{}", #"{"weather":{"rain":{"mm":1}}}"#) == [#"weather "dry" -> {"rain":{"mm":1,"note":null}}"#])
    #expect(
      try Self.changes(#"{"weather":{"rain":{"mm":1}}}"#, #"{"weather":{"rain":{"mm":2}}}"#)
        == [#"weather {"rain":{"mm":1,"note":null}} -> {"rain":{"mm":2,"note":null}}"#])
  }

  @Test func theLogOfScenario13() throws {
    let schema = Schema.dynamic(
      .record(
        RecordSchema(
          name: "S",
          fields: [
            Field("count", Int.schema.dynamic), Field("flag", Bool.schema.dynamic),
            Field("items", [Int].schema.dynamic),
            Field("title", String.schema.dynamic),
          ])))
    let states = try [
      #"{"count":0,"flag":false,"items":[1,2],"title":"a"}"#, #"{"count":1,"flag":false,"items":[1,2],"title":"a"}"#,
      #"{"count":1,"flag":false,"items":[1,2],"title":"a"}"#, #"{"count":1,"flag":false,"items":[1,2,3],"title":"a"}"#,
      #"{"count":2,"flag":false,"items":[1,2,3],"title":"b"}"#, #"{"count":2,"flag":false,"items":[],"title":"b"}"#,
    ].map { try Held(json($0), as: schema) }
    let log = zip(states, states.dropFirst()).map { Self.text($0.changes(to: $1)) }
    #expect(
      log == [
        ["count 0 -> 1"], [], ["items[3] + 3"], ["count 1 -> 2", "title \"a\" -> \"b\""],
        ["items[1] - 1", "items[2] - 2", "items[3] - 3"],
      ])
  }

  @Test func aValueDoesNotDifferFromItself() throws {
    var values = GeneratedValues(seed: 9)
    for _ in 0..<200 {
      let value = values.garden().schemaValue
      for (old, new) in zip(try Held.both(value), try Held.both(value)) {
        #expect(old.changes(to: new) == [])
        #expect(old.changes(to: old) == [])
      }
    }
  }

  @Test func changesLeadFromOneValueToTheOther() throws {
    var values = GeneratedValues(seed: 10)
    for _ in 0..<500 {
      let (old, new) = (values.garden(), values.garden())
      let found = zip(try Held.both(old.schemaValue), try Held.both(new.schemaValue)).map { $0.changes(to: $1) }
      #expect(found[0] == found[1])
      #expect(found[0].isEmpty == (old == new))
      let held = try Held(old.schemaValue)
      for change in found[0] {
        // What a change names was there before, and what it says came of it is there afterwards.
        let after = try Held(new.schemaValue)
        let path = change.path.description
        var isByIndex = false
        if case .index = change.path.steps.last { isByIndex = true }
        switch change.kind {
        case .replace(let from, let to):
          #expect(try held.read(path) == from)
          #expect(try after.read(path) == to)
        case .add(let value):
          #expect(try after.read(path) == value)
          // Another element may have stood at the same index.
          #expect(isByIndex || (try? held.read(path)) ?? Value.none == Value.none)
        case .remove(let value):
          #expect(try held.read(path) == value)
          #expect(isByIndex || (try? after.read(path)) ?? Value.none == Value.none)
        case .move:
          #expect(try held.read("\(path).id") == after.read("\(path).id"))
        }
      }
    }
  }

  /// What one comparison leaves in a finder is nothing that the next one sees.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func aFinderThatIsKeptFindsWhatANewOneFinds(seed: UInt64) {
    var generated = GeneratedSchemas(seed: seed)
    var kept = DifferenceFinder()
    var all: [Change] = []
    var expected: [Change] = []
    for round in 0..<40 {
      let schema = generated.record(depth: 3, hasId: false)
      let old = generated.value(schema)
      let new = generated.variation(of: old, schema)
      let module = round.isMultiple(of: 2) ? nil : "module\(round / 4)"
      let place = Path(module.map { [.field($0)] } ?? [])
      withUnsafePointer(to: old) { old in
        withUnsafePointer(to: new) { new in
          kept.append(
            from: UnsafeRawPointer(old), to: UnsafeRawPointer(new), of: schema, in: module, to: &all)
          expected += schema.changes(from: UnsafeRawPointer(old), to: UnsafeRawPointer(new), at: place)
        }
      }
      #expect(Self.text(all) == Self.text(expected))
      #expect(all.map(\.positions) == expected.map(\.positions))
    }
    #expect(all.count > 20)
  }
}
