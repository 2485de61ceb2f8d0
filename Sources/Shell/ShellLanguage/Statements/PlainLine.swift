/// A line that needs no more than cutting: ASCII, a verb without Lua, and words of bytes that mean themselves, or in double
/// quotes without escapes. Most lines of long scripts are such lines; any other is the scanner's, which reads these the same way.
struct PlainLine {
  /// The end of the line, before its `\n`.
  let end: Int
  private let bytes: ByteView
  private let start: Int
  private let verb: Range<Int>

  /// Finds one; nil: the line is none, or its end is not there yet.
  ///
  /// - Parameters:
  ///   - start: the start of a line that is not blank.
  ///   - isLast: true if the end of the bytes is the end of the text.
  init?(_ bytes: ByteView, from start: Int, isLast: Bool, grammar: Grammar) {
    self.bytes = bytes
    self.start = start
    let found = bytes.withBytes { bytes -> (verb: Range<Int>, end: Int)? in
      var position = start
      while position < bytes.count, bytes[position].isBlank { position += 1 }
      let first = position
      while position < bytes.count, bytes[position].isNameByte { position += 1 }
      guard position > first else { return nil }
      let verb = first..<position
      guard position < bytes.count else { return isLast ? (verb, position) : nil }
      // Behind the verb each word starts behind a blank.
      let plain = PlainBytes.all
      while position < bytes.count, bytes[position] != 0x0A {
        guard bytes[position].isBlank else { return nil }
        position += 1
        guard Self.passWord(bytes, &position, plain) else { return nil }
      }
      return position < bytes.count || isLast ? (verb, position) : nil
    }
    guard let found, !grammar.givesMeaning(to: bytes[found.verb]) else { return nil }
    (verb, end) = found
  }

  /// Passes over a word, perhaps none; false where it is not plain.
  private static func passWord(
    _ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int, _ plain: PlainBytes
  ) -> Bool {
    let first = position
    while position < bytes.count, bytes[position].isNameByte { position += 1 }
    if position < bytes.count, bytes[position] == UInt8(ascii: "="), position > first, !bytes[first].isDigit {
      position += 1
    } else if position > first {
      return plain.pass(bytes, &position)
    }
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      guard position == first, bytes.areDashes(at: position) else { return plain.pass(bytes, &position) }
      // What ends flags is no word.
      position += 2
      guard position < bytes.count, bytes[position].isNameByte else { return false }
      return plain.pass(bytes, &position)
    }
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      guard 0x20..<0x7F ~= bytes[position], bytes[position] != UInt8(ascii: "\\") else { return false }
      position += 1
    }
    guard position < bytes.count else { return false }
    position += 1
    return position == bytes.count || bytes[position].isBlankOrNewline
  }

  /// The statement that it is.
  ///
  /// - Parameter line: its number.
  func statement(onLine line: Int) -> Statement {
    var words: [Word] = []
    words.reserveCapacity(4)
    var position = verb.lowerBound
    var last = position
    bytes.withBytes { bytes in
      while true {
        while position < end, bytes[position].isBlank { position += 1 }
        guard position < end else { break }
        words.append(word(bytes, &position))
        last = position
      }
    }
    return Statement(text: bytes.text(start..<last), line: line, words: words)
  }

  private func word(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Word {
    let first = position
    let isFlag = bytes.areDashes(at: position)
    var name = isFlag ? first + 2 : first
    let nameStart = name
    while name < end, isFlag ? bytes[name] != UInt8(ascii: "=") && !bytes[name].isBlank : bytes[name].isNameByte {
      name += 1
    }
    position = name
    let isNamed =
      name < end && bytes[name] == UInt8(ascii: "=") && name > nameStart && (isFlag || !bytes[first].isDigit)
    if isNamed { position += 1 }
    let value: Literal?
    let valueStart = position
    if isNamed || name == first, position < end, bytes[position] == UInt8(ascii: "\"") {
      position += 1
      while bytes[position] != UInt8(ascii: "\"") { position += 1 }
      value = .text(self.bytes.text((valueStart + 1)..<position))
      position += 1
    } else {
      while position < end, !bytes[position].isBlank { position += 1 }
      value = isNamed ? .bare(self.bytes.text(valueStart..<position)) : nil
    }
    let text = self.bytes.text(first..<position)
    let kind: Word.Kind =
      if isFlag {
        .flag(name: self.bytes.text(nameStart..<name), value)
      } else if isNamed, let value {
        .named(name: self.bytes.text(first..<name), value)
      } else {
        .value(value ?? .bare(text))
      }
    return Word(text: text, line: 0, column: first - start + 1, width: position - first, kind: kind)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if two dashes stand there.
  fileprivate func areDashes(at position: Int) -> Bool {
    position + 1 < count && self[position] == UInt8(ascii: "-") && self[position + 1] == UInt8(ascii: "-")
  }
}

/// The bytes that mean themselves wherever they stand in a word: a bit for each that is ASCII.
private struct PlainBytes {
  static let all = PlainBytes("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789()*+-./:!%&=?@^_~")

  private var (low, high): (UInt64, UInt64) = (0, 0)

  private init(_ text: String) {
    for byte in text.utf8 {
      if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
    }
  }

  /// Passes over such bytes; false where something else than a blank or a line end follows.
  func pass(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Bool {
    var next = position
    while next < bytes.count, contains(bytes[next]) { next += 1 }
    position = next
    return next == bytes.count || bytes[next].isBlankOrNewline
  }

  private func contains(_ byte: UInt8) -> Bool {
    byte < 0x80 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
  }
}
