import PluginSupport
import StorePlugins
import StoreSchema
import Testing

@Suite("Drafts")
struct DraftTests: DraftReducing {
  // MARK: Scalars

  /// However many elements move: moved one by one they would take more instructions than there are.
  @Test func aListIsChangedInItsMidstAtOnce() throws {
    let fill = "for i = 1, 1000 do table.insert(s.list, 1, i) end s.list[1], s.list[1000] = s.list[1000], s.list[1]"
    let empty = "for i = 1, 999 do s.count = table.remove(s.list, 1) % 9 end"
    #expect(try reduce(fill, empty, show: "{ s.list, s.count }") == "[[1000],2]")
  }

  @Test func scalarsOfEveryType() throws {
    #expect(
      try reduce(
        "s.count, s.ratio, s.on, s.name, s.phase, s.task = 9, 3, true, 'né', 'work', 2",
        show: "{ s.count, s.ratio, s.on, s.name, s.phase, s.task }") == #"[9,3.0,true,"né","work",2]"#)
    #expect(try reduce("s.task = 4", "s.task = nil", show: "tostring(s.task)") == #""nil""#)
    #expect(try reduce("s.count = s.count + 1; s.count = s.count * 5", show: "s.count") == "5")
    #expect(try reduce("s.ratio = 1 / 3", show: "s.ratio * 3") == "1.0")
    #expect(try reduce("s.count = 4 // 2", show: "math.type(s.count)") == #""integer""#)
  }

  /// What is not a number has no sign in a file of the state, and the zeros have.
  @Test func numbersAreWhatAFileKeepsOfThem() throws {
    #expect(try reduce("s.ratio = 0/0", show: "tostring(s.ratio)") == #""nan""#)
    #expect(try reduce("s.ratio = -(0/0)", show: "tostring(s.ratio)") == #""nan""#)
    #expect(try reduce("s.ratio = -0.0", show: "1 / s.ratio < 0") == "true")
  }

  /// A message that code catches is the one that would be reported.
  @Test func aCaughtMessageSaysWhatIsWrong() throws {
    #expect(
      try reduce(
        "local ok, e = pcall(function() s.count = 10 end); s.name = e:match('%.lua:%d+: (.*)')", show: "s.name")
        == #""'d.count' must be 0...9, got 10""#)
  }

  @Test(arguments: [
    ("s.count = -1", "'d.count' must be 0...9, got -1"), ("s.count = 10", "'d.count' must be 0...9, got 10"),
    ("s.count = 1.5", "'d.count' must be Int, got number 1.5"),
    ("s.count = 2.0", "'d.count' must be Int, got number 2.0"),
    ("s.count = '1'", "'d.count' must be Int, got string \"1\""), ("s.count = nil", "'d.count' must be Int, got nil"),
    ("s.ratio = 'x'", "'d.ratio' must be Double, got string \"x\""), ("s.on = 1", "'d.on' must be Bool, got number 1"),
    ("s.on = nil", "'d.on' must be Bool, got nil"), ("s.name = 7", "'d.name' must be String, got number 7"),
    ("s.phase = 'rest'", "'d.phase' must be one of idle, work, got string \"rest\""),
    ("s.task = 0", "'d.task' must be >= 1, got 0"), ("s.task = {}", "'d.task' must be Int, got a record"),
    ("s.list = 3", "'d.list' must be [Int], got number 3"),
    ("s.list[1] = 'x'", "'d.list[1]' must be Int, got string \"x\""),
    ("s.list = { 1, 'x' }", "'d.list[2]' must be Int, got string \"x\""),
    ("s.list = { 1, nil, 3 }", "'d.list' must be a list: item 2 is missing"),
    ("s.list = { 1, a = 2 }", "'d.list' cannot be read as a value: it has both positions and names"),
    ("s.by.a = 'x'", "'d.by.a' must be Int, got string \"x\""),
    ("s.by = { 1 }", "'d.by' must be [String: Int], got a list"),
    ("s.place.y = -1", "'d.place.y' must be >= 0, got -1"),
    ("s.places[1].y = -1", "'d.places[1].y' must be >= 0, got -1"),
    ("s.place = { x = 1 }", "'d.place' needs 'y' (Int)"), ("s.place = 3", "'d.place' must be Place, got number 3"),
    ("s.place = { x = 1, y = 1, tags = { 3 } }", "'d.place.tags[1]' must be String, got number 3"),
    ("s.places[1].tags[1] = 3", "'d.places[1].tags[1]' must be String, got number 3"),
  ])
  func valuesOfTheWrongType(_ body: String, _ message: String) throws {
    let refusal = try refuse(body)
    #expect(refusal == message, "\(body)")
  }

