/// The files of a new plugin: a small one that works, with comments that say what each part is.
struct PluginSkeleton {
  /// The files by their paths in the plugin's folder, in the order in which they are written.
  let files: [(path: String, text: String)]

  init(_ name: String) {
    files = [
      ("plugin.json", Self.manifest(name)), ("init.lua", Self.definition(name)),
      ("tests/\(name)_test.lua", Self.tests(name)), (".luarc.json", Self.languageServer),
      (".luacheckrc", Self.luacheck),
    ]
  }

  private static func manifest(_ name: String) -> String {
    """
    {
      "name": "\(name)",
      "version": "0.1.0",
      "api": 1,
      "summary": "What \(name) is for, in one sentence",
      "permissions": []
    }

    """
  }

  private static func definition(_ name: String) -> String {
    """
    -- plugin check ./\(name) looks for mistakes, plugin test ./\(name) runs the tests, plugin load ./\(name) loads it.

    ---@type stsh.PluginDefinition
    return plugin {
      -- The plugin's own part of the state. A list, so that the order of the fields is fixed.
      state = {
        field("count", int { min = 0 }),
      },

      -- What can be dispatched: dispatch \(name).add by=2
      actions = {
        { name = "add", doc = "Adds to the count.", args = {
            field("by", int { min = 1, default = 1 }) } },
        { name = "reset", doc = "Begins at zero again." },
      },

      -- One function for each action. It changes the draft in place, returns nothing and keeps nothing to itself.
      reducers = {
        add = function(s, a)
          s.count = s.count + a.by
        end,
        reset = function(s)
          s.count = 0
        end,
      },

      -- Values that the state determines: show \(name).face
      projections = {
        { name = "face", type = text(), fn = function(state)
            return string.format("%d counted", state.\(name).count)
          end },
      },

      -- Words after the plugin's name: \(name) status
      commands = {
        { name = "status", summary = "the count, in one line",
          run = function(_, cmd)
            return cmd:project("\(name).face")
          end },
      },
    }

    """
  }

  private static func tests(_ name: String) -> String {
    """
    test("adds one, or as much as it is told", function(t)
      t:dispatch("\(name).add")
      t:dispatch("\(name).add", { by = 2 })
      t:equals(t:get("\(name).count"), 3)
      t:equals(t:get("\(name).face"), "3 counted")
    end)

    test("less than one is refused", function(t)
      t:fails("out-of-range", function() t:dispatch("\(name).add", { by = 0 }) end)
      t:equals(t:get("\(name).count"), 0)
    end)

    test("begins again", function(t)
      t:dispatch("\(name).add", { by = 5 })
      t:dispatch("\(name).reset")
      t:equals(t:get("\(name).count"), 0)
    end)

    """
  }

  /// For the Lua language server; `plugin stubs` writes the folder that it names.
  static let languageServer = """
    {
      "runtime.version": "Lua 5.4",
      "runtime.path": ["?.lua"],
      "runtime.builtin": { "io": "disable", "os": "disable", "debug": "disable", "package": "disable" },
      "workspace.library": ["types"]
    }

    """

  /// The globals that a plugin's Lua finds, for luacheck: all else is a mistake. The types that `plugin stubs` writes
  /// are no code.
  static let luacheck = """
    exclude_files = { "types" }
    stds.stsh = {
      read_globals = {
    \(lines(of: definitionWords + sandboxGlobals))
      },
    }
    std = "stsh"
    files["tests/*_test.lua"].read_globals = { "test" }

    """

  static let definitionWords = [
    "bool", "enum", "field", "int", "list", "log", "map", "number", "optional", "plugin", "record", "refuse", "require",
    "text",
  ]

  /// The sandbox's share of Lua's own globals.
  static let sandboxGlobals = [
    "_G", "_VERSION", "assert", "coroutine", "decimal", "error", "getmetatable", "ipairs", "load", "math", "next",
    "pairs",
    "pcall",
    "rawequal", "rawget", "rawlen", "rawset", "round", "select", "setmetatable", "string", "table", "tonumber",
    "tostring",
    "type", "utf8",
  ]

  private static func lines(of names: [String]) -> String {
    var lines: [String] = []
    for name in names {
      let word = "\"\(name)\","
      if let last = lines.last, last.utf8.count + word.utf8.count < 90 {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append("    " + word)
      }
    }
    return lines.joined(separator: "\n")
  }
}
