import StoreCore

extension TestStore {
  /// Runs code between two actions, such as one that answers a request or moves a gate. Actions that units emit
  /// meanwhile wait to be received.
  ///
  /// - Parameters:
  ///   - change: turns the state before into the expected one, where the code dispatches on the store itself; nil: nothing
  ///     may change.
  ///   - body: the code.
  /// - Returns: the result of the code.
  @discardableResult
  public func perform<Result>(
    changing change: ((inout State) throws -> Void)? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, _ body: () throws -> Result
  ) rethrows -> Result {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line)
    begin(location)
    let before = state
    defer {
      if let change {
        compare(change, of: "this step", before: before, at: location)
      } else {
        compareUnchanged("this step", before: before, at: location)
      }
      end(location)
    }
    return try body()
  }

  /// Moves the virtual clock. Effects that wake up meanwhile run before this returns; what they emit waits to be received.
  ///
  /// - Parameter duration: the distance; a negative one counts as none.
  public func advance(
    by duration: Duration, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
  ) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line)
    perform(fileID: fileID, filePath: filePath, line: line) {
      guard let clock = clock as? VirtualClock else {
        return fail("the clock of this test store is not a VirtualClock", at: location)
      }
      clock.advance(by: duration)
    }
  }
}
