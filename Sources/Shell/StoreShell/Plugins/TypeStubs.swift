import StoreModules
import StoreSchema

/// The store's modules as LuaCATS, so that an editor completes names and flags wrong arguments before the shell does.
struct TypeStubs {
  let text: String

  init(_ modules: [Module]) {
    var types = TypeAnnotations(
      apartFrom: modules.flatMap { module in module.actions.map(\.fullName) + ["\(module.name).Draft"] })
    let state = modules.filter { !$0.fields.isEmpty }.map { module in
      "---@field \(module.name) \(types.inline(module.fields, in: module.name))"
    }
    let actions = modules.flatMap(\.actions).map { action -> String in
      guard !action.fields.isEmpty else { return "name: \"\(action.fullName)\"" }
      let mark = action.fields.contains(where: \.isRequired) ? "" : "?"
      let arguments = types.inline(action.fields, in: action.module, leavesOutDefaults: true)
      return "name: \"\(action.fullName)\", args\(mark): \(arguments)"
    }
    let projections = modules.flatMap { module in
      module.projections.map { projection in
        "path: \"\(module.name).\(projection.name)\"): \(types.text(of: projection.schema, in: module.name))"
      }
    }
    let fields = modules.flatMap { module in
      module.fields.map { "path: \"\(module.name).\($0.name)\"): \(types.text(of: $0.schema, in: module.name))" }
    }
    let drafts = modules.filter { $0.origin == .lua && !$0.fields.isEmpty }.map { module in
      "---@alias \(module.name).Draft \(types.inline(module.fields, in: module.name))"
    }
    let arguments = modules.flatMap(\.actions).filter { !$0.fields.isEmpty }.flatMap { action in
      let text = action.documentation
      let lines = text.isEmpty ? [] : text.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.map { "---\($0)" } + [
        "---@alias \(action.fullName) \(types.inline(action.fields, in: action.module))"
      ]
    }
    func overloads(_ owner: String) -> [String] { actions.map { "---@overload fun(self: \(owner), \($0))" } }
    var lines = ["---@meta stsh.store"] + types.classes
    lines += drafts + arguments + ["---@class stsh.State"] + state
    lines += ["---@class stsh.Task", "local Task = {}"]
    lines += ["---@param seconds number", "function Task:sleep(seconds) end"]
    lines += ["---@param at number", "function Task:sleep_until(at) end"]
    lines += ["---@return number at", "function Task:now() end"]
    lines += ["---@param name string", "---@param timeout? number", "---@return table? args"]
    lines += ["function Task:wait_for(name, timeout) end"]
    lines += ["---@return boolean", "function Task:cancelled() end"]
    lines += overloads("stsh.Task") + ["function Task:dispatch(name, args) end"]
    lines += ["---@class stsh.Context", "---@field state stsh.State", "local Context = {}"]
    lines += overloads("stsh.Context") + ["function Context:dispatch(name, args) end"]
    lines += [
      "---@param key string|number|boolean", "---@param fn fun(task: stsh.Task)", "function Context:task(key, fn) end",
    ]
    lines += ["---@class stsh.Command", "---@field state stsh.State", "local Command = {}"]
    lines += overloads("stsh.Command") + ["function Command:dispatch(name, args) end"]
    lines += projections.map { "---@overload fun(self: stsh.Command, \($0)" }
    lines += ["---@param path string", "---@return any", "function Command:project(path) end"]
    lines += ["---@param ... any", "function Command:print(...) end"]
    lines += ["---@param ... number|string seconds, or names of actions and then a limit in seconds"]
    lines += ["---@return string? name, table? args", "function Command:wait(...) end"]
    lines += ["---@class stsh.Thunk", "local Thunk = {}", "---@return stsh.State", "function Thunk:get() end"]
    lines += overloads("stsh.Thunk") + ["function Thunk:dispatch(name, args) end"]
    lines += overloads("stsh.Thunk") + ["---@return boolean done, string? why"]
    lines += ["function Thunk:dispatch_wait(name, args) end"]
    lines += ["---@class stsh.Test", "local Test = {}"]
    lines += overloads("stsh.Test") + ["function Test:dispatch(name, args) end"]
    lines += (fields + projections).map { "---@overload fun(self: stsh.Test, \($0)" }
    lines += ["---@param path string", "---@return any", "function Test:get(path) end"]
    text = lines.joined(separator: "\n") + "\n"
  }

