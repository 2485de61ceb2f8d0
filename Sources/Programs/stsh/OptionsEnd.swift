extension Stsh {
  /// The options that take the word behind them as their value.
  static let optionsWithValue: Set = [
    "-c", "-p", "--allow", "--as", "--attach", "--cache", "--clock", "--color", "--completions", "--durability",
    "--grant",
    "--group",
    "--listen", "--name", "--nats-creds", "--recover", "--replay", "--report", "--session", "--store",
    "--timeout", "--to", "--token-file", "--transcript", "--who",
  ]

  /// The command line with the end of the program's options marked: what follows a script is the script's, whatever it looks like.
  ///
  /// - Parameter arguments: the command line, without the program's name.
  static func endingOptions(_ arguments: [String]) -> [String] {
    var index = 0
    while index < arguments.count, arguments[index] != "--" {
      guard isOption(arguments[index]) else { return arguments[..<index] + ["--"] + arguments[index...] }
      index += takesValue(arguments[index]) ? 2 : 1
    }
    return arguments
  }

  /// True for a word that is an option, and not the mark of their end.
  static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" && word != "--" }

  /// True if the word behind an option is its value.
  static func takesValue(_ word: String) -> Bool {
    // Of letters in one word only the last can be followed by a value.
    optionsWithValue.contains(word.hasPrefix("--") ? word : "-\(word.suffix(1))")
  }
}
