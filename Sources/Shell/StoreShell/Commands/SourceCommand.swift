import Platform
import ShellLanguage

extension CommandDefinition {
  static let source = CommandDefinition(
    "source", clientFileNeed: .nothing, usage: ["source FILE [ARG…]"],
    summary: "runs a script here; $1, $2 … are its arguments",
    operands: [.file(.script)],
    examples: [
      CommandExample(
        "echo 'dispatch counter.increment' > FOLDER/up.stsh", "source FOLDER/up.stsh",
        output: "#1 counter.increment\n  counter.value  0 -> 1\n"),
      CommandExample(
        "echo 'echo hello $1' > FOLDER/hello.stsh", "source FOLDER/hello.stsh world", output: "hello world\n"),
    ],
    defines: .anything,
    read: { reader in
      let file = try reader.required(0, "a file")
      return (
        file: file, word: reader.operands[0],
        arguments: try reader.operands.indices.dropFirst().compactMap { try reader.operand($0) }
      )
    },
    addNames: { request, session in
      // The content of the file is checked whatever it will be given.
      guard let file = request.file.known else { return }
      try session.runSource(file, [], at: request.word)
    },
    perform: { request, session in
      let file = try request.file.value(in: session)
      try session.runSource(file, request.arguments.map { try $0.value(in: session) }, at: request.word)
      return .none
    })
}

extension Session {
  /// Runs a script here.
  fileprivate func runSource(_ file: String, _ arguments: [String], at word: Word) throws {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try content(of: file)
    } catch {
      // An earlier statement that was checked may make it.
      if running.mayHaveWritten { return }
      var missing = ShellError(error, place: .span(word.span))
      missing.hint = missing.hint ?? hintOnFile(besideScript: file)
      throw missing
    }
    let status = try runScript(bytes, file: file, arguments: arguments)
    guard status == 0 || hasQuit else { throw SourcedFileFailed(file: file, status: status) }
  }

  /// The advice where a file is missing here but stands beside the script that names it; nil: it is missing there too.
  fileprivate func hintOnFile(besideScript file: String) -> String? {
    guard !file.hasPrefix("/"), let slash = running.origin.file.lastIndex(of: "/") else { return nil }
    let beside = "\(running.origin.file[...slash])\(file)"
    guard access(beside, R_OK) == 0 else { return nil }
    return "did you mean '\(beside)'? paths start from the folder that the program was started in"
  }
}
