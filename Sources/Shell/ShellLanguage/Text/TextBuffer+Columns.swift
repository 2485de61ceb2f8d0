import StoreSchema

extension TextBuffer {
  /// Appends text without quotes, control characters escaped; returns its columns.
  package mutating func appendBare(_ text: String) -> Int {
    var text = text
    let columns = text.withUTF8 { utf8 -> Int? in
      for byte in utf8 where byte < 0x20 || byte >= 0x7F { return nil }
      append(utf8)
      return utf8.count
    }
    if let columns { return columns }
    let shown = DisplayText.printable(text, keepsTabs: false)
    append(shown)
    return DisplayWidth.of(shown)
  }
}
