import ShellLanguage
import StoreSchema
import Testing

@Suite struct LiteralTests {
  private let int = Schema.dynamic(.int(minimum: 0, maximum: 9))
  private let string = Schema.dynamic(.string)

  private func literal(_ text: String) throws -> ShellLanguage.Literal {
    guard case .named(_, let literal) = try statement("a x=\(text)").words[1].kind else { throw Failure(reason: text) }
    return literal
  }

  private func value(_ text: String, as schema: Schema) throws -> Value {
    try literal(text).value(as: schema) { reference in
      switch reference {
      case .variable(let name): name == "n" ? .int(3) : .string("text")
      case .lua: .double(1.5)
      }
    }
  }

  private func message(_ text: String, as schema: Schema) throws -> String {
    do {
      return "\(try value(text, as: schema))"
    } catch let error as SchemaError {
      return error.under(Path([.field("by")])).message
    }
  }

  @Test(arguments: [
    ("true", Value.bool(true)), ("nil", .none), ("null", .none), ("-5", .int(-5)), ("1.5e3", .double(1500)),
    ("500ms", .string("500ms")), ("inf", .string("inf")), ("0x10", .string("0x10")),
    ("2024-01-02", .string("2024-01-02")),
    ("\"5\"", .string("5")), ("[1, $n, \"x\"]", .list([.int(1), .int(3), .string("x")])),
    ("{a = 1, b: nil}", .map([.string("a"): .int(1), .string("b"): .none])), ("$(x)", .double(1.5)),
    ("{a = 1; b=x;}", .map([.string("a"): .int(1), .string("b"): .string("x")])), ("[a;b]", .list([.string("a;b")])),
    ("{1;x}", .list([.int(1), .string("x")])), ("a;b", .string("a;b")),
    ("99999999999999999999", .double(1e20)), ("-", .string("-")), ("", .string("")), ("idle", .string("idle")),
  ])
  func untyped(_ text: String, _ expected: Value) throws {
    let value = try literal(text).value { $0 == .variable("n") ? .int(3) : .double(1.5) }
    #expect(value == expected)
  }

  @Test func aDeclaredTypeDecides() throws {
    #expect(try value("5", as: string) == .string("5"))
    #expect(try value("nil", as: string) == .string("nil"))
    #expect(try value("nil", as: .dynamic(.optional(string))) == .none)
    #expect(try value("5", as: .dynamic(.double)) == .double(5))
    #expect(try value("-inf", as: .dynamic(.double)) == .double(-.infinity))
    #expect(try value("idle", as: .dynamic(.choice(name: "Phase", cases: ["idle", "work"]))) == .string("idle"))
    #expect(try value("[1, 2]", as: .dynamic(.list(string))) == .list([.string("1"), .string("2")]))
    #expect(try value("{\"1\": 2}", as: .dynamic(.map(key: .int, int))) == .map([.int(1): .int(2)]))
    #expect(try value("{}", as: .dynamic(.list(int))) == .list([]))
    #expect(try value("$n", as: .dynamic(.optional(int))) == .int(3))
    #expect(try value("$(x)", as: .dynamic(.any)) == .double(1.5))
  }

  @Test func messagesNameTypeAndValue() throws {
    #expect(try message("two", as: int) == "'by' must be Int, got string \"two\"")
    #expect(try message("two", as: .dynamic(.optional(int))) == "'by' must be Int, got string \"two\"")
    #expect(try message("\"2\"", as: int) == "'by' must be Int, got string \"2\"")
    #expect(try message("2.5", as: int) == "'by' must be Int, got number 2.5")
    #expect(
      try message("12", as: int) == "'by' must be 0...9, got number 12" || message("12", as: int).hasSuffix("got 12"))
    #expect(try message("$other", as: int) == "'by' must be Int, got string \"text\"")
    #expect(try message("[1, x]", as: .dynamic(.list(int))) == "'by[2]' must be Int, got string \"x\"")
    #expect(try message("[1]", as: string) == "'by' must be String, got a list")
  }

  @Test func recordsAndCases() throws {
    let task = RecordSchema(name: "Task", fields: [Field("id", int), Field("title", string, default: .string("?"))])
    let expected = Value.record(Record(task.layout, [.int(1), .string("2")]))
    #expect(try value("{title = 2, id = 1}", as: .dynamic(.record(task))) == expected)
    #expect(
      try message("{id = 1, tilte = 2}", as: .dynamic(.record(task)))
        == "by has no field 'tilte' (did you mean 'title'?)")
    let union = UnionSchema(name: "Mode", cases: [.init("off"), .init("on", fields: task.fields)])
    #expect(try value("off", as: .dynamic(.union(union))) == .string("off"))
    guard case .variant(let on) = try value("{on = {id = 4}}", as: .dynamic(.union(union))) else {
      Issue.record("no case")
      return
    }
    #expect(on.payload.values == [.int(4), .string("?")])
  }

  @Test(arguments: ["inf", "\"inf\"", "1/0"], [1.0, -1.0])
  func infinitiesAreReadAsTheyAreWritten(text: String, sign: Double) throws {
    let text = sign > 0 ? text : text.first == "\"" ? "\"-inf\"" : "-\(text)"
    #expect(try value(text, as: .dynamic(.double)) == .double(sign * .infinity))
    #expect(
      try value("[\(text), 1]", as: .dynamic(.list(.dynamic(.double))))
        == .list([.double(sign * .infinity), .double(1)]))
    #expect(try value("{ \(text) }", as: .dynamic(.list(.dynamic(.double)))) == .list([.double(sign * .infinity)]))
    #expect(try value(text, as: .dynamic(.optional(.dynamic(.double)))) == .double(sign * .infinity))
    // Where text is declared it is text, and a whole number is none of these.
    #expect(try value(text, as: string) == .string(text.replacing("\"", with: "")))
    #expect(try message(text, as: int).hasPrefix("'by' must be Int, got string"))
  }

  @Test func noNumberIsReadAsItIsWritten() throws {
    for text in ["nan", "\"nan\"", "0/0"] {
      guard case .double(let number) = try value(text, as: .dynamic(.double)) else {
        Issue.record("\(text)")
        continue
      }
      #expect(number.isNaN)
    }
    for text in ["\"1/0\"", "\"NaN\"", "infinity", "1/1"] {
      #expect(try message(text, as: .dynamic(.double)).hasPrefix("'by' must be Double, got string"), "\(text)")
    }
  }

  @Test(arguments: [
    ("500ms", Duration.milliseconds(500)), ("2s", .seconds(2)), ("1.5s", .milliseconds(1500)), ("5min", .seconds(300)),
    ("1h", .seconds(3600)), ("9223372036s", .seconds(9_223_372_036)), ("0.001ms", .microseconds(1)), ("0s", .zero),
  ])
  func durations(_ text: String, _ expected: Duration) {
    #expect(DurationLiteral.parse(text) == expected)
  }

  @Test(arguments: [
    "", "s", "5", "-1s", "1.s", ".5s", "1..2s", "5m", "5 s", "99999999999999999s", "1e3s", "1.1234567891s", "2562048h",
    "9223372037s",
  ])
  func noDurations(_ text: String) {
    #expect(DurationLiteral.parse(text) == nil)
  }
}
