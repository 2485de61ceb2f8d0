import StoreSchema
import Testing

@Suite struct PathTests {
  @Test(
    arguments: [
      ("", []), ("tasks", [.field("tasks")]), ("tasks.items", [.field("tasks"), .field("items")]),
      ("a[1][-2].b", [.field("a"), .index(1), .index(-2), .field("b")]), ("a[0]", [.field("a"), .index(0)]),
      ("a[*].b", [.field("a"), .all, .field("b")]), ("a[id=3]", [.field("a"), .match(field: "id", .int(3))]),
      ("a[id=-3]", [.field("a"), .match(field: "id", .int(-3))]),
      ("a[t=Buy milk]", [.field("a"), .match(field: "t", .string("Buy milk"))]),
      (#"a[t="3"]"#, [.field("a"), .match(field: "t", .string("3"))]),
      ("a[done=true]", [.field("a"), .match(field: "done", .bool(true))]),
      ("a[due=nil]", [.field("a"), .match(field: "due", .none)]),
      ("a[x=1.5]", [.field("a"), .match(field: "x", .double(1.5))]),
      (#"a["b c"]"#, [.field("a"), .key(.string("b c"))]), ("a['b\"c']", [.field("a"), .key(.string("b\"c"))]),
      (#"a["]"].b"#, [.field("a"), .key(.string("]")), .field("b")]),
      (#"a["x\"\\\n\t\u0001"]"#, [.field("a"), .key(.string("x\"\\\n\t\u{1}"))]),
      (#"a["x\$y"]"#, [.field("a"), .key(.string("x$y"))]), (#"a['x\n']"#, [.field("a"), .key(.string("x\\n"))]),
      ("größe", [.field("größe")]),
    ] as [(String, [Path.Step])])
  func reads(text: String, steps: [Path.Step]) throws {
    #expect(try Path(parsing: text) == Path(steps))
  }

  @Test(arguments: [
    (".", "expected a name", 0), ("a.", "expected a name", 2), ("a..b", "expected a name", 2),
    ("a b", "expected '.' or '['", 1),
    ("a[", "expected a name", 2), ("a[1", "this [ is never closed", 1), ("a[1.5]", "expected ']'", 3),
    ("a[]", "expected a name", 2),
    ("a[id]", "expected '=' after 'id'", 4), ("a[id=]", "expected a value", 5), ("a[id=3", "this [ is never closed", 1),
    ("a[--1]", "expected an index", 2), ("a[-]", "expected an index", 2),
    (#"a["b]"#, "this quote is never closed", 2), (#"a["b\"#, "expected an escape", 5),
    (#"a["\q"]"#, "unknown escape", 3),
    (#"a["\u12"]"#, "expected four hexadecimal digits", 5), ("a]", "expected '.' or '['", 1),
    ("a[1]b", "expected '.' or '['", 4),
    ("a[ 1]", "expected a name", 2), ("a.[1]", "expected a name", 2), ("a[*", "this [ is never closed", 1),
  ])
  func refuses(text: String, message: String, offset: Int) {
    do throws(PathSyntaxError) {
      Issue.record("\(text) is \(try Path(parsing: text).steps)")
    } catch {
      #expect(error.message == message)
      #expect(error.offset == offset)
    }
  }

  @Test(
    arguments: [
      ([.key(.string("non-free"))], #"["non-free"]"#), ([.field("a"), .key(.string("b"))], "a.b"),
      ([.field("a"), .key(.int(3))], "a[3]"), ([.match(field: "t", .string("milk"))], "[t=milk]"),
      ([.match(field: "t", .string("true"))], #"[t="true"]"#), ([.match(field: "t", .string("nil"))], #"[t="nil"]"#),
      ([.match(field: "t", .string("3"))], #"[t="3"]"#), ([.match(field: "t", .none)], "[t=null]"),
      ([.match(field: "t", .string("a]b"))], #"[t="a]b"]"#), ([.all, .field("x")], "[*].x"), ([], ""),
    ] as [([Path.Step], String)])
  func prints(steps: [Path.Step], text: String) {
    #expect(Path(steps).description == text)
  }

  @Test func whatIsPrintedReadsBackTheSame() throws {
    var values = GeneratedValues(seed: 5)
    for _ in 0..<3000 {
      let path = Path((0..<values.below(6)).map { _ in values.step() })
      #expect(try Path(parsing: path.description) == path, "\(path.steps)")
    }
  }

  @Test func anyTextEitherReadsOrFaultsWithinItself() {
    var values = GeneratedValues(seed: 6)
    let pieces = ["a", ".", "[", "]", "=", "\"", "'", "\\", "*", "-", "1", "é", " ", "\\u00", "id"]
    for _ in 0..<3000 {
      let text = (0..<values.below(10)).map { _ in pieces[values.below(pieces.count)] }.joined()
      do throws(PathSyntaxError) {
        let path = try Path(parsing: text)
        #expect((try? Path(parsing: path.description).description) == path.description)
      } catch {
        #expect((0...text.utf8.count).contains(error.offset))
      }
    }
  }
}
