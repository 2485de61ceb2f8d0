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
    set("candidates") { out in
      out.append(UInt8(ascii: "["))
      for (index, candidate) in completion.candidates.enumerated() {
        JSON.append(index == 0 ? "{\"text\":" : ",{\"text\":" as StaticString, to: &out)
        JSON.append(quoted: candidate.text, to: &out)
        JSON.append(",\"display\":" as StaticString, to: &out)
        JSON.append(quoted: candidate.display, to: &out)
        JSON.append(",\"suffix\":" as StaticString, to: &out)
        JSON.append(quoted: candidate.suffix, to: &out)
        if let meaning = candidate.meaning {
          JSON.append(",\"meaning\":" as StaticString, to: &out)
          JSON.append(quoted: meaning, to: &out)
        }
        out.append(UInt8(ascii: "}"))
      }
      out.append(UInt8(ascii: "]"))
    }
  }

  /// Sets the look of a line.
  mutating func set(_ look: LineDecoration) {
    set("styles") { out in
      out.append(UInt8(ascii: "["))
      for (index, span) in look.spans.enumerated() {
        JSON.append(index == 0 ? "{\"from\":" : ",{\"from\":" as StaticString, to: &out)
        JSON.append(span.bytes.lowerBound, to: &out)
        JSON.append(",\"to\":" as StaticString, to: &out)
        JSON.append(span.bytes.upperBound, to: &out)
        JSON.append(",\"style\":" as StaticString, to: &out)
        JSON.append(quoted: span.style.rawValue, to: &out)
        out.append(UInt8(ascii: "}"))
      }
      out.append(UInt8(ascii: "]"))
    }
    if case .form(let form) = look.hint { set("form", form) }
  }
}
