import LuaRuntime
import Testing

@Suite struct ObjectTests {
  let state: LuaState
  let records = Records()

  init() throws {
    state = try LuaState(name: "objects")
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
    records.method = try state.makeFunction("method") { call in
      #expect(call[0] == .object(LuaObject(tag: 1, id: 1)))
      #expect(call.functionName == "method")
      #expect(call.location?.chunk == "t.lua")
      #expect(call.location?.line == 2)
      call.results.append(call.count)
      call.results.append(call[5])
    }
    #expect(try run(state, "\nlocal a, b = record:method(1, 2) return a, b") == [.integer(3), .nil])
  }

  @Test func referencedObjectsCanStandForOthers() throws {
    let reference = try state.makeObject(LuaObject(tag: 1, id: 5, generation: 1))
    let describe = try #require(try evaluate(state, "return function(o) return tostring(o) end").asFunction)
    #expect(try state.call(describe, arguments: { $0.append(reference) }) == [.string("record 5")])
    state.setObject(reference, to: LuaObject(tag: 1, id: 6, generation: 2))
    #expect(try state.call(describe, arguments: { $0.append(reference) }) == [.string("record 6")])
  }

  @Test func internedKeysAreFoundByAddress() throws {
    let state = try LuaState(name: "keys")
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

  func get(_ object: LuaObject, key: LuaKeyArgument, into result: inout LuaResult) throws {
    guard case .string(let text) = key else { return }
    found.append(keys.firstIndex { $0 == text })
  }

  func set(_ object: LuaObject, key: LuaKeyArgument, to value: LuaArgument) throws {}
}

private final class Reentrant: LuaObjectHandler {
  var function: LuaFunction?
  weak var state: LuaState?

  func get(_ object: LuaObject, key: LuaKeyArgument, into result: inout LuaResult) throws {
    guard let function, let state else { return }
    // A half-written result must survive a call in between.
    result.beginTable()
    let inner = try state.call(function, [.integer(3)])
    guard case .table(let table)? = inner.first else { return }
    result.append(table[1])
    result.append(table[2])
    result.endTable()
  }

  func set(_ object: LuaObject, key: LuaKeyArgument, to value: LuaArgument) throws {}
}
