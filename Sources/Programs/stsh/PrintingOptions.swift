import ArgumentParser
import StoreShell

/// The text that the program prints about itself instead of running.
struct PrintingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Print a completion script for bash, zsh or fish.", valueName: "shell"),
    completion: .list(CompletionShell.allCases.map(\.rawValue)))
  var completions: String?

  @Flag(help: ArgumentHelp("Print the manual page.", visibility: .hidden))
  var manual = false

  /// The text to print; nil: nothing was asked for.
  var text: String? {
    get throws {
      if let name = completions {
        guard let shell = CompletionShell(rawValue: name) else {
          throw ValidationError("--completions takes bash, zsh or fish, not '\(name)'")
        }
        return CompletionScript(for: shell).text
      }
      guard manual else { return nil }
      let configuration = Stsh.configuration
      return try ManualPage(
        describedBy: Stsh._dumpHelp(), usage: [configuration.usage ?? "stsh"], version: configuration.version
      ).text
    }
  }
}
