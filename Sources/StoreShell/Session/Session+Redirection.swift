import StorePlugins
import StoreSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Session {
  /// Runs a command and sends its result to a file or into a shell command.
  func redirecting(to redirection: Redirection, _ body: () throws -> CommandResult) throws -> CommandResult {
    let target = try redirectionTarget(redirection)
    if redirection.kind == .command, !options.allowsExecution {
      throw ShellError(
        code: "not-allowed", message: "results may not be piped into commands here (--no-exec)",
        place: .span(redirection.span))
    }
    let isNew = try redirection.kind == .command ? false : prepare(target, redirection)
    var result = CommandResult.none
    var text = ""
    do {
      text = try console.capturing { result = try body() }
    } catch {
      // A command that failed leaves no file behind.
      if isNew { unlink(target) }
      throw error
    }
    if options.isJSON {
      text = result.json.map { $0 + "\n" } ?? ""
      result = .none
    }
    console.beforeTelling?()
    switch redirection.kind {
    case .file, .append:
      do throws(FileError) {
        try Files.write(text, to: target, appends: redirection.kind == .append)
      } catch {
        throw ShellError(
          code: "no-such-file", message: "\(error.path): \(error.reason)", place: .span(redirection.span), status: 2)
      }
    case .command: try pipe(text, into: target, redirection)
    }
    return result
  }

  /// Finds out whether a file can be written before the command is run whose result it is to hold. What is in it stays.
  ///
  /// - Returns: whether the file was made.
  private func prepare(_ file: String, _ redirection: Redirection) throws -> Bool {
    var status = stat()
    let isThere = stat(file, &status) == 0
    // A pipe would wait for its reader.
    if isThere, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) { return false }
    let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let error = FileError(path: file, code: errno)
      throw ShellError(
        code: "no-such-file", message: "\(error.path): \(error.reason)", place: .span(redirection.span), status: 2)
    }
    close(descriptor)
    return !isThere
  }

  private func redirectionTarget(_ redirection: Redirection) throws -> String {
    switch redirection.target {
    case .bare(let text), .text(let text): return text
    default:
      guard case .string(let text) = try value(redirection.target) else {
        throw ShellError(
          code: "type-mismatch", message: "expected the name of a file", place: .span(redirection.span))
      }
      return text
    }
  }

  private func pipe(_ text: String, into command: String, _ redirection: Redirection) throws {
    console.flush()
    guard let stream = popen(command, "w") else {
      throw ShellError(
        code: "failed", message: "\(command): \(String(cString: strerror(errno)))", place: .span(redirection.span))
    }
    // A command that reads no more, such as head, is no failure.
    let previous = signal(SIGPIPE, SIG_IGN)
    let bytes = Array(text.utf8)
    // Unbuffered: what a command left unread would make the closing of the stream fail.
    setvbuf(stream, nil, _IONBF, 0)
    fwrite(bytes, 1, bytes.count, stream)
    let status = pclose(stream)
    signal(SIGPIPE, previous)
    guard status == 0 else {
      throw ShellError(
        code: "failed", message: "\(command): ended with status \(status >> 8 & 0xFF)", place: .span(redirection.span))
    }
  }
}
