import Platform
import ShellLanguage

/// The programs that texts of a client run: with `run`, in Lua, behind a bar, and by the client's own shell.
///
/// A hostile host can ask for any program. The client runs only what its texts hold: the program and all words as they are written.
/// A value that the host computes may stand where it is data, which ``NamedProgram`` decides, and nowhere else.
package struct NamedPrograms: Sendable {
  fileprivate var programs: [NamedProgram] = []
  /// The command lines that results are piped into, with the values of `$1`, `$2` … there.
  package fileprivate(set) var lines: [String: [String]] = [:]
  /// The lines that `!` gives to the client's own shell.
  package fileprivate(set) var shellLines: Set<String> = []

  /// True if a text runs a program with these words in that folder, whatever it reads.
  package func hold(_ words: [String], in folder: String?) -> Bool {
    programs.contains { $0.holds(words, in: folder) }
  }

  /// The same for a program that reads a text.
  package func hold(_ words: [String], in folder: String?, reading input: [UInt8]) -> Bool {
    programs.contains { $0.holds(words, in: folder) && $0.mayRead(input) }
  }

  mutating func add(_ other: NamedPrograms) {
    programs += other.programs
    lines.merge(other.lines) { $1 }
    shellLines.formUnion(other.shellLines)
  }
}

/// A program as a text of a client runs it.
struct NamedProgram: Sendable {
  /// A part of a word.
  enum Piece: Hashable, Sendable {
    case text(String)
    /// Something that only the store's end knows.
    case value
  }

  let words: [[Piece]]
  /// True if the last word stands for any number of them.
  var isOpen = false
  /// The folder that it runs in; nil: the client's own.
  var folder: String?
  /// The text that it reads.
  var input: [Piece] = []

  /// True if the text runs it with these words in that folder.
  func holds(_ given: [String], in folder: String?) -> Bool {
    guard folder == self.folder, let first = words.first, Self.isLiteral(first), let name = given.first else {
      return false
    }
    guard isOpen ? given.count >= words.count - 1 : given.count == words.count else { return false }
    return given.indices.allSatisfy { index in
      let word = words[min(index, words.count - 1)]
      guard Self.matches(given[index], word[...]), !given[index].utf8.contains(0) else { return false }
      return Self.isLiteral(word) || mayStand(given[index], at: index, of: ProgramKind(of: name))
    }
  }

  /// True if it may read a text.
  func mayRead(_ text: [UInt8]) -> Bool {
    guard !Self.isLiteral(input) else { return text == Array(Self.text(of: input).utf8) }
    // An interpreter without a file or a line runs its input.
    if case .interpreter = kind, lastOfCode == nil { return false }
    return kind != .runner || words.count > 1
  }

  private var kind: ProgramKind { ProgramKind(of: Self.text(of: words[0])) }

  /// True if a word that the host computed is data at a place: neither an option, nor the text of one, nor something that runs.
  private func mayStand(_ text: String, at index: Int, of kind: ProgramKind) -> Bool {
    switch kind {
    case .runner: return false
    case .interpreter: guard let last = lastOfCode, index > last else { return false }
    case .other: break
    }
    let before = words.prefix(index).map { Self.isLiteral($0) ? Self.text(of: $0) : nil }
    // Behind two dashes all words are operands.
    if before.dropFirst().contains("--") { return true }
    if case .value? = words[min(index, words.count - 1)].first, Self.isOption(text) { return false }
    // The word behind an option may be the text that it runs.
    guard index < words.count, let last = before.last, let option = last else { return true }
    return !Self.isOption(option)
  }

  /// The last word of the code that an interpreter is given: a file, or the text behind an option such as `-c`; nil: the words do not
  /// say that.
  private var lastOfCode: Int? {
    guard words.count > 1, Self.isLiteral(words[1]) else { return nil }
    let first = Self.text(of: words[1])
    guard first.hasPrefix("-") else { return 1 }
    guard words.count > 2, Self.isLiteral(words[2]), !Self.isOption(Self.text(of: words[2])) else { return nil }
    let letters = first.utf8.dropFirst()
    let takesText = letters.last == UInt8(ascii: "c") || letters.last == UInt8(ascii: "e")
    return takesText && letters.allSatisfy({ $0.isNameByte }) ? 2 : nil
  }

