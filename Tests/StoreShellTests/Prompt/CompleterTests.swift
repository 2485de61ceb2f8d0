import Testing

@testable import StoreShell

/// Tab, at every position of a line.
@Suite struct CompleterTests {
  private static let plugin = """
    return plugin {
      state = { field("phase", enum { "idle", "work" }), field("deep", record("Deep", { field("inner", int()) })) },
      actions = {
        { name = "set", args = { field("phase", enum { "idle", "work" }), field("loud", bool { default = false }) } },
      },
      projections = { { name = "face", type = text(), fn = function() return "" end } },
      commands = {
        { name = "say", summary = "says it", args = { field("what", text()), field("how", enum { "loud", "low" }) },
          run = function() end },
        { name = "stop", summary = "stops", run = function() end },
      },
    }
    """

  private func shell() throws -> Shell {
    let shell = try Shell()
    let folder = try shell.plugin("mood", Self.plugin)
    _ = try shell.type(
      "plugin load \(folder)", "dispatch tasks.add a --quiet", "dispatch tasks.add b --quiet", "watch counter.value",
      "let total = 1")
    return shell
  }

  private func complete(_ shell: Shell, _ line: String, after open: [String] = []) -> LineCompletion {
    Completer(shell.session).complete(line: line, cursor: line.utf8.count, openLines: open)
  }

  /// The line after Tab where there is one candidate, or all candidates in brackets.
  private func tab(_ shell: Shell, _ line: String, after open: [String] = []) -> String {
    let completion = complete(shell, line, after: open)
    if let note = completion.note { return "note: \(note)" }
    guard completion.candidates.count == 1 else {
      return "[\(completion.candidates.map(\.text).joined(separator: " "))]"
    }
    return String(decoding: line.utf8.prefix(completion.replaceFrom), as: UTF8.self) + completion.candidates[0].text
      + completion.candidates[0].suffix
  }

  @Test func anAliasIsCompletedAsWhatItStandsFor() throws {
    let shell = try shell()
    _ = try shell.type("alias d = dispatch", "alias t = try time dispatch tasks.add", "alias v = =")
    #expect(tab(shell, "d tasks.a") == "d tasks.add ")
    #expect(tab(shell, "time d tasks.a") == "time d tasks.add ")
    #expect(tab(shell, "t ti") == "t title=")
    #expect(tab(shell, "v state.tas") == "[]")
  }

