import Glibc
import TerminalSupport
import Testing

/// A page of Markdown whose fenced blocks are tested. The word behind the fence says how:
///
/// - `LANGUAGE FILE`: a file that the reader writes. A file below `Sources/Programs` is one of the package, as it is.
/// - `console [NAME]`: what the reader types behind `$ ` and at prompts, and what comes back. A terminal with a name stays open.
/// - `sh`: commands of a clone, or of a machine. They run, and the folder `StandIns` has programs in place of those that compile or
///   change the machine.
/// - `swift`: `DocumentationTests` compiles it.
struct Page {
  /// Its path in the package.
  let path: String
  /// Its blocks, in order.
  let blocks: [Block]
  private var lines: [Substring]

  /// A fenced block.
  struct Block {
    /// The first word behind the fence.
    let language: String
    /// The word behind it: a file or a terminal.
    let name: String?
    /// Its lines, by their positions in the page.
    let range: Range<Int>
    /// Its lines.
    let lines: [Substring]

    /// Its text.
    var text: String { lines.map { $0 + "\n" }.joined() }
  }

  /// Reads a page of the package.
  init(_ path: String) throws {
    self.path = path
    let text = try #require(contents(ofFile: "\(Shell.packageFolder)/\(path)"))
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var blocks: [Block] = []
    var start: Int?
    for (number, line) in lines.enumerated() where line.hasPrefix("```") {
      if let begin = start {
        let words = lines[begin - 1].dropFirst(3).split(separator: " ")
        blocks.append(
          Block(
            language: words.first.map { String($0) } ?? "", name: words.count > 1 ? String(words[1]) : nil,
            range: begin..<number, lines: Array(lines[begin..<number])))
        start = nil
      } else {
        start = number + 1
      }
    }
    self.blocks = blocks
  }

  /// Writes the page with other lines in some of its blocks.
  func write(_ changes: [(block: Block, lines: [String])]) throws {
    var lines = lines
    for (block, changed) in changes.reversed() {
      lines.replaceSubrange(block.range, with: changed.map { $0[...] })
    }
    let file = try #require(fopen("\(Shell.packageFolder)/\(path)", "w"))
    defer { fclose(file) }
    fputs(lines.joined(separator: "\n"), file)
  }

  /// The lines above a block, back to the transcript before it or to the start of the page.
  func lines(above block: Block) -> ArraySlice<Substring> {
    let transcript = blocks.last { $0.language == "console" && $0.range.upperBound < block.range.lowerBound }
    return lines[(transcript?.range.upperBound ?? 0)..<block.range.lowerBound - 1]
  }

  /// Whether lines are as a page shows them. In a page `…` stands for any text, and alone on a line for any lines.
  static func shows(_ shown: ArraySlice<Substring>, _ seen: ArraySlice<String>) -> Bool {
    guard let first = shown.first else { return seen.isEmpty }
    if first == "…" {
      return shows(shown.dropFirst(), seen) || !seen.isEmpty && shows(shown, seen.dropFirst())
    }
    guard let line = seen.first, shows(first, line[...]) else { return false }
    return shows(shown.dropFirst(), seen.dropFirst())
  }

  private static func shows(_ shown: Substring, _ seen: Substring) -> Bool {
    guard let gap = shown.firstIndex(of: "…") else { return shown == seen }
    guard seen.hasPrefix(shown[..<gap]) else { return false }
    let rest = shown[gap...].dropFirst()
    var end = seen.dropFirst(shown.distance(from: shown.startIndex, to: gap))
    while !shows(rest, end) {
      guard end.popFirst() != nil else { return false }
    }
    return true
  }
}

/// A reader who does what a page says, block by block, in a folder with the package's `scripts` in it.
final class Reader {
  /// The folder and the environment of the reader.
  let shell: Shell
  private var terminals: [String: OpenTerminal] = [:]
  /// The programs that go on, by their jobs' numbers, from 1; nil: it was ended.
  private var jobs: [RunningProgram?] = []

