/// The words that a plugin's definition is written in, in Lua.
enum Prelude {
  /// Gives the global functions of plugins and tests, by name.
  static let definition = """
    local function kind(name)
      return function(options)
        local t = { kind = name }
        if options ~= nil then
          if type(options) ~= "table" then error(name .. "{…} takes a table of options", 2) end
          for k, v in pairs(options) do t[k] = v end
          t.kind = name
        end
        return t
      end
    end
    local function checked(t, who, ...)
      if type(t) ~= "table" or type(t.kind) ~= "string" then
        error(who .. " needs a type such as int() or text()", 3)
      end
      if select("#", ...) > 0 then error(who .. " takes one type and nothing else", 3) end
      return t
    end
    local defined
    return {
      int = kind("int"), number = kind("number"), bool = kind("bool"), text = kind("text"),
      enum = function(cases)
        if type(cases) ~= "table" or #cases == 0 then error("enum{…} needs the names of its cases", 2) end
        return { kind = "enum", cases = cases, default = cases.default }
      end,
      optional = function(t, ...) return { kind = "optional", of = checked(t, "optional(…)", ...) } end,
      list = function(t, ...) return { kind = "list", of = checked(t, "list(…)", ...) } end,
      map = function(t, ...) return { kind = "map", of = checked(t, "map(…)", ...) } end,
      record = function(name, fields, ...)
        if type(name) ~= "string" or type(fields) ~= "table" or select("#", ...) > 0 then
          error("record(…) needs a name and a list of fields", 2)
        end
        return { kind = "record", name = name, fields = fields }
      end,
      field = function(name, t, doc, ...)
        if type(name) ~= "string" then error("field(…) needs a name and a type", 2) end
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