  @Test func pluginsAreFoldersAndIdsThoseThatFit() throws {
    let shell = try shell()
    try shell.write("notes.txt", "")
    try shell.write("many/inner/init.lua", "")
    #expect(tab(shell, "plugin load \(shell.folder)/") == "[\(shell.folder)/many \(shell.folder)/mood]")
    #expect(tab(shell, "plugin load \(shell.folder)/n") == "[]")
    #expect(tab(shell, "plugin load \(shell.folder)/man") == "plugin load \(shell.folder)/many/")
    for _ in 1...28 { _ = shell.run("dispatch tasks.add more --quiet") }
    #expect(
      tab(shell, "dispatch tasks.remove id=2") == "[id=2 id=20 id=21 id=22 id=23 id=24 id=25 id=26 id=27 id=28 id=29]")
    #expect(tab(shell, "dispatch tasks.remove id=30") == "dispatch tasks.remove id=30 ")
    #expect(tab(shell, "dispatch tasks.remove id=31") == "[]")
  }

  @Test(arguments: [
    ("dis", "dispatch "), ("di", "[dispatch diff]"), ("  dis", "  dispatch "), ("w", "[watch why who wait]"),
    ("wa", "[watch wait]"),
    ("wai", "wait "), ("wait i", "wait idle "), ("effects c", "effects cancel "),
    ("effects cancel ", "effects cancel all "), ("l", "[log lua let]"),
    ("zzz", "[]"),
    ("mo", "mood "), ("dispatch c", "dispatch counter."), ("dispatch counter", "dispatch counter."),
    ("dispatch counter.i", "dispatch counter.increment "),
    ("dispatch counter.increment", "dispatch counter.increment "),
    ("dispatch counter.", "[counter.increment counter.decrement counter.setStep counter.reset]"),
    ("dispatch counter.increment ", "note: counter.increment by:Int?"),
    ("dispatch counter.reset ", "note: counter.reset"),
    ("dispatch ", "[counter tasks mood]"), ("dispatch counter.increment b", "dispatch counter.increment by="),
    ("dispatch counter.increment by=1 b", "[]"), ("dispatch counter.increment 1 b", "[]"),
    ("dispatch --quiet counter.i", "dispatch --quiet counter.increment "),
    ("dispatch --info x counter.i", "dispatch --info x counter.increment "),
    ("dispatch nope x", "[]"), ("dispatch mood.set p", "dispatch mood.set phase="),
    ("dispatch mood.set phase=", "[phase=idle phase=work]"),
    ("dispatch mood.set phase=w", "dispatch mood.set phase=work "),
    ("dispatch mood.set idle l", "dispatch mood.set idle loud="), ("dispatch mood.set idle p", "[]"),
    ("dispatch mood.set w", "dispatch mood.set work "), ("dispatch mood.set \"w", "dispatch mood.set \"work\" "),
    ("dispatch mood.set 'p", "[]"), ("dispatch mood.set idle t", "dispatch mood.set idle true "),
    ("dispatch mood.set loud=true w", "dispatch mood.set loud=true work "), ("dispatch mood.set idle true w", "[]"),
    ("dispatch tasks.complete 2", "dispatch tasks.complete 2 "), ("dispatch tasks.complete 3", "[]"),
    ("dispatch mood.set loud=", "[loud=true loud=false]"), ("dispatch tasks.complete id=", "[id=1 id=2]"),
    ("dispatch tasks.complete id=2", "dispatch tasks.complete id=2 "), ("dispatch tasks.add title=", "[]"),
    ("dispatch counter.reset --q", "dispatch counter.reset --quiet "), ("dispatch x --", "[--quiet --info --dry-run]"),
    ("show c", "show counter."), ("show counter.", "[counter.value counter.step]"),
    ("show counter.v", "show counter.value"),
    ("show tasks.it", "show tasks.items"), ("show tasks.", "[tasks.nextId tasks.items tasks.open tasks.summary]"),
    ("show tasks.items[1].t", "show tasks.items[1].title"), ("show tasks.items[id=2].d", "show tasks.items[id=2].done"),
    ("show tasks.items[*].", "[tasks.items[*].id tasks.items[*].title tasks.items[*].done]"),
    ("show tasks.items[", "[tasks.items[id=1] tasks.items[id=2] tasks.items[title= tasks.items[done=]"),
    ("show tasks.items[*", "[]"),
    ("show tasks.items[i", "[tasks.items[id=1] tasks.items[id=2]]"), ("show tasks.items[1", "[]"),
    ("show tasks.items[id=2", "show tasks.items[id=2]"), ("watch tasks.items[id=3", "[]"),
    ("show tasks.items[t", "show tasks.items[title="), ("show tasks.items[title=a", "show tasks.items[title=a]"),
    ("show tasks.items[done=", "show tasks.items[done=false]"),
    ("log --changed tasks.items[id=2", "log --changed tasks.items[id=2]"), ("show nope.x[", "[]"),
    ("show counter.value[", "[]"), ("show mood.d", "show mood.deep."), ("show mood.deep.", "show mood.deep.inner"),
    ("show mood.f", "show mood.face"),
    ("show nope.", "[]"), ("show counter.value.", "[]"), ("show s", "show shell."),
    ("show shell.se", "show shell.settings"),
    ("show counter.value --as j", "[json jsonl]"), ("show counter --as t", "[table tree]"),
    ("show counter --j", "show counter --json "),
    ("show counter x", "[]"), ("watch counter.v", "watch counter.value"), ("watch s", "[stop shell]"),
    ("watch st", "watch stop "), ("watch stop ", "[1 all]"), ("watch stop a", "watch stop all "),
    ("watch counter.value ", "[]"),
    ("describe t", "describe tasks "), ("help tasks.ad", "help tasks.add "),
    ("log --changed tasks.it", "log --changed tasks.items"),
    ("log --action t", "log --action tasks."),
    ("log --ch", "log --changed "), ("middleware o", "[on off]"), ("middleware on l", "middleware on logger "),
    ("plugin l", "[list load]"), ("plugin u", "plugin unload "), ("plugin unload ", "plugin unload mood "),
    ("plugin load cat", "plugin load catalog "), ("help disp", "help dispatch "),
    ("help unknown-a", "help unknown-action "), ("help plugin rel", "help plugin reload "),
    ("help set runa", "help set runaway "),
    ("set out", "set output "), ("trace ", "[on off]"), ("trace on --st", "trace on --stable "),
    ("trace on --sp", "trace on --spans "),
    ("ingest x --as tasks.a", "ingest x --as tasks.add "), ("mood s", "[say stop]"), ("mood say w", "mood say what="),
    ("echo $t", "echo $total "), ("show $e", "show $err "), ("alias d = disp", "alias d = dispatch "),
    ("ingest x --as tasks.add --map t", "ingest x --as tasks.add --map title="),
    ("plugin test cat", "plugin test catalog "),
    ("replay x --with cat", "replay x --with catalog "), ("dispatch \"counter.i", "dispatch \"counter.increment\" "),
    ("dispatch 'cou", "dispatch 'counter."), ("dispatch \"counter.reset\"", "[]"),
    ("show \"tasks.it", "show \"tasks.items"),
    ("dispatch tasks.add \"t", "[]"), ("dispatch \"mood.set\" p", "dispatch \"mood.set\" phase="),
    ("mood nope w", "[]"), ("mood say ", "note: mood say what:String how:loud|low"), ("mood stop ", "note: mood stop"),
    ("mood say what=x how=", "[how=loud how=low]"), ("mood say hi lou", "mood say hi loud "),
    ("mood say what=x w", "[]"), ("mood say --j", "mood say --json "), ("mood say x --as j", "[json jsonl]"),
    ("mood stop x", "[]"), (#"dispatch tasks.add "a \" b" --q"#, #"dispatch tasks.add "a \" b" --quiet "#),
  ])
  func completes(line: String, expected: String) throws {
    #expect(tab(try shell(), line) == expected)
  }

  @Test(arguments: [
    ("= sta", "= state."), ("= state.c", "= state.counter."), ("= state.counter.v", "= state.counter.value"),
    ("= 1 + state.tasks.items[1].t", "= 1 + state.tasks.items[1].title"), ("= disp", "= dispatch"),
    ("= state.tasks.o", "[]"), ("= state.tasks.", "[state.tasks.nextId state.tasks.items]"),
    ("= proj", "= project"),
    ("= tot", "= total"), ("= ma", "= math."), ("= state.shell.", "[]"),
    ("= state.tasks.items[", "[]"), ("= state.tasks.items[i", "[]"),
    ("lua if state.counter.s", "lua if state.counter.step"),
    ("assert state.tasks.next", "assert state.tasks.nextId"),
    ("let x = state.counter.v", "let x = state.counter.value"),
    ("echo $(state.counter.v", "echo $(state.counter.value"),
    ("dispatch counter.increment by=$(state.counter.st", "dispatch counter.increment by=$(state.counter.step"),
    ("dispatch tasks.complete id=$(tot", "dispatch tasks.complete id=$(total"), ("echo $(1) sta", "[]"),
    ("echo '$(sta", "[]"), ("let x = ma", "let x = math."), ("= string.r", "[string.rep string.reverse]"),
    ("= string.rev", "= string.reverse"), ("= string.d", "[]"),
    ("= utf8.", "[utf8.char utf8.charpattern utf8.codepoint utf8.codes utf8.len utf8.offset]"),
    ("= nope.", "[]"), ("= math.pi.", "[]"), ("= math.pi..math.hu", "= math.pi..math.huge"),
    ("= 'a'..to", "[tonumber tostring total]"), ("= 'a'..state.c", "= 'a'..state.counter."),
    ("= state.tasks.items[1].title:up", "= state.tasks.items[1].title:upper"), ("= dra", "= drawer."),
    ("= drawer.", "[drawer.inner drawer.two]"), ("= drawer.in", "= drawer.inner."),
    ("= drawer.inner.", "= drawer.inner.deep"), ("= lis", "= list"), ("= own", "= own"), ("= ghost.", "[]"),
    ("= xp", "[]"), ("= os", "[]"),
  ])
  func completesLua(line: String, expected: String) throws {
    let shell = try shell()
    _ = try shell.type(
      "lua drawer = {two = 2, inner = {deep = 1, [3] = 4, ['no name'] = 5}} list = {1, 2} function own() end",
      "lua ghost = setmetatable({}, {__index = function() error('asked') end})")
    #expect(tab(shell, line) == expected)
  }

  @Test func unrestrictedLuaIsCompletedToo() throws {
    let shell = try Shell { $0.allowsUnsafeLua = true }
    #expect(tab(shell, "= os.dat") == "= os.date")
  }

  @Test(arguments: [
    ("plot state.counter.value --", "[--over --x --y --as --json]"), ("plot 1 --o", "plot 1 --over "),
    ("plot 1 --over 5 --js", "plot 1 --over 5 --json "), ("= 1 --as spa", "= 1 --as spark "),
    ("wait until state.counter.value == 1 --", "wait until state.counter.value == 1 --timeout "),
    ("try = 1 --j", "try = 1 --json "), ("= state.cou", "= state.counter."),
    ("= 1 -- pri", "= 1 -- print"), ("export journal x --as r", "export journal x --as redux-devtools "),
  ])
  func completesFlagsBehindLua(line: String, expected: String) throws {
    #expect(tab(try shell(), line) == expected)
  }

  @Test func candidatesSayWhatTheyAre() throws {
    let shell = try shell()
    func meanings(_ line: String) -> [String?] { complete(shell, line).candidates.map(\.meaning) }
    #expect(meanings("dispatch mood.set l") == ["Bool"])
    #expect(complete(shell, "show tasks.items[1].t").candidates.map(\.display) == ["title"])
    #expect(meanings("mood s") == ["says it", "stops"])
    #expect(meanings("dispatch x --q") == ["print nothing"])
    #expect(meanings("show tasks.items[id") == ["a", "b"])
    #expect(meanings("echo x; plo") == [])
    let plot = try #require(complete(shell, "plot").candidates.first)
    #expect(plot.text == "plot" && plot.meaning?.hasPrefix("draws the value") == true)
  }

  @Test func anItemIsFoundByItsIdAndByItsTitle() throws {
    let shell = try shell()
    _ = try shell.type("dispatch tasks.add \"Buy milk\" --quiet")
    let empty = complete(shell, "dispatch tasks.complete ")
    #expect(empty.note == "id:Int" && empty.candidates.map(\.text) == ["1", "2", "3"])
    #expect(empty.candidates.map(\.meaning) == ["a", "b", "Buy milk"])
    #expect(tab(shell, "dispatch tasks.complete bu") == "dispatch tasks.complete 3 ")
    #expect(tab(shell, "dispatch tasks.complete id=Bu") == "dispatch tasks.complete id=3 ")
    #expect(tab(shell, "dispatch tasks.complete \"Buy m") == "dispatch tasks.complete 3 ")
    #expect(tab(shell, "show tasks.items[title=\"Buy") == "show tasks.items[title=\"Buy milk\"]")
  }

  /// Never the first hundred of them.
  @Test func whatIsLeftOutCounts() throws {
    let shell = try shell()
    _ = try shell.type("lua for i = 1, 300 do dispatch('tasks.add', { title = 'more' }) end")
    let all = complete(shell, "dispatch tasks.remove id=")
    #expect(all.candidates.count == 100)
    #expect(
      all.rest == LineCompletion.Rest(count: 202, common: "id=", advice: "type the start of an id or of a title"))
    #expect(complete(shell, "dispatch tasks.remove id=30").candidates.map(\.display) == ["30", "300", "301", "302"])
  }

  @Test(arguments: [
    ("DISP", "dispatch"), ("dispatch TASKS.A", "tasks.add"), ("show Tasks.NEXTI", "tasks.nextId"),
    ("show tasks.items where DO", "done"), ("SHOW", "show"), ("show NOPE.x", nil),
  ])
  func lettersMayBeSmallOrLarge(line: String, expected: String?) throws {
    func complete(_ ignoresCase: Bool) throws -> [String] {
      Completer(try shell().session).complete(
        line: line, cursor: line.utf8.count, openLines: [], ignoresCase: ignoresCase
      ).candidates.map(\.text)
    }
    #expect(try complete(true) == (expected.map { [$0] } ?? []))
    #expect(try complete(false) == [])
  }

  @Test(arguments: [
    ("show tasks.items wh", "show tasks.items where "), ("show counter.value wh", "[]"),
    ("watch tasks.items wh", "watch tasks.items where "),
    ("show tasks.items where it.do", "show tasks.items where it.done"), ("= it.do", "[]"),
    ("describe tasks.ad", "describe tasks.add "), ("show tasks.items[title=W", #"show tasks.items[title="Write it"]"#),
  ])
  func conditionsAndElementsAreCompleted(line: String, expected: String) throws {
    let shell = try shell()
    _ = try shell.type("dispatch tasks.add \"Write it\" --quiet")
    #expect(tab(shell, line) == expected)
  }

  @Test func keysOfMapsAreCompleted() throws {
    let shell = try Shell()
    let folder = try shell.plugin(
      "shop",
      """
      return plugin {
        state = { field("prices", map(int())) }, actions = { { name = "put", args = { field("key", text()) } } },
        reducers = { put = function(s, a) s.prices[a.key] = 1 end },
      }
      """)
    _ = try shell.type(
      "plugin load \(folder)", "dispatch shop.put milk --quiet", "dispatch shop.put \"old bread\" --quiet")
    #expect(tab(shell, "show shop.prices.") == "show shop.prices.milk")
    #expect(tab(shell, "show shop.prices[") == #"[shop.prices["milk"] shop.prices["old bread"]]"#)
    #expect(tab(shell, "show shop.prices[\"o") == #"show shop.prices["old bread"]"#)
  }

  @Test func earlierLinesAreRemembered() throws {
    let shell = try shell()
    #expect(tab(shell, "counter.i", after: ["dispatch \\"]) == "counter.increment ")
    #expect(tab(shell, "state.counter.v", after: ["= (1 +"]) == "state.counter.value")
    #expect(tab(shell, "  state.counter.v", after: ["lua for i = 1, 2 do"]) == "  state.counter.value")
  }

  @Test func theCursorMayStandWithinTheLine() throws {
    let completion = Completer(try shell().session).complete(line: "show é tasks.it more", cursor: 16, openLines: [])
    #expect(completion.replaceFrom == 8)
    let first = Completer(try shell().session).complete(line: "dis counter.reset", cursor: 3, openLines: [])
    #expect(first.candidates.map(\.text) == ["dispatch"])
    #expect(first.replaceFrom == 0)
    #expect(Completer(try shell().session).complete(line: "", cursor: 0, openLines: []).candidates.count > 15)
  }

  @Test func filesAreCompleted() throws {
    let shell = try shell()
    try shell.write("files/one.stsh", "")
    try shell.write("files/only.stsh", "")
    try shell.write("files/.hidden", "")
    try shell.write("files/deeper/x", "")
    let folder = shell.folder + "/files/"
    #expect(complete(shell, "source \(folder)").candidates.map(\.display) == ["deeper", "one.stsh", "only.stsh"])
    #expect(tab(shell, "source \(folder)one") == "source \(folder)one.stsh ")
    #expect(tab(shell, "ingest \(folder)d") == "ingest \(folder)deeper/")
    #expect(tab(shell, "source \(folder).h") == "source \(folder).hidden ")
    #expect(tab(shell, "source /nope/x") == "[]")
  }

  @Test func namesOfFilesThatAreNoBareWordsAreQuoted() throws {
    let shell = try shell()
    for name in ["my folder/one.stsh", "#hash.stsh", "a\"b", "it's", "plain.stsh"] {
      try shell.write("files/\(name)", "")
    }
    let folder = shell.folder + "/files"
    #expect(tab(shell, "source \(folder)/my") == "source \"\(folder)/my folder/")
    #expect(tab(shell, "source \"\(folder)/my folder/o") == "source \"\(folder)/my folder/one.stsh\" ")
    #expect(tab(shell, "source '\(folder)/my") == "source '\(folder)/my folder/")
    #expect(tab(shell, "source '\(folder)/it") == "[]")
    #expect(tab(shell, "source \"\(folder)/a") == "source \"\(folder)/a\\\"b\" ")
    #expect(tab(shell, "show counter > \(folder)/pl") == "show counter > \(folder)/plain.stsh ")
    #expect(tab(shell, "trace on --spans \(folder)/pl") == "trace on --spans \(folder)/plain.stsh ")
    #expect(tab(shell, "source \"~/") == "[]")
    let choice = ["plain", "my file"].map { LineCompletion.Candidate(text: $0) }
    #expect(WordSpelling("").spell(choice) == choice)
    for name in ["#hash.stsh", "$x", "a$x", "-x", "[x", "x y", "x;"] {
      let spelled = WordSpelling("").spell([LineCompletion.Candidate(text: name)])
      #expect(spelled.map { $0.text + $0.suffix } == ["\"\(name.replacing("$", with: "\\$"))\" "])
    }
  }

  /// Also far down a long list, and none is taken for the only one that is not.
  @Test func idsOfALongList() throws {
    let shell = try Shell { $0.isQuiet = true }
    let items = (1...20_000).map { "{\"id\":\($0),\"title\":\"t\",\"done\":false}" }.joined(separator: ",")
    let file = try shell.write("s.json", "{\"tasks\":{\"nextId\":20001,\"items\":[\(items)]}}")
    #expect(shell.run("import state \(file)").status == 0)
    #expect(tab(shell, "dispatch tasks.complete id=15001") == "dispatch tasks.complete id=15001 ")
    #expect(complete(shell, "dispatch tasks.complete id=1999").candidates.count == 11)
    #expect(complete(shell, "show tasks.items[id=19999").candidates.count == 1)
    #expect(complete(shell, "dispatch tasks.complete id=20001").candidates.isEmpty)
  }

  @Test func manyActionsAreStillFound() throws {
    let shell = try Shell()
    let names = (0..<10_000).map { "{ name = 'act\($0)' }" }.joined(separator: ",")
    let folder = try shell.plugin("many", "return plugin { actions = { \(names) } }")
    #expect(try shell.type("plugin load \(folder)").status == 0)
    #expect(tab(shell, "dispatch m") == "dispatch many.")
    #expect(complete(shell, "dispatch many.").candidates.count == 10_000)
    #expect(tab(shell, "dispatch many.act9999") == "dispatch many.act9999 ")
    #expect(tab(shell, "dispatch many.act9999 ") == "note: many.act9999")
  }

  @Test func noPrefixOfALineFaults() throws {
    let shell = try shell()
    let line =
      "dispatch tasks.add \"Buy \\\"milk\" title=$(state.tasks.items[1].title .. 'x') [1, {a = }] --info é) ] \\ $ ( > x | y"
    for length in 0...line.utf8.count {
      let completion = Completer(shell.session).complete(line: line, cursor: length, openLines: [])
      #expect((0...length).contains(completion.replaceFrom))
    }
  }

  @Test func whatFollowsAPrefixIsCompletedAsItIsAlone() throws {
    let shell = try shell()
    #expect(tab(shell, "try dis") == "try dispatch ")
    #expect(tab(shell, "time try dispatch counter.inc") == "time try dispatch counter.increment ")
    #expect(tab(shell, "try show tasks.it") == "try show tasks.items")
    #expect(tab(shell, "try = sta") == "try = state.")
  }

  @Test func namesOfTheSessionAreCompleted() throws {
    let shell = try shell()
    _ = try shell.type(
      "project doubled = state.counter.value * 2 --actions {up = counter.increment}",
      "bind limit counter.step counter.setStep",
      "alias inc = dispatch counter.increment")
    #expect(tab(shell, "use dou") == "use doubled ")
    #expect(tab(shell, "show doub") == "show doubled ")
    #expect(tab(shell, "show lim") == "show limit ")
    #expect(tab(shell, "dispatch doubled.") == "dispatch doubled.up ")
    #expect(tab(shell, "inc") == "inc ")
    #expect(tab(shell, "lim") == "limit := ")
    #expect(tab(shell, "limit := ") == "note: limit := Int")
    _ = try shell.type("bind phase mood.phase mood.set")
    #expect(tab(shell, "phase := w") == "phase := work ")
    #expect(tab(shell, "phase := ").contains("work"))
    _ = try shell.type("use counter")
    #expect(tab(shell, "dispatch incr") == "dispatch increment ")
    #expect(tab(shell, "show val") == "show value")
    _ = try shell.type("use doubled")
    #expect(tab(shell, "dispatch u") == "dispatch up ")
  }
}
