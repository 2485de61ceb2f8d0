import Glibc

/// Why a program could not be run, or what it was waited for in vain.
public struct ProgramFailure: Error, CustomStringConvertible {
  /// What happened.
  public let description: String

  /// Makes a failure.
  public init(_ description: String) {
    self.description = description
  }

  /// Passes on the result of a system call, unless it says that the call failed.
  @discardableResult
  public static func check(_ what: String, _ result: Int32) throws(ProgramFailure) -> Int32 {
    guard result >= 0 else { throw ProgramFailure("\(what): \(String(cString: strerror(errno)))") }
    return result
  }
}
