import StoreHost
import StoreSchema

extension Session {
  /// Starts a session over an application's store.
  ///
  /// - Throws: `StoreError` where two of its middlewares or interceptors share a name; ``ShellError`` where a binding or a
  ///   command of its own does not fit.
  public convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ application: Application<Action, State>, options: SessionOptions = SessionOptions(),
    console: Console = Console()
  ) throws {
    let clock = SessionClock(isVirtual: options.hasVirtualClock)
    let hosted = HostedApplication(application)
    let store = try LiveStore(hosted, program: options.name, clock: clock.clock)
    let commands = try CommandTable.standard.adding(hosted.commands, besides: hosted.modules)
    self.init(
      store, SessionApplication(commands: commands) { try Session(application, options: $0, console: $1) }, clock,
      options: options, console: console)
    for binding in application.bindings { try bind(binding) }
  }
}
