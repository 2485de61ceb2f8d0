import Glibc
import TerminalSupport

/// The standard input and output of a program that is spoken to line by line.
final class Pipes {
  /// The program's ends.
  let theirs: (input: Int32, output: Int32)
  private let ours: (input: Int32, output: Int32)
  private var bytes: [UInt8] = []
  private var areTheirsOpen = true

  init() throws {
    var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
    try ProgramFailure.check("pipe", pipe(&input))
    try ProgramFailure.check("pipe", pipe(&output))
    for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    theirs = (input[0], output[1])
    ours = (input[1], output[0])
  }

  deinit {
    closeTheirs()
    close(ours.input)
    close(ours.output)
  }

  /// The program's ends as its standard input and output.
  var descriptors: [(theirs: Int32, ours: Int32)] { [(0, theirs.input), (1, theirs.output)] }

  /// Leaves the program's ends to it.
  func closeTheirs() {
    guard areTheirsOpen else { return }
    areTheirsOpen = false
    close(theirs.input)
    close(theirs.output)
  }

  /// Gives the program some text.
  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(ours.input, bytes, bytes.count) == bytes.count else {
      throw ProgramFailure("the program takes no text")
    }
  }

  /// Reads up to some text; what comes behind it stays.
  func read(until text: String) throws -> String {
    let end = Array(text.utf8)
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let place = bytes.firstRange(of: end) {
        defer { bytes.removeFirst(place.upperBound) }
        return String(decoding: bytes[..<place.upperBound], as: UTF8.self)
      }
      var source = pollfd(fd: ours.output, events: Int16(POLLIN), revents: 0)
      guard poll(&source, 1, 60_000) > 0 else { throw ProgramFailure("the program does not say \(text)") }
      let count = Glibc.read(ours.output, &block, block.count)
      guard count > 0 else {
        throw ProgramFailure("the program has ended; it said \(String(decoding: bytes, as: UTF8.self))")
      }
      bytes += block[..<count]
    }
  }
}

/// A client of a door that speaks the protocol of lines.
final class DoorClient {
  let descriptor: Int32
  private var lines = ReceivedLines()

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let descriptor = descriptor
    func attempt() -> Int32 {
      withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    // The socket of a host that was killed stays until the next one has taken its place.
    let limit = ContinuousClock.now + .seconds(60)
    while attempt() != 0 {
      guard [ECONNREFUSED, ENOENT].contains(errno), .now < limit else {
        throw ProgramFailure("nobody listens at \(path)")
      }
      usleep(5000)
    }
  }

  deinit { close(descriptor) }

  /// Sends text as it is.
  func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw ProgramFailure("the door takes no text") }
      rest = rest.dropFirst(count)
    }
  }

  /// The next line, for which it waits a minute.
  func line() throws -> String {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let line = lines.next() { return line }
      var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&source, 1, 60_000) > 0 else { throw ProgramFailure("the door does not answer") }
      let count = recv(descriptor, &block, block.count, 0)
      guard count > 0 else { throw ProgramFailure("the door has closed") }
      lines.append(block, count: count)
    }
  }
}
