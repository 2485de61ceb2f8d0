import ShellLanguage
import Testing

@Suite struct StatementReaderTests {
  @Test(arguments: [
    (#"dispatch tasks.add "Buy milk""#, ["dispatch", "tasks.add", "\"Buy milk\""]),
    ("show tasks.open --as json --at 3", ["show", "tasks.open", "--as", "json", "--at", "3"]),
    ("show --as=json --json", ["show", "--as=json", "--json"]),
    ("counter.increment by=$(state.x + (4)) # note", ["counter.increment", "by=$(state.x + (4))"]),
    (
      #"show tasks.items[id=3].title a["x y"].b items[*]"#,
      ["show", "tasks.items[id=3].title", #"a["x y"].b"#, "items[*]"]
    ),
    ("a [1, 2] {a = 1, b: [x]} {\"k\": nil}", ["a", "[1,2]", "{a=1,b=[x]}", "{k=nil}"]),
    ("a {1, 2} {[1] = x, [\"y z\"] = 2} {} []", ["a", "[1,2]", "{1=x,y z=2}", "{}", "[]"]),
    ("a {[1, 2], [3]} {\"x\", 'y'} [{}, {a=1},]", ["a", "[[1,2],[3]]", "[\"x\",\"y\"]", "[{},{a=1}]"]),
    ("a $n $1 $_ x=$err [$n, $(f(\")\"))]", ["a", "$n", "$1", "$_", "x=$err", "[$n,$(f(\")\"))]"]),
    (#"a "x\n\t\"\\" 'no \n $n'"#, ["a", "\"x\n\t\"\\\"", #""no \n $n""#]),
    (#"a "$n $(1)" don't a#b x:=1"#, ["a", #"<$n+" "+$(1)>"#, "don't", "a#b", "x:=1"]),
    ("a -- --b c", ["a", "--b", "c"]),
    ("a -5 --5 - t= u=\"\"", ["a", "-5", "--5", "-", "t=", "u=\"\""]),
    ("limit := 5", ["limit", ":=", "5"]),
    ("a one\\\n  two\\\r\n three", ["a", "one", "two", "three"]),
    ("a [1, # one\n 2\n] b", ["a", "[1,2]", "b"]),
    (#"a "\u00e9\u{1F600}\ud83d\ude00\/""#, ["a", "\"é😀😀/\""]),
    ("a x=y==z =b a.b=c", ["a", "x=y==z", "=b", "a.b=c"]),
    ("a $(x[[ ) ]]) b=$( --[[)]] 1)", ["a", "$(x[[ ) ]])", "b=$( --[[)]] 1)"]),
  ])
  func words(_ text: String, _ expected: [String]) throws {
    #expect(try statement(text).words.map(short) == expected)
  }

  @Test func placesAreInCharacters() throws {
    let statement = try statement("écho \"日本\" naïve=e\u{301} \"a\nb\" x")
    #expect(statement.words.map(\.column) == [1, 6, 11, 19, 4])
    #expect(statement.words.map(\.width) == [4, 4, 7, 2, 1])
    #expect(statement.words.map(\.line) == [0, 0, 0, 0, 1])
  }

  @Test func linesAreCounted() throws {
    let all = try statements("\u{FEFF}#!/usr/bin/env stsh\n\n  # c\n a 1\r\nb [\n1]\n\n\tc \\\n d")
    #expect(all.map(\.line) == [4, 5, 8])
    #expect(all.map(\.text) == [" a 1", "b [\n1]", "\tc \\\n d"])
    #expect(all[0].words[0].column == 2)
    #expect(all[2].words[1].line == 1)
  }

  @Test func redirections() throws {
    let file = try statement("log > out.txt # note")
    #expect(file.redirection?.kind == .file)
    #expect(file.redirection?.span == Word.Span(column: 5, width: 9))
    #expect(file.words.map(short) == ["log"])
    #expect(try statement("log >>'my file'").redirection?.kind == .append)
    let piped = try statement(#"log --all | grep "a # b" | head -1 > x"#)
    guard case .text(let command)? = piped.redirection?.target else { throw Failure(reason: "no command") }
    #expect(command == #"grep "a # b" | head -1 > x"#)
    #expect(piped.words.map(short) == ["log", "--all"])
    for (text, column) in [
      ("a b>c", 4), ("echo hi>f", 8), ("run x 2> f", 8), ("a b=<c", 5), ("cat < f", 5), ("echo a|cat", 7),
      ("run grep a|b f", 11), (#"echo app-"$n""#, 10), (#"t x=a"b""#, 6),
    ] {
      #expect(fault(text)?.message.contains(" within a word") == true, "\(text)")
      #expect(fault(text)?.column == column, "\(text)")
    }
    #expect(fault("run x 2> f")?.message.contains("sh -c 'LINE 2> FILE'") == true)
    #expect(fault("run sleep 1 &")?.message.contains("nothing in the background") == true)
    #expect(try statement("a \"b>c\" '<' x&y z[a>b]").words.count == 5)
    #expect(fault(#"echo {} \;"#)?.message.hasSuffix(#"; as a text it has quotes: ";""#) == true)
    for text in [#"echo 'a\'b'"#, "echo 'it''s'"] {
      #expect(fault(text)?.message == #"expected a space here; a text with ' in it has double quotes: "it's""#)
    }
    #expect(try statement("show x | awk '{\n print }'").redirection?.kind == .command)
    #expect(fault("log >")?.message == "expected a file name after >")
    for (text, column) in [("log >f>g", 7), ("log > f|cat", 8), ("log >|f", 6), ("log >>>f", 7), ("log >&2", 6)] {
      let second = fault(text)
      #expect(
        second?.message == "nothing may follow the file of a redirection; quote a name with this in it"
          || second?.message.contains("within a word is no") == true)
      #expect(second?.column == column)
    }
    #expect(fault("log > 'f>g'") == nil)
    #expect(fault("log > a b")?.column == 9)
    #expect(fault("log |  ")?.message == "expected a shell command after |")
  }

  @Test func luaVerbsTakeTheRest() throws {
    let expression = try statement("= #state.items > 3 | 4 -- # note")
    #expect(expression.words.map(short) == ["="])
    #expect(expression.lua?.text == "#state.items > 3 | 4 -- # note")
    #expect(expression.lua?.span == Word.Span(column: 3, width: 30))
    #expect(expression.redirection == nil)
    #expect(try statement("=1").lua?.text == "1")
    #expect(try statement("assert").lua?.text == "")
    let named = try statement("let  n=3 == 3")
    #expect(named.words.map(short) == ["let", "n"])
    #expect(named.lua?.text == "3 == 3")
    #expect(try statement("let n").lua == nil)
    #expect(try statement("let").lua == nil)
    #expect(try statement("wait 3s").lua == nil)
    #expect(try statement("wait until_x").words.map(short) == ["wait", "until_x"])
    #expect(try statement("luau x").lua == nil)
    #expect(try statement("try assert a > 3").lua?.text == "a > 3")
    #expect(try statement("try time = 1").words.map(short) == ["try", "time", "="])
    #expect(try statement("try").words.count == 1)
    #expect(try statement("try # x").words.count == 1)
  }

  @Test func flagsBehindLua() throws {
    let waiting = try statement("wait until a == \"--timeout 1s\" --timeout 2s")
    #expect(waiting.lua?.text == "a == \"--timeout 1s\"")
    #expect(waiting.words.map(short) == ["wait", "until", "--timeout", "2s"])
    #expect(waiting.words[2].column == 32)
    #expect(try statement("wait until a -- timeout 2s").lua?.text == "a -- timeout 2s")
    #expect(try statement("= x--as json").lua?.text == "x--as json")
    #expect(try statement("= x --as=json").words.map(short) == ["=", "--as=json"])
  }

  @Test func luaGoesOnOverLines() throws {
    let all = try statements("lua for i = 1, 2 do\n # x > y\nend\nshow x\n= 1 + \\\n 2\n= \"a\\\nb")
    #expect(all.map { $0.lua?.text } == ["for i = 1, 2 do\n # x > y\nend", nil, "1 +  \n 2", "\"a\\", nil])
    #expect(all.map(\.line) == [1, 4, 5, 7, 8])
    #expect(fault("a\nlua while x do\n y()")?.message == "this Lua is never finished")
    #expect(fault("a\nlua while x do\n y()")?.line == 2)
  }

  @Test func messagesOfAsserts() throws {
    let tail = try #require(try statement("assert a == \"-- x\" -- should be 8 ").lua)
    #expect(tail.splittingComment.lua == "a == \"-- x\"")
    #expect(tail.splittingComment.message == "should be 8")
    #expect(try statement("assert a - -1").lua?.splittingComment.message == nil)
    #expect(try statement("assert a --[[x]] == 1").lua?.splittingComment.message == nil)
  }

  @Test func readsByteByByte() throws {
    let text = "a 1\nb \"x\ny\" [\n1]\n# c\nlua for do\nend\n\nc \\\n d\ne > f\n= 1\nlast | x 'é'\n"
    var reader = StatementReader(grammar: grammar)
    var piecewise: [Statement] = []
    for byte in text.utf8 {
      reader.append([byte])
      while let statement = try reader.next() { piecewise.append(statement) }
    }
    reader.finish()
    while let statement = try reader.next() { piecewise.append(statement) }
    let whole = try statements(text)
    #expect(piecewise.map(\.text) == whole.map(\.text))
    #expect(piecewise.map(\.line) == whole.map(\.line))
    #expect(piecewise.map { $0.words.map(short) } == whole.map { $0.words.map(short) })
    #expect(whole.count == 7)
  }

  @Test func goesOnBehindAFault() throws {
    var reader = StatementReader(Array("a \"\\q\" \"\nb [1 2]\nc\n".utf8), grammar: grammar)
    #expect(throws: SyntaxFault.self) { try reader.next() }
    #expect(throws: SyntaxFault.self) { try reader.next() }
    let last = try reader.next()
    #expect(last?.text == "c")
    #expect(last?.line == 3)
  }

  @Test(arguments: [
    ("dispatch tasks.add \"Buy", Continuation.quote("\"")), ("a 'x", .quote("'")), ("a [1,", .bracket("[")),
    ("a {x = \"y", .quote("\"")), ("a {", .bracket("{")), ("a {x", .bracket("{")), ("a $(f(", .bracket("(")),
    ("a $(\"x", .bracket("(")), ("a b[", .bracket("[")), ("a \\", .backslash), ("\\", .backslash),
    ("lua for do", .lua), ("= x ==", .lua), ("a | grep \"x", .quote("\"")), ("a | grep \\", .backslash),
  ])
  func continuations(_ text: String, _ expected: Continuation) {
    #expect(StatementReader.continuation(of: text, grammar: grammar) == expected)
  }

  @Test(arguments: [
    "", " ", "a", "a \"x\"", "# \"", "a # \"", "a \\x", "lua for do\nend", "a \"\\q\" \"", "a | x '\"'",
  ])
  func complete(_ text: String) {
    #expect(StatementReader.continuation(of: text, grammar: grammar) == nil)
  }

  @Test func prompts() {
    let open: [Continuation] = [.quote("\""), .bracket("("), .lua, .backslash]
    #expect(open.map(\.prompt) == ["  \"> ", "  (> ", "lua> ", "  \\> "])
  }

  @Test func aLineThatComesAgainIsReadAgain() throws {
    let found = try statements("dispatch a.b c=1\nshow a.b # same\ndispatch a.b c=1\n\ndispatch a.b c=2\n").map {
      "\($0.line) \($0.words.map(\.text).joined(separator: "|"))"
    }
    #expect(found == ["1 dispatch|a.b|c=1", "2 show|a.b", "3 dispatch|a.b|c=1", "5 dispatch|a.b|c=2"])
    let counts = try statements("echo words words\necho words words\\\n more\necho words words\n").map(\.words.count)
    #expect(counts == [3, 4, 3])
  }

  @Test func aLineThatIsStillArrivingWaits() throws {
    var reader = StatementReader(grammar: grammar)
    reader.append("dispatch a.b\ndispatch a.b".utf8)
    #expect(try reader.next()?.line == 1)
    #expect(try reader.next() == nil)
    reader.append("c\ndispatch a.b\n".utf8)
    #expect(try reader.next()?.words[1].text == "a.bc")
    #expect(try reader.next()?.words[1].text == "a.b")
  }

  @Test func droppingWords() throws {
    let inner = try #require(try statement("try dispatch x").droppingWords(1))
    #expect(inner.words.map(short) == ["dispatch", "x"])
    #expect(inner.words[0].column == 5)
    #expect(inner.droppingWords(2) == nil)
  }

  @Test(arguments: [1, 2, 3, 100])
  func aByteOrderMarkIsNoText(pieceSize: Int) throws {
    let bytes = [0xEF, 0xBB, 0xBF] + Array("# note\na\n".utf8)
    var reader = StatementReader(grammar: grammar)
    var statements: [Statement] = []
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      reader.append(bytes[start..<min(start + pieceSize, bytes.count)])
      while let statement = try reader.next() { statements.append(statement) }
    }
    #expect(statements.map(\.text) == ["a"])
    #expect(statements.map(\.line) == [2])
    var whole = StatementReader(bytes, grammar: grammar)
    #expect(try whole.next()?.text == "a")
  }
}
