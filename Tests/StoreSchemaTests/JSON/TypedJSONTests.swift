import StoreSchema
import Testing

/// Values go to JSON and come back by their type.
@Suite struct TypedJSONTests {
  private static func bytes(_ value: Value) -> [UInt8] {
    var bytes: [UInt8] = []
    JSON.append(value, to: &bytes)
    return bytes
  }

  @Test func everyValueOfEveryTypeComesBack() throws {
    for seed in 0..<3000 {
      var generated = GeneratedSchemas(seed: UInt64(seed))
      let schema = generated.schema()
      let value = generated.value(schema)
      let bytes = TypedJSONTests.bytes(value)
      let read = try schema.value(fromJSON: try JSON.value(of: bytes))
      // A number that is none equals nothing, so the texts are compared.
      #expect(String(decoding: TypedJSONTests.bytes(read), as: UTF8.self) == String(decoding: bytes, as: UTF8.self))
      #expect(try schema.check(read).described == value.described)
    }
  }

  @Schema
  struct Shelf: Equatable {
    var name = "shelf"
    var boxes: PersistentList<Box> = []
    var tags: [String] = []
    var named: [String: Box] = [:]
    var best: Box?
    var sizes: [Double] = []

    @Schema
    struct Box: Equatable {
      var id: Int
      var lids: [Int] = []
    }
  }

