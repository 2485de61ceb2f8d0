import Platform

enum FileAccess {
  /// Reads to the end of the file.
  static func readAll(_ descriptor: Int32, subject: String) throws(LineEditorError) -> [UInt8] {
    do throws(FileError) {
      return try Files.read(descriptor, path: subject)
    } catch {
      throw .system(subject: subject, code: error.code)
    }
  }

  /// Writes all bytes, waiting where the descriptor does not block.
  static func writeAll(_ text: String, to descriptor: Int32, subject: String) throws(LineEditorError) {
    let failure = Files.write(Array(text.utf8)[...], to: descriptor).failure
    if let failure { throw .system(subject: subject, code: failure) }
  }
}
