/// JSON text out of values and values out of JSON text (RFC 8259).
public enum JSON {
  /// The compact JSON of a value: keys in schema order, a nil optional as `null`, numbers that read back the same.
  /// Numbers that JSON cannot write stand as the texts `"inf"`, `"-inf"` and `"nan"`. So ``Schema/value(fromJSON:)``
  /// reads back every value of a type.
  ///
  /// - Parameter marksDecimals: true if decimals are written as ``append(_:to:marksDecimals:)-(Value,_,_)`` says.
  public static func text(of value: Value, marksDecimals: Bool = false) -> String {
    var out: [UInt8] = []
    append(value, to: &out, marksDecimals: marksDecimals)
    return String(decoding: out, as: UTF8.self)
  }
}

extension JSON {
  /// The content of a member: a value, or JSON that is written already.
  package enum Content {
    case value(Value)
    case json(String)

    package static func flag(_ flag: Bool) -> Content { .value(.bool(flag)) }
    package static func number(_ number: Int) -> Content { .value(.int(number)) }
    package static func text(_ text: String) -> Content { .value(.string(text)) }
    package static func texts(_ texts: [String]) -> Content { .value(.texts(texts)) }
  }

  /// The text of an object. Members that are nil are left out.
  package static func object(_ members: KeyValuePairs<StaticString, Content?>) -> String {
    var out: [UInt8] = []
    append(members, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends an object. Members that are nil are left out.
  package static func append(_ members: KeyValuePairs<StaticString, Content?>, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "{"))
    let start = out.count
    for (name, content) in members {
      guard let content else { continue }
      append(out.count == start ? "\"" : ",\"" as StaticString, to: &out)
      append(name, to: &out)
      append("\":" as StaticString, to: &out)
      switch content {
      case .value(let value): append(value, to: &out)
      case .json(let json): append(bare: json, to: &out)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  package static func append<Element>(
    list elements: some Sequence<Element>, to out: inout [UInt8],
    _ members: (Element) -> KeyValuePairs<StaticString, Content?>
  ) {
    out.append(UInt8(ascii: "["))
    var isFirst = true
    for element in elements {
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      append(members(element), to: &out)
    }
    out.append(UInt8(ascii: "]"))
  }
}

extension JSON {
  /// Appends the compact JSON of a value as UTF-8: what ``text(of:marksDecimals:)`` writes.
  ///
  /// - Parameter marksDecimals: true if a decimal is written as no float is, `150E-002` for 1.50: so it is read back as one also
  ///   where nobody declares its type.
  public static func append(_ value: Value, to out: inout [UInt8], marksDecimals: Bool = false) {
    write(value, to: &out, marksDecimals)
  }

  static func write(_ value: Value, to out: inout some ByteSink & ~Copyable, _ marksDecimals: Bool) {
    switch value {
    case .none: out.append("null" as StaticString)
    case .bool(let value): out.append(value ? "true" : "false" as StaticString)
    case .int(let number): out.append(json: number)
    case .double(let number):
      if number.isFinite {
        append(bare: ScalarText.text(of: number), to: &out.bytes)
      } else {
        append(quoted: ScalarText.text(of: number), to: &out.bytes)
      }
    case .decimal(let number): append(bare: marksDecimals ? number.marked : number.description, to: &out.bytes)
    case .string(let text): out.append(quoted: text)
    case .list(let list):
      out.append(UInt8(ascii: "["))
      var isFirst = true
      for element in list {
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
        write(element, to: &out, marksDecimals)
      }
      out.append(UInt8(ascii: "]"))
    case .map(let map):
      out.append(UInt8(ascii: "{"))
      var isFirst = true
      for (key, element) in map {
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
        switch key {
        case .int(let key):
          out.append(UInt8(ascii: "\""))
          out.append(json: key)
          out.append(UInt8(ascii: "\""))
        case .string(let key): out.append(quoted: key)
        }
        out.append(UInt8(ascii: ":"))
        write(element, to: &out, marksDecimals)
      }
      out.append(UInt8(ascii: "}"))
    case .record(let record): write(record, to: &out, marksDecimals)
    case .variant(let variant):
      out.append(UInt8(ascii: "{"))
      write(quoted: variant.name, to: &out)
      out.append(UInt8(ascii: ":"))
      write(variant.payload, to: &out, marksDecimals)
      out.append(UInt8(ascii: "}"))
    }
  }

  /// Appends the compact JSON of a record as UTF-8; decimals as in ``append(_:to:marksDecimals:)-(Value,_,_)``.
  public static func append(_ record: Record, to out: inout [UInt8], marksDecimals: Bool = false) {
    write(record, to: &out, marksDecimals)
  }

  static func write(_ record: Record, to out: inout some ByteSink & ~Copyable, _ marksDecimals: Bool) {
    write(record.layout, record.values, to: &out, marksDecimals)
  }

  /// Appends the record that has a layout and values.
  static func write(
    _ layout: RecordLayout, _ values: [Value], to out: inout some ByteSink & ~Copyable, _ marksDecimals: Bool
  ) {
    if values.isEmpty { out.append(UInt8(ascii: "{")) }
    for index in values.indices {
      out.append(layout.keys[index])
      switch values[index] {
      case .int(let number): out.append(json: number)
      case .string(let text): out.append(quoted: text)
      case let value: write(value, to: &out, marksDecimals)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends a text in quotes, escaped, as UTF-8.
  public static func append(quoted text: String, to out: inout [UInt8]) { write(quoted: text, to: &out) }

  static func write(quoted text: String, to out: inout some ByteSink & ~Copyable) {
    out.append(UInt8(ascii: "\""))
    ScalarText.writeEscaped(text, to: &out)
    out.append(UInt8(ascii: "\""))
  }

  /// Appends an integer.
  public static func append(_ number: Int, to out: inout [UInt8]) { out.append(json: number) }

  /// Appends text as it is.
  public static func append(bare text: String, to out: inout [UInt8]) {
    out.append(contentsOf: text.utf8)
  }

  /// Appends text as it is.
  public static func append(_ text: StaticString, to out: inout [UInt8]) {
    out.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// The reason why a text is not JSON.
public struct JSONError: Error, Hashable, Sendable {
  /// The fault, in a sentence.
  public let message: String
  /// The offset of the fault in bytes from the start of the text.
  public let offset: Int
  /// True if the text is JSON for all that: it holds a number or an object that fits no type.
  public let isOfValue: Bool

  /// Makes an error.
  public init(message: String, offset: Int, isOfValue: Bool = false) {
    self.message = message
    self.offset = offset
    self.isOfValue = isOfValue
  }

  /// The error of an object that has a key twice.
  package init(twice key: String, offset: Int) {
    self.init(message: "the key \"\(key)\" appears twice", offset: offset, isOfValue: true)
  }
}

extension JSON {
  /// Reads one JSON value; objects become maps with text keys.
  ///
  /// - Throws: ``JSONError`` with the byte offset of the fault; invalid UTF-8, a key that stands twice and nesting deeper
  ///   than 512 are faults too.
  public static func value(of text: some Sequence<UInt8>) throws(JSONError) -> Value {
    let bytes = Array(text)
    return try value(of: bytes.span)
  }

  /// Reads one JSON value.
  public static func value(of text: String) throws(JSONError) -> Value { try value(of: text.utf8) }

  /// Reads one JSON value from bytes.
  public static func value(of bytes: Span<UInt8>) throws(JSONError) -> Value {
    try reading(bytes) { (reader) throws(JSONError) in
      let value = try reader.value()
      try reader.end()
      return value
    }
  }

  /// Reads one JSON object field by field, in the order in which they stand, without building a map.
  public static func fields(of bytes: Span<UInt8>) throws(JSONError) -> [(name: String, value: Value)] {
    try reading(bytes) { (reader) throws(JSONError) in try reader.objectDocument() }
  }

  /// Reads bytes; where they are of another encoding, the error names that.
  private static func reading<Result>(
    _ bytes: Span<UInt8>, _ body: (inout JSONReader) throws(JSONError) -> Result
  ) throws(JSONError) -> Result {
    try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      var reader = JSONReader(bytes)
      do throws(JSONError) {
        return try body(&reader)
      } catch {
        guard error.offset < 4, let fault = ForeignEncoding.fault(of: bytes) else { throw error }
        throw JSONError(message: fault, offset: 0)
      }
    }
  }
}
