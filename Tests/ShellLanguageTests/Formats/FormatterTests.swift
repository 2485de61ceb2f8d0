import ShellLanguage
import StoreSchema
import Testing

@Suite struct FormatterTests {
  static let task = RecordSchema(
    name: "Task",
    fields: [
      Field("id", .dynamic(.int(minimum: nil, maximum: nil))), Field("title", .dynamic(.string)),
      Field("done", .dynamic(.bool)),
    ])
  static let any = Schema.dynamic(.any)

  static func task(_ id: Int, _ title: String, _ done: Bool = false) -> Value {
    .record(Record(task.layout, [.int(id), .string(title), .bool(done)]))
  }

  static func record(_ fields: KeyValuePairs<String, Value>, name: String = "") -> Value {
    .record(Record(RecordLayout(name: name, fields: fields.map(\.key)), fields.map(\.value)))
  }

  static let items = Value.list([task(1, "Buy milk"), task(2, "Write report")])

  func text(_ value: Value, _ format: Format = .auto, width: Int? = nil, hiding: Set<String> = []) throws -> String {
    try Formatter(format, terminalWidth: width, hiddenColumns: hiding).text(of: value, Self.any)
  }

  @Test(arguments: Format.allCases.filter { $0 != .spark })
  func noControlCharacterReachesATerminal(format: Format) throws {
    let hostile = "\u{1B}]0;x\u{7}\u{7F}\u{80}\u{9B}31m°"
    let table = Value.list([Self.task(1, hostile)])
    for value in [.string(hostile), table, Self.record(["field": .string(hostile)])] {
      // Raw text and CSV carry data on, and say so.
      guard ![Format.raw, .csv].contains(format) else { continue }
      let shown = try text(value, format)
      #expect(shown.contains("31m°"))
      #expect(!shown.unicodeScalars.contains { ScalarText.isControl($0) && $0 != "\n" })
    }
  }

