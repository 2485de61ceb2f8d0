import Testing

/// Parts of a draft that are assigned to one another, removed and compared.
@Suite("Parts of drafts")
struct DraftPartTests: DraftReducing {
  @Test func nestedWrites() throws {
    #expect(
      try reduce(
        "s.places[1] = { x = 1, y = 2, tags = { 'a' } }",
        "local p = s.places[1]; p.x = 5; p.tags[2] = 'b'; s.place.y = p.y",
        show: "{ s.places[1].x, s.places[1].tags[2], s.place.y }") == #"[5,"b",2]"#)
    #expect(
      try reduce(
        "s.named.here = { x = 1, y = 2, tags = {} }", "s.named.here.tags[1] = 'z'; s.named.here.x = 8", show: "s.named")
        == #"{"here":{"x":8,"y":2,"tags":["z"]}}"#)
    #expect(
      try reduce("s.maybe = { x = 1, y = 2, tags = {} }", "s.maybe.x = 3; s.maybe.tags[1] = 't'", show: "s.maybe")
        == #"{"x":3,"y":2,"tags":["t"]}"#)
    #expect(try reduce("s.maybe = { x = 1, y = 2, tags = {} }", "s.maybe = nil", show: "s.maybe == nil") == "true")
  }

  /// The place before the first one of Lua's integers is none of Swift's.
  @Test(arguments: ["math.mininteger", "math.maxinteger", "0", "-1", "3"])
  func noListHasAnItemThere(position: String) throws {
    let position = "[\(position)]"
    #expect(try reduce("s.list = { 1, 2 }", "assert(not s.list\(position))", show: "s.list[2]") == "2")
    #expect(
      try reduce("s.list = { 1, 2 }", "s.list\(position) = nil", show: "{ s.places\(position) == nil, s.list }")
        == "[true,[1,2]]")
  }

  @Test func onePartAssignedToAnother() throws {
    #expect(
      try reduce(
        "s.places = { { x = 1, y = 2, tags = {} } }", "s.place = s.places[1]; s.place.x = 9",
        show: "{ s.place.x, s.places[1].x }")
        == "[9,1]")
    #expect(try reduce("s.list = { 1, 2 }", "s.list = s.list", show: "s.list") == "[1,2]")
    #expect(
      try reduce(
        "s.places = { { x = 1, y = 2, tags = {} } }", "s.places[2] = s.places[1]; s.places[2].x = 7",
        show: "{ s.places[1].x, s.places[2].x }")
        == "[1,7]")
    #expect(
      try reduce(
        "s.places = { { x = 1, y = 0, tags = {} }, { x = 2, y = 0, tags = {} } }",
        "table.sort(s.places, function(a, b) return a.x > b.x end)", show: "{ s.places[1].x, s.places[2].x }")
        == "[2,1]")
    #expect(
      try reduce(
        "s.places = { { x = 1, y = 0, tags = {} }, { x = 2, y = 0, tags = {} } }",
        "s.places[1], s.places[2] = s.places[2], s.places[1]", show: "{ s.places[1].x, s.places[2].x }")
        == "[2,1]")
    #expect(
      try reduce(
        "s.places = { { x = 1, y = 0, tags = {} }, { x = 2, y = 0, tags = {} } }", "table.remove(s.places, 1)",
        show: "{ #s.places, s.places[1].x }")
        == "[1,2]")
    #expect(try refuse("s.place = s.list") == "'d.place' must be Place, got a list")
  }

  @Test func partsThatWereRemoved() throws {
    let place = "{ x = 1, y = 1, tags = { 'a' } }"
    for (made, taken) in [
      ("s.places[1]", "s.places = {}"), ("s.places[1]", "s.places[1] = nil"), ("s.places[1]", "s.places[1] = s.place"),
      ("s.named.a", "s.named.a = nil"), ("s.named.a", "s.named = {}"), ("s.maybe", "s.maybe = nil"),
    ] {
      let body = "\(made) = \(place); local p = \(made); local tags = p.tags; p.x = 2; \(taken)"
      let after = "p.x = p.x + 1; tags[2] = 'b'; p.tags[3] = 'c'"
      let shown = "{ s.name, #s.places, s.maybe == nil, #s.named }"
      let said = "s.name = p.x .. table.concat(tags, '') .. tostring(p == p)"
      let kept = try reduce("\(body); \(after); \(said)", show: shown)
      let gone = try reduce("\(body)", show: shown)
      #expect(kept.hasPrefix(#"["3ab"#), "\(made), \(taken): \(kept)")
      #expect(kept.drop { $0 != "," } == gone.drop { $0 != "," }, "\(made), \(taken)")
    }
  }

  /// A write that would be lost without a word is refused; what was merely taken away may be changed before it is put back.
  @Test func partsThatMoved() throws {
    let fill = "for i = 1, 3 do s.places[i] = { x = i, y = 0, tags = { 'a' } } end"
    for (body, write) in [
      ("local p = s.places[1]; table.insert(s.places, 1, { x = 9, y = 9, tags = {} })", "p.y = 5"),
      ("local p = s.places[2]; table.remove(s.places, 1)", "p.y = 5"),
      ("local p = s.places[2].tags; table.remove(s.places, 1)", "p[2] = 'b'"),
      ("local p = s.places[2].tags; table.remove(s.places, 1)", "table.insert(p, 1, 'b')"),
      ("local p = s.places[2].tags; table.remove(s.places, 1)", "table.remove(p, 1)"),
      ("local p = s.places[1]; s.places[1], s.places[2] = s.places[2], s.places[1]", "p.y = 5"),
      ("local p = s.places[1]; table.sort(s.places, function(a, b) return a.x > b.x end)", "p.y = 5"),
      ("local p = table.remove(s.places, 1); s.named.a = p", "p.y = 5"),
      ("local p = s.places[1]; s.places = { p }", "p.y = 5"),
    ] {
      #expect(
        try refuse("\(fill); \(body); \(write)", code: .runtime).hasSuffix(
          "d: a write to this part would be lost: it was moved or put elsewhere since it was read; "
            + "read it again where it is now"), "\(body); \(write)")
      #expect(try reduce("\(fill); \(body); assert(p)", show: "s.on") == "false", "\(body)")
    }
    for (body, shown) in [
      ("local p = s.places[1]; table.insert(s.places, 2, p); p.y = 5", "[4,5,0]"),
      ("local p = table.remove(s.places, 1); p.y = 5; s.places[3] = p", "[3,0,0]"),
      ("local p = s.places[2]; table.sort(s.places, function(a, b) return a.x < b.x end); p.y = 5", "[3,0,5]"),
      (
        "for i = 3, 1, -1 do local p = s.places[i]; p.y = i; if i == 2 then table.remove(s.places, i) end end",
        "[2,1,3]"
      ),
    ] {
      #expect(try reduce(fill, body, show: "{ #s.places, s.places[1].y, s.places[2].y }") == shown, "\(body)")
    }
  }

  @Test func partsThatShareStorage() throws {
    let places = "s.places = { { x = 1, y = 1, tags = { 'a' } }, { x = 2, y = 2, tags = {} } }"
    for (body, shown) in [
      (
        "local t = s.places[1].tags; s.places[2] = s.places[1]; s.places[1].x = 7; s.places[2].tags[1] = 'z'; s.name = t[1]",
        #"["a",7,1,"a","z"]"#
      ),
      (
        "local p, q = s.places[1], s.places[2]; s.place = p; s.place.tags[1] = 'b'; p.x = 4; s.name = p.tags[1] .. q.x",
        #"["a2",4,2,"a",null]"#
      ),
      (
        "local t = s.places[2].tags; t[1] = 'c'; s.places[1] = s.places[2]; t[1] = 'd'; s.name = s.places[1].tags[1]",
        #"["c",2,2,"c","d"]"#
      ),
    ] {
      let said = try reduce(
        places, body, show: "{ s.name, s.places[1].x, s.places[2].x, s.places[1].tags[1], s.places[2].tags[1] }")
      #expect(said == shown.replacing(",null", with: ""), "\(body)")
    }
  }

  @Test func onePartOneObject() throws {
    #expect(
      try reduce(
        "s.named = { a = { x = 1, y = 1, tags = {} } }; s.places = { s.named.a, s.named.a }",
        "s.on = s.named.a == s.named.a and s.places[1] == s.places[1] and s.places[1] ~= s.places[2]", show: "s.on")
        == "true")
    #expect(
      try reduce(
        "for i = 1, 300 do s.places[i] = { x = i, y = i, tags = {} }; s.named['k' .. i] = s.places[i] end",
        """
        local seen = {}
        for i, p in ipairs(s.places) do seen[p] = i end
        for k, p in pairs(s.named) do seen[p] = k end
        s.on = true
        for i = 1, 300 do
          s.on = s.on and seen[s.places[i]] == i and seen[s.named['k' .. i]] == 'k' .. i
          s.places[i].x = 2 * i
        end
        """, show: "{ s.on, s.places[300].x, s.named.k300.x }") == "[true,600,300]")
  }
}