  /// In place, a part at a time, or as a value: the bytes are the same, and lead to the same.
  @Test func aPlaceIsWrittenAndReadAsItsValueIs() throws {
    var shelf = Shelf()
    let empty = shelf
    for id in 0..<300 { shelf.boxes.append(Shelf.Box(id: id, lids: Array(0..<(id % 3)))) }
    shelf.tags = ["a", "\"b\"", "\u{E9}"]
    shelf.named["x y"] = Shelf.Box(id: 7)
    shelf.best = shelf.boxes[2]
    shelf.sizes = [1, 0.5, .infinity]
    for value in [shelf, empty] {
      var bytes: [UInt8] = []
      withUnsafePointer(to: value) { Shelf.schema.appendJSON(of: UnsafeRawPointer($0), to: &bytes) }
      #expect(bytes == TypedJSONTests.bytes(value.schemaValue))
      for start in [shelf, empty] {
        var read = start
        let isRead = withUnsafeMutablePointer(to: &read) { place in
          bytes.withUnsafeBufferPointer { Shelf.schema.assign(json: $0, to: UnsafeMutableRawPointer(place)) }
        }
        #expect(isRead && read == value)
      }
    }
    // What takes a closer look is left to it: other members, another order, values of another type.
    for text in [#"{"name":"x"}"#, #"{"boxes":[],"name":"x"}"#, #"{"name":1}"#, "[]", "{", #"{"name":"x"} "#] {
      var read = empty
      #expect(
        !withUnsafeMutablePointer(to: &read) { place in
          Array(text.utf8).withUnsafeBufferPointer { Shelf.schema.assign(json: $0, to: UnsafeMutableRawPointer(place)) }
        }, "\(text)")
    }
  }

  @Test func bytesAreWhatTheTextIs() {
    for seed in 0..<500 {
      var generated = GeneratedValues(seed: UInt64(seed))
      let value = generated.json()
      #expect(String(decoding: TypedJSONTests.bytes(value), as: UTF8.self) == JSON.text(of: value))
    }
    for number in [0, 9, 10, -1, .max, .min] {
      #expect(String(decoding: TypedJSONTests.bytes(.int(number)), as: UTF8.self) == "\(number)")
    }
  }

  private static let shelf = Schema.dynamic(
    .record(
      RecordSchema(
        name: "Shelf",
        fields: [
          Field("rows", .dynamic(.map(key: .int, .dynamic(.list(.dynamic(.int(minimum: 0, maximum: nil))))))),
          Field("note", .dynamic(.optional(.dynamic(.string)))),
          Field("size", .dynamic(.double), default: .double(1)),
        ])))

  @Test(arguments: [
    (#"{"rows":{"2":[1]},"note":null}"#, #"{"rows":{"2":[1]},"note":null,"size":1.0}"#),
    (#"{"size":2,"rows":{}}"#, #"{"rows":{},"note":null,"size":2.0}"#),
    (#"{"rows":{},"size":"-inf"}"#, #"{"rows":{},"note":null,"size":"-inf"}"#),
  ])
  func whatIsAbsentIsFilledIn(text: String, expected: String) throws {
    let value = try TypedJSONTests.shelf.value(fromJSON: try JSON.value(of: text))
    #expect(String(decoding: TypedJSONTests.bytes(value), as: UTF8.self) == expected)
  }

  @Test(arguments: [
    (#"{"rows":{"two":[]}}"#, #"'rows' must have Int keys, got string "two""#),
    (#"{"rows":{"02":[]}}"#, #"'rows' must have Int keys, got string "02""#),
    (#"{"rows":{"2":[1,-1]}}"#, "'rows[2][2]' must be >= 0, got -1"),
    (#"{"rows":{"2":[1,1.5]}}"#, "'rows[2][2]' must be Int, got number 1.5"),
    (#"{"rows":{},"note":1}"#, "'note' must be String, got number 1"),
    (#"{"rows":{},"siez":1}"#, "Shelf has no field 'siez' (did you mean 'size'?)"),
    (#"{"note":"x"}"#, "'rows' ([Int: [Int]]) is missing"),
    (#"{"rows":{},"size":"big"}"#, #"'size' must be Double, got string "big""#),
    ("[1]", "value must be Shelf, got a list"),
  ])
  func theFirstPlaceThatDoesNotFitIsNamed(text: String, message: String) throws {
    let json = try JSON.value(of: text)
    let error = #expect(throws: SchemaError.self) { try TypedJSONTests.shelf.value(fromJSON: json) }
    #expect(error?.message == message)
  }

  @Test func aReaderIsDrivenMemberByMember() throws {
    let bytes = Array(#" {"n": 0.10 , "list":[1, 2,3], "rest": {"a":[]}} "#.utf8)
    try bytes.withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      var numbers: [Value] = []
      var texts: [String] = []
      try reader.members { (reader, name, _) throws(JSONError) in
        switch name {
        case "n": texts.append(try reader.numberText())
        case "list": try reader.elements { (reader) throws(JSONError) in numbers.append(try reader.value()) }
        default: texts.append(JSON.text(of: try reader.value()))
        }
      }
      try reader.end()
      #expect(texts == ["0.10", #"{"a":[]}"#])
      #expect(numbers == [.int(1), .int(2), .int(3)])
    }
  }

  @Test func digitsArePassedAsOneNumber() {
    for count in 1...20 {
      for end in ["", ",", "5", "/", ":", "é"] {
        let digits = String("12345678901234567890".prefix(count))
        let bytes = Array((digits + end).utf8)
        bytes.withUnsafeBufferPointer { bytes in
          var reader = JSONReader(bytes)
          let all = digits + (end == "5" ? end : "")
          let passed = reader.passDigits()
          #expect(passed?.number == (all.count < 19 ? Int(all) : nil))
          #expect(reader.offset == (all.count < 19 ? all.count : 0))
        }
      }
    }
  }

  @Test func theTypeAtAPathNamesEntriesByKey() throws {
    let found = try #require(TypedJSONTests.shelf.part(at: try Path(parsing: "rows[2][1]").steps[...]))
    #expect(found.schema.typeName == "Int")
    #expect(found.steps == [.field("rows"), .key(.int(2)), .index(1)])
    #expect(TypedJSONTests.shelf.part(at: try Path(parsing: "rows.two").steps[...]) == nil)
    #expect(TypedJSONTests.shelf.part(at: try Path(parsing: "nots").steps[...]) == nil)
  }

  @Test func theSignatureSaysWhatDecides() {
    #expect(
      TypedJSONTests.shelf.signature == #"Shelf{"rows":[Int:[Int(0...)]],"note":String?,"size":Double=1.0}"#)
    #expect(Schema.dynamic(.choice(name: "", cases: ["a|b", "c"])).signature == #"("a|b"|"c")"#)
  }
}
