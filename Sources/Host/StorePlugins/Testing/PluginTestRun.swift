import LuaRuntime

/// A test while it runs.
final class PluginTestRun {
  let host: any PluginTestHost
  /// The lines that it printed.
  private(set) var lines: [String] = []
  /// The first thing that the test says and that does not hold.
  private(set) var firstUnmet: PluginTestFailure?

  init(_ host: any PluginTestHost) { self.host = host }

  /// A test that wants no more.
  struct Skip: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
  }

  /// Takes down a line that it prints, within the memory that tests have.
  func note(_ line: String, _ meter: LuaMeter) {
    guard meter.hold(line.utf8.count + MemoryLayout<String>.stride) else { return }
    lines.append(line)
  }

  /// Says that something does not hold.
  func unmet(_ message: String, details: [String] = [], _ call: borrowing LuaCall) -> PluginTestFailure {
    let failure = PluginTestFailure(message, details: details, at: call.place)
    if firstUnmet == nil { firstUnmet = failure }
    return failure
  }

  /// Runs what the host does for the test, and puts the test's line to what it refuses.
  func ask<Result>(_ call: borrowing LuaCall, _ body: (any PluginTestHost) throws -> Result) throws -> Result {
    do {
      return try body(host)
    } catch var failure as PluginTestFailure {
      if failure.place == nil { failure.place = call.place }
      throw failure
    }
  }
}

extension LuaCall {
  /// The line of the test that calls.
  var place: PluginTestPlace? { location.map { PluginTestPlace(file: $0.chunk, line: $0.line) } }

  /// The same for what must have one.
  var origin: PluginTestPlace { place ?? PluginTestPlace(file: "test", line: 0) }
}
