#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The lines that a reader met of late, with what they say: lines of generated scripts repeat, and one that is known need
/// not be read again. A small table, in which a line has one place by its length and its ends.
struct RepeatedLines: Sendable {
  /// How many bytes a line may have to be kept.
  static let maximumLength = 256

  private var places = [StatementText?](repeating: nil, count: 64)

  /// What a line says that was met before.
  subscript(line: UnsafeBufferPointer<UInt8>) -> StatementText? {
    guard let place = RepeatedLines.place(line), let known = places[place] else { return nil }
    let isSame = known.text.utf8.withContiguousStorageIfAvailable { text in
      guard text.count == line.count, let text = text.baseAddress, let line = line.baseAddress else { return false }
      return memcmp(text, line, known.text.utf8.count) == 0
    }
    return isSame ?? false ? known : nil
  }

  /// Keeps a line in the place of another.
  mutating func keep(_ statement: StatementText, of line: UnsafeBufferPointer<UInt8>) {
    guard let place = RepeatedLines.place(line), statement.text.utf8.count == line.count else { return }
    places[place] = statement
  }

  /// Where a line is looked for; nil where lines of its length are not kept.
  private static func place(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.count >= 8, line.count <= maximumLength, let bytes = UnsafeRawPointer(line.baseAddress) else {
      return nil
    }
    let ends =
      bytes.loadUnaligned(as: UInt64.self) &+ bytes.loadUnaligned(fromByteOffset: line.count - 8, as: UInt64.self)
    return Int(((ends &+ UInt64(line.count)) &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }
}