  /// A terminal whose program runs, and the row up to which its page has shown it.
  private struct OpenTerminal {
    let terminal: Terminal
    var row = 0
    var isOver = false
  }

  init() throws {
    shell = try Shell()
    try shell.folder.write("run/.keep", "")
    chmod(shell.folder.path + "/run", 0o700)
    symlink(Shell.packageFolder + "/scripts", shell.folder.path + "/scripts")
  }

  deinit {
    for case let job? in jobs { kill(-job.process, SIGKILL) }
    unlink(shell.folder.path + "/scripts")
  }

  /// Types what a block shows, and answers with the lines of the block as they came.
  func type(_ block: Page.Block) throws -> [String] {
    var seen: [String] = []
    var rest = block.lines[...]
    if let name = block.name, var open = terminals[name] {
      let more = rest.prefix { !$0.hasPrefix("$ ") }
      rest = rest.dropFirst(more.count)
      seen += Self.keeping(more, of: try converse(more, at: &open))
      terminals[name] = open
    }
    while !rest.isEmpty {
      var command: [Substring] = []
      repeat { command.append(rest.removeFirst()) } while command.last?.hasSuffix("\\") == true
      guard command[0].hasPrefix("$ ") else { throw ProgramFailure("no command before '\(command[0])'") }
      let output = rest.prefix { !$0.hasPrefix("$ ") }
      rest = rest.dropFirst(output.count)
      seen += command.map { String($0) }
      let line = command.joined(separator: "\n").dropFirst(2)
      if output.contains(where: { Self.typed($0) != nil }) {
        var open = OpenTerminal(terminal: try terminal(line))
        seen += Self.keeping(output, of: try converse(output, at: &open))
        if open.isOver { continue }
        if let name = block.name {
          terminals[name] = open
        } else {
          open.terminal.type("\u{4}")
          _ = try open.terminal.waitForEnd()
        }
      } else {
        seen += Self.keeping(output, of: try run(line, showing: output))
      }
    }
    return seen
  }

  /// Lines that came, with those of the page that show them by a gap.
  private static func keeping(_ shown: ArraySlice<Substring>, of seen: [String]) -> [String] {
    if Page.shows(shown, seen[...]) { return shown.map { String($0) } }
    let patterns = shown.filter { $0.contains("…") && $0 != "…" }
    return seen.map { line in patterns.first { Page.shows([$0], [line]) }.map { String($0) } ?? line }
  }

