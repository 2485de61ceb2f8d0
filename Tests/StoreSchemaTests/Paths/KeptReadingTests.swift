import StoreSchema
import Synchronization
import Testing

/// What is read again and again is what a reading of all gives, and only what has changed is converted.
@Suite struct KeptReadingTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func itIsWhatAReadingOfAllGives(seed: UInt64) throws {
    var generated = GeneratedSchemas(seed: seed)
    for (schema, make) in [
      (Plot.schema, { try Held(plot: $0) }), (Garden.schema, { try Held($0, as: Garden.schema) }),
      (Garden.schema.dynamic, { try Held($0) }),
    ] as [(Schema, (Value) throws -> Held)] {
      let kept = KeptReading()
      var value = generated.value(schema)
      for _ in 0..<150 {
        let held = try make(value)
        let reading = kept.read(schema, held.pointer)
        #expect(reading.value == held.value)
        #expect(reading.schema === schema)
        value = generated.variation(of: value, schema)
      }
    }
  }

  /// A path leads now to one element and now to another, which may be of another type.
  @Test func anotherTypeIsReadAnew() {
    let kept = KeptReading()
    for _ in 0..<2 {
      for list in [[1, 2], [2], [], [3, 1, 2]] as [PersistentList<Int>] {
        #expect(withUnsafePointer(to: list) { kept.read(PersistentList<Int>.schema, $0).value } == list.schemaValue)
        let map: PersistentMap<String, Int> = ["a": list.count]
        #expect(
          withUnsafePointer(to: map) { kept.read(PersistentMap<String, Int>.schema, $0).value } == map.schemaValue)
      }
    }
  }

  /// A number that counts how often it is read.
  private struct Counted: Schematic {
    static let reads = Atomic<Int>(0)

    var number: Int

    static let schema = Schema.scalar(Counted.self, .int(minimum: nil, maximum: nil)) {
      reads.add(1, ordering: .relaxed)
      return .int($0.number)
    }

    init(number: Int) { self.number = number }

    init(schemaValue value: Value) throws(SchemaError) { number = try Int(schemaValue: value) }
  }

  /// A change of a long list costs no more than one of a short one, reading and comparing.
  @Test func aChangeCostsItsOwnPartAlone() throws {
    let kept = KeptReading()
    let schema = PersistentList<Counted>.schema
    var list = PersistentList((0..<50_000).map { Counted(number: $0) })
    var before = withUnsafePointer(to: list) { kept.read(schema, $0).value }
    let changes: [(inout PersistentList<Counted>) -> Void] = [
      { $0.append(Counted(number: -1)) }, { $0[25_000].number = -2 }, { $0.remove(at: 10_000) },
      { $0.insert(Counted(number: -3), at: 40_000) }, { $0.remove(at: 0) }, { _ in },
    ]
    for (index, change) in changes.enumerated() {
      change(&list)
      let readsBefore = Counted.reads.load(ordering: .relaxed)
      let value = withUnsafePointer(to: list) { kept.read(schema, $0).value }
      // Each element of a leaf or two is compared.
      #expect(Counted.reads.load(ordering: .relaxed) - readsBefore < 1_000, "change \(index)")
      #expect(value == list.schemaValue)
      guard case .list(let old) = before, case .list(let new) = value else {
        Issue.record("no lists")
        return
      }
      var looks = 0
      _ = PersistentList.commonEnds(old, new) {
        looks += 1
        return $0.pointee == $1.pointee
      }
      #expect(looks < 500, "change \(index)")
      before = value
    }
  }
}
