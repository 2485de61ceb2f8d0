/// Bytes as text of 64 characters, as RFC 4648 has it.
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")
  /// The value of each character; 255: it is none of the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// The text of some bytes.
  package static func text(of bytes: [UInt8]) -> String {
    let alphabet = alphabet
    return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { out in
      var end = 0
      var index = 0
      while index < bytes.count {
        let left = min(bytes.count - index, 3)
        var group = Int(bytes[index]) << 16
        if left > 1 { group |= Int(bytes[index + 1]) << 8 }
        if left > 2 { group |= Int(bytes[index + 2]) }
        out[end] = alphabet[group >> 18]
        out[end + 1] = alphabet[group >> 12 & 63]
        out[end + 2] = left > 1 ? alphabet[group >> 6 & 63] : padding
        out[end + 3] = left > 2 ? alphabet[group & 63] : padding
        end += 4
        index += left
      }
      return end
    }
  }

  /// The bytes of a text; nil: it is no such text.
  package static func bytes(of text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { characters in
      guard characters.count.isMultiple(of: 4) else { return nil }
      let padded = characters.suffix(2).reversed().prefix { $0 == padding }.count
      let (values, digits) = (values, characters.count - padded)
      var isValid = true
      let bytes = [UInt8](unsafeUninitializedCapacity: characters.count / 4 * 3) { out, count in
        var group = 0
        for index in 0..<digits {
          let value = values[Int(characters[index])]
          if value > 63 { isValid = false }
          group = (group << 6 | Int(value)) & 0xFF_FFFF
          if index & 3 > 0 {
            // Each character but the first of four ends a byte.
            let shift = 6 - 2 * (index & 3)
            out[count] = UInt8(truncatingIfNeeded: group >> shift)
            count += 1
          }
        }
      }
      return isValid ? bytes : nil
    }
  }
}
