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
    store.live.setSpans(trace.listener)
  }

  /// Ends the trace that is written into a file.
  ///
  /// - Returns: the trace, where there was one.
  @discardableResult
  func finishTrace() throws(FileError) -> ChromeTrace? {
    guard let trace = settings.chromeTrace else { return nil }
    settings.chromeTrace = nil
    store.live.setSpans(nil)
    console.prepareTelling()
    try trace.end()
    return trace
  }
}
