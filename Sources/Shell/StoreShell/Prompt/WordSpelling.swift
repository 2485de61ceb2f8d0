import StoreSchema

/// The spelling of the word at the cursor, bare or in quotes, and the rule for the text that takes its place.
struct WordSpelling {
  /// The meaning of the word so far.
  let typed: String
  /// True if nothing can be added: its quotes are closed.
  let isClosed: Bool
  /// The quote that it begins with.
  private let quote: Character?

  /// Reads a word that may lack its end.
  init(_ word: String) {
    guard let first = word.first, first == "\"" || first == "'" else {
      (typed, isClosed, quote) = (word, false, nil)
      return
    }
    var text = ""
    var isClosed = false
    var isEscaped = false
    for character in word.dropFirst() {
      if isEscaped {
        isEscaped = false
        text.append(character == "n" ? "\n" : character == "t" ? "\t" : character)
      } else if character == "\\", first == "\"" {
        isEscaped = true
      } else if character == first {
        isClosed = true
      } else {
        text.append(character)
      }
    }
    (typed, self.isClosed, quote) = (text, isClosed, first)
  }

  /// True if it begins with a quote.
  var isQuoted: Bool { quote != nil }

  /// The candidates that begin as typed, spelled so that they are read as one word. Quotes are closed where a blank follows.
  func spell(_ candidates: [LineCompletion.Candidate]) -> [LineCompletion.Candidate] {
    // In quotes `~` is a name as any other.
    guard !isClosed, !(isQuoted && typed.hasPrefix("~/")) else { return [] }
    var fitting = candidates.filter { $0.text.hasPrefix(typed) }
    if quote == "'" { fitting.removeAll { $0.text.contains("'") } }
    // A word that begins as a flag or as a variable is meant as one.
    let isName = typed.first == "-" || typed.first == "$"
    // Candidates with nothing in common are listed alone: a quote would be all that is inserted.
    let isChoice = typed.isEmpty && fitting.contains { $0.text.first != fitting[0].text.first }
    let areBare = fitting.allSatisfy { $0.text.last == "=" || WordSpelling.isBare($0.text) }
    let needsQuotes = !isName && !isChoice && !areBare
    guard let quote = quote ?? (needsQuotes ? "\"" : nil) else { return fitting }
    return fitting.map { candidate in
      // Quotes take `~` as it stands.
      let text = isQuoted ? candidate.text : UserEnvironment.expanding(candidate.text)
      var spelled = candidate
      spelled.text = String(quote)
      if quote == "\"" {
        spelled.text = String(ActionText.literal(of: .string(text)).dropLast())
      } else {
        spelled.text += text
      }
      if candidate.suffix == " " { spelled.suffix = "\(quote) " }
      return spelled
    }
  }

  /// A text so that it is read as one word.
  static func spelled(_ text: String) -> String { isBare(text) ? text : ActionText.literal(of: .string(text)) }

  /// Returns true if a text is read back as it is without quotes.
  private static func isBare(_ text: String) -> Bool {
    guard let first = text.utf8.first, !"\"'{$#>|-".utf8.contains(first) else { return false }
    var depth = 0
    // The keys of a path stand in quotes, in which all means itself but a quote and a backslash.
    var isInKey = false
    var isEscaped = false
    for byte in text.utf8 {
      if isInKey, byte != 0x0A, byte != 0x0D {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInKey = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\"") where depth > 0: isInKey = true
      case UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "\""), UInt8(ascii: ">"), UInt8(ascii: "<"),
        UInt8(ascii: "|"),
        0x0A, 0x0D:
        return false
      case UInt8(ascii: " "), UInt8(ascii: "\t"): if depth <= 0 { return false }
      default: break
      }
    }
    return depth <= 0 && !isInKey && first != UInt8(ascii: "[") && ![";", "&&", "||"].contains(where: text.hasSuffix)
  }
}
