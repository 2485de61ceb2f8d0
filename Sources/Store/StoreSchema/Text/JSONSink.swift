@usableFromInline
package protocol JSONSink: ByteSink, ~Copyable {
  mutating func append(json value: Value)
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

extension PlaceShape {
  /// Appends the text of the steps up to the first key, as the inside of a JSON text.
  fileprivate func appendText(to out: inout TextBuffer) {
    if written.isEmpty { written.append(inJSON: Path(Array(steps[..<firstKey]))) }
    written.withUnsafeBufferPointer { out.append($0) }
  }
}

extension PlainEdit {
  /// Appends the path of a change as users write it, as the inside of a JSON text.
  package func write(pathOf change: Item, to out: inout TextBuffer) {
    change.shape._withUnsafeGuaranteedRef { shape in
      shape.appendText(to: &out)
      if shape.keys == 0 { return }
      let start = out.count
      var next = shape.firstKey
      visitKeys(of: change) { step, key in
        while next < step {
          shape.steps[next].write(to: &out, isFirst: next == 0)
          next += 1
        }
        Self.step(like: shape.steps[step], key).write(to: &out, isFirst: step == 0)
        next = step + 1
      }
      while next < shape.steps.count {
        shape.steps[next].write(to: &out, isFirst: next == 0)
        next += 1
      }
      if out.count > start, !out.isPlainASCII(from: start) { out.bytes.escape(from: start) }
    }
  }

  /// Appends the compact JSON of a value that a change was made from or to.
  package func write(_ place: Int, of change: Item, to out: inout TextBuffer) {
    guard let schema = change.schema else { return out.append(json: heldValue(place)) }
    guard let address = UnsafeRawPointer(bitPattern: place) else { return }
    schema._withUnsafeGuaranteedRef { $0.writeJSON(of: address, to: &out) }
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

  fileprivate func writeJSON(of place: UnsafeRawPointer, to out: inout TextBuffer) {
    if let (elements, element) = list {
      elements._withUnsafeGuaranteedRef { elements in
        out.append(UInt8(ascii: "["))
        for index in 0..<elements.count(place) {
          if index > 0 { out.append(UInt8(ascii: ",")) }
          element._withUnsafeGuaranteedRef { $0.writeJSON(of: elements.address(place, index), to: &out) }
        }
        out.append(UInt8(ascii: "]"))
      }
    } else if let flat, !flat._withUnsafeGuaranteedRef({ $0.indices.isEmpty }) {
      flat._withUnsafeGuaranteedRef { $0.writeJSON(of: place, to: &out) }
    } else {
      out.append(json: access.read(place))
    }
  }
}

extension FlatFields {
  fileprivate func writeJSON(of place: UnsafeRawPointer, to out: inout TextBuffer) {
    for index in indices {
      out.append(text: layout.keys[index])
      let place = place + self[index].offset
      switch self[index].memory {
      case .int: out.append(place.load(as: Int.self))
      case .bool: out.append(place.load(as: Bool.self))
      case .string: out.append(quoted: place.assumingMemoryBound(to: String.self).pointee)
      case .double, .value, .other: self[index].schema.writeJSON(of: place, to: &out)
      }
    }
    out.append(UInt8(ascii: "}"))
  }
}