  /// What is typed on a line of a page: all that stands behind a prompt such as `stsh> `, `stsh tasks> ` or `stsh @4/70 -#3> `.
  private static func typed(_ line: Substring) -> Substring? {
    line.prefixMatch(of: #/[a-z]+( [a-z]+| @\d+/\d+( -#\d+)*)?> /#).map { line[$0.range.upperBound...] }
  }

  /// Runs the commands of a block by bash, and ends the programs that they leave behind.
  func run(_ block: Page.Block) throws -> Shell.Outcome {
    let folder = shell.folder.path
    for name in ["Package.swift", "Sources"] {
      guard symlink("\(Shell.packageFolder)/\(name)", "\(folder)/\(name)") == 0 else {
        throw ProgramFailure("no link \(name)")
      }
    }
    defer { for name in ["Package.swift", "Sources"] { unlink("\(folder)/\(name)") } }
    try shell.folder.write("commands", block.text)
    try shell.folder.write("home/.local/bin/.keep", "")
    symlink("\(try Launch.folderOfThisProgram())/stsh", "\(folder)/home/.local/bin/stsh")
    guard let output = tmpfile(), let input = fopen("/dev/null", "r") else {
      throw ProgramFailure("no temporary files")
    }
    defer { for file in [output, input] { fclose(file) } }
    let running = try start("exec bash -e commands", input: input, output: output)
    let status = try running.waitForEnd()
    // What they left behind is of their group.
    kill(-running.process, SIGTERM)
    for _ in 0..<500 where kill(-running.process, 0) == 0 { usleep(10_000) }
    rewind(output)
    return Shell.Outcome(output: String(decoding: bytes(of: output), as: UTF8.self), status: status)
  }

  /// A shell's line, in which `stsh` and the programs of `swift run` are those that were built with the tests.
  private func line(_ line: some StringProtocol) throws -> String {
    """
    PATH=\(Shell.packageFolder)/Tests/EndToEndTests/StandIns:\(try Launch.folderOfThisProgram()):$PATH
    export XDG_RUNTIME_DIR=\(shell.folder.path)/run
    \(line)
    """
  }

  /// Starts a line by a shell in a process group of its own, so that all of a pipeline can be ended.
  private func start(
    _ line: some StringProtocol, input: UnsafeMutablePointer<FILE>, output: UnsafeMutablePointer<FILE>
  ) throws -> RunningProgram {
    var launch = shell.launch(["/bin/sh", "-c", try self.line(line)])
    launch.program = "/usr/bin/setsid"
    launch.descriptors = [(0, fileno(input)), (1, fileno(output)), (2, fileno(output))]
    return RunningProgram(process: try launch.start())
  }

  private func terminal(_ command: Substring) throws -> Terminal {
    var launch = shell.launch(["-c", try line(command)])
    launch.program = "/bin/sh"
    launch.environment["TERM"] = "xterm"
    return try Terminal(launch, columns: 200)
  }

  /// Types the lines behind prompts, and answers with all that the terminal shows since.
  private func converse(_ lines: ArraySlice<Substring>, at open: inout OpenTerminal) throws -> [String] {
    let terminal = open.terminal
    let start = open.row
    func isAtPrompt(_ screen: TerminalScreen) -> Bool { Self.typed(Substring(screen.cursorLine + " ")) == "" }
    try terminal.wait(for: "the prompt", until: isAtPrompt)
    let unasked = lines.prefix { Self.typed($0) == nil }
    _ = try? terminal.wait(for: "\(unasked)") {
      isAtPrompt($0) && Page.shows(unasked, $0.lines[start..<max(start, $0.row)])
    }
    for keys in lines.compactMap(Self.typed) {
      let row = terminal.screen.row
      terminal.type("\(keys)\r")
      open.isOver = keys == "quit" || keys.hasPrefix("quit ")
      if open.isOver {
        _ = try terminal.waitForEnd()
      } else {
        try terminal.wait(for: "the prompt after '\(keys)'") { $0.row > row && isAtPrompt($0) }
      }
    }
    open.row = terminal.screen.row
    return Array(terminal.screen.lines[start..<open.row])
  }

  /// Runs a command line to its end. One that ends in `&` goes on, as a job with a number; `kill %NUMBER` and `kill -9 %NUMBER` end it.
  private func run(_ command: Substring, showing shown: ArraySlice<Substring>) throws -> [String] {
    if let match = command.wholeMatch(of: /kill (-9 )?%(\d)/), let number = Int(match.output.2),
      jobs.indices.contains(number - 1), let job = jobs[number - 1]
    {
      kill(-job.process, match.output.1 == nil ? SIGTERM : SIGKILL)
      _ = try job.waitForEnd()
      jobs[number - 1] = nil
      if jobs.allSatisfy({ $0 == nil }) { jobs = [] }
      return []
    }
    guard let output = tmpfile(), let input = fopen("/dev/null", "r") else {
      throw ProgramFailure("no temporary files")
    }
    defer { for file in [output, input] { fclose(file) } }
    func seen() -> [String] {
      rewind(output)
      var lines = String(decoding: bytes(of: output), as: UTF8.self)
        .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
      if lines.last == "" { lines.removeLast() }
      return lines.map { String($0) }
    }
    let goesOn = command.hasSuffix(" &")
    let job = goesOn ? "\(command.contains("|") ? "" : "exec ")\(command.dropLast(2))" : String(command)
    let running = try start(job, input: input, output: output)
    guard goesOn else {
      _ = try running.waitForEnd()
      return seen()
    }
    jobs.append(running)
    for _ in 0..<500 where !Page.shows(shown, seen()[...]) { usleep(10_000) }
    return seen()
  }
}
