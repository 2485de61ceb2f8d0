/// What JSON is appended to.
@usableFromInline
package protocol JSONSink: ByteSink, ~Copyable {
  /// Appends the compact JSON of a value.
  mutating func append(json value: Value)
  /// Appends a text in quotes.
  mutating func append(quoted text: String)
  /// Appends a path as users write it, as the inside of a JSON text.
  mutating func append(inJSON path: Path)
}

extension [UInt8]: JSONSink {
  @usableFromInline
  package mutating func append(json value: Value) { JSON.append(value, to: &self) }

  @usableFromInline
  package mutating func append(quoted text: String) { JSON.append(quoted: text, to: &self) }

  @usableFromInline
  package mutating func append(inJSON path: Path) {
    let start = count
    path.append(to: &self)
    escape(from: start)
  }

  /// Escapes what stands from a position on. Names and numbers have nothing to escape.
  fileprivate mutating func escape(from start: Int) {
    guard !self[start...].withUnsafeBufferPointer(ScalarText.isPlainASCII) else { return }
    let text = String(decoding: self[start...], as: UTF8.self)
    removeSubrange(start...)
    ScalarText.appendEscaped(text, to: &self)
  }
}

extension TextBuffer: JSONSink {
  @usableFromInline
  package mutating func append(inJSON path: Path) {
    let start = count
    path.write(to: &self)
    if !isPlainASCII(from: start) { bytes.escape(from: start) }
  }
}

extension Schema {
  /// Appends the compact JSON of the value of the type at an address: of a long list no second one is made.
  package func appendJSON(of place: UnsafeRawPointer, to out: inout [UInt8]) {
    var text = TextBuffer()
    swap(&out, &text.bytes)
    writeJSON(of: place, to: &text)
    swap(&out, &text.bytes)
  }

  private func writeJSON(of place: UnsafeRawPointer, to out: inout TextBuffer) {
    switch (access.parts, kind) {
    case (.list(let access), .list(let element)):
      out.append(UInt8(ascii: "["))
      for index in 0..<access.count(place) {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        element.writeJSON(of: access.address(place, index), to: &out)
      }
      out.append(UInt8(ascii: "]"))
    case (.record(.flat(let fields)), .record(let record)) where !record.fields.isEmpty:
      for index in fields.indices {
        out.append(text: record.layout.keys[index])
        if case .int = fields[index].memory {
          out.append((place + fields[index].offset).load(as: Int.self))
        } else {
          fields[index].schema.writeJSON(of: place + fields[index].offset, to: &out)
        }
      }
      out.append(UInt8(ascii: "}"))
    default: out.append(json: access.read(place))
    }
  }
}
