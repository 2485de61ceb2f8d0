import StoreCore
import StoreModules
import StoreSchema
import Testing

@testable import StoreShell

/// The short way from a record of JSON to an action comes to what the long way comes to, or to nothing.
@Suite struct PlainRecordsTests {
  private static let type = ActionType(
    module: "m", name: "put",
    fields: [
      Field("name", String.schema), Field("count", .dynamic(.int(minimum: 0, maximum: 99))),
      Field("share", Double.schema, default: .double(0.5)), Field("done", Bool?.schema),
      Field("kind", .dynamic(.choice(name: "Kind", cases: ["a", "b"])), default: .string("a")),
    ])

  private func mapping(_ names: [String: String] = [:]) -> RecordMapping {
    RecordMapping(type: Self.type, argumentNames: names, ignoresOthers: false, computation: nil)
  }

  private func shortWay(_ record: [UInt8], _ mapping: RecordMapping) throws -> [Value]? {
    let plain = try #require(PlainRecords(mapping))
    return record.withUnsafeBufferPointer(plain.call)?.arguments
  }

  private func longWay(_ record: [UInt8], _ mapping: RecordMapping) throws -> [Value] {
    let fields = try JSON.fields(of: record.span).map { (mapping.argumentNames[$0.name] ?? $0.name, $0.value) }
    return try mapping.type.call(fields.map { (name: $0.0, value: $0.1) }).arguments
  }

  @Test(arguments: [
    "{\"name\":\"one\",\"count\":3}", "{ \"count\" : 0 ,\t\"name\" : \"\" } ",
    "{\"name\":\"é\",\"count\":99,\"done\":true}",
    "{\"name\":\"a text of more than fifteen bytes\",\"count\":1,\"share\":2,\"done\":null,\"kind\":\"b\"}",
    "{\"done\":false,\"kind\":\"a\",\"name\":\"x\",\"count\":-0,\"share\":-7}",
    "{\"name\":\"a\\nb\",\"count\":1}", "{\"n\\u0061me\":\"a\",\"count\":1,\"share\":0.25}",
  ])
  func plainRecordsGoTheShortWay(record: String) throws {
    let arguments = try #require(try shortWay(Array(record.utf8), mapping()))
    #expect(arguments == (try longWay(Array(record.utf8), mapping())))
  }

  @Test(arguments: [
    "", "{", "{}", "[]", "{\"name\"", "{\"name\":", "{\"name\":\"one\"", "{\"name\":\"one\"}", "{\"name\":\"one\",}",
    "{\"name\":\"one\",\"count\":100}", "{\"name\":\"one\",\"count\":1.0}", "{\"name\":\"one\",\"count\":1e1}",
    "{\"name\":\"one\",\"count\":01}", "{\"name\":\"one\",\"count\":-}",
    "{\"name\":\"one\",\"count\":1234567890123456789}",
    "{\"name\":\"one\",\"count\":\"1\"}", "{\"name\":1,\"count\":1}", "{\"name\":null,\"count\":1}",
    "{\"name\":\"a\u{1}\",\"count\":1}",
    "{\"name\":\"a\",\"name\":\"b\",\"count\":1}", "{\"name\":\"a\",\"count\":1,\"more\":1}",
    "{\"name\":\"a\",\"count\":1}}",
    "{\"name\":\"a\",\"count\":1} 2", "{\"name\":\"a\",\"count\":1,\"done\":tru}",
    "{\"name\":\"a\",\"count\":1,\"kind\":\"c\"}",
    "{\"name\":\"a\",\"count\":1,\"share\":[]}", "{\"name\":\"a\",\"count\":nul", "{\"name\":\"a",
  ])
  func allElseGoesTheLongWay(record: String) throws {
    #expect(try shortWay(Array(record.utf8), mapping()) == nil)
  }

  /// Texts of up to fifteen bytes are read two words at a time, where so much is left of the record.
  @Test(arguments: 0...18)
  func textsOfEachLengthAreRead(count: Int) throws {
    let plain = try #require(PlainRecords(mapping()))
    for place in 0...count {
      for odd in ["", "\\\"", "\\n", "é", "\\u0041", "\u{7f}", " ", "'"] {
        var text = String(repeating: "x", count: count)
        text.insert(contentsOf: odd, at: text.index(text.startIndex, offsetBy: place))
        let records = [
          "{\"count\":1,\"name\":\"\(text)\"}", "{\"name\": \"\(text)\" , \"count\": 12, \"kind\":\"b\"}",
        ]
        for record in records {
          let bytes = Array(record.utf8)
          let arguments = bytes.withUnsafeBufferPointer(plain.call)?.arguments
          #expect(arguments == (try longWay(bytes, mapping())), "\(record)")
        }
      }
    }
  }

  /// The memory of arguments serves again, but not for those that somebody has.
  @Test func argumentsThatAreKeptStayWhatTheyAre() throws {
    let plain = try #require(PlainRecords(mapping()))
    let calls = (0..<5).compactMap { number in
      let record = "{\"name\":\"a text of the number \(number)\",\"count\":\(number)}"
      return Array(record.utf8).withUnsafeBufferPointer(plain.call)
    }
    #expect(calls.map { $0.arguments[0] } == (0..<5).map { .string("a text of the number \($0)") })
    #expect(calls.map { $0.arguments[1] } == (0..<5).map { .int($0) })
  }

  @Test func bytesThatAreNoTextGoTheLongWay() throws {
    let record = Array("{\"count\":1,\"name\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
    #expect(try shortWay(record, mapping()) == nil)
  }

  @Test func otherNamesFillArguments() throws {
    let names = mapping(["title": "name", "n": "count"])
    let record = Array("{\"title\":\"one\",\"n\":3}".utf8)
    #expect(try shortWay(record, names) == (try longWay(record, names)))
    // Two fields for one argument: which of them counts is for the long way to say.
    #expect(try shortWay(Array("{\"title\":\"one\",\"n\":3,\"name\":\"two\"}".utf8), names) == nil)
    // A field whose name stands for another argument is not taken for its own.
    let swapped = mapping(["name": "kind", "kind": "name"])
    let crossed = Array("{\"name\":\"b\",\"kind\":\"text\",\"count\":1}".utf8)
    #expect(try shortWay(crossed, swapped) == (try longWay(crossed, swapped)))
  }

  @Test func whatIsDamagedComesToTheSameOrToNothing() throws {
    var generator = SeededGenerator(seed: 4)
    let whole = Array(
      "{\"name\":\"tea, green\",\"count\":42,\"share\":3,\"done\":true,\"kind\":\"b\"}".utf8)
    let pieces = Array("{}[]\",:\\ -0919.eEtrufalsn\u{1}é".utf8)
    var taken = 0
    for _ in 0..<20_000 {
      var record = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<record.count, using: &generator)
        let piece = pieces.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: record[place] = piece
        case 1: record.insert(piece, at: place)
        default: record.remove(at: place)
        }
      }
      guard let arguments = try shortWay(record, mapping()) else { continue }
      taken += 1
      let text = String(decoding: record, as: UTF8.self)
      #expect(arguments == (try longWay(record, mapping())), "\(text)")
    }
    #expect(taken > 100)
  }
}
