import ArgumentParser
import CCrash
import Platform

enum ProgramArguments {
  /// The words behind the program's name.
  ///
  /// - Throws: `ValidationError` for the first that is not UTF-8: Swift would repair it to another word. The same for a
  ///   variable that names the user's folders: others would be taken for them.
  static func given() throws -> [String] {
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"] {
      guard let start = getenv(name), String(validatingCString: start) == nil else { continue }
      // The specification wants paths that are not absolute ignored.
      if name != "HOME", start.pointee != UInt8(ascii: "/") { continue }
      throw ValidationError("\(name) is not UTF-8: '\(spelled(start))'")
    }
    var words: [String] = []
    while let start = ccrash_argument(Int32(words.count + 1)) {
      guard let word = String(validatingCString: start) else {
        throw ValidationError("argument \(words.count + 1) is not UTF-8: '\(spelled(start))'")
      }
      words.append(word)
    }
    return words
  }

  /// A word in ASCII, other bytes by their numbers.
  private static func spelled(_ word: UnsafePointer<CChar>) -> String {
    UnsafeBufferPointer(start: word, count: strlen(word)).map { byte in
      (0x20..<0x7F).contains(byte)
        ? String(UnicodeScalar(UInt8(byte)))
        : "\\x" + String(UInt8(bitPattern: byte), radix: 16, uppercase: true)
    }.joined()
  }
}
