import LuaRuntime
import StoreSchema
import Testing

@testable import StoreShell

/// `plugin new` and `plugin stubs`.
@Suite struct AuthoringTests {
  @Test func aNewPluginWorksAsItIs() throws {
    let shell = try Shell()
    let folder = "\(shell.folder)/beans"
    let written = ["plugin.json", "init.lua", "tests/beans_test.lua", ".luarc.json", ".luacheckrc"]
    #expect(
      try shell.type("plugin new \(folder)").output == written.map { "wrote \(folder)/\($0)\n" }.joined())
    #expect(try shell.type("plugin check \(folder)").status == 0)
    #expect(try shell.type("plugin load \(folder)").status == 0)
    #expect(
      try shell.type("dispatch beans.add by=2 --quiet", "dispatch beans.add --quiet", "beans status").output
        == "3 counted\n")
    #expect(try shell.type("dispatch beans.add by=0").errors.contains("error[out-of-range]"))
    #expect(try shell.type("dispatch beans.reset --quiet", "show beans.count").output == "0\n")
  }

  @Test func aFolderThatCannotBeMadeIsNamed() throws {
    let outcome = try Shell().run("plugin new /sys/timer")
    #expect(outcome.errors.hasPrefix("-c:1:12: error[write-failed]: /sys/timer: "))
    #expect(outcome.status == 1)
  }

  @Test func whatIsThereIsNotOverwritten() throws {
    let shell = try Shell()
    try shell.write("beans/mine.txt", "keep")
    let outcome = shell.run("plugin new \(shell.folder)/beans")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("exists already"))
    #expect(shell.contents("beans/plugin.json") == nil)
  }

  @Test(arguments: ["Beans", "1st", "be-ans", "shell", "dispatch", "plugin", "tasks", "counter"])
  func namesThatAPluginCannotHave(name: String) throws {
    let shell = try Shell()
    #expect(shell.run("plugin new \(shell.folder)/\(name)").status == 1)
    #expect(shell.contents("\(name)/plugin.json") == nil)
  }

  @Test func theListOfGlobalsIsWhatTheSandboxHas() throws {
    #expect(try LuaState().globalNames == PluginSkeleton.sandboxGlobals.sorted())
    let shell = try Shell()
    let words = PluginSkeleton.definitionWords.map { "type(\($0)) == '\($0 == "log" ? "table" : "function")'" }
      .joined(separator: " and ")
    let folder = try shell.plugin("probe", "assert(\(words)) return plugin {}")
    #expect(shell.run("plugin load \(folder)").status == 0)
  }

  @Test func theStubsHaveEveryMethodOfTests() throws {
    let shell = try Shell()
    _ = shell.run("plugin new \(shell.folder)/beans")
    try shell.write(
      "beans/tests/beans_test.lua", "test('it', function(t) for name in pairs(t) do t:print(name) end end)")
    let lines = shell.run("plugin test \(shell.folder)/beans").output.split(separator: "\n")
    let names = lines.filter { $0.hasPrefix("  | ") }.map { String($0.dropFirst(4)) }
    let stubs = TypeStubs.words + TypeStubs(shell.session.store.modules).text
    let stubbed = stubs.split(separator: "\n").compactMap { line in
      line.hasPrefix("function Test:") ? line.dropFirst(14).split(separator: "(").first.map(String.init) : nil
    }
    #expect(names == stubbed.sorted())
    #expect(names.count >= 10)
  }

  @Test func theConfigurationsOfToolsCanBeRead() throws {
    let lua = try LuaState(sandbox: .session)
    let chunk = try lua.load(
      "stds = {} files = setmetatable({}, { __index = function(t, k) t[k] = {} return t[k] end })\n"
        + PluginSkeleton.luacheck + "\nreturn std, exclude_files[1], stds.stsh.read_globals", chunkName: ".luacheckrc")
    let results = try lua.call(chunk)
    #expect(results.first == .string("stsh"))
    #expect(results[1] == .string("types"))
    guard case .table(let names) = results.last else {
      Issue.record("no list of globals")
      return
    }
    #expect(names.count == PluginSkeleton.definitionWords.count + PluginSkeleton.sandboxGlobals.count)
    guard case .map(let settings) = try JSON.value(of: Array(PluginSkeleton.languageServer.utf8)) else {
      Issue.record("not a JSON object")
      return
    }
    #expect(settings[.string("workspace.library")] == .list([.string("types")]))
  }

  // MARK: Stubs

  private func stubs(_ prepare: (Shell) throws -> Void = { _ in }) throws -> String {
    let shell = try Shell()
    try prepare(shell)
    #expect(try shell.type("plugin stubs \(shell.folder)").status == 0)
    #expect(shell.contents("types/stsh.lua") == TypeStubs.words)
    #expect(shell.contents(".luarc.json") == PluginSkeleton.languageServer)
    return try #require(shell.contents("types/store.lua"))
  }

  @Test func recordsOfOneNameWithOtherFieldsAreOtherClasses() throws {
    let text = try stubs { shell in
      let folder = try shell.plugin(
        "twins",
        """
        return plugin { state = {
          field("a", record("R", { field("x", int()) })),
          field("b", record("R", { field("y", text()) })),
          field("c", list(record("R", { field("x", int()) }))),
        } }
        """)
      _ = try shell.type("plugin load \(folder)")
    }
    #expect(text.contains("---@class twins.R\n---@field x integer\n"))
    #expect(text.contains("---@class twins.R2\n---@field y string\n"))
    #expect(text.contains("{ a: twins.R, b: twins.R2, c: twins.R[] }"))
  }

  @Test func noClassHasTheNameOfAnActionOrADraft() throws {
    let text = try stubs { shell in
      let folder = try shell.plugin(
        "st",
        """
        return plugin {
          state = { field("a", record("move", { field("x", int()) })), field("b", record("Draft", { field("y", int()) })) },
          actions = { { name = "move", args = { field("dx", int()) } } },
        }
        """)
      _ = try shell.type("plugin load \(folder)")
    }
    #expect(text.contains("---@alias st.move { dx: integer }\n"))
    #expect(text.contains("---@alias st.Draft { a: st.move2, b: st.Draft2 }\n"))
  }

  @Test func theStoreIsWrittenAsTypes() throws {
    let text = try stubs { _ = try $0.type("plugin grant pomodoro", "plugin load pomodoro", "plugin load catalog") }
    #expect(
      text.hasPrefix(
        """
        ---@meta stsh.store
        ---@class tasks.Task
        ---@field id integer
        ---@field title string
        ---@field done boolean
        ---@class catalog.Section
        ---@field packages integer
        ---@field installedKiB integer
        ---@field depends integer
        ---@class catalog.LargestSection
        """))
    for line in [
      "---@class stsh.State",
      "---@field counter { value: integer, step: integer }",
      "---@field tasks { nextId: integer, items: tasks.Task[] }",
      #"---@field pomodoro { phase: "idle"|"work"|"rest", left: integer, task: integer?, rounds: integer[], length: integer }"#,
      "---@field catalog { sections: table<string, catalog.Section> }",
      "---@class stsh.Task", "local Task = {}", "---@param seconds number", "function Task:sleep(seconds) end",
      #"---@overload fun(self: stsh.Task, name: "tasks.complete", args: { id: integer })"#,
      #"---@overload fun(self: stsh.Task, name: "pomodoro.tick")"#,
      #"---@overload fun(self: stsh.Task, name: "pomodoro.start", args?: { minutes?: integer, task?: integer })"#,
      #"---@overload fun(self: stsh.Context, name: "counter.increment", args?: { by?: integer })"#,
      #"---@overload fun(self: stsh.Command, path: "tasks.open"): tasks.Task[]"#,
      #"---@overload fun(self: stsh.Command, path: "pomodoro.focus"): string?"#,
      "function Task:dispatch(name, args) end", "function Command:wait(...) end",
      #"---@overload fun(self: stsh.Thunk, name: "tasks.complete", args: { id: integer })"#,
      "function Thunk:dispatch_wait(name, args) end",
      #"---@alias pomodoro.Draft { phase: "idle"|"work"|"rest", left: integer, task: integer?, rounds: integer[], length: integer }"#,
      "---@alias pomodoro.start { minutes: integer, task: integer? }",
      #"---@overload fun(self: stsh.Test, name: "tasks.complete", args: { id: integer })"#,
      #"---@overload fun(self: stsh.Test, path: "pomodoro.left"): integer"#,
      #"---@overload fun(self: stsh.Test, path: "catalog.sections"): table<string, catalog.Section>"#,
      #"---@overload fun(self: stsh.Test, path: "pomodoro.face"): string"#,
      "function Test:dispatch(name, args) end", "function Test:get(path) end",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test(arguments: [
    "state", "actions", "reducers", "lifted", "interceptors", "thunks", "bridges", "transitions", "middleware",
    "projections", "commands", "on_load", "on_unload", "migrate",
  ])
  func everyKeyOfADefinitionHasAType(key: String) throws {
    #expect(TypeStubs.words.contains("\n---@field \(key)? "))
    // And no other word will do.
    let shell = try Shell()
    let folder = try shell.plugin("p", "return plugin { \(key)s = {} }")
    #expect(try shell.type("plugin load \(folder)").errors.contains("hint: did you mean '\(key)'?"))
  }

  @Test func whatIsWrittenIsLua() throws {
    let lua = try LuaState(sandbox: .session)
    let store = try stubs { _ = try $0.type("plugin load catalog") }
    for text in [store, TypeStubs.words] {
      #expect(throws: Never.self) { try lua.call(try lua.load(text, chunkName: "stubs.lua")) }
    }
  }

  @Test func aFolderWithAPluginThatIsNotLoadedIsPartOfIt() throws {
    let shell = try Shell()
    let folder = "\(shell.folder)/beans"
    _ = try shell.type("plugin new \(folder)")
    try shell.write("beans/.luarc.json", "{ \"mine\": true }")
    let outcome = try shell.type("plugin stubs \(folder)")
    #expect(outcome.output == "wrote \(folder)/types/stsh.lua\nwrote \(folder)/types/store.lua\n")
    #expect(shell.contents("beans/.luarc.json") == "{ \"mine\": true }")
    let text = try #require(shell.contents("beans/types/store.lua"))
    #expect(text.contains("\n---@field beans { count: integer }\n"))
    #expect(text.contains("---@overload fun(self: stsh.Task, name: \"beans.add\", args?: { by?: integer })\n"))
    #expect(shell.session.store.loadedPlugins.isEmpty)
    // Of one that does not load the types stay as they were.
    try shell.write("beans/init.lua", "return plugin {")
    let broken = try shell.type("plugin stubs \(folder)")
    #expect(broken.errors.hasPrefix("error[plugin-load]: beans: \(folder)/init.lua:1: "))
    #expect(broken.output.isEmpty && broken.status == 4)
    #expect(shell.contents("beans/types/store.lua") == text)
  }

  @Test func typesOfEveryKind() throws {
    let text = try stubs { shell in
      let folder = try shell.plugin(
        "kinds",
        """
        return plugin { state = {
          field("a", list(int())), field("b", list(enum { "x", "y" })), field("c", map(number())),
          field("d", record("Inner", { field("e", bool()), field("f", list(list(text()))) })),
          field("g", optional(record("Other", { field("h", int()) }))),
        } }
        """)
      _ = try shell.type("plugin load \(folder)")
    }
    #expect(
      text.contains(
        #"---@field kinds { a: integer[], b: ("x"|"y")[], c: table<string, number>, d: kinds.Inner, g: kinds.Other? }"#
      ))
    #expect(text.contains("---@class kinds.Inner\n---@field e boolean\n---@field f string[][]\n"))
  }

  @Test func aFolderThatIsNotThere() throws {
    let shell = try Shell()
    #expect(shell.run("plugin stubs \(shell.folder)/nowhere").status == 2)
  }

  @Test func aDocumentationOfSeveralLinesStaysAComment() throws {
    let text = try stubs { shell in
      let folder = try shell.plugin(
        "p",
        """
        return plugin { actions = { { name = "go", doc = "One.\\n\\nThree.", args = { field("n", int()) } } },
          reducers = { go = function() end } }
        """)
      _ = try shell.type("plugin load \(folder)")
    }
    #expect(!text.contains("---\n---@alias"))
    #expect(text.contains("---One.\n---\n---Three.\n---@alias p.go { n: integer }\n"))
    _ = try LuaState().load(text, chunkName: "store.lua")
  }
}
