/// Hands out a test store, and finishes it at the end, unless the body throws.
///
/// ```swift
/// try withTestStore(TestStore(initial: 0, reducer: counting)) { store in
///   store.send(.increment) { $0 = 1 }
/// }
/// ```
public func withTestStore<Action, State, Result>(
  _ store: TestStore<Action, State>, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  _ body: (TestStore<Action, State>) throws -> Result
) rethrows -> Result {
  do {
    let result = try body(store)
    store.finish(fileID: fileID, filePath: filePath, line: line)
    return result
  } catch {
    store.abandon()
    throw error
  }
}

/// Hands out a test store to an asynchronous body, and finishes it at the end, unless the body throws.
nonisolated(nonsending) public func withTestStore<Action, State, Result>(
  _ store: TestStore<Action, State>, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  _ body: nonisolated(nonsending) (TestStore<Action, State>) async throws -> Result
) async rethrows -> Result {
  do {
    let result = try await body(store)
    store.finish(fileID: fileID, filePath: filePath, line: line)
    return result
  } catch {
    store.abandon()
    throw error
  }
}