  @Test func functionsAreNoData() throws {
    #expect(try refuse("s.name = function() end") == "'d.name' must be data, got a function")
    #expect(try refuse("s.list = { function() end }") == "'d.list[1]' must be data, got a function")
    #expect(
      try refuse("s.list = { [{}] = 1 }").hasPrefix("'d.list' must have integer or text keys, got a table") == true)
    #expect(
      try refuse("local t = {}; t[1] = t; s.list = t")
        == "'d.list' cannot be read as a value: tables are nested deeper than 64, or within themselves")
    #expect(try refuse("s.name = '\\xff'") == "'d.name' must be text, got a string that is not UTF-8")
  }

  // MARK: Unknown fields

  @Test(arguments: [
    ("s.cuont = 1", "d has no field 'cuont' (did you mean 'count'?)"),
    ("local x = s.cuont", "d has no field 'cuont' (did you mean 'count'?)"),
    ("s.place.colour = 1", "d.place has no field 'colour'"), ("local x = s[1]", "d has no field '1'"),
    ("s.places[1].ttags = {}", "d.places[1] has no field 'ttags' (did you mean 'tags'?)"),
    ("s.list.x = 1", "d.list is [Int]; it has no 'x' (keys are Int)"),
    ("s.by[1] = 1", "d.by is [String: Int]; it has no '1' (keys are String)"),
    ("s.by['\\xc3'] = 1", "d.by: the key '\u{fffd}' is not UTF-8 (utf8.offset tells where characters begin)"),
    ("local x = s.by['\\xff']", "d.by: the key '\u{fffd}' is not UTF-8 (utf8.offset tells where characters begin)"),
  ])
  func fieldsThatAreNot(_ body: String, _ message: String) throws {
    #expect(try refuse(body, code: .runtime) == message)
  }

  // MARK: Lists

  @Test func appendingAndRemoving() throws {
    #expect(try reduce("s.list[#s.list + 1] = 5; s.list[#s.list + 1] = 6", show: "s.list") == "[5,6]")
    #expect(try reduce("s.list = { 1, 2, 3 }", "s.list[#s.list] = nil", show: "s.list") == "[1,2]")
    #expect(try reduce("s.list = { 1 }", "s.list[1] = nil", show: "#s.list") == "0")
    #expect(try reduce("s.list = { 1, 2 }", "s.list = {}", show: "#s.list") == "0")
    #expect(try reduce("s.list = { 1, 2 }; s.list[2] = s.list[1] + s.list[2]", show: "s.list") == "[1,3]")
    #expect(
      try reduce("s.list = { 1, 2 }", "s.count = s.list[3] == nil and s.list[0] == nil and 1 or 0", show: "s.count")
        == "1")
  }

  @Test func theTableLibraryOnDrafts() throws {
    #expect(try reduce("table.insert(s.list, 5); table.insert(s.list, 1, 4)", show: "s.list") == "[4,5]")
    #expect(try reduce("s.list = { 3, 1, 2 }", "table.sort(s.list)", show: "s.list") == "[1,2,3]")
    let twoPlaces = "for i = 1, 2 do s.places[i] = { x = i, y = 1, tags = {} } end"
    #expect(
      try refuse("\(twoPlaces) table.sort(s.places)", code: .runtime)
        == "records and lists have no order; give table.sort a function(a, b) that says whether a goes before b")
    #expect(
      try reduce("s.list = { 3, 1, 2 }", "table.sort(s.list, function(a, b) return a > b end)", show: "s.list")
        == "[3,2,1]")
    #expect(
      try reduce(
        "s.list = { 1, 2, 3 }", "s.count = table.remove(s.list, 1) + table.remove(s.list)",
        show: "{ s.count, #s.list, s.list[1] }") == "[4,1,2]")
    #expect(try reduce("s.list = { 1, 2, 3 }", "s.name = table.concat(s.list, '-')", show: "s.name") == #""1-2-3""#)
    #expect(try reduce("s.list = { 1, 2, 3 }", "s.count = select('#', table.unpack(s.list))", show: "s.count") == "3")
    #expect(try reduce("s.list = { 1, 2, 3 }", "table.move(s.list, 1, 3, 2)", show: "s.list") == "[1,1,2,3]")
    #expect(try reduce("s.list = { 1, 2, 3 }", "table.move(s.list, 1, 3, 3)", show: "s.list") == "[1,2,1,2,3]")
    #expect(try reduce("s.list = { 1, 2, 3 }", "table.move(s.list, 1, 3, 4)", show: "s.list") == "[1,2,3,1,2,3]")
    #expect(try reduce("s.list = { 1, 2, 3 }", "table.move(s.list, 2, 3, 3)", show: "s.list") == "[1,2,2,3]")
  }

  @Test func holesAreRefused() throws {
    #expect(
      try refuse("s.list[2] = nil", code: .runtime)
        == "d.list[2] = nil would leave a hole; only the last item can go that way")
    #expect(try refuse("s.list[5] = 1", code: .runtime) == "d.list[5] would leave a hole: the list has 3 items")
    #expect(try refuse("s.list[0] = 1", code: .runtime) == "d.list[0]: indices start at 1")
    #expect(try refuse("s.list[-1] = 1", code: .runtime) == "d.list[-1]: indices start at 1")
    #expect(try reduce("s.list = { 1 }; s.list[4] = nil; s.list[0] = nil; s.list[-1] = nil", show: "s.list") == "[1]")
  }

  /// As in a table, a float that is a whole number is the integer.
  @Test func wholeFloatsAreKeys() throws {
    #expect(try reduce("s.list = { 5, 6 }", "s.list[4 / 2] = s.list[#s.list / 2] + 2", show: "s.list") == "[5,7]")
    #expect(try refuse("s.list[1.5] = 1", code: .runtime) == "d.list is [Int]; it has no '1.5' (keys are Int)")
    #expect(try refuse("s.list[0/0] = 1", code: .runtime).hasPrefix("d.list is [Int]; it has no '"))
    #expect(try refuse("s.list[2 ^ 63] = 1", code: .runtime).hasPrefix("d.list is [Int]; it has no '"))
  }

  @Test func removingFromAnEmptyList() throws {
    #expect(try reduce("local x = table.remove(s.list); s.count = x == nil and 1 or 0", show: "s.count") == "1")
    #expect(try reduce("s.list[#s.list] = nil", show: "#s.list") == "0")
  }

  // MARK: Walking

  @Test func walking() throws {
    #expect(
      try reduce(
        "s.list = { 4, 5 }", "for i, v in ipairs(s.list) do s.name = s.name .. i .. '=' .. v .. ' ' end", show: "s.name"
      )
        == #""1=4 2=5 ""#)
    #expect(
      try reduce(
        "s.by = { b = 2, a = 1, c = 3 }", "for k, v in pairs(s.by) do s.name = s.name .. k .. v end", show: "s.name")
        == #""a1b2c3""#)
    #expect(
      try reduce("for k, v in pairs(s.place) do s.name = s.name .. k .. ' ' end", show: "s.name") == #""x y tags ""#)
    #expect(try reduce("s.by = { a = 1, b = 2 }", "s.count = #s.by", show: "s.count") == "2")
    #expect(try reduce("s.by = { a = 1 }", "s.by.b = 2; s.by.a = nil", show: "s.by") == #"{"b":2}"#)
    #expect(
      try reduce("s.list = { 1, 2, 3 }", "for i, v in ipairs(s.list) do s.list[i] = v * 2 end", show: "s.list")
        == "[2,4,6]")
    #expect(try reduce("s.by = { a = 1, b = 2 }", "for k in pairs(s.by) do s.by[k] = nil end", show: "#s.by") == "0")
  }

  @Test func lengthsOfRecords() throws {
    #expect(try refuse("local n = #s.place", code: .runtime) == "attempt to get length of d.place, which is no list")
  }

  /// Also where a function of the library reached into the draft.
  @Test func errorsBelowTheLibraryHaveTheirPlace() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "d",
        lua: """
          return plugin {
            state = { field("place", record("Place", { field("x", int()) })) }, actions = { { name = "go" } },
            reducers = { go = function(s) for _ in ipairs(s.place) do end end },
          }
          """))
    #expect(
      fault { try bench.dispatch("d.go") }?.message
        == "d: reducer 'd.go': bad/d/init.lua:3: d.place has no field '1'")
  }

  // MARK: Names and arguments

  @Test func namesThatLuaDoesNotIntern() throws {
    let long = String(repeating: "n", count: 50)
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "d",
        lua: """
          return plugin { state = { field("\(long)", int()), field("\(long)x", int()) }, actions = { { name = "go" } },
            reducers = { go = function(s) s.\(long)x = s.\(long) + 2; s["\(long)"] = 1 end } }
          """))
    try bench.dispatch("d.go")
    #expect(bench.state("d") == "{\"\(long)\":1,\"\(long)x\":2}")
  }

  @Test(arguments: [
    ("function(s, a, meta) s.name = a.text .. meta.name end", "x1d.go"),
    ("function(s, _, meta) s.name = meta.name end", "d.go"),
    ("function(s, a) s.name = a.text end", "x1"), ("function(s, a) a.text = a.text .. 'y' s.name = a.text end", "x1y"),
    ("function(s, a) s.name = a.text .. tostring(a.left) a.left = 1 end", "x1nil"),
    ("function(s) s.name = 'none' end", "none"),
    ("function(s, a) s.name = #a.list .. a.list[1] end", "2v"),
    ("function(s, a, ...) s.name = a.text .. select('#', ...) end", "x11"),
  ])
  func reducersGetWhatTheyUse(_ reducer: String, _ name: String) throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "d",
        lua: """
          return plugin { state = { field("name", text()) }, reducers = { go = \(reducer) },
            actions = { { name = "go", args = { field("text", text()), field("list", list(text())) } } } }
          """))
    let list = Value.list([.string("v"), .string("w")])
    for _ in 0..<3 { try bench.dispatch("d.go", [("text", .string("x1")), ("list", list)]) }
    #expect(bench.state("d") == "{\"name\":\"\(name)\"}")
  }

  @Test func textAndEquality() throws {
    #expect(try reduce("s.name = tostring(s.list) .. ' ' .. tostring(s)", show: "s.name") == #""d.list d""#)
    #expect(try reduce("s.on = s.list == s.list and s.place ~= s.list", show: "s.on") == "true")
    #expect(try reduce("s.name = type(s.list) .. type(s)", show: "s.name") == #""userdatauserdata""#)
  }

  // MARK: Drafts kept too long

  @Test func aDraftKeptBeyondItsCall() throws {
    let bench = try Bench()
    try bench.load(
      try PluginFolder(
        "k",
        lua: """
          local box = {}
          return plugin {
            state = { field("count", int()), field("list", list(int())) },
            actions = { { name = "keep" }, { name = "read" }, { name = "write" }, { name = "keepPart" } },
            reducers = {
              keep = function(s) box.kept = s end,
              keepPart = function(s) box.kept = s.list end,
              read = function(s) s.count = box.kept.count end,
              write = function() box.kept[1] = 1 end,
            },
          }
          """)
    ).purity = .off
    try bench.dispatch("k.keep")
    #expect(
      fault { try bench.dispatch("k.read") }?.message
        == "k: reducer 'k.read': bad/k/init.lua:8: this part of the state was valid only during the call that gave it")
    try bench.dispatch("k.keepPart")
    #expect(
      fault { try bench.dispatch("k.write") }?.message
        == "k: reducer 'k.write': bad/k/init.lua:9: this part of the state was valid only during the call that gave it")
    #expect(bench.state("k") == #"{"count":0,"list":[]}"#)
  }
}
