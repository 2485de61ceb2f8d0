import StoreSchema
import StoreShell

/// What is said of a line that is being typed.
extension Answer {
  /// Sets the text that may stand at the cursor.
  mutating func set(_ completion: LineCompletion) {
    set("from", completion.replaceFrom)
    if let note = completion.note { set("note", note) }
    if let rest = completion.rest {
      if let count = rest.count { set("more", count) }
      set("common", rest.common)
      set("advice", rest.advice)
    }
    set("candidates") {
      JSON.append(list: completion.candidates, to: &$0) { candidate in
        [
          "text": .text(candidate.text), "display": .text(candidate.display), "suffix": .text(candidate.suffix),
          "meaning": candidate.meaning.map { .text($0) },
        ]
      }
    }
  }

  /// Sets the look of a line.
  mutating func set(_ look: LineDecoration) {
    set("styles") {
      JSON.append(list: look.spans, to: &$0) { span in
        [
          "from": .number(span.bytes.lowerBound), "to": .number(span.bytes.upperBound),
          "style": .text(span.style.rawValue),
        ]
      }
    }
    if case .form(let form) = look.hint { set("form", form) }
  }
}
