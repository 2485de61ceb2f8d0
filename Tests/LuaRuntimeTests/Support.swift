import LuaRuntime
import Testing

/// Compiles and runs a chunk named `t.lua`.
func run(_ state: LuaState, _ source: String) throws(LuaError) -> [LuaValue] {
  try state.call(state.load(source, chunkName: "t.lua"))
}

/// The error that a chunk ends with.
func failure(_ state: LuaState, _ source: String) -> LuaError? {
  do {
    _ = try run(state, source)
    return nil
  } catch {
    return error
  }
}

/// One value that a chunk returns.
func evaluate(_ state: LuaState, _ source: String) throws -> LuaValue {
  let values = try run(state, source)
  return try #require(values.first)
}

extension LuaValue {
  var asFunction: LuaFunction? {
    if case .function(let function) = self { function } else { nil }
  }

  var asTable: LuaTable? {
    if case .table(let table) = self { table } else { nil }
  }

  var asText: String? {
    if case .string(let text) = self { text } else { nil }
  }
}

/// A host error that is no LuaFailure.
struct Refusal: Error, Equatable {
  let reason: String
}

/// Objects of tag 1 are records of named values in insertion order; objects of tag 2 are lists of integers.
final class Records: LuaObjectHandler {
  var fields: [(String, LuaValue)] = []
  var list: [Int] = []
  var method: LuaFunction?

  func get(_ object: LuaObject, key: LuaArgument, into result: inout LuaResult) throws {
    switch key.kind {
    case .integer(let position) where object.tag == 2:
      if list.indices.contains(position - 1) { result.append(list[position - 1]) }
    case .string(let text) where text.text == "method":
      if let method { result.append(method) }
    case .string(let text) where text.text == "nested":
      result.append(LuaObject(tag: 2, id: 7))
    case .string(let text):
      guard let field = fields.first(where: { $0.0 == text.text }) else {
        throw LuaFailure("typo has no field '\(text.text)'")
      }
      result.append(field.1)
    default:
      throw Refusal(reason: "no key \(key.keyText)")
    }
  }

  func set(_ object: LuaObject, key: LuaArgument, to value: LuaArgument) throws {
    if object.tag == 2, case .integer(let position) = key.kind, case .integer(let number) = value.kind {
      if position == list.count + 1 { list.append(number) } else { list[position - 1] = number }
      return
    }
    guard let index = fields.firstIndex(where: { $0.0 == key.keyText }) else {
      throw LuaFailure("typo has no field '\(key.keyText)'")
    }
    fields[index].1 = value.value
  }

  func length(_ object: LuaObject) throws -> Int { list.count }

  func next(_ object: LuaObject, after previous: LuaArgument?, isWalk: Bool, into result: inout LuaResult) throws
    -> Bool
  {
    if object.tag == 2 {
      var position = 0
      if case .integer(let last) = previous?.kind { position = last }
      guard position < list.count else { return false }
      result.append(position + 1)
      result.append(list[position])
      return true
    }
    var index = 0
    if let previous { index = (fields.firstIndex { $0.0 == previous.keyText } ?? fields.count) + 1 }
    guard index < fields.count else { return false }
    result.append(fields[index].0)
    result.append(fields[index].1)
    return true
  }

  func describe(_ object: LuaObject) -> String { "record \(object.id)" }
}

/// What the handlers of these tests have no use for.
extension LuaObjectHandler {
  func length(_ object: LuaObject) throws -> Int {
    throw LuaFailure("attempt to get length of an object")
  }

  func insert(_ value: LuaArgument, into object: LuaObject, at position: Int) throws -> Bool { false }

  func remove(from object: LuaObject, at position: Int) throws -> Bool { false }

  func next(_ object: LuaObject, after previous: LuaArgument?, isWalk: Bool, into result: inout LuaResult) throws
    -> Bool
  {
    throw LuaFailure("attempt to walk an object that has no entries")
  }

  func openWindow(_ object: LuaObject) {}

  func describe(_ object: LuaObject) -> String { "object" }
}

extension LuaCoroutine {
  /// Starts the function with arguments, or continues it with them as the results of its `yield`.
  func resume(_ arguments: [LuaValue] = []) throws(LuaError) -> Outcome {
    try resume { writer in
      for argument in arguments { writer.append(argument) }
    }
  }
}
