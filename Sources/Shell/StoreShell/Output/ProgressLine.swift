import Platform

/// A line of a terminal that is written over and over, where errors go: how far a long command is.
struct ProgressLine {
  let descriptor: Int32
  /// The columns that it takes now.
  private var width = 0

  init(on descriptor: Int32) { self.descriptor = descriptor }

  /// Writes the line anew.
  mutating func show(_ text: String) {
    // Text that reaches a row's end would go on in the next one, and a return leads back to that row only.
    let text = String(text.prefix(max(0, (Console.columns(of: descriptor) ?? 80) - 3)))
    // Blanks and no escape sequence: any terminal knows them.
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    Console.write(Array("\r\(text)\(blanks)".utf8), to: descriptor)
    width = text.count
  }

  /// Leaves the line empty, with what the terminal may have added to it: the `^C` of a key.
  mutating func hide() {
    guard width > 0 else { return }
    let blanks = String(repeating: " ", count: width + 2)
    Console.write(Array("\r\(blanks)\r".utf8), to: descriptor)
    width = 0
  }
}
