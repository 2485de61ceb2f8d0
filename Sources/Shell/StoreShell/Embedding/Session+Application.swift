import StoreCore
import StoreHost
import StoreSchema

extension Session {
  /// Starts a session over a store that it has for itself, made from an application.
  ///
  /// - Throws: `StoreError` where two of its middlewares or interceptors share a name; ``ShellError`` where a binding or a
  ///   command of its own does not fit.
  public convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ application: Application<Action, State>, options: SessionOptions = SessionOptions(),
    console: Console = Console()
  ) throws {
    let clock = SessionClock(isVirtual: options.hasVirtualClock)
    let host = try StoreHost(alone: application, clock: clock.clock, program: options.name)
    try self.init(host, clock, endsStore: true, options: options, console: console)
  }

  /// Starts a session over the store of a host, one of as many as you like. A session is used by one thread at a time.
  ///
  /// Its variables, watches and settings of output, its look at the past and `quit` are its own (R35). The store goes on when it
  /// ends.
  ///
  /// - Throws: ``ShellError`` where a binding or a command of the application does not fit.
  public convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ host: StoreHost<Action, State>, options: SessionOptions = SessionOptions(), console: Console = Console()
  ) throws {
    try self.init(host, SessionClock(of: host.clock), endsStore: false, options: options, console: console)
  }

  /// Starts a session over the store of a host that ends with it, whoever else uses it until then.
  ///
  /// - Throws: as the other ways do.
  public convenience init<Action: SchematicUnion, State: SchematicRecord>(
    owning host: StoreHost<Action, State>, options: SessionOptions = SessionOptions(), console: Console = Console()
  ) throws {
    try self.init(host, SessionClock(of: host.clock), endsStore: true, options: options, console: console)
  }

  /// The same for a session that no thread of its own waits for, and that a door tells when the store is closed.
  convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ host: StoreHost<Action, State>, options: SessionOptions, console: Console, wake: @escaping @Sendable () -> Void
  ) throws {
    try self.init(
      host, SessionClock(of: host.clock, wakeUp: wake), endsStore: false, hearsEnd: false, options: options,
      console: console)
  }

  private convenience init<Action: SchematicUnion, State: SchematicRecord>(
    _ host: StoreHost<Action, State>, _ clock: SessionClock, endsStore: Bool, hearsEnd: Bool = true,
    options: SessionOptions, console: Console
  ) throws {
    let (application, hosted) = (host.application, host.live.application)
    let commands = try CommandTable.standard.adding(hosted.commands, besides: hosted.modules)
    self.init(
      host.live,
      SessionApplication(commands: commands, endsStore: endsStore, hearsEnd: hearsEnd) {
        try Session(application, options: $0, console: $1)
      }, clock, options: options, console: console)
    if !endsStore { settlesBeforeTelling() }
    for binding in application.bindings { try bind(binding) }
  }
}
