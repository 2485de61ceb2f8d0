extension JSON {
  /// The number at a place of a JSON document, digit for digit as it is written; nil: there is none.
  public static func numberText(at path: Path, of bytes: Span<UInt8>) -> String? {
    bytes.withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      return try? reader.numberText(at: path.steps[...])
    }
  }
}

extension JSONReader {
  /// Reads the value and gives the number at a place within it as it is written; nil: there is none.
  mutating func numberText(at steps: ArraySlice<Path.Step>) throws(JSONError) -> String? {
    skipSpace()
    var found: String?
    switch (steps.first, peek) {
    case (nil, let byte?) where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
      return try numberText()
    case (.field(let name), UInt8(ascii: "{")), (.key(.string(let name)), UInt8(ascii: "{")):
      try members { (reader, member, _) throws(JSONError) in
        if member == name {
          found = try reader.numberText(at: steps.dropFirst())
        } else {
          _ = try reader.value()
        }
      }
    case (.index(let index), UInt8(ascii: "[")):
      var number = 0
      try elements { (reader) throws(JSONError) in
        number += 1
        if number == index {
          found = try reader.numberText(at: steps.dropFirst())
        } else {
          _ = try reader.value()
        }
      }
    default: _ = try value()
    }
    return found
  }
}
