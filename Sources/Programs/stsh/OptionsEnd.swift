extension Stsh {
  /// The options that take the word behind them as their value.
  static let optionsWithValue: Set = [
    "-c", "-p", "--allow", "--as", "--attach", "--clock", "--color", "--completions", "--durability", "--grant",
    "--group",
    "--listen", "--replay", "--report", "--store",
    "--timeout", "--to", "--token-file", "--transcript", "--who",
  ]

  /// The command line with the end of the program's options marked: what follows a script is the script's, whatever it looks like.
  ///
  /// - Parameter arguments: the command line, without the program's name.
  static func endingOptions(_ arguments: [String]) -> [String] {
    var index = 0
    while index < arguments.count, arguments[index] != "--" {
      let word = arguments[index]
      guard word.hasPrefix("-"), word != "-" else { return arguments[..<index] + ["--"] + arguments[index...] }
      // Of letters in one word only the last can be followed by a value.
      let option = word.hasPrefix("--") ? word : "-\(word.suffix(1))"
      index += optionsWithValue.contains(option) ? 2 : 1
    }
    return arguments
  }
}
