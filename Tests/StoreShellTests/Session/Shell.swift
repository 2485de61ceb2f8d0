import Glibc
import ShellLanguage
import StandardModules
import StoreHost
import StoreSchema

@testable import StoreShell

/// A session over the standard modules, whose outputs go to files in a folder that goes with it.
final class Shell {
  let folder: String
  let session: Session
  private let output: UnsafeMutablePointer<FILE>
  private let errors: UnsafeMutablePointer<FILE>
  private var lines = 0

  /// What a run left behind.
  struct Outcome: Equatable {
    var output = ""
    var errors = ""
    var status: Int32 = 0

    /// True if all that went to the errors are notes that begin like this.
    func saysNothingBut(_ note: String) -> Bool {
      errors.split(separator: "\n").allSatisfy { $0.hasPrefix("note: \(note)") }
    }
  }

  struct Failure: Error {}

  /// Starts a session.
  ///
  /// - Parameters:
  ///   - joined: whether errors go where results go, as on a terminal.
  ///   - start: starts the session, over the standard modules where nothing is said.
  init(
    joined: Bool = false,
    _ adjust: (inout SessionOptions) -> Void = { _ in },
    over start: (SessionOptions, Console) throws -> Session = { try Session(.hosted, options: $0, console: $1) }
  ) throws {
    var template = Array("/tmp/stsh-session-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let output = tmpfile(), let errors = joined ? output : tmpfile() else {
      throw Failure()
    }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.output = output
    self.errors = errors
    var options = SessionOptions()
    options.name = "stsh"
    options.hasStoreOption = true
    options.hasVirtualClock = true
    options.pluginSearchPath = [Shell.package + "/plugins"]
    adjust(&options)
    session = try start(options, Console(output: fileno(output), error: fileno(errors)))
    // What `time` says is to be foretold.
    let clock = session.store.live.clock
    session.clock.wallTime = { clock.now }
  }

  deinit {
    if errors != output { fclose(errors) }
    fclose(output)
    Shell.remove(folder)
  }

  /// The folder of the package.
  static let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    .joined(separator: "/")

  /// Runs commands as `-c` does.
  func run(_ commands: String...) -> Outcome { outcome { session.run(commands: commands) } }

  /// Runs a script from a file, which is written first.
  func run(script: String, named name: String = "script.stsh", _ arguments: String...) throws -> Outcome {
    let file = try write(name, script)
    return outcome { session.run(file: file, arguments: arguments) }
  }

  /// Runs standard input.
  func run(input: [UInt8]) throws -> Outcome {
    guard let file = tmpfile() else { throw Failure() }
    defer { fclose(file) }
    fwrite(input, 1, input.count, file)
    fflush(file)
    lseek(fileno(file), 0, SEEK_SET)
    return outcome { session.run(descriptor: fileno(file)) }
  }

  /// Runs lines as the prompt does, each with a number of its own.
  func type(_ lines: String...) throws -> Outcome {
    session.running.origin = .prompt
    var status: Int32 = 0
    let outcome = try outcome {
      for line in lines {
        let pastLines = session.person.pastLines() + [PastLine(line)]
        session.person.pastLines = { pastLines }
        var reader = StatementReader(Array(line.utf8), grammar: session.grammar)
        while let read = try reader.next() {
          self.lines += 1
          status = session.run(read.numbered(self.lines))
        }
      }
      return status
    }
    return outcome
  }

  /// Runs something and takes what it wrote.
  func outcome(_ body: () throws -> Int32) rethrows -> Outcome {
    let status = try body()
    session.console.flush()
    return Outcome(output: Shell.take(output), errors: errors == output ? "" : Shell.take(errors), status: status)
  }

  private static func take(_ file: UnsafeMutablePointer<FILE>) -> String {
    let descriptor = fileno(file)
    let bytes = read(descriptor)
    ftruncate(descriptor, 0)
    lseek(descriptor, 0, SEEK_SET)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func read(_ descriptor: Int32) -> [UInt8] {
    lseek(descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = Glibc.read(descriptor, &block, block.count), count > 0 { bytes += block[..<count] }
    return bytes
  }

  /// Writes a file in the session's folder and gives its path.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

  /// Writes a file in the session's folder and gives its path.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    var directory = folder
    for part in name.split(separator: "/").dropLast() {
      directory += "/\(part)"
      mkdir(directory, 0o755)
    }
    let path = "\(folder)/\(name)"
    guard let file = fopen(path, "w") else { throw Failure() }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Failure() }
    return path
  }

  /// The text of a file in the session's folder; nil where there is none.
  func contents(_ name: String) -> String? { Shell.contents("\(folder)/\(name)") }

  /// The text of a file; nil where there is none.
  static func contents(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return String(decoding: Shell.read(descriptor), as: UTF8.self)
  }

  /// Writes a plugin and gives its folder.
  func plugin(_ name: String, _ lua: String, permissions: String = "[]", limits: String = "{}") throws -> String {
    try write(
      "\(name)/plugin.json",
      #"{"name":"\#(name)","version":"1.2.3","api":1,"permissions":\#(permissions),"limits":\#(limits)}"#)
    try write("\(name)/init.lua", lua)
    return "\(folder)/\(name)"
  }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { remove("\(path)/\(name)") }
      }
      closedir(directory)
    }
    Glibc.remove(path)
  }
}

extension Application<StandardAction, StandardState> {
  /// What the shipped program hosts.
  static var hosted: Application {
    Application(
      initial: StandardState(), reducer: StandardState.reducer,
      projections: [
        ApplicationProjection("open", of: "tasks") { $0.tasks.open },
        ApplicationProjection("summary", of: \.tasks) { $0.summary },
      ])
  }
}
