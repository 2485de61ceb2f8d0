import LuaRuntime
import StoreSchema

/// Lua over the columns of records: it may change them, add others, and leave a record out. Columns are names, and fields of `it`;
/// all else is what the session's Lua has.
public struct ColumnComputation {
  /// A column of a record.
  public typealias Column = (name: String, value: Value)

  /// The names that it reads and that only a column can have: neither it sets them, nor does the session know them.
  public let needed: [String]
  /// The columns that it sets and does not read, by their names.
  public let results: [String]

  private let text: String
  private let body: ([Column]) throws(SessionLuaError) -> [Column]?

  fileprivate init(
    _ text: String, needed: [String], results: [String],
    _ body: @escaping ([Column]) throws(SessionLuaError) -> [Column]?
  ) {
    (self.text, self.needed, self.results, self.body) = (text, needed, results, body)
  }

  /// True if the Lua may read or set a column of that name.
  public func mentions(_ name: String) -> Bool { text.contains(name) }

  /// Computes the columns of a record.
  ///
  /// - Returns: the columns that were set; nil: the record is left out.
  public func changes(to columns: [Column]) throws(SessionLuaError) -> [Column]? { try body(columns) }
}

extension SessionLua {
  /// Reads Lua over the columns of records. It may only read what is not a column.
  ///
  /// - Parameters:
  ///   - computed: statements that set columns, run in this order.
  ///   - condition: an expression that holds for the records that are wanted, asked behind the statements; nil: all are.
  ///   - chunk: the name of the texts in errors.
  public func computation(
    _ computed: [String], where condition: String?, chunk: String
  ) throws(SessionLuaError) -> ColumnComputation {
    var (read, set): ([String], [String]) = ([], [])
    var fields: Set<String> = []
    func note(_ function: LuaFunction) {
      for use in lua.globalUses(of: function) {
        if use.isAssignment { set.append(use.name) } else { read.append(use.name) }
        if use.name == "it", let field = use.field { fields.insert(field) }
      }
    }
    let run = try reading { (lua) throws(LuaError) in
      var arguments: [LuaValue] = []
      for text in computed {
        note(try lua.load(text, as: .chunk, chunkName: chunk))
        arguments += try lua.call(lua.load("return function(_ENV) \(text)\nend", chunkName: chunk))
      }
      if let condition {
        note(try lua.load(condition, as: .expression, chunkName: chunk))
        arguments += try lua.call(lua.load("return function(_ENV) return (\(condition)\n) end", chunkName: chunk))
      }
      let make = try lua.load(Self.columns, chunkName: SessionLuaError.ownChunk)
      guard
        case .function(let run)? = try lua.call(
          make, [.integer(computed.count), .boolean(condition != nil)] + arguments
        ).first
      else { throw LuaError(kind: .runtime, message: "expected Lua over columns") }
      return run
    }
    return ColumnComputation(
      (computed + [condition ?? ""]).joined(separator: "\n"),
      needed: read.filter { $0 != "it" && !set.contains($0) && isNothing($0) }
        + fields.filter { !set.contains($0) && !Self.sets($0, in: computed) }.sorted(),
      results: set.filter { !read.contains($0) }
    ) { [self] (columns) throws(SessionLuaError) in
      try reading { (lua) throws(LuaError) -> [ColumnComputation.Column]? in
        // Their digits would be a float's.
        lua.refusesArithmeticOfTexts = true
        defer { lua.refusesArithmeticOfTexts = false }
        let found = try lua.call(
          run,
          firstResultWith: { writer in
            writer.beginTable(record: columns.count)
            for column in columns where column.value != .none {
              writer.key(column.name)
              LuaBridge.write(column.value, to: &writer)
            }
            writer.endTable()
          })
        guard case .table(let table) = found else { return nil }
        var changed: [ColumnComputation.Column] = []
        for (key, value) in table.entries() {
          switch (key, value) {
          case (.string(let name), _):
            do throws(SchemaError) {
              changed.append((name, try self.objects.value(of: value)))
            } catch {
              throw LuaError(kind: .runtime, message: "\(name): \(error.message)", underlying: error)
            }
          // A column that was taken away.
          case (.integer, .string(let name)): changed.append((name, .none))
          default: continue
          }
        }
        return changed
      }
    }
  }

  /// True if one of some texts sets a field of `it`, which it may read behind that.
  private static func sets(_ field: String, in texts: [String]) -> Bool {
    texts.contains { text in
      let plain = text.filter { !$0.isWhitespace }
      return plain.ranges(of: "it.\(field)=").contains { !plain[$0.upperBound...].hasPrefix("=") }
    }
  }

  /// Gives Lua a world in which the names of columns are those of the record, and sets of columns are noted.
  private static let columns = """
    local count, hasCondition = ...
    local parts = { select(3, ...) }
    local globals, type, next, setmetatable = _ENV, type, next, setmetatable
    local given, changed, isChanged
    local function read(_, name)
      if isChanged[name] then return changed[name] end
      return given[name]
    end
    local function set(_, name, value)
      if type(name) ~= "string" then error("a column has a name", 2) end
      -- A quotient without an end is refused here.
      if type(value) == "userdata" then local _ = value .. "" end
      changed[name], isChanged[name] = value, true
    end
    local it = setmetatable({}, { __index = read, __newindex = set })
    local world = setmetatable({}, {
      __index = function(_, name)
        if name == "it" then return it end
        if isChanged[name] then return changed[name] end
        local value = given[name]
        if value ~= nil then return value end
        return globals[name]
      end,
      __newindex = set,
    })
    return function(record)
      given, changed, isChanged = record, {}, {}
      for index = 1, count do parts[index](world) end
      if hasCondition and not parts[count + 1](world) then return false end
      for name in next, isChanged do
        if changed[name] == nil then changed[#changed + 1] = name end
      end
      return changed
    end
    """
}