  @Test func transcript() throws {
    #expect(
      try text(Self.record(["nextId": .int(3), "items": Self.items])) == """
        nextId  3
        items   2 items
          id  title         done
          1   Buy milk      false
          2   Write report  false

        """)
    #expect(
      try text(Self.items, .json) == """
        [{"id":1,"title":"Buy milk","done":false},{"id":2,"title":"Write report","done":false}]

        """)
    #expect(try text(.string("Write report")) == "\"Write report\"\n")
    #expect(try text(.list([.string("Buy milk"), .string("Write report")]), .raw) == "Buy milk\nWrite report\n")
    #expect(try text(Self.record(["value": .int(6), "step": .int(1)])) == "value  6\nstep   1\n")
    #expect(
      try text(.list([Self.record(["id": .string("pomodoro/clock/ticks"), "wakes": .string("in 1.0s")])])) == """
        id                    wakes
        pomodoro/clock/ticks  in 1.0s

        """)
    #expect(try text(.int(60)) == "60\n")
  }

  @Test func trees() throws {
    #expect(try text(Self.record(["items": .list([]), "none": .none])) == "items  0 items\nnone   -\n")
    #expect(try text(Self.record(["names": .list([.string("a b")])])) == "names  1 item\n  a b\n")
    #expect(try text(.list([])) == "0 items\n")
    #expect(try text(.map([:])) == "0 entries\n")
    #expect(try text(Self.items, .tree).hasPrefix("2 items\n  id  title"))
    #expect(try text(.none) == "-\n")
    #expect(try text(Self.record(["a": .string(""), "bc": .string("")])) == "a\nbc\n")
    #expect(
      try text(
        Self.record([
          "limits": Self.record(["low": .int(1), "high": Self.record(["x": .none])]), "n": .int(2),
          "matrix": .list([.list([.int(1), .int(2)]), .list([])]),
          "by": .map([.string("b"): .int(1), .int(7): .int(2)]),
        ])) == """
          limits
            low   1
            high
              x  -
          n       2
          matrix  2 items
            [1, 2]
            []
          by      2 entries
            7  2
            b  1

          """)
    let variant = Value.variant(
      Variant(name: "work", payload: Record(RecordLayout(name: "work", fields: ["task"]), [.int(2)])))
    #expect(try text(Self.record(["phase": variant])) == "phase  work\n  task  2\n")
    #expect(try text(variant) == "work\n  task  2\n")
  }

  @Test func tables() throws {
    #expect(
      try text(.map([.string("b"): Self.task(2, "x"), .string("a"): Self.task(1, "yy")])) == """
        key  id  title  done
        a    1   yy     false
        b    2   x      false

        """)
    #expect(try text(Self.task(1, "x"), .table) == "id  title  done\n1   x      false\n")
    #expect(try text(Self.items, hiding: ["title", "nope"]) == "id  done\n1   false\n2   false\n")
    #expect(
      try text(.list([.map([.string("a"): .int(1)]), .map([.string("b"): .list([.string("x")])])])) == """
        a  b
        1  -
        -  ["x"]

        """)
    #expect(
      try text(.list([Self.task(1, "日本"), Self.task(2, "e\u{301}"), Self.task(3, "👩‍👩‍👧x"), Self.task(4, "a\nb")])) == """
        id  title  done
        1   日本   false
        2   e\u{301}      false
        3   👩‍👩‍👧x    false
        4   a\\nb   false

        """)
    #expect(try text(.list([Self.record(["a": .string("x"), "b": .string("")]), .none])) == "a  b\nx\n-  -\n")
    #expect(try text(.list([Self.task(1, "x"), .int(2)])) == "{ id = 1, title = \"x\", done = false }\n2\n")
  }

  @Test func widerThanTheTerminal() throws {
    let vertical = """
      id     1
      title  Buy milk
      done   false

      id     2
      title  Write report
      done   false

      """
    #expect(try text(Self.items, width: 22) == vertical)
    #expect(try text(Self.items, width: 23).hasPrefix("id  title"))
    #expect(try text(Self.items, .table, width: 10).hasPrefix("id  title"))
    #expect(try text(Self.record(["items": Self.items]), width: 24).contains("\n  id     1\n  title"))
  }

  @Test func linesForPrograms() throws {
    #expect(try text(Self.items, .jsonl).split(separator: "\n").count == 2)
    #expect(try text(.list([]), .jsonl) == "")
    #expect(try text(.list([]), .json) == "[]\n")
    #expect(try text(.none, .json) == "null\n")
    #expect(try text(Self.items, .raw) == "1\tBuy milk\tfalse\n2\tWrite report\tfalse\n")
    #expect(try text(.map([.string("a"): .string("x")]), .raw) == "a\tx\n")
    let table = Value.map([.string("a"): .string("x"), .string("b"): .int(1)])
    #expect(try text(.list([table, .map([.string("b"): .int(2)])]), .raw) == "x\t1\n-\t2\n")
    #expect(
      try text(
        .list([
          Self.task(1, "a,\"b\"\nc"), Self.record(["id": .none, "title": .string(""), "done": .list([.int(1)])]),
        ]), .csv) == "id,title,done\r\n1,\"a,\"\"b\"\"\nc\",false\r\n,\"\",[1]\r\n")
    let empty = try Formatter(.csv).text(of: .list([]), .dynamic(.list(.dynamic(.record(Self.task)))))
    #expect(empty == "id,title,done\r\n")
    #expect(try text(.list([.int(1)]), .csv) == "value\r\n1\r\n")
    #expect(try text(.map([.string("k"): Self.task(1, "x")]), .csv) == "key,id,title,done\r\nk,1,x,false\r\n")
  }

  @Test func jsonAgreesWithTheSchemas() throws {
    let deep = Self.record(
      [
        "a": Self.items, "b": Self.task(1, "q\"\\\u{1}é"), "c": .double(1.5), "d": .map([.int(1): .none]),
        "e": .int(.min),
      ])
    #expect(try text(deep, .json) == JSON.text(of: deep) + "\n")
    #expect(try text(.list([deep, deep]), .json) == JSON.text(of: .list([deep, deep])) + "\n")
  }

  @Test func lua() throws {
    let value = Self.record(
      [
        "a": .list([.int(1), .string("x\u{1B}\"")]), "end": .none, "x y": .double(.infinity),
        "m": .map([.int(2): .bool(true)]),
        "e": .list([]),
      ])
    #expect(
      try text(value, .lua)
        == #"{ a = { 1, "x\u{1b}\"" }, ["end"] = nil, ["x y"] = 1/0, m = { [2] = true }, e = {} }"# + "\n")
    #expect(try text(.int(.min), .lua) == "math.mininteger\n")
  }

  @Test func spark() throws {
    let numbers = Value.list([.int(0), .int(1), .double(2), .none, .int(3), .int(4), .double(.nan)])
    #expect(try text(numbers, .spark) == "▁▂▃ ▅█ \n")
    #expect(try Formatter(.spark, isUTF8: false).text(of: numbers, Self.any) == "_.- =# \n")
    #expect(try text(.list([.int(5), .int(5)]), .spark) == "▁▁\n")
    #expect(try text(.list([.double(-1e308), .double(1e308), .double(.infinity)]), .spark) == "▁██\n")
    #expect(try text(.list([]), .spark) == "\n")
    #expect(throws: ShellError.self) { try text(Self.items, .spark) }
  }

  @Test(arguments: Format.allCases.filter { $0 != .spark })
  func piecesAreTheWhole(_ format: Format) throws {
    let many = Value.list(PersistentList((0..<4_000).map { Self.task($0, "a title that is long enough") }))
    let formatter = Formatter(format)
    var pieces: [[UInt8]] = []
    try formatter.write(many, Self.any) { pieces.append($0) }
    #expect(try formatter.text(of: many, Self.any) == String(decoding: pieces.joined(), as: UTF8.self))
    #expect(pieces.count > 1 || format == .lua)
  }
}