  /// True for a word that programs take for an option: it has more than a dash, and is no number.
  private static func isOption(_ text: String) -> Bool {
    text.hasPrefix("-") && text.utf8.count > 1 && (!text.looksLikeANumber || Double(text) == nil)
  }

  static func isLiteral(_ word: [Piece]) -> Bool { !word.contains(.value) }

  static func text(of word: [Piece]) -> String {
    word.map { if case .text(let text) = $0 { text } else { "" } }.joined()
  }

  /// True if a text is the pieces, with anything in place of the values.
  private static func matches(_ text: String, _ pieces: ArraySlice<Piece>) -> Bool {
    var (rest, isAnchored) = (Array(text.utf8)[...], true)
    for (index, piece) in pieces.enumerated() {
      guard case .text(let text) = piece else {
        isAnchored = false
        continue
      }
      let bytes = Array(text.utf8)
      if isAnchored {
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
      } else if index == pieces.count - 1 {
        guard rest.count >= bytes.count, rest.suffix(bytes.count).elementsEqual(bytes) else { return false }
        rest = []
      } else {
        guard let place = rest.indices.first(where: { rest[$0...].starts(with: bytes) }) else { return false }
        rest = rest[(place + bytes.count)...]
      }
      isAnchored = true
    }
    return rest.isEmpty || !isAnchored
  }
}

/// A kind of program: its use of its words.
private enum ProgramKind: Equatable {
  /// A program that runs the text or the file of its first words, and hands on the rest as data.
  case interpreter
  /// A program that runs other programs, or a text among its words.
  case runner
  case other

  private static let interpreters: Set = [
    "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "python", "pypy", "perl", "ruby",
  ]
  private static let runners: Set = [
    "awk", "busybox", "chroot", "chrt", "csh", "dbus-run-session", "deno", "doas", "ed", "emacs", "env", "ex", "expect",
    "find", "firejail", "flock", "gawk", "gdb", "gsed", "ionice", "lua", "luajit", "m4", "make", "gmake", "mawk",
    "nawk", "nice", "node", "nohup", "nsenter", "parallel", "perf", "php", "pkexec", "pwsh", "rsh", "runuser",
    "script", "sed", "setarch", "setpriv", "setsid", "sg", "ssh", "start-stop-daemon", "stdbuf", "strace", "su",
    "sudo", "systemd-run", "taskset", "tclsh", "tcsh", "time", "timeout", "toybox", "tsx", "unshare", "vi",
    "vim", "nvim", "watch", "xargs", "xterm",
  ]

  /// - Parameter program: its name or its path; a version behind the name does not count.
  init(of program: String) {
    let name = program.lastComponent
    let plain = String(name.reversed().drop { $0.isNumber || $0 == "." || $0 == "-" }.reversed())
    self = Self.interpreters.contains(plain) ? .interpreter : Self.runners.contains(plain) ? .runner : .other
  }
}

extension NamedFiles {
  /// Adds the programs of a statement, whatever commands stand before it.
  mutating func addPrograms(
    of statement: Statement, _ definition: CommandDefinition?, _ commands: CommandTable, _ arguments: [String]
  ) {
    var found = NamedPrograms()
    if let redirection = statement.redirection, redirection.kind == .command,
      let line = Self.text(of: redirection.target, arguments)
    {
      found.lines[line] = arguments
    }
    if definition?.takesProgram == true, let program = Self.program(statement, definition, arguments) {
      found.programs.append(program)
    }
    if definition === CommandDefinition.shellLine, let line = statement.lua?.text { found.shellLines.insert(line) }
    programs.add(found)
    guard statement.isMoreThanWords else { return }
    var lua = statement.words.flatMap { $0.value?.references ?? [] } + (statement.redirection?.target.references ?? [])
    if let text = statement.lua?.text, definition?.lua?.isLua == true { lua.append(.lua(text)) }
    for case .lua(let text) in lua { addPrograms(ofLua: text, commands, arguments) }
  }

