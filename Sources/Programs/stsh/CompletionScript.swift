import ArgumentParser

/// The completion of the program's options in a shell, as swift-argument-parser generates it.
struct CompletionScript {
  /// The script.
  let text: String

  /// A script for a shell.
  ///
  /// The generator gives every program a subcommand `help`, also one like this that has no subcommands. Beside a
  /// script's arguments, any number of them, zsh refuses the lines about it. In fish they offer a word that is none. So
  /// the lines that speak of it are left out.
  init(for shell: CompletionShell) {
    let ofSubcommand =
      switch shell {
      case .zsh: ["'(-): :->command'", "'(-)*:: :->arg'"]
      case .fish: ["-fa 'help'", "\"stsh help\""]
      default: [String]()
      }
    text = Stsh.completionScript(for: shell).split(separator: "\n", omittingEmptySubsequences: false)
      .filter { line in !ofSubcommand.contains { line.contains($0) } }
      .joined(separator: "\n")
  }
}
