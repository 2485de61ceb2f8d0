import Testing

@testable import StoreSchema

/// JSON as RFC 8259 has it.
@Suite struct JSONTests {
  private static func fault(_ text: some Sequence<UInt8>) -> JSONError? {
    do throws(JSONError) {
      _ = try JSON.value(of: text)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("null", Value.none), (" \t\r\n true ", .bool(true)), ("false", .bool(false)), ("0", .int(0)), ("-0", .int(0)),
    ("-12", .int(-12)), ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
    ("9223372036854775808", .double(9223372036854775808)), ("1.0", .double(1)), ("1e2", .double(100)),
    ("1E+2", .double(100)), ("1.5e-1", .double(0.15)), ("-0.0", .double(-0.0)),
    ("5e-324", .double(.leastNonzeroMagnitude)),
    ("1e-999", .double(0)), ("100000000000000000000", .double(1e20)),
    ("\"\"", .string("")), ("[]", .list([])), ("{}", .map([:])),
    ("[ 1 , [ ] , null ]", .list([.int(1), .list([]), .none])),
    (#""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00""#, .string("\"\\/\u{8}\u{C}\n\r\tAé😀")),
    (#""\u0000""#, .string("\u{0}")), (#""\uFFFF""#, .string("\u{FFFF}")),
    (#"{"b":1,"a":{"":2}}"#, .map([.string("b"): .int(1), .string("a"): .map([.string(""): .int(2)])])),
  ])
  func reads(text: String, value: Value) throws {
    #expect(try JSON.value(of: text) == value)
  }

  /// A decimal is marked where somebody reads it back who does not know its type; a float never looks so.
  @Test(arguments: [
    ("150E-002", DecimalNumber(units: 150, scale: 2)), ("1E-001", DecimalNumber(units: 1, scale: 1)),
    ("-15E-000", DecimalNumber(units: -15)), ("-9223372036854775808E-018", DecimalNumber(units: .min, scale: 18)),
  ])
  func marksDecimals(text: String, number: DecimalNumber) throws {
    let value = Value.list([.decimal(number), .double(1.5), .double(1e-5)])
    #expect(JSON.text(of: value, marksDecimals: true) == "[\(text),1.5,1e-05]")
    #expect(try JSON.value(of: "[\(text),1.5,1e-05]") == value)
    #expect(JSON.text(of: .decimal(number)) == number.description)
  }

  @Test(arguments: ["1E-05", "1.5E-002", "150E-02", "150e-002", "1E-019", "1E+002"])
  func otherNumbersAreFloats(text: String) throws {
    #expect(try JSON.value(of: text) == .double(try #require(Double(text))))
  }

  @Test(arguments: [
    ("", "expected a value", 0), ("  ", "expected a value", 2), ("nul", "expected a value", 0),
    ("nulll", "expected the end of the value", 4), ("True", "expected a value", 0),
    ("1 2", "expected the end of the value", 2),
    ("01", "a number may not start with 0", 0), ("-01", "a number may not start with 0", 1),
    ("-", "expected a digit", 1),
    ("+1", "expected a value", 0), (".5", "expected a value", 0), ("1.", "expected a digit", 2),
    ("1.e3", "expected a digit", 2), ("1e", "expected a digit", 2), ("1e+", "expected a digit", 3),
    ("1e999", "the number 1e999 is too large", 0), ("NaN", "expected a value", 0), ("[1,]", "expected a value", 3),
    ("[1", "expected ',' or ']'", 2), ("[", "expected a value", 1), ("{", "expected a key in quotes", 1),
    ("{a:1}", "expected a key in quotes", 1), (#"{"a" 1}"#, "expected ':' after the key", 5),
    (#"{"a":1,}"#, "expected a key in quotes", 7), (#"{"a":1"#, "expected ',' or '}'", 6),
    (#"{"a":1,"a":2}"#, "the key \"a\" appears twice", 7), (#"{"a":1,"\u0061":2}"#, "the key \"a\" appears twice", 7),
    ("\"abc", "this quote is never closed", 0), (#""a\"#, "expected an escape", 3), (#""\x""#, "unknown escape", 1),
    (#""\u12""#, "expected four hexadecimal digits", 5), (#""\uD800""#, "half of a surrogate pair", 1),
    (#""\uD800x""#, "half of a surrogate pair", 1), (#""\uD800\n""#, "half of a surrogate pair", 1),
    (#""\uD800\uD800""#, "half of a surrogate pair", 1), (#""\uDE00""#, "half of a surrogate pair", 1),
    ("\"a\nb\"", "a control character must be escaped", 2), ("\"\\n\u{1}\"", "a control character must be escaped", 3),
    ("'a'", "expected a value", 0), ("[1 2]", "expected ',' or ']'", 3), ("// c\n1", "expected a value", 0),
  ])
  func refuses(text: String, message: String, offset: Int) {
    let isOfValue = message.hasSuffix("too large") || message.hasSuffix("appears twice")
    #expect(Self.fault(text.utf8) == JSONError(message: message, offset: offset, isOfValue: isOfValue))
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
      [0x22, 0xE2, 0x82, 0x22], [0x22, 0x5C, 0x6E, 0x80, 0x22],
    ] as [[UInt8]])
  func refusesWhatIsNoUTF8(bytes: [UInt8]) {
    #expect(Self.fault(bytes)?.message == "invalid UTF-8")
  }

  @Test func nestingHasALimit() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try JSON.value(of: nested(512))
    #expect(Self.fault(nested(513).utf8) == JSONError(message: "nested deeper than 512", offset: 512))
    #expect(Self.fault(String(repeating: "{\"a\":", count: 100_000).utf8)?.message == "nested deeper than 512")
    // Siblings do not count.
    #expect(try JSON.value(of: "[" + String(repeating: "[],", count: 2000) + "{}]") != .none)
  }

  @Test func fieldsKeepTheirOrder() throws {
    let bytes = Array(#" {"z":1,"a":[2],"m":null} "#.utf8)
    let fields = try JSON.fields(of: bytes.span)
    #expect(fields.map(\.name) == ["z", "a", "m"])
    #expect(fields.map(\.value) == [.int(1), .list([.int(2)]), .none])
    for text in ["[1]", "", #"{"a":1,"a":1}"#, "{} {}"] {
      #expect(throws: JSONError.self) { try JSON.fields(of: Array(text.utf8).span) }
    }
  }

  @Test func printsRecordsInDeclaredOrderAndNilAsNull() throws {
    let bed = Garden.Bed(id: 2, plants: ["\"rose\""], depth: nil)
    #expect(JSON.text(of: bed.schemaValue) == #"{"id":2,"plants":["\"rose\""],"depth":null}"#)
    #expect(JSON.text(of: Garden.Weather.dry.schemaValue) == "\"dry\"")
    #expect(
      JSON.text(of: .map([.int(10): .int(1), .int(2): .int(2), .string("2"): .int(3)])) == #"{"2":2,"10":1,"2":3}"#)
    #expect(JSON.text(of: .list([.double(.nan), .double(.infinity), .double(3)])) == #"["nan","inf",3.0]"#)
  }

  @Test func whatIsPrintedReadsBackTheSame() throws {
    var values = GeneratedValues(seed: 1)
    for _ in 0..<2000 {
      let value = values.json()
      let text = JSON.text(of: value)
      #expect(try JSON.value(of: text) == value)
      #expect(JSON.text(of: try JSON.value(of: text)) == text)
    }
  }

  @Test func typedValuesReadBackThroughTheirSchema() throws {
    var values = GeneratedValues(seed: 2)
    for _ in 0..<200 {
      var garden = values.garden()
      // JSON has text keys only; the schema of a map with integer keys takes them from a list, not from an object.
      garden.rows = [:]
      #expect(try Garden(schemaValue: JSON.value(of: JSON.text(of: garden.schemaValue))) == garden)
    }
  }

  @Test func noPrefixOfAValidTextIsAcceptedAsAnother() throws {
    let text = #"{"a":[1,{"b":"c\u00e9"}],"d":null}"#
    for length in 0..<text.utf8.count { #expect(Self.fault(text.utf8.prefix(length)) != nil) }
  }

  @Test func anyBytesEitherReadOrFault() {
    var values = GeneratedValues(seed: 4)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "u", "D800", "1", "-", ".", "e", "null", "t", " ", "\u{7F}",
    ]
    for _ in 0..<3000 {
      let text = (0..<values.below(12)).map { _ in pieces[values.below(pieces.count)] }.joined()
      if let fault = Self.fault(text.utf8) { #expect((0...text.utf8.count).contains(fault.offset)) }
    }
  }
}
