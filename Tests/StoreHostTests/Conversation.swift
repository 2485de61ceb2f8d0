import Glibc
import StoreHost
import StoreSchema
import StoreShell
import Testing

/// A session over a host's store, whose results and errors go to files.
final class Conversation {
  let session: Session
  private let output: UnsafeMutablePointer<FILE>
  private let errors: UnsafeMutablePointer<FILE>

  /// What lines left behind.
  struct Outcome {
    let output: String
    let errors: String
    let status: Int32
  }

  /// - Parameter who: the name that it gives itself; nil: its place makes one.
  init(with host: StoreHost<some SchematicUnion, some SchematicRecord>, who: String? = nil) throws {
    output = try #require(tmpfile())
    errors = try #require(tmpfile())
    var options = SessionOptions()
    options.who = who
    session = try Session(host, options: options, console: Console(output: fileno(output), error: fileno(errors)))
  }

  deinit {
    fclose(output)
    fclose(errors)
  }

  /// Runs lines; one that fails ends them.
  @discardableResult
  func say(_ lines: String...) -> Outcome { say(lines) }

  /// Runs lines; one that fails ends them.
  @discardableResult
  func say(_ lines: [String]) -> Outcome {
    let status = session.run(commands: lines)
    session.console.flush()
    return Outcome(output: Self.take(output), errors: Self.take(errors), status: status)
  }

  private static func take(_ file: UnsafeMutablePointer<FILE>) -> String {
    let descriptor = fileno(file)
    lseek(descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(descriptor, &block, block.count), count > 0 { bytes += block[..<count] }
    ftruncate(descriptor, 0)
    lseek(descriptor, 0, SEEK_SET)
    return String(decoding: bytes, as: UTF8.self)
  }
}
