import Platform
import ShellLanguage

extension Session {
  /// Ends the trace that is written into a file, if there is one.
  ///
  /// - Returns: 0, or 1 where it could not be written, which is reported.
  public func endTrace() -> Int32 {
    do throws(FileError) {
      try finishTrace()
      return 0
    } catch {
      writeError(ShellError(error))
      return 1
    }
  }

  /// Writes spans into a file from now on.
  func startTrace(_ path: String) throws(FileError) {
    let trace = try ChromeTrace(path)
    settings.chromeTrace = trace
    store.setSpans(trace.receiver)
  }

  /// Prints the times of each action's phases from now on.
  func startTimes() {
    let writer = LogLineWriter(console: console, isJSON: options.isJSON)
    store.setSpans(
      ActionTimes.receiver { [inbox] times in inbox.bring(64 + times.phases.count * 64) { writer.write(times) } })
  }

  /// Ends the trace that is written into a file, or the printing of times.
  ///
  /// - Returns: the trace, where there was one.
  @discardableResult
  func finishTrace() throws(FileError) -> ChromeTrace? {
    store.setSpans(nil)
    guard let trace = settings.chromeTrace else { return nil }
    settings.chromeTrace = nil
    console.prepareTelling()
    try trace.end()
    return trace
  }
}
