import Platform
import ShellLanguage

/// A file with all statements of a session and what they printed, in order, as on a terminal without colour.
final class Transcript {
  let file: String
  private let descriptor: Int32
  /// The waits for whoever reads a pipe; nil: it is a file that takes all at once.
  private let wait: FileWait?
  /// True once the run was ended while its reader took nothing.
  private var isOver = false
  /// Why something is missing from the file.
  private(set) var failure: FileError?

  /// Starts a file; one that is there is replaced.
  ///
  /// - Parameter wait: the waits for whoever reads a pipe.
  init(file: String, waiting wait: FileWait = .endless) throws(FileError) {
    self.file = file
    self.wait = Files.isPipe(file) ? wait : nil
    descriptor =
      self.wait == nil
      ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o666)
      : try Files.openToWrite(pipe: file, waiting: wait)
    guard descriptor >= 0 else { throw FileError(path: file, code: errno, .writing) }
  }

  deinit { close(descriptor) }

  /// Writes a statement behind the prompt of a program; its further lines stand under its first.
  func write(_ statement: Statement, program: String) {
    let further = String(repeating: " ", count: program.count) + "> "
    let lines = statement.text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    write(lines.enumerated().map { ($0 == 0 ? "\(program)> " : further) + $1 + "\n" }.joined())
  }

  func write(_ text: String) {
    var rest = Array(Transcript.plain(text).utf8)[...]
    while !rest.isEmpty, !isOver {
      if let wait {
        // The run says why it ends.
        guard (try? Files.waitToWrite(descriptor, path: file, wait)) != nil else { return isOver = true }
      }
      // As much as a pipe that has room takes at once.
      let piece = wait == nil ? rest : rest.prefix(Int(PIPE_BUF))
      rest = rest.dropFirst(piece.count)
      if let code = Console.write(piece, to: descriptor), failure == nil {
        failure = FileError(path: file, code: code, .writing)
      }
    }
  }

  /// Returns true if a text moves the cursor or clears the screen. Such a text holds other control sequences than
  /// colours and the clearing of a line's rest, which goes with colours.
  static func draws(_ text: String) -> Bool { split(text).sequences.contains { $0 != "m" && $0 != "K" } }

  /// The text without control sequences.
  private static func plain(_ text: String) -> String { split(text).plain }

  /// A text without its control sequences, and the characters that end those; an escape that starts none ends itself.
  private static func split(_ text: String) -> (plain: String, sequences: [Unicode.Scalar]) {
    guard text.utf8.contains(0x1B) else { return (text, []) }
    var plain = String.UnicodeScalarView()
    var sequences: [Unicode.Scalar] = []
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\u{1B}" else {
        plain.append(scalar)
        continue
      }
      var last = scalar
      if rest.first == "[" {
        rest.removeFirst()
        while let next = rest.popFirst() {
          last = next
          if ("@"..."~").contains(next) { break }
        }
      }
      sequences.append(last)
    }
    return (String(plain), sequences)
  }
}
