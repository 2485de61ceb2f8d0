/// The application that a session is over.
struct SessionApplication {
  /// The commands of the shell and of the application.
  let commands: CommandTable
  /// Makes a session over the same application, with a store of its own.
  let makeSibling: (SessionOptions, Console) throws -> Session
}
