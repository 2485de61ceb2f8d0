import StoreSchema
import Testing

/// Rule R32: the declared type decides what a value is.
@Suite struct SchemaCheckTests {
  private static func message(_ value: Value, _ schema: Schema) -> String {
    do throws(SchemaError) {
      return "accepted: \(try schema.check(value))"
    } catch {
      return error.message
    }
  }

  private static func dynamic(_ kind: Schema.Kind) -> Schema { .dynamic(kind) }

  private static let point = Schema.dynamic(
    .record(
      RecordSchema(
        name: "Point",
        fields: [
          Field("x", .dynamic(.int(minimum: 0, maximum: nil))), Field("y", .dynamic(.double), default: .double(2)),
          Field("label", .dynamic(.optional(.dynamic(.string))), default: .string("here")),
        ])))

  @Test(arguments: [
    (Value.int(1), Schema.Kind.bool, "value must be Bool, got number 1"),
    (.none, .bool, "value must be Bool, got nil"),
    (.double(1.5), .int(minimum: nil, maximum: nil), "value must be Int, got number 1.5"),
    (.double(2), .int(minimum: nil, maximum: nil), "value must be Int, got number 2.0"),
    (.string("two"), .int(minimum: nil, maximum: nil), "value must be Int, got string \"two\""),
    (.bool(true), .int(minimum: nil, maximum: nil), "value must be Int, got bool true"),
    (.int(-1), .int(minimum: 0, maximum: nil), "value must be >= 0, got -1"),
    (.int(0), .int(minimum: 1, maximum: 180), "value must be 1...180, got 0"),
    (.int(10), .int(minimum: nil, maximum: 9), "value must be <= 9, got 10"),
    (.string("1"), .double, "value must be Double, got string \"1\""),
    (.int(1), .string, "value must be String, got number 1"),
    (.list([]), .string, "value must be String, got a list"),
    (.map([:]), .string, "value must be String, got a record"),
  ])
  func scalarsOfAnotherTypeAreNamed(value: Value, kind: Schema.Kind, message: String) {
    #expect(Self.message(value, .dynamic(kind)) == message)
  }

  @Test func boundsAreInclusive() throws {
    let schema = Schema.dynamic(.int(minimum: 1, maximum: 180))
    #expect(try schema.check(.int(1)) == .int(1))
    #expect(try schema.check(.int(180)) == .int(180))
    #expect(try Schema.dynamic(.int(minimum: nil, maximum: nil)).check(.int(.min)) == .int(.min))
  }

  @Test func anIntegerIsADouble() throws {
    #expect(try Schema.dynamic(.double).check(.int(3)) == .double(3))
    #expect(try Schema.dynamic(.double).check(.double(.infinity)) == .double(.infinity))
  }

  @Test func choicesKnowTheirNames() throws {
    let schema = Schema.dynamic(.choice(name: "", cases: ["idle", "work"]))
    #expect(try schema.check(.string("work")) == .string("work"))
    #expect(Self.message(.string("wrok"), schema) == "value must be one of idle, work, got string \"wrok\"")
    #expect(Self.message(.int(1), schema) == "value must be one of idle, work, got number 1")
    #expect(Self.message(.none, Garden.Season.schema) == "value must be one of spring, summer, got nil")
    // As a line gives them.
    let several = Schema.dynamic(.choice(name: "", cases: ["in stock", "sold-out", "größer", "a|b", ""]))
    #expect(several.typeName == #""in stock"|sold-out|größer|"a|b"|"""#)
    #expect(
      Self.message(.string("in"), several)
        == #"value must be one of "in stock", sold-out, größer, "a|b", "", got string "in""#)
  }

  @Test func optionalsTakeNilAndNameThemselves() throws {
    let schema = Schema.dynamic(.optional(.dynamic(.int(minimum: 1, maximum: nil))))
    #expect(try schema.check(.none) == .none)
    #expect(try schema.check(.int(1)) == .int(1))
    #expect(Self.message(.string("a"), schema) == "value must be Int, got string \"a\"")
    #expect(Self.message(.int(0), schema) == "value must be >= 1, got 0")
  }

  @Test func anEmptyTableIsAnEmptyListMapOrRecord() throws {
    let numbers = Schema.dynamic(.list(.dynamic(.double)))
    #expect(try numbers.check(.map([:])) == .list([]))
    #expect(try numbers.check(.list([])) == .list([]))
    for kind in [Schema.KeyKind.int, .string] {
      #expect(try Schema.dynamic(.map(key: kind, .dynamic(.string))).check(.list([])) == .map([:]))
    }
    #expect(MacroEmpty.schema.isDynamic == false)
    #expect(try MacroEmpty.schema.check(.list([])) == .record(Record(RecordLayout(name: "MacroEmpty", fields: []), [])))
  }

