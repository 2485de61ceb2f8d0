struct SessionApplication {
  let commands: CommandTable
  /// True if the session is the only one, so that the store ends with it.
  let endsStore: Bool
  /// True if the session ends when the store is closed; false: somebody else tells of it.
  let hearsEnd: Bool
  /// Makes a session over the same application, with a store of its own.
  let makeSibling: (SessionOptions, Console) throws -> Session
}