  /// Adds the programs that a Lua text runs itself, and what the statements name that it gives to `command`. A function may be called
  /// by later texts, too.
  private mutating func addPrograms(ofLua text: String, _ commands: CommandTable, _ arguments: [String]) {
    let calls = LuaCall.all(of: ["run", "command"], in: text)
    guard !calls.isEmpty else { return }
    var found = NamedFiles()
    for call in calls {
      if call.name == "run" {
        if let program = Self.program(call, arguments) { found.programs.programs.append(program) }
      } else if let pieces = call.arguments.first?.pieces, call.arguments.count == 1 {
        let statement = pieces.map { if case .text(let text) = $0 { text } else { "$(nil)" } }.joined()
        found.add(statement, arguments: arguments)
      }
    }
    add(found)
    if text.contains("function") { lasting.append(found) }
  }

  /// The program that a line of `run` starts.
  private static func program(
    _ statement: Statement, _ definition: CommandDefinition?, _ arguments: [String]
  ) -> NamedProgram? {
    var (folder, input): ([NamedProgram.Piece]?, [NamedProgram.Piece]) = (nil, [])
    var words = statement.words.dropFirst()
    while let word = words.first, case .flag(let name, let given) = word.kind {
      words = words.dropFirst()
      var value = given
      if value == nil, definition?.flags.contains(where: { $0.name == name && $0.value != nil }) == true {
        value = words.first?.value
        words = words.dropFirst()
      }
      switch (name, value) {
      case ("in", let value?): folder = pieces(of: value, arguments)
      case ("stdin", let value?): input = pieces(of: value, arguments)
      default: break
      }
    }
    if let folder, !NamedProgram.isLiteral(folder) { return nil }
    return NamedProgram(
      words: words.map { pieces(of: $0, arguments) }, folder: folder.map(NamedProgram.text), input: input)
  }

  /// The program that a call of Lua's `run` starts; nil: its folder is computed, or its words are no list.
  private static func program(_ call: LuaCall, _ arguments: [String]) -> NamedProgram? {
    func pieces(_ argument: LuaCall.Argument) -> [NamedProgram.Piece] {
      argument.pieces.map { piece in
        switch piece {
        case .text(let text): .text(text)
        case .value(let expression): Self.scriptArgument(expression, arguments).map { .text($0) } ?? .value
        }
      }
    }
    guard !call.hasOtherKeys else { return nil }
    var program = NamedProgram(words: call.arguments.map(pieces), isOpen: call.arguments.last?.isOpen == true)
    for (name, value) in call.fields {
      switch name {
      case "cwd":
        guard NamedProgram.isLiteral(pieces(value)) else { return nil }
        program.folder = NamedProgram.text(of: pieces(value))
      case "stdin": program.input = pieces(value)
      default: break
      }
    }
    return program
  }

  /// The argument of the script that an expression such as `arg[1]` is; nil: it is something else.
  private static func scriptArgument(_ expression: String, _ arguments: [String]) -> String? {
    guard expression.hasPrefix("arg["), expression.hasSuffix("]"),
      let number = Int(expression.dropFirst(4).dropLast()), arguments.indices.contains(number - 1)
    else { return nil }
    return arguments[number - 1]
  }

  /// The parts of a word of a program, its name or flag included.
  private static func pieces(of word: Word, _ arguments: [String]) -> [NamedProgram.Piece] {
    switch word.kind {
    case .value(let literal): pieces(of: literal, arguments)
    case .named(let name, let literal): [.text("\(name)=")] + pieces(of: literal, arguments)
    case .flag(let name, let literal?): [.text("--\(name)=")] + pieces(of: literal, arguments)
    case .flag: [.text(word.text)]
    }
  }

  private static func pieces(of literal: Literal, _ arguments: [String]) -> [NamedProgram.Piece] {
    if let text = text(of: literal, arguments) { return [.text(text)] }
    guard case .composed(let text) = literal else { return [.value] }
    return text.pieces.map { piece in
      switch piece {
      case .text(let text): .text(text)
      case .value(.variable(let name), _): self.text(of: .variable(name), arguments).map { .text($0) } ?? .value
      case .value(.lua(let expression), _): scriptArgument(expression, arguments).map { .text($0) } ?? .value
      }
    }
  }
}