  @Test func tablesThatAreNoListsAreRefused() {
    let list = Schema.dynamic(.list(.dynamic(.int(minimum: nil, maximum: nil))))
    #expect(
      Self.message(.map([.int(1): .int(5), .int(3): .int(7)]), list) == "value must be a list: item 2 is missing")
    #expect(
      Self.message(.map([.int(1): .int(5), .string("n"): .int(2)]), list) == "value must be [Int], got a record")
    #expect(Self.message(.int(3), list) == "value must be [Int], got number 3")
    #expect(Self.message(.list([.int(1), .none, .int(3)]), list) == "'[2]' must be Int, got nil")
  }

  @Test func mapsWantOneKindOfKey() throws {
    let byName = Schema.dynamic(.map(key: .string, .dynamic(.int(minimum: nil, maximum: nil))))
    let byNumber = Schema.dynamic(.map(key: .int, .dynamic(.int(minimum: nil, maximum: nil))))
    #expect(try byNumber.check(.list([.int(7), .int(8)])) == .map([.int(1): .int(7), .int(2): .int(8)]))
    #expect(Self.message(.list([.int(7)]), byName) == "value must be [String: Int], got a list")
    #expect(Self.message(.map([.int(1): .int(2)]), byName) == "value must have String keys, got number 1")
    #expect(Self.message(.map([.string("a"): .int(2)]), byNumber) == "value must have Int keys, got string \"a\"")
    #expect(
      Self.message(.map([.int(1): .int(1), .string("b"): .int(2)]), byNumber)
        == "value must have Int keys, got string \"b\"")
    #expect(Self.message(.map([.string("a b"): .double(0.5)]), byName) == "'[\"a b\"]' must be Int, got number 0.5")
  }

  @Test func recordsFillDefaultsInDeclaredOrder() throws {
    let checked = try Self.point.check(.map([.string("x"): .int(4)]))
    #expect(JSON.text(of: checked) == #"{"x":4,"y":2.0,"label":"here"}"#)
    guard case .record(let record) = checked else { return #expect(Bool(false), "not a record") }
    #expect(record.layout.name == "Point")
  }

  @Test func nilTakesTheDefaultUnlessTheFieldIsOptional() throws {
    let given = Value.map([.string("x"): .int(1), .string("y"): .none, .string("label"): .none])
    #expect(JSON.text(of: try Self.point.check(given)) == #"{"x":1,"y":2.0,"label":null}"#)
  }

  @Test func recordsRefuseWhatDoesNotFit() throws {
    #expect(Self.message(.map([:]), Self.point) == "'x' (Int) is missing")
    #expect(Self.message(.list([.int(1)]), Self.point) == "value must be Point, got a list")
    #expect(Self.message(.map([.string("x"): .int(-1)]), Self.point) == "'x' must be >= 0, got -1")
    #expect(
      Self.message(.map([.string("x"): .int(1), .string("lable"): .string("")]), Self.point)
        == "Point has no field 'lable' (did you mean 'label'?)")
    #expect(
      Self.message(.map([.string("x"): .int(1), .string("zzz"): .string("")]), Self.point)
        == "Point has no field 'zzz'")
    #expect(
      Self.message(.map([.int(1): .int(1), .string("x"): .int(1)]), Self.point)
        == "value must have String keys, got number 1")
  }

  @Test func aRecordOfAnotherLayoutIsArrangedByName() throws {
    let other = Record(RecordLayout(name: "Other", fields: ["label", "x"]), [.string("l"), .int(9)])
    #expect(JSON.text(of: try Self.point.check(.record(other))) == #"{"x":9,"y":2.0,"label":"l"}"#)
  }

  @Test func casesTakeNamesAndPayloads() throws {
    let schema = Garden.Weather.schema
    #expect(try schema.check(.string("dry")) == .string("dry"))
    let rain = try schema.check(json(#"{"rain":{"mm":3}}"#))
    #expect(JSON.text(of: rain) == #"{"rain":{"mm":3,"note":null}}"#)
    #expect(try schema.check(rain) == rain)
    #expect(Self.message(.string("snow"), schema) == "value must be one of dry, rain, got string \"snow\"")
    #expect(Self.message(.string("rain"), schema) == "'mm' (Int) is missing")
    #expect(
      Self.message(try json(#"{"rain":{"mm":3,"nite":1}}"#), schema)
        == "rain has no field 'nite' (did you mean 'note'?)")
    #expect(
      Self.message(try json(#"{"rain":{"mm":3},"dry":{}}"#), schema) == "value must be one of dry, rain, got a record")
  }

  @Test func errorsNameTheWholePath() throws {
    func message(_ text: String) throws -> String { Self.message(try json(text), Garden.schema) }
    #expect(try message(#"{"beds":[{"id":1},{"id":"x"}]}"#) == "'beds[2].id' must be Int, got string \"x\"")
    #expect(try message(#"{"beds":[{"id":1},{}]}"#) == "'beds[2]' needs 'id' (Int)")
    #expect(try message(#"{"beds":[{"id":1,"plant":[]}]}"#) == "beds[1] has no field 'plant' (did you mean 'plants'?)")
    #expect(try message(#"{"stock":{"a b":1.5}}"#) == "'stock[\"a b\"]' must be Int, got number 1.5")
    #expect(
      try message(#"{"favourite":{"id":1,"plants":[1]}}"#) == "'favourite.plants[1]' must be String, got number 1")
    #expect(try message(#"{"favourite":3}"#) == "'favourite' must be Bed, got number 3")
  }

  @Test func codesAreStable() throws {
    func code(_ value: Value, _ schema: Schema) -> ErrorCode? {
      do throws(SchemaError) {
        _ = try schema.check(value)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(.map([.string("x"): .int(-1)]), Self.point) == .outOfRange)
    #expect(code(.map([:]), Self.point) == .missingArgument)
    #expect(code(try json(#"{"x":1,"q":1}"#), Self.point) == .unexpectedArgument)
    #expect(code(.int(1), Self.point) == .typeMismatch)
  }

  @Test func typedAndDynamicSchemasAgree() throws {
    var values = GeneratedValues(seed: 3)
    for _ in 0..<200 {
      let garden = values.garden()
      #expect(try Garden.schema.check(garden.schemaValue) == garden.schemaValue)
      #expect(try Garden.schema.dynamic.check(garden.schemaValue) == garden.schemaValue)
      #expect(try Garden(schemaValue: garden.schemaValue) == garden)
    }
  }

  @Test func typesHaveNames() {
    let fields = zip(
      Garden.schema.dynamic.recordFields,
      [
        "Bool", "Int", "Double", "String", "Season", "String?", "[Bed]", "[Int]", "[String: Int]", "[Int: Bed]", "Bed?",
        "Weather",
      ])
    for (field, name) in fields { #expect(field.schema.typeName == name) }
    #expect(Garden.Season.schema.typeDetail == "Season{spring, summer}")
    #expect(Garden.Weather.schema.typeDetail == "Weather{dry, rain}")
    #expect(
      Schema.dynamic(.list(Garden.Bed.schema.dynamic)).typeDetail == "Bed{id: Int, plants: [String], depth: Int?}")
    #expect(Schema.dynamic(.any).typeName == "Any")
  }

  @Test func aValueThatATypeSurelyHasIsWhatTheCheckGives() throws {
    let schemas: [Schema] = [
      Int.schema, Int8.schema, UInt.schema, String.schema, Bool.schema, Double.schema, Float.schema, Int?.schema,
      Int8?.schema, String?.schema, Int??.schema, Self.point, [Int].schema, Self.dynamic(.any),
      Self.dynamic(.decimal(scale: 2)), Self.dynamic(.choice(name: "Color", cases: ["red", ""])),
      Self.dynamic(.int(minimum: -3, maximum: 3)),
    ]
    let values: [Value] = [
      .none, .bool(true), .int(0), .int(3), .int(-4), .int(127), .int(128), .int(.max), .int(.min), .double(0.1),
      .double(.infinity), .string(""), .string("red"), .string("blue"), .list([]), .list([.int(1)]),
    ]
    var sure = 0
    for schema in schemas {
      for value in values where schema.surelyHas(value) {
        sure += 1
        #expect(try schema.check(value) == value, "\(schema.typeName)")
      }
    }
    #expect(sure > 30)
    #expect(Int?.schema.surelyHas(.int(7)) && !Int8?.schema.surelyHas(.int(200)))
  }

  @Test func textInQuotesIsTheSameWhicheverWayItIsWritten() {
    var random = GeneratedValues(seed: 49)
    let pieces = [
      "a", "plain text ", "$", "$x", "\"", "\\", "\n", "\u{7F}", "\u{85}", "é", "°", "\u{202E}", "", "12345678",
    ]
    for _ in 0..<2_000 {
      let text = (0..<random.below(5)).map { _ in pieces[random.below(pieces.count)] }.joined()
      var out = TextBuffer()
      out.appendQuoted(text)
      #expect(out.text == ScalarText.quoted(text))
      out = TextBuffer()
      out.appendWord(text)
      let word = out.text.replacing("\\$", with: "$")
      #expect(word == ScalarText.quoted(text) || text.contains("\\$"))
    }
  }

  @Test func aNameIsALetterAndThenLettersAndDigits() {
    for byte in UInt8(0)..<0x80 {
      let character = Character(Unicode.Scalar(byte))
      let isLetter = character == "_" || character.isLetter
      #expect("\(character)".isName == isLetter)
      #expect("a\(character)b".isName == (isLetter || character.isNumber))
    }
    #expect(!"".isName && !"é".isName && !"aé".isName)
  }
}

extension Schema {
  fileprivate var recordFields: [Field] {
    guard case .record(let record) = kind else { return [] }
    return record.fields
  }
}
