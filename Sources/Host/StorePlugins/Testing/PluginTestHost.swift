import StoreSchema

/// The services of the shell for a plugin's tests: a store of the test's own, and a clock that only the test moves.
public protocol PluginTestHost: AnyObject {
  /// Has an action processed, with all that it causes.
  ///
  /// - Throws: ``PluginTestFailure``, as all of these do.
  func dispatch(_ name: String, _ arguments: [(name: String, value: Value)], at place: PluginTestPlace) throws
  /// Lets time pass.
  func advance(_ duration: Duration) throws
  /// The value at a path or of a projection.
  func value(at path: String) throws -> Value
  /// Opens or shuts the gate of a middleware.
  func setGate(_ name: String, isOpen: Bool, at place: PluginTestPlace) throws
  /// Runs a line of the command language and answers what it prints.
  func run(_ line: String, at place: PluginTestPlace) throws -> String
  /// The actions dispatched since the test began, oldest first.
  func actions() -> [Value]
  /// A value as Lua writes it, on one line.
  func text(of value: Value) -> String
}

/// A line of a test's file.
public struct PluginTestPlace: Hashable, Sendable {
  /// The name of the chunk.
  public let file: String
  /// The line, from 1.
  public let line: Int
}

/// Why a test failed, or why something that it asked for was refused.
public struct PluginTestFailure: Error, Hashable, Sendable {
  /// The place in the test's file; nil: not known.
  public var place: PluginTestPlace?
  /// The code of the shell's error; nil: what the test says of its plugin does not hold.
  public var code: ErrorCode?
  /// The fault, in one sentence.
  public var message: String
  /// Lines below it.
  public var details: [String]

  /// Makes a failure.
  public init(code: ErrorCode? = nil, _ message: String, details: [String] = [], at place: PluginTestPlace? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.place = place
  }

  /// The message with its code, as the shell prints errors.
  public var headline: String { code.map { "error[\($0)]: \(message)" } ?? message }
}

extension PluginTestFailure: CustomStringConvertible {
  /// The text that `pcall` in a test gives.
  public var description: String { place.map { "\($0.file):\($0.line): \(headline)" } ?? headline }
}

/// The outcome of one test.
public struct PluginTestOutcome: Sendable {
  /// The name of the test.
  public let name: String
  /// The result of the test.
  public let result: Result
  /// The lines that the test printed.
  public let lines: [String]

  /// The possible results of a test.
  public enum Result: Sendable {
    /// All that it says holds.
    case passed
    /// The test does not hold.
    case failed(PluginTestFailure)
    /// The test said itself that it has nothing to say here.
    case skipped(String)
  }

  /// Joins the three.
  public init(name: String, result: Result, lines: [String] = []) {
    self.name = name
    self.result = result
    self.lines = lines
  }
}
