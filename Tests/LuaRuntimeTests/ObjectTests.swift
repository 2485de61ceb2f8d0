import LuaRuntime
import Testing

@Suite struct ObjectTests {
  let state: LuaState
  let records = Records()

  init() throws {
    state = try LuaState()
    state.objectHandler = records
    records.fields = [("zeta", .integer(1)), ("alpha", .string("x")), ("on", .boolean(false))]
    records.list = [10, 20, 30]
    try state.setGlobal("record", .object(LuaObject(tag: 1, id: 1)))
    try state.setGlobal("list", .object(LuaObject(tag: 2, id: 2)))
  }

  @Test func fieldsAreReadAndWritten() throws {
    #expect(
      try run(state, "record.zeta = record.zeta + 1 return record.zeta, record.alpha") == [
        .integer(2), .string("x"),
      ])
    #expect(records.fields[0].1 == .integer(2))
    _ = try run(state, "record.alpha = {1, {2}}")
    #expect(records.fields[1].1.asTable?[2].asTable?[1] == .integer(2))
  }

  @Test func unknownFieldsNameThePlace() {
    #expect(
      failure(state, "\n\n\nrecord.cuont = 1")?.message == "t.lua:4: typo has no field 'cuont'")
    #expect(failure(state, "return record.cuont")?.underlying is LuaFailure)
    #expect(failure(state, "return record[{}]")?.underlying as? Refusal == Refusal(reason: "no key (table)"))
    #expect(failure(state, "return record[true]")?.underlying as? Refusal == Refusal(reason: "no key true"))
  }

  @Test func objectsAreWalkedInTheHostsOrder() throws {
    for walk in ["pairs(record)", "next, record"] {
      #expect(
        try evaluate(state, "local s = '' for k, v in \(walk) do s = s .. k .. '=' .. tostring(v) .. ' ' end return s")
          == .string("zeta=1 alpha=x on=false "), "\(walk)")
    }
    #expect(
      try run(state, "local s = 0 for i, v in ipairs(list) do s = s + i * v end return s, #list") == [
        .integer(140), .integer(3),
      ])
  }

  @Test func listsGrowByTheTableLibrary() throws {
    _ = try run(state, "list[#list + 1] = 40 table.insert(list, 50)")
    #expect(records.list == [10, 20, 30, 40, 50])
    #expect(
      try run(state, "return table.concat(list, ','), select('#', table.unpack(list))") == [
        .string("10,20,30,40,50"), .integer(5),
      ])
  }

  @Test func identityTextAndMetatable() throws {
    let result = try run(
      state,
      "return record.nested == record.nested, record == list, tostring(record), getmetatable(record), type(record)")
    #expect(result == [.boolean(true), .boolean(false), .string("record 1"), .string("object"), .string("userdata")])
    #expect(failure(state, "return record == {}") == nil)
    #expect(try state.describe(.object(LuaObject(tag: 1, id: 9))) == "record 9")
  }

  @Test func methodsAreFunctionsOfTheHost() throws {
    records.method = try state.makeFunction { call in
      #expect(call[0] == .object(LuaObject(tag: 1, id: 1)))
      #expect(call.location?.chunk == "t.lua")
      #expect(call.location?.line == 2)
      call.results.append(call.count)
      call.results.append(call[5])
    }
    #expect(try run(state, "\nlocal a, b = record:method(1, 2) return a, b") == [.integer(3), .nil])
  }

  @Test func callsFromOnePlaceHaveOneCaller() throws {
    var callers: [LuaCall.Caller?] = []
    records.method = try state.makeFunction { callers.append($0.caller) }
    _ = try run(
      state,
      """
      local function here() record:method() end
      here() here()
      local there = here there()
      record:method() record:method()
      """)
    #expect(callers.map { $0?.line } == [1, 1, 1, 4, 4])
    #expect(callers.map { $0?.name } == ["here", "here", "there", nil, nil])
    #expect(callers[0] === callers[1] && callers[1] !== callers[2] && callers[2] !== callers[3])
    #expect(callers[3] === callers[4])
  }

  @Test func objectsKeepTheirNumbers() throws {
    let object = LuaObject(tag: 15, id: LuaObject.maximumID, generation: LuaObject.maximumGeneration)
    #expect((object.tag, object.id, object.generation) == (15, LuaObject.maximumID, LuaObject.maximumGeneration))
    for (tag, id, generation) in [(0, 0, 0), (1, 2, 3), (15, 0, 0), (0, 1 << 23, 0), (0, 0, 1 << 27)]
      as [(UInt32, UInt32, UInt32)]
    {
      let object = LuaObject(tag: tag, id: id, generation: generation)
      #expect((object.tag, object.id, object.generation) == (tag, id, generation))
      let same = try #require(
        try evaluate(state, "return function(o) local t = { [o] = o } return t[o] end").asFunction)
      #expect(try state.call(same, arguments: { $0.append(object) }) == [.object(object)])
    }
  }

  @Test func messagesOfLuaCallAnObjectUserdata() throws {
    #expect(failure(state, "string.rep(record, 2)")?.message.hasSuffix("(string expected, got userdata)") == true)
    #expect(failure(state, "record()")?.message.contains("attempt to call a userdata value") == true)
    #expect(failure(state, "return record + 1")?.message.contains("on a userdata value") == true)
  }

  @Test func otherLightUserdataAreNoObjects() throws {
    let state = try LuaState(sandbox: .unrestricted)
    state.objectHandler = records
    let id = "debug.upvalueid(function() return state end, 1)"
    #expect(failure(state, "local state = 1; return (\(id)).zeta")?.message.contains("object of the host") == true)
    guard case .other("userdata") = try evaluate(state, "local state = 1; return \(id)") else {
      return #expect(Bool(false))
    }
  }

  @Test(arguments: [1, 20])
  func tablesThatAreFilledAgainTakeTextsOfAnyLength(keyCount: Int) throws {
    let keys = try (0..<keyCount).map { try state.intern("key\($0)") }
    let table = try state.makeTable { writer in
      writer.beginTable()
      writer.endTable()
    }
    let function = try #require(
      try evaluate(
        state,
        """
        return function(text, t, list)
          local count = 0
          for _ in pairs(t) do count = count + 1 end
          return text == (t.key0 or "") and #text .. " " .. count .. " " .. #list
        end
        """
      ).asFunction)
    for length in [0, 5, 40, 41, 511, 512, 513, 5000, 0, 40] {
      let text = String(repeating: "x", count: length)
      let result = try state.call(
        function,
        firstResultWith: { writer in
          writer.append(text)
          writer.refillTable(table.handle)
          for key in keys {
            writer.key(key)
            if length == 0 { writer.appendNil() } else { writer.append(text) }
          }
          writer.endTable()
          writer.beginTable()
          writer.append(text)
          writer.endTable()
        })
      #expect(result == .string("\(length) \(length == 0 ? 0 : keyCount) 1"))
      state.collectGarbage()
    }
  }

  @Test func tablesThatAreFilledAgain() throws {
    let keys = try ["a", "b"].map { try state.intern($0) }
    let table = try state.makeTable { writer in
      writer.beginTable(record: 2)
      writer.endTable()
    }
    let function = try #require(
      try evaluate(
        state,
        "return function(t, change) local s = tostring(t.a) .. tostring(t.b) if change then change(t) end return s end"
      ).asFunction)
    func fill(_ a: Int?, _ b: Int?, _ change: String = "nil") throws -> LuaValue {
      let change = try evaluate(state, "return \(change)")
      return try state.call(
        function,
        firstResultWith: { writer in
          writer.refillTable(table.handle)
          for (key, value) in zip(keys, [a, b]) {
            writer.key(key)
            if let value { writer.append(value) } else { writer.appendNil() }
          }
          writer.endTable()
          writer.append(change)
        })
    }
    func hasOnly(_ addresses: [UnsafeRawPointer]) -> Bool {
      addresses.withUnsafeBufferPointer { LuaCaller(state).hasOnly(table.handle, keysAt: $0) }
    }
    #expect(try fill(1, 2) == .string("12"))
    #expect(hasOnly(keys.map(\.pointer)))
    #expect(try fill(nil, 3) == .string("nil3"))
    #expect(hasOnly(keys.map(\.pointer)))
    #expect(!hasOnly([keys[0].pointer]))
    #expect(try fill(4, nil, "function(t) t.b = 'x' end") == .string("4nil"))
    #expect(hasOnly(keys.map(\.pointer)))
    #expect(try fill(5, 6) == .string("56"))
    _ = try fill(7, 8, "function(t) t.c = 1; t.a = nil end")
    #expect(!hasOnly(keys.map(\.pointer)))
    _ = try fill(7, 8, "function(t) t.c = nil end")
    #expect(hasOnly(keys.map(\.pointer)))
    _ = try fill(7, 8, "function(t) t[1] = 1 end")
    #expect(!hasOnly(keys.map(\.pointer)))
    _ = try fill(7, 8, "function(t) t[1] = nil; setmetatable(t, {}) end")
    #expect(!hasOnly(keys.map(\.pointer)))
  }

  @Test func internedKeysAreFoundByAddress() throws {
    let state = try LuaState()
    let long = String(repeating: "k", count: 60)
    let handler = KeyRecorder([try state.intern("count"), try state.intern(long)])
    state.objectHandler = handler
    try state.setGlobal("object", .object(LuaObject(tag: 0, id: 0)))
    _ = try run(
      state, "local a = object.count, object['co' .. 'unt'], object.\(long), object.other, object['c' .. 'ount2']")
    #expect(handler.found == [0, 0, 1, nil, nil])
  }

  @Test func withoutAHandlerEveryUseIsAnError() throws {
    state.objectHandler = nil
    for use in ["record.a", "#record", "tostring(record)", "pairs(record)(record)", "record:a()"] {
      #expect(failure(state, "return \(use)") != nil, "\(use)")
    }
    #expect(failure(state, "record.a = 1") != nil)
  }

  @Test func handlersMayCallBackIntoLua() throws {
    let handler = Reentrant()
    state.objectHandler = handler
    handler.function = try evaluate(state, "return function(n) return {n, string.rep('x', n)} end").asFunction
    handler.state = state
    #expect(try run(state, "local t = record.a return t[1], t[2]") == [.integer(3), .string("xxx")])
  }
}

private final class KeyRecorder: LuaObjectHandler {
  let keys: [LuaKey]
  var found: [Int?] = []

  init(_ keys: [LuaKey]) { self.keys = keys }

  func get(_ object: LuaObject, key: LuaArgument, into result: inout LuaResult) throws {
    guard case .string(let text) = key.kind else { return }
    found.append(keys.firstIndex { $0 == text })
  }

  func set(_ object: LuaObject, key: LuaArgument, to value: LuaArgument) throws {}
}

private final class Reentrant: LuaObjectHandler {
  var function: LuaFunction?
  weak var state: LuaState?

  func get(_ object: LuaObject, key: LuaArgument, into result: inout LuaResult) throws {
    guard let function, let state else { return }
    // A half-written result must survive a call in between.
    result.beginTable()
    let inner = try state.call(function, [.integer(3)])
    guard case .table(let table)? = inner.first else { return }
    result.append(table[1])
    result.append(table[2])
    result.endTable()
  }

  func set(_ object: LuaObject, key: LuaArgument, to value: LuaArgument) throws {}
}
