import Testing

@testable import StoreShell

/// The look of a line while it is typed.
@Suite struct DecorationTests {
  private func hint(
    _ line: String, after open: [String] = [], history: [String] = [], in shell: Shell? = nil
  ) throws -> LineDecoration.Hint? {
    let shell = try shell ?? Shell()
    let past = PastLineIndex()
    past.take(history)
    return LineDecorator(shell.session).decoration(
      of: line, cursor: line.utf8.count, openLines: open, past: past
    ).hint
  }

  @Test(arguments: [
    ("dispatch ", "ACTION [ARG=VALUE…] [--quiet] [--info TEXT]"), ("dispatch tasks.add ", "title:String"),
    ("dispatch tasks.add x ", nil), ("dispatch tasks.add title=", "String"), ("try dispatch tasks.complete ", "id:Int"),
    ("dispatch nope ", nil), ("show counter ", "[--as FORMAT] [--json] [--at N]"), ("show counter --as ", "FORMAT"),
    ("watch stop ", "ID|all"), ("watch ", "[PATH [where EXPR]] [--max N/s] [--all] [--as FORMAT]"),
    ("set ", "[NAME [VALUE]]"),
    ("set output ", "[VALUE]"),
    ("wait until ", "EXPR [--timeout DURATION]"), ("wait 3s ", "[--timeout DURATION]"), ("echo a ", "WORD…"),
    ("= ", "EXPR [--as FORMAT] [--json]"), ("= 1 ", nil), ("middleware on ", "NAME"), ("", nil), ("nope ", nil),
    ("show tasks.items ", "[where EXPR] [--sort FIELD,…] [--limit N] [--columns FIELD,…]"),
    ("show tasks --as json ", "[--json] [--at N]"),
    ("show tasks > ", "FILE"), ("show tasks | ", nil), ("plugin load ", "NAME|FOLDER"), ("help tasks.add ", "[PART]"),
    ("bisect 1 == 2 ", nil),
    ("substate add ", "NAME --value V [--replace]"), ("substate reset ", "[NAME…]"),
  ])
  func whatComesNextIsSaid(line: String, form: String?) throws {
    #expect(try hint(line) == form.map { .form($0) })
  }

  @Test func theRestOfThePastLineIsSuggested() throws {
    let history = ["dispatch tasks.add old", "dispatch tasks.add milk", "lua for i = 1, 2 do\n  print(i)\nend"]
    #expect(try hint("dispatch tasks.a", history: history) == .suggestion("dd milk"))
    #expect(try hint("dispatch tasks.add o", history: history) == .suggestion("ld"))
    // The form of what comes next where a word begins.
    #expect(try hint("dispatch tasks.add ", history: history) == .form("title:String"))
    #expect(try hint("dispatch tasks.add milk", history: history) == nil)
    // Line by line.
    #expect(try hint("lua f", history: history) == .suggestion("or i = 1, 2 do"))
    #expect(try hint("  p", after: ["lua for i = 1, 2 do"], history: history) == .suggestion("rint(i)"))
  }

  @Test func eachCanBeSwitchedOff() throws {
    let shell = try Shell()
    _ = try shell.type("set hints off")
    #expect(try hint("dispatch ", in: shell) == nil)
    let decorator = LineDecorator(shell.session)
    #expect(decorator.decoration(of: "dispatch ", cursor: 9, openLines: []).spans.count == 1)
    _ = try shell.type("set highlight off")
    #expect(decorator.decoration(of: "dispatch ", cursor: 9, openLines: []) == LineDecoration())
  }

  @Test(arguments: Self.styled) func partsHaveTheirStyles(
    line: String, spans: [(Range<Int>, LineDecoration.Style)]
  ) throws {
    let decoration = LineDecorator(try Shell().session).decoration(
      of: line, cursor: line.utf8.count, openLines: [])
    #expect(decoration.spans == spans.map { LineDecoration.Span($0.0, $0.1) })
  }

  private static let styled: [(String, [(Range<Int>, LineDecoration.Style)])] = [
    ("dispatch", [(0..<8, .verb)]), ("disp", []), ("dispx", [(0..<5, .unknown)]), ("disp ", [(0..<4, .unknown)]),
    ("dispatch counter.incr", [(0..<8, .verb)]), ("dispatch counter.incr ", [(0..<8, .verb), (9..<21, .unknown)]),
    ("dispatch counter.x", [(0..<8, .verb), (9..<18, .unknown)]), ("# dispatch x ", []),
    ("alias d = dispatch x ", [(0..<5, .verb), (10..<18, .verb), (19..<20, .unknown)]),
    ("echo 'it", [(0..<4, .verb), (5..<8, .open)]), ("= 'it", [(0..<1, .verb), (2..<5, .open)]),
    ("= [)", [(0..<1, .verb)]), ("= ({]", [(0..<1, .verb)]), ("= )(", [(0..<1, .verb)]),
    ("assert true -- it's", [(0..<6, .verb)]), ("= [1]", [(0..<1, .verb), (2..<3, .bracket), (4..<5, .bracket)]),
    ("retry 3 every 1s show", [(0..<5, .verb), (17..<21, .verb)]),
    ("= ')'", [(0..<1, .verb)]), ("= (]", [(0..<1, .verb)]), ("!4", []),
  ]
}
