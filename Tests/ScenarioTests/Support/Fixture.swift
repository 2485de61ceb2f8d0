import PluginSupport
import StoreCore
import StoreHost
import StoreSchema
import StoreShell

/// The state of the scenarios: one module with one count.
@Schema
struct CountState: Equatable {
  var counter = Count()
}

/// `{count: 0}`.
@Schema
struct Count: Equatable {
  var count: Int = 0
}

/// The actions of the scenarios.
@Schema
enum CountStateAction: Equatable {
  case counter(CountAction)
}

/// What the count does.
@Schema
enum CountAction: Equatable {
  case inc
  case dec
  case noop
  case x
  case gate(v: Int)
}

typealias CountReducer = Reducer<CountAction, Count>
typealias CountMiddleware = Middleware<CountStateAction, CountStateAction, CountState>

/// The fixture that the scenarios share, in Swift and in Lua.
enum Fixture {
  /// The reducer `count`.
  static let count = CountReducer("count") { action, state in
    switch action {
    case .inc, .x: state.count += 1
    case .dec: state.count -= 1
    case .noop, .gate: break
    }
  }

  /// The application with these units.
  static func application(
    _ reducer: CountReducer = count, _ middleware: CountMiddleware = .identity
  ) -> Application<CountStateAction, CountState> {
    Application(
      initial: CountState(),
      reducer: reducer.lift(action: CountStateAction.cases.counter.extract, state: \CountState.counter),
      middleware: middleware)
  }

  /// A Swift middleware that is asked about every action and has something to do after each.
  static func observer(_ name: String) -> CountMiddleware {
    CountMiddleware(name) { _, _, _ in IO { _ in } }
  }

  /// The same in Lua, as one plugin: it listens to the module `counter`, wherever that is written.
  static func luaObserver(_ name: String) throws -> PluginFolder {
    try PluginFolder(
      name, permissions: ["read:counter"],
      lua: """
        return plugin {
          middleware = { { name = "\(name)", on = { "counter.*" }, after = function() end } },
        }
        """)
  }

  /// A Lua reducer over the module `counter`, wherever that is written.
  static func luaReducer(_ name: String, _ body: String) throws -> PluginFolder {
    try PluginFolder(
      name, permissions: ["reduce:counter"],
      lua: """
        return plugin {
          lifted = { { at = "counter", on = "counter.inc", reduce = function(s) \(body) end } },
        }
        """)
  }

  /// A Lua module of its own that no scenario is about.
  static func luaModule(_ name: String) throws -> PluginFolder {
    try PluginFolder(
      name,
      lua:
        "return plugin { state = { field(\"x\", int()) }, middleware = { { name = \"m\", before = function() end } } }")
  }

  /// The module `counter` in Lua.
  ///
  /// - Parameters:
  ///   - start: the count to start from.
  ///   - inc: the body of the reducer for `inc`.
  ///   - middleware: more of the definition.
  static func luaCounter(
    start: Int = 0, inc: String = "s.count = s.count + 1", middleware: String = ""
  ) throws -> PluginFolder {
    try PluginFolder(
      "counter",
      lua: """
        return plugin {
          state = { field("count", int { default = \(start) }) },
          actions = { { name = "inc" }, { name = "dec" }, { name = "noop" }, { name = "x" },
            { name = "gate", args = { field("v", int()) } } },
          reducers = {
            inc = function(s) \(inc) end, x = function(s) s.count = s.count + 1 end,
            dec = function(s) s.count = s.count - 1 end, noop = function() end, gate = function() end,
          },
          \(middleware)
        }
        """)
  }
}

/// A store without state of its own, for scenarios that are all Lua.
@Schema
struct NoState: Equatable {}

/// The actions of a module that nobody dispatches.
@Schema
enum NoAction: Equatable {
  case nothing(NothingAction)
}

/// One action.
@Schema
enum NothingAction: Equatable {
  case nothing
}

extension Application<NoAction, NoState> {
  /// The application in which everything is written in Lua.
  static var empty: Application { Application(initial: NoState(), reducer: .identity) }
}
