import StoreSchema

/// What the tests of a plugin may ask of the shell: a store of the test's own, and a clock that only the test moves.
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
  /// What was dispatched since the test began, oldest first.
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
  /// Where in the test's file; nil: not known.
  public var place: PluginTestPlace?
  /// The code of the shell's error; nil: what the test says of its plugin does not hold.
  public var code: ErrorCode?
  /// What is wrong, in one sentence.
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
  /// What `pcall` in a test gives.
  public var description: String { place.map { "\($0.file):\($0.line): \(headline)" } ?? headline }
}

/// How one test ended.
public struct PluginTestOutcome: Sendable {
  /// What the test is called.
  public let name: String
  /// How it ended.
  public let result: Result
  /// What it printed.
  public let lines: [String]

  /// How a test can end.
  public enum Result: Sendable {
    /// All that it says holds.
    case passed
    /// It does not.
    case failed(PluginTestFailure)
    /// It said itself that it has nothing to say here.
    case skipped(String)
  }

  /// Joins the three.
  public init(name: String, result: Result, lines: [String] = []) {
    self.name = name
    self.result = result
    self.lines = lines
  }
}
