import Glibc
import TerminalSupport

/// A source text after the plug-in wrote out its schemas, without the compiler. Nothing here checks types.
struct Expansion {
  /// What it wrote.
  let text: String
  /// What it said of declarations that it cannot take.
  let messages: [String]

  /// Expands what has `@Schema`, by the program that the compiler starts.
  init(_ source: String) throws {
    guard let input = tmpfile(), let output = tmpfile() else { throw ProgramFailure("no temporary files") }
    defer { for file in [input, output] { fclose(file) } }
    fputs(source, input)
    rewind(input)
    var launch = Launch(program: "StoreSchemaMacros-tool")
    launch.arguments = ["write"]
    launch.descriptors = [(0, fileno(input)), (1, fileno(output))]
    var status: Int32 = 0
    try ProgramFailure.check("waitpid", waitpid(launch.start(), &status, 0))
    guard status == 0 else { throw ProgramFailure("the plug-in ended with status \(status)") }
    rewind(output)
    var text = ""
    while let line = Expansion.line(of: output) { text += line }
    self.text = text
    messages = text.split(separator: "\n").filter { $0.hasPrefix("#error(") }.map(String.init)
  }

  private static func line(of file: UnsafeMutablePointer<FILE>) -> String? {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    guard getline(&line, &capacity, file) >= 0, let line else { return nil }
    return String(cString: line)
  }
}
