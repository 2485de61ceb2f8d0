/// The reason why a text is not JSON.
public struct JSONError: Error, Hashable, Sendable {
  /// The fault, in a sentence.
  public let message: String
  /// The offset of the fault in bytes from the start of the text.
  public let offset: Int
  /// True if the text is JSON for all that: it holds a value that fits no type.
  public let isOfValue: Bool

  /// Makes an error.
  public init(message: String, offset: Int, isOfValue: Bool = false) {
    self.message = message
    self.offset = offset
    self.isOfValue = isOfValue
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
