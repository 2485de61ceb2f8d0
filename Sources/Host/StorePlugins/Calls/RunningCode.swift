import LuaRuntime

/// The code of a plugin that runs now, and what it may do meanwhile. The handle of a function speaks for that function,
/// and for nothing that runs after it.
final class RunningCode {
  /// The handles of functions, as messages name them.
  enum Handle: String {
    case context = "ctx"
    case command = "cmd"
    case task
    case thunk = "t"
  }

  /// The receiver of dispatches; nil: dispatching is not possible now.
  @exclusivity(unchecked) var emission: PluginEmission?
  /// The same of the middleware whose `after` runs, within which no other code of the plugin is called. The middleware
  /// holds the emission meanwhile.
  @exclusivity(unchecked) var emissionOfAfter: Unmanaged<PluginEmission>?
  /// True while a function with a `ctx` runs, other than `after`.
  @exclusivity(unchecked) var isContextOpen = false
  /// The host of the command that runs; nil while it dispatches or projects, in which other code of the plugin runs.
  var commandHost: (any PluginCommandHost)?
  /// The projections that the command has read.
  var projected = ProjectedReadings()
  /// The wait of the command that pauses.
  var commandWait: PluginWait?
  /// The task that runs, held by whoever runs it.
  @exclusivity(unchecked) var task: Unmanaged<PluginTask>?
  /// The thunk that runs.
  var thunk: PluginThunk?
  /// True while a projection is computed.
  var isProjecting = false
  /// The modules that were read since somebody began to take note of them; nil: nobody does.
  @exclusivity(unchecked) var slicesRead: [String]?

  /// Checks that a function runs that gets the handle: one that was kept in a variable may be used where none does. A
  /// middleware's `before` and `after` have one `ctx` for an action.
  func check(_ handle: Handle) throws(LuaFailure) {
    let isOpen =
      switch handle {
      case .context: isContextOpen || emissionOfAfter != nil
      case .command: commandHost != nil
      case .task: task != nil
      case .thunk: thunk != nil
      }
    guard isOpen else {
      throw LuaFailure(
        "\(handle.rawValue) was kept after the call that it belongs to (use the one that the running function gets)")
    }
  }

  /// Has the host of the command that runs do something. Other code of the plugin that runs meanwhile has no `cmd`.
  func asking<Result>(_ body: (any PluginCommandHost) throws -> Result) throws -> Result {
    guard let host = commandHost else { throw LuaFailure("no command runs") }
    commandHost = nil
    defer { commandHost = host }
    return try body(host)
  }

  /// Takes note that a module was read.
  func noteRead(_ module: String) {
    if slicesRead?.contains(module) == false { slicesRead?.append(module) }
  }
}
