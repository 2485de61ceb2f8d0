import StoreSchema

/// A command of an application's own: it stands among the shell's, in `help` and in completion too.
public struct ApplicationCommand<Action: SchematicUnion, State: SchematicRecord>: Sendable {
  /// Runs the command, and gives its result: the shell prints it in the form that is asked for. A text stands bare, and nil
  /// prints nothing.
  public typealias Run<Arguments> =
    @Sendable (Arguments, CommandContext<Action, State>) throws -> (any Schematic)?

  package let verb: String
  package let summary: String
  package let fields: [Field]
  package let run: @Sendable (Value, CommandContext<Action, State>) throws -> (any Schematic)?

  /// Declares a command.
  ///
  /// - Parameters:
  ///   - verb: the first word of its line; no command of the shell, no module.
  ///   - summary: what it does, in one sentence.
  ///   - arguments: the type of its arguments; its fields are their names. The shell reads and checks them as it does those
  ///     of actions.
  ///   - run: runs it. What it throws is the error of the statement; a ``HostError`` says how it is shown.
  public init<Arguments: SchematicRecord>(
    _ verb: String, summary: String, taking arguments: Arguments.Type, _ run: @escaping Run<Arguments>
  ) {
    self.verb = verb
    self.summary = summary
    fields = arguments.fields
    self.run = { try run(try Arguments(schemaValue: $0), $1) }
  }

  /// Declares a command without arguments.
  ///
  /// - Parameters:
  ///   - verb: the first word of its line; no command of the shell, no module.
  ///   - summary: what it does, in one sentence.
  ///   - run: runs it. What it throws is the error of the statement; a ``HostError`` says how it is shown.
  public init(
    _ verb: String, summary: String,
    _ run: @escaping @Sendable (CommandContext<Action, State>) throws -> (any Schematic)?
  ) {
    self.verb = verb
    self.summary = summary
    fields = []
    self.run = { try run($1) }
  }
}

/// What a command of an application works with. Of use while the command runs.
public struct CommandContext<Action: SchematicUnion, State: SchematicRecord> {
  package let caller: CommandCaller
  package let start: State
  package let erase: (Action) -> HostAction

  /// The application's state that the shell shows: that of the moment, or of the past after `goto`.
  public var state: State { caller.state().app.typed() ?? start }

  /// Has an action processed, with all that it causes, on behalf of the statement that runs.
  ///
  /// - Throws: why it failed; the state is then as it was. What goes wrong beside it, in middlewares and tasks, is reported when
  ///   the command is done, and fails it.
  public func dispatch(_ action: Action) throws { try caller.dispatch(erase(action)) }

  /// Prints a line among the results; with `--json` an event says it.
  public func print(_ line: String) { caller.print(line) }
}

/// What runs a command of an application lends it.
package struct CommandCaller {
  package let state: () -> HostState
  package let dispatch: (HostAction) throws -> Void
  package let print: (String) -> Void

  package init(
    state: @escaping () -> HostState, dispatch: @escaping (HostAction) throws -> Void,
    print: @escaping (String) -> Void
  ) {
    self.state = state
    self.dispatch = dispatch
    self.print = print
  }
}

package struct HostedCommand: Sendable {
  package let verb: String
  package let summary: String
  package let fields: [Field]
  package let run: @Sendable (Value, CommandCaller) throws -> (any Schematic)?
}
