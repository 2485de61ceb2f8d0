@usableFromInline
package protocol JSONSink: ByteSink, ~Copyable {
  mutating func append(json value: Value)
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
  /// Appends the text of a change at such a place up to the first key or, where there is none, up to the first value.
  @inline(__always)
  fileprivate func appendStart(_ form: PlainEdit.Form, to out: inout TextBuffer) {
    if text(form.rawValue).isEmpty { makeStart(form) }
    out.append(text(form.rawValue))
  }

  @inline(never)
  private func makeStart(_ form: PlainEdit.Form) {
    var text: [UInt8] = []
    text.append(form.start)
    text.append(inJSON: Path(Array(steps[..<firstKey])))
    if keys == 0 { text.append(form.end) }
    setText(form.rawValue, text)
  }

  /// Appends what stands between the last key and the first value.
  @inline(__always)
  fileprivate func appendEnd(_ form: PlainEdit.Form, to out: inout TextBuffer) {
    let index = PlainEdit.Form.count + form.rawValue
    if text(index).isEmpty { makeEnd(form) }
    out.append(text(index))
  }

  @inline(never)
  private func makeEnd(_ form: PlainEdit.Form) {
    var text: [UInt8] = []
    for step in steps[endOfKeys...] { step.append(to: &text, isFirst: false) }
    text.escape(from: 0)
    text.append(form.end)
    setText(PlainEdit.Form.count + form.rawValue, text)
  }

  /// Appends the step that a key is at a position.
  ///
  /// - Returns: false if it may hold what has to be escaped.
  fileprivate func append(_ key: PlainEdit.Key, at position: Int, to out: inout TextBuffer) -> Bool {
    switch (steps[position], key) {
    case (.all, .text(let text)):
      if Path.Step.write(name: text.bindMemory(to: UInt8.self), isFirst: position == 0, to: &out) { return true }
    case (.match, .int(let number)):
      out.append(ElementIdentity.start)
      out.append(number)
      out.append(UInt8(ascii: "]"))
      return true
    default: break
    }
    PlainEdit.step(like: steps[position], key).write(to: &out, isFirst: position == 0)
    return false
  }
}

extension PlainEdit {
  /// The ways in which changes are written.
  fileprivate enum Form: Int {
    case replace, add, remove, move

    static var count: Int { 4 }

    init(_ kind: Kind) {
      switch kind {
      case .replaced, .integer, .truth: self = .replace
      case .added: self = .add
      case .removed: self = .remove
      case .moved: self = .move
      }
    }

    /// What stands before the path.
    var start: StaticString {
      switch self {
      case .replace: "{\"op\":\"replace\",\"path\":\""
      case .add: "{\"op\":\"add\",\"path\":\""
      case .remove: "{\"op\":\"remove\",\"path\":\""
      case .move: "{\"op\":\"move\",\"path\":\""
      }
    }

    /// What stands between the path and the first value.
    var end: StaticString {
      switch self {
      case .replace, .remove: "\",\"from\":"
      case .add, .move: "\",\"to\":"
      }
    }
  }

  /// Appends a change as an element of the JSON array that tells of an action.
  package func write(_ change: Item, to out: inout TextBuffer) {
    let form = Form(change.kind)
    change.shape._withUnsafeGuaranteedRef { shape in
      shape.appendStart(form, to: &out)
      if shape.keys != 0 { writeKeys(of: change, shape, form, to: &out) }
    }
    switch change.kind {
    case .integer:
      out.append(change.from)
      out.append(",\"to\":" as StaticString)
      out.append(change.to)
    case .truth:
      out.append(change.from == 1)
      out.append(",\"to\":" as StaticString)
      out.append(change.to == 1)
    case .replaced:
      write(change.from, of: change, to: &out)
      out.append(",\"to\":" as StaticString)
      write(change.to, of: change, to: &out)
    case .added: write(change.to, of: change, to: &out)
    case .removed: write(change.from, of: change, to: &out)
    case .moved: out.append(change.to)
    }
    if change.position >= 0 {
      out.append(",\"positions\":[" as StaticString)
      out.append(change.position)
      out.append(UInt8(ascii: "]"))
    }
    if change.isInPlace { out.append(",\"inPlace\":true" as StaticString) }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends the path from the first key on, and what stands before the first value.
  private func writeKeys(of change: Item, _ shape: PlaceShape, _ form: Form, to out: inout TextBuffer) {
    if shape.namesOneElement, let number = onlyNumber(of: change) {
      out.append(ElementIdentity.start)
      out.append(number)
      out.append(UInt8(ascii: "]"))
      return shape.appendEnd(form, to: &out)
    }
    let start = out.count
    var (next, isPlain) = (shape.firstKey, true)
    visitKeys(of: change) { step, key in
      while next < step {
        shape.steps[next].write(to: &out, isFirst: false)
        (next, isPlain) = (next + 1, false)
      }
      isPlain = shape.append(key, at: step, to: &out) && isPlain
      next = step + 1
    }
    if !isPlain, !out.isPlainASCII(from: start) { out.bytes.escape(from: start) }
    shape.appendEnd(form, to: &out)
  }

  /// Appends the compact JSON of a value that a change was made from or to.
  private func write(_ place: Int, of change: Item, to out: inout TextBuffer) {
    guard let schema = change.schema else { return out.append(json: heldValue(place)) }
    guard let address = UnsafeRawPointer(bitPattern: place) else { return }
    schema._withUnsafeGuaranteedRef { $0.writeJSON(of: address, to: &out) }
  }
}

extension Schema {
  /// Appends the compact JSON of the value of the type at an address: of a long list no second one is made.
  package func appendJSON(of place: UnsafeRawPointer, to out: inout [UInt8]) {
    var text = TextBuffer(capacity: 1 << 16)
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
      out.append(layout.keys[index])
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
