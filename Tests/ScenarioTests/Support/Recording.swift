import PluginSupport
import Glibc
import StoreHost
import StorePlugins

@testable import StoreShell

/// What one run of a scenario through the shell said.
struct Recording {
  /// What went to standard output.
  let output: String
  /// What went to standard error.
  let errors: String
  /// The exit status.
  let status: Int32
  /// How many actions came before the script: the loading of plugins.
  let offset: Int

  /// Runs a script in a session over an application, with plugins loaded before it.
  init<Action, State>(
    _ script: String, _ application: Application<Action, State>, plugins: [PluginFolder] = [], isJSON: Bool = false
  ) throws {
    try self.init(application, plugins, isJSON: isJSON) { session, folder in
      try folder.write("s.stsh", script)
      return session.run(file: "\(folder.path)/s.stsh", arguments: [])
    }
  }

  /// Types lines at the prompt of a session over an application, with plugins loaded before.
  init<Action, State>(
    typing lines: [String], _ application: Application<Action, State>, plugins: [PluginFolder] = []
  ) throws {
    try self.init(application, plugins, isJSON: false) { session, _ in
      try Prompt(session, on: TypedLines(lines)).run()
    }
  }

  private init<Action, State>(
    _ application: Application<Action, State>, _ plugins: [PluginFolder], isJSON: Bool,
    _ body: (Session, PluginFolder) throws -> Int32
  ) throws {
    guard let output = tmpfile(), let errors = tmpfile() else { throw SystemFailure(what: "tmpfile") }
    defer { for file in [output, errors] { fclose(file) } }
    var options = SessionOptions()
    options.name = "stsh"
    options.hasVirtualClock = true
    options.isJSON = isJSON
    options.pluginFolders = plugins.map(\.path)
    options.grants = Set(try plugins.map { try $0.source().manifest.name })
    let console = Console(output: fileno(output), error: fileno(errors))
    let session = try Session(application, options: options, console: console)
    var status = session.loadPlugins()
    offset = session.store.live.recent().count
    if status == 0 { status = try body(session, try PluginFolder("script", lua: nil)) }
    console.flush()
    self.status = status
    self.output = Recording.text(of: output)
    self.errors = Recording.text(of: errors)
  }

  private static func text(of file: UnsafeMutablePointer<FILE>) -> String {
    rewind(file)
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 12)
    while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The trace in the notation of the scenarios: without the modules in names, numbered as if nothing had been loaded.
  ///
  /// - Parameters:
  ///   - kinds: the marks of the kinds of events to keep; `·` stands for what plugins said.
  ///   - hidden: the numbers of the actions whose events are not shown.
  func trace(_ kinds: String = "QHRCUFNIGXD", without hidden: Set<Int> = []) -> [String] {
    var hides = false
    return errors.split(separator: "\n").compactMap { line -> String? in
      if kinds.contains("·"), line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        return String(line[end...].dropFirst(2))
      }
      guard let mark = line.first, "QHRCUFNIGXDEBA".contains(mark), line.dropFirst().first == " " else { return nil }
      var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      if mark != "G", let number = Int(words[1]) {
        let own = number == 0 ? 0 : number - offset
        words[1] = "\(own)"
        hides = hidden.contains(own)
      }
      guard !hides, kinds.contains(mark) else { return nil }
      for index in words.indices.dropFirst() where !words[index].hasPrefix("s=") {
        if let number = Int(words[index].dropFirst()), words[index].hasPrefix("<") {
          words[index] = "<\(number - offset)"
        } else if let dot = words[index].lastIndex(of: "."), words[index].first?.isLetter == true {
          let kind = words[index].prefix { $0 != ":" }
          words[index] =
            (kind.count < words[index].count ? "\(kind):" : "") + words[index][words[index].index(after: dot)...]
        }
      }
      return words.joined(separator: " ").replacing("watch ", with: "w")
    }
  }
}

/// An editor at which a test types.
private final class TypedLines: LineEditing {
  private var lines: [String]
  var completer: ((String, Int) -> LineCompletion)?
  var openLines: String?
  var history: [String] = []
  let interruptDescriptor: Int32 = -1
  let screenSize = (rows: 24, columns: 80)

  init(_ lines: [String]) { self.lines = lines.reversed() }

  func nextEvent(prompt: String, until deadline: Duration?, wakeDescriptors: [Int32]) -> LineEvent {
    lines.popLast().map { .line($0) } ?? .endOfInput
  }
  func printAbove(_ text: String, to target: OutputTarget) {}
  func addHistory(_ statement: String) { history.append(statement) }
  func takeInterrupt() -> Bool { false }
  func close() {}
}

/// The lines of a scenario as tests write them: `·` and line ends separate events, what follows two spaces is
/// said to the reader.
func scenario(_ text: String) -> [String] {
  text.split { $0 == "\n" || $0 == "·" }.map { line in
    var line = line
    while line.first == " " { line.removeFirst() }
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
