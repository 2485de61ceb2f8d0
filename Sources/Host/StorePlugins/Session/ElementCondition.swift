import LuaRuntime
import StoreSchema

/// A Lua expression over the fields of an element, to be asked of many elements: `not done and title:find("milk")`. The element
/// itself is `it`, its key in a map `key`; all else is what the session's Lua has.
public struct ElementCondition {
  /// The names that it reads, without `it` and the names of fields; nil: the text does not show all of them.
  public let otherNames: Set<String>?
  private let body: (Value, MapKey?) throws(SessionLuaError) -> Bool

  fileprivate init(
    readingBesides otherNames: Set<String>?, _ body: @escaping (Value, MapKey?) throws(SessionLuaError) -> Bool
  ) {
    self.otherNames = otherNames
    self.body = body
  }

  /// True if it is neither false nor nil for an element.
  ///
  /// - Parameter key: the element's key, where it stands in a map.
  public func holds(for element: Value, key: MapKey? = nil) throws(SessionLuaError) -> Bool { try body(element, key) }
}

extension SessionLua {
  /// Reads an expression over the fields of elements. It may only read.
  ///
  /// - Parameters:
  ///   - fields: the names that an element may have: one that it has not is nil, and no name of the session's; nil: nobody knows.
  ///   - chunk: the name of the text in errors.
  public func condition(
    _ expression: String, onFields fields: Set<String>?, areScalars: Bool = false, chunk: String
  ) throws(SessionLuaError) -> ElementCondition {
    var otherNames: Set<String>?
    let ask = try reading { (lua) throws(LuaError) in
      let plain = try lua.load(expression, as: .expression, chunkName: chunk)
      // Of a long text not all uses are found, and of the table of globals itself none.
      if let fields, expression.utf8.count < 1_000, !expression.contains("_ENV") {
        otherNames = Set(lua.globalUses(of: plain).map(\.name)).subtracting(fields.union(["it"]))
      }
      // Without an element, nobody knows the fields.
      if let fields { _ = try known(plain, besides: fields.union(["it", "key"])) }
      let fields = fields ?? []
      let test = try lua.load("return function(_ENV) return (\(expression)\n) end", chunkName: chunk)
      let make = try lua.load(Self.environment, chunkName: SessionLuaError.ownChunk)
      let results = try lua.call(
        make,
        arguments: { writer in
          writer.beginTable(record: fields.count)
          for field in fields {
            writer.key(field)
            writer.append(true)
          }
          writer.endTable()
          writer.append(areScalars)
        })
      guard case .function(let bind)? = results.first,
        case .function(let ask)? = try lua.call(bind, lua.call(test)).first
      else { throw LuaError(kind: .runtime, message: "expected an expression") }
      return ask
    }
    return ElementCondition(readingBesides: otherNames) { [self] (element, key) throws(SessionLuaError) in
      try reading { (lua) throws(LuaError) in
        try lua.call(
          ask,
          firstResultWith: { writer in
            LuaBridge.write(element, to: &writer)
            switch key {
            case nil: writer.appendNil()
            case .int(let key): writer.append(key)
            case .string(let key): writer.append(key)
            }
          }
        ).isTruthy
      }
    }
  }

  /// Gives an expression a world in which the names of fields are those of the element.
  private static let environment = """
    local fields, areScalars = ...
    local globals, element, position = _ENV, nil, nil
    local world = setmetatable({}, {
      __index = function(_, name)
        if name == "it" then return element end
        if name == "key" and position ~= nil then return position end
        if fields[name] then
          if areScalars then return element end
          return element[name]
        end
        return globals[name]
      end,
      __newindex = function(_, name) error("a condition may not change anything; it sets '" .. name .. "'", 2) end,
    })
    return function(test)
      return function(given, key)
        element, position = given, key
        return test(world)
      end
    end
    """
}
