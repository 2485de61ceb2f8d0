import Platform

/// The user's own editor, for a statement that has outgrown the line: `$VISUAL`, else `$EDITOR`, else `vi`.
struct ExternalEditor {
  /// The editor's command line, read by `sh`; the file is added as its last word.
  let command: String
  /// Ends the editor when it becomes readable; -1: nothing does.
  private let stop: Int32

  /// - Parameters:
  ///   - stop: Ends the editor when it becomes readable.
  ///   - variable: Looks up an environment variable.
  init(until stop: Int32 = -1, variable: (String) -> String?) {
    self.stop = stop
    command = ["VISUAL", "EDITOR"].lazy.compactMap(variable).first { !$0.isEmpty } ?? "vi"
  }

  /// Lets the user edit a text in a private temporary file. The terminal must be in its usual mode.
  /// - Returns: The text without its last newlines; nil when the editor ended with a failure.
  func edit(_ text: String) throws(LineEditorError) -> String? {
    let folder = getenv("TMPDIR").flatMap { String(validatingCString: $0) } ?? "/tmp"
    // The ending tells the editor which language this is; mkstemps makes the file for its owner alone.
    let ending = ".stsh"
    var template = Array("\(folder)/statement-XXXXXX\(ending)".utf8CString)
    let descriptor = mkstemps(&template, Int32(ending.utf8.count))
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard descriptor >= 0 else { throw .system(subject: path, code: errno) }
    defer { unlink(path) }
    do {
      defer { Platform.close(descriptor) }
      try FileAccess.writeAll(text + "\n", to: descriptor, subject: path)
    }
    guard try run(path) else { return nil }
    // Opened anew: many editors write another file and rename it.
    let edited = open(path, O_RDONLY | O_CLOEXEC)
    guard edited >= 0 else { throw .system(subject: path, code: errno) }
    defer { Platform.close(edited) }
    var bytes = try FileAccess.readAll(edited, subject: path)
    while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func run(_ path: String) throws(LineEditorError) -> Bool {
    let word = "'\(path.replacing("'", with: "'\\''"))'"
    do throws(FileError) {
      return try ShellCommand(line: "\(command) \(word)", stops: [stop], readsTerminal: true).run([]) == .exited(0)
    } catch {
      throw .system(subject: command, code: error.code)
    }
  }
}
