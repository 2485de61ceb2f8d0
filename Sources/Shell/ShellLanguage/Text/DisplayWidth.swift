import StoreSchema

/// The number of columns that text takes in a terminal.
///
/// Source: Unicode Standard Annex #11, East Asian Width: the classes W and F take two columns, the ambiguous class one.
/// The standard library adds what it knows of marks and emoji.
public enum DisplayWidth {
  /// The columns of a text of one line.
  public static func of(_ text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return text.reduce(0) { $0 + width(of: $1) }
  }

  /// The columns of one character: an emoji of many scalars takes two, an accented letter one.
  private static func width(of character: Character) -> Int {
    var total = 0
    var regionalIndicators = 0
    for scalar in character.unicodeScalars {
      // Emoji style, a joiner or a skin tone make one picture of all that is in the character.
      if scalar == "\u{FE0F}" { return 2 }
      if total > 0, scalar == "\u{200D}" { return max(total, 2) }
      if total == 2, scalar.properties.isEmojiModifier { return 2 }
      if scalar.value >= 0x1F1E6, scalar.value <= 0x1F1FF { regionalIndicators += 1 }
      total += width(of: scalar)
    }
    return regionalIndicators == 2 ? 2 : total
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x20 || (value >= 0x7F && value < 0xA0) { return 0 }
    if value < 0x300 { return 1 }
    // The vowels and finals of Hangul join the syllable before them.
    if (value >= 0x1160 && value <= 0x11FF) || (value >= 0xD7B0 && value <= 0xD7FF) { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if value < 0x1100 { return 1 }
    if value < 0x1F1E6 || value > 0x1F1FF, scalar.properties.isEmojiPresentation { return 2 }
    return isWide(value) ? 2 : 1
  }

  private static func isWide(_ value: UInt32) -> Bool {
    var low = 0
    var high = wide.count
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(value)
  }

  /// The classes W and F without emoji, in ascending order; unassigned scalars between are counted in.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0x3247,
    0x3250...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D37F, 0x1F200...0x1F2FF,
    0x20000...0x3FFFD,
  ]
}

/// Text made fit to be shown on one line.
package enum DisplayText {
  /// The text with control characters as escapes, so that none reaches the terminal; tabs stay where nothing else is said.
  /// Controls of the direction of writing are escaped too: what stands beside them would seem to be another text.
  package static func printable(_ text: some StringProtocol, keepsTabs: Bool = true) -> String {
    func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
      ScalarText.isControl(scalar) ? !(keepsTabs && scalar == "\t") : ScalarText.isOfDirection(scalar)
    }
    guard text.unicodeScalars.contains(where: isEscaped) else { return String(text) }
    var out = ""
    for scalar in text.unicodeScalars {
      if isEscaped(scalar) {
        ScalarText.appendEscape(scalar, to: &out)
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// A text of the shell's own, as the locale can show it.
  package static func shown(_ text: String, isUTF8: Bool) -> String {
    isUTF8 ? text : text.replacing("…", with: "...")
  }
}

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
