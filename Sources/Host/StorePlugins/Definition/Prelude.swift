/// The words that a plugin's definition is written in, in Lua.
enum Prelude {
  /// Gives the global functions of plugins and tests, by name.
  static let definition = """
    local kinds = {}
    local function found(value)
      if value == decimal then return "the function decimal; write decimal { scale = 2 }" end
      if kinds[value] then return "the function " .. kinds[value] .. "; write " .. kinds[value] .. "()" end
      if type(value) == "string" and #value < 40 then return ("string %q"):format(value) end
      if type(value) == "number" or type(value) == "boolean" then return type(value) .. " " .. tostring(value) end
      return value == nil and "nothing" or "a " .. type(value)
    end
    local function kind(name, like)
      local function make(options)
        local t = { kind = name }
        if options ~= nil then
          if type(options) ~= "table" then
            local hint = type(options) == like and ("; write %s { default = %s }"):format(name, found(options):match(" (.*)"))
            error(name .. "{…} takes a table of options, got " .. found(options) .. (hint or ""), 2)
          end
          for k, v in pairs(options) do t[k] = v end
          t.kind = name
        end
        return t
      end
      kinds[make] = name
      return make
    end
    local function checked(t, who, ...)
      if type(t) ~= "table" or type(t.kind) ~= "string" then
        error(who .. " needs a type such as int() or text(), got " .. found(t), 3)
      end
      if select("#", ...) > 0 then error(who .. " takes one type and nothing else", 3) end
      return t
    end
    local defined
    return {
      int = kind("int", "number"), number = kind("number", "number"), bool = kind("bool", "boolean"),
      text = kind("text", "string"),
      enum = function(cases)
        if type(cases) ~= "table" or #cases == 0 then
          error('enum{…} needs the names of its cases; write enum { "a", "b" }', 2)
        end
        return { kind = "enum", cases = cases, default = cases.default }
      end,
      optional = function(t, ...) return { kind = "optional", of = checked(t, "optional(…)", ...) } end,
      list = function(t, ...) return { kind = "list", of = checked(t, "list(…)", ...) } end,
      map = function(t, ...) return { kind = "map", of = checked(t, "map(…)", ...) } end,
      record = function(name, fields, ...)
        if type(name) ~= "string" or type(fields) ~= "table" or select("#", ...) > 0 then
          error('record(…) needs a name and a list of fields; write record("Point", { field("x", int()) })', 2)
        end
        return { kind = "record", name = name, fields = fields }
      end,
      field = function(name, t, doc, ...)
        if type(name) ~= "string" then error('field(…) needs a name and a type; write field("count", int())', 2) end
        checked(t, "field '" .. name .. "'")
        if doc ~= nil and type(doc) ~= "string" or select("#", ...) > 0 then
          error("field '" .. name .. "': only a text that describes it may follow the type", 2)
        end
        return { field = name, type = t, doc = doc }
      end,
      plugin = function(t)
        if type(t) ~= "table" then error("plugin{…} needs a table", 2) end
        if defined then error("plugin{…} may be called once only", 2) end
        defined = t
        return t
      end,
    }, function() return defined end
    """
}