  /// The words of definitions, which are the same for every store.
  static let words = """
    ---@meta stsh
    ---@class stsh.Type
    ---@class stsh.Field
    ---@class stsh.Source
    ---@field kind "repl"|"batch"|"plugin"|"effect"|"bridge"|"replay"|"remote"|"code"
    ---@field file string
    ---@field function string
    ---@field line integer
    ---@field info? string
    ---@field plugin? string
    ---@field user? string the user whose process dispatched, as the kernel knows it
    ---@field who? string the name under which it did: a claim, by which nothing may be decided
    ---@field cause? integer the number of the action that caused it
    ---@class stsh.Meta
    ---@field id integer
    ---@field at number the time of the store, in seconds
    ---@field source stsh.Source
    ---@class stsh.Action
    ---@field name string
    ---@field args table
    ---@field id integer
    ---@field at number the time of the store, in seconds
    ---@field source stsh.Source
    ---@field meta stsh.Meta
    ---@alias stsh.Reducer fun(draft: any, args: any, meta: stsh.Meta)
    ---@class stsh.ActionDefinition
    ---@field name string
    ---@field args? stsh.Field[]
    ---@field doc? string
    ---@field quiet? boolean
    ---@class stsh.LiftedDefinition
    ---@field at string
    ---@field on string
    ---@field args? stsh.Field[]
    ---@field reduce stsh.Reducer
    ---@alias stsh.Passed stsh.Action|{ name: string, args?: table }
    ---@alias stsh.Dispatch fun(action: stsh.Passed|string, args?: table)
    ---@alias stsh.Interceptor fun(dispatch: stsh.Dispatch, get: (fun(): stsh.State), next: stsh.Dispatch): fun(action: stsh.Action)
    ---@alias stsh.ThunkFunction fun(args: any, t: stsh.Thunk)
    ---@class stsh.ThunkDefinition
    ---@field args? stsh.Field[]
    ---@field doc? string
    ---@field run stsh.ThunkFunction
    ---@class stsh.BridgeDefinition
    ---@field from string
    ---@field to string
    ---@field when? fun(state: stsh.State): boolean?
    ---@field carry? fun(args: any, state: stsh.State): table?
    ---@class stsh.TransitionDefinition
    ---@field at string
    ---@field from? any a value, or fun(value): boolean
    ---@field to? any a value, or fun(value): boolean
    ---@field dispatch string
    ---@field carry? fun(before: any, after: any, state: stsh.State): table?
    ---@class stsh.GateRule
    ---@field control? string
    ---@field arg? string
    ---@field on? any
    ---@field off? any
    ---@field start? "on"|"off"
    ---@field at? string
    ---@field is? any
    ---@class stsh.EntryTasks
    ---@field over string the path of a map
    ---@field task fun(task: stsh.Task, key: string|integer, value: any)
    ---@field at? string the field with the time at which a task starts
    ---@field reset? string the field with which a task starts anew
    ---@class stsh.MiddlewareDefinition
    ---@field name string
    ---@field gate? "on"|"off"|stsh.GateRule
    ---@field each? string the path of a list of records with an id, or of a map
    ---@field by? string the argument of an action that names an element, id by default
    ---@field on? string[]
    ---@field before? fun(action: stsh.Action, ctx: stsh.Context, element: any): any
    ---@field after? fun(action: stsh.Action, ctx: stsh.Context, kept: any, element: any)
    ---@field supervise? (fun(state: any, of: any): table<string|number|boolean, fun(task: stsh.Task)>?)|stsh.EntryTasks
    ---@class stsh.ProjectionDefinition
    ---@field name string
    ---@field type? stsh.Type
    ---@field fn fun(state: stsh.State): any
    ---@class stsh.CommandDefinition
    ---@field name string
    ---@field args? stsh.Field[]
    ---@field summary? string
    ---@field examples? string[]
    ---@field run fun(args: any, cmd: stsh.Command): any
    ---@class stsh.PluginDefinition
    ---@field state? stsh.Field[]
    ---@field actions? stsh.ActionDefinition[]
    ---@field reducers? table<string, stsh.Reducer>
    ---@field lifted? stsh.LiftedDefinition[]
    ---@field interceptors? stsh.Interceptor[]
    ---@field thunks? table<string, stsh.ThunkFunction|stsh.ThunkDefinition>
    ---@field bridges? stsh.BridgeDefinition[]
    ---@field transitions? stsh.TransitionDefinition[]
    ---@field middleware? stsh.MiddlewareDefinition[]
    ---@field projections? stsh.ProjectionDefinition[]
    ---@field commands? stsh.CommandDefinition[]
    ---@field on_load? string
    ---@field on_unload? fun(ctx: stsh.Context)
    ---@field migrate? fun(old: any, from_version: string): any
    ---@param definition stsh.PluginDefinition
    ---@return stsh.PluginDefinition
    function plugin(definition) end
    ---@param name string
    ---@param type stsh.Type
    ---@param doc? string
    ---@return stsh.Field
    function field(name, type, doc) end
    ---@param options? { min?: integer, max?: integer, default?: integer, sequence?: boolean }
    ---@return stsh.Type
    function int(options) end
    ---@param options? { default?: number }
    ---@return stsh.Type
    function number(options) end
    ---An exact decimal number: decimal("12.50"). A number that is worth the same is equal to it.
    ---@class decimal
    ---@field units integer the number without its point
    ---@field scale integer the number of digits after the point
    ---@operator add(decimal|number): decimal
    ---@operator sub(decimal|number): decimal
    ---@operator mul(integer): decimal
    ---@operator unm: decimal
    ---@overload fun(options: { scale: integer, default?: decimal|number|string }): stsh.Type
    ---@param value decimal|number|string
    ---@param scale? integer
    ---@return decimal
    function decimal(value, scale) end
    ---@param options? { default?: boolean }
    ---@return stsh.Type
    function bool(options) end
    ---@param options? { default?: string }
    ---@return stsh.Type
    function text(options) end
    ---@param cases { [integer]: string, default?: string }
    ---@return stsh.Type
    function enum(cases) end
    ---@param of stsh.Type
    ---@return stsh.Type
    function optional(of) end
    ---@param of stsh.Type
    ---@return stsh.Type
    function list(of) end
    ---@param of stsh.Type
    ---@return stsh.Type
    function map(of) end
    ---@param name string
    ---@param fields stsh.Field[]
    ---@return stsh.Type
    function record(name, fields) end
    ---The value that a file below `lib` returns: `require("lib.day")`.
    ---@param name string
    ---@return any
    function require(name) end
    ---Refuses the action that is being reduced, on purpose: nothing is changed, and it is no fault of the plugin's.
    ---@param reason string
    function refuse(reason) end
    ---@class stsh.Log
    log = {}
    ---@param ... any
    function log.info(...) end
    ---@param ... any
    function log.warn(...) end
    ---@class stsh.Test
    local Test = {}
    ---@class stsh.DispatchedAction
    ---@field name string
    ---@field args table
    ---@field at number seconds since the test began
    ---@field source string
    ---@field failed? string the code of the error
    ---@param seconds number
    function Test:advance(seconds) end
    ---@param found any
    ---@param expected any
    function Test:equals(found, expected) end
    ---@param condition any
    ---@param message? string
    function Test:ok(condition, message) end
    ---@param code string
    ---@param body fun()
    ---@return string message
    function Test:fails(code, body) end
    ---@param name string
    ---@param gate "on"|"off"
    function Test:gate(name, gate) end
    ---@param line string a line as it is typed at the prompt
    ---@return string output
    function Test:run(line) end
    ---@return stsh.DispatchedAction[]
    function Test:actions() end
    ---@param ... any
    function Test:print(...) end
    ---@param reason string
    function Test:skip(reason) end
    ---@param name string
    ---@param body fun(t: stsh.Test)
    function test(name, body) end

    """
}
