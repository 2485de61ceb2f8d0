extension JSON {
  /// Appends the compact JSON of a value as UTF-8: what ``text(of:)`` writes.
  public static func append(_ value: Value, to out: inout [UInt8]) {
    switch value {
    case .none: append("null" as StaticString, to: &out)
    case .bool(let value): append(value ? "true" : "false" as StaticString, to: &out)
    case .int(let number): append(number, to: &out)
    case .double(let number):
      if number.isFinite {
        append(bare: ScalarText.text(of: number), to: &out)
      } else {
        append(quoted: ScalarText.text(of: number), to: &out)
      }
    case .decimal(let number): append(bare: number.description, to: &out)
    case .string(let text): append(quoted: text, to: &out)
    case .list(let list):
      out.append(UInt8(ascii: "["))
      var isFirst = true
      for element in list {
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
        append(element, to: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .map(let map):
      out.append(UInt8(ascii: "{"))
      var isFirst = true
      for (key, element) in map {
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
        switch key {
        case .int(let key): append(quoted: "\(key)", to: &out)
        case .string(let key): append(quoted: key, to: &out)
        }
        out.append(UInt8(ascii: ":"))
        append(element, to: &out)
      }
      out.append(UInt8(ascii: "}"))
    case .record(let record): append(record, to: &out)
    case .variant(let variant):
      out.append(UInt8(ascii: "{"))
      append(quoted: variant.name, to: &out)
      out.append(UInt8(ascii: ":"))
      append(variant.payload, to: &out)
      out.append(UInt8(ascii: "}"))
    }
  }

  /// Appends the compact JSON of a record as UTF-8.
  public static func append(_ record: Record, to out: inout [UInt8]) {
    if record.values.isEmpty { out.append(UInt8(ascii: "{")) }
    for index in record.values.indices {
      out.append(contentsOf: record.layout.keys[index])
      append(record.values[index], to: &out)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends a text in quotes, escaped, as UTF-8.
  public static func append(quoted text: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    ScalarText.appendEscaped(text, to: &out)
    out.append(UInt8(ascii: "\""))
  }

  /// Appends an integer.
  public static func append(_ number: Int, to out: inout [UInt8]) {
    if number >= 0, number < 10 {
      out.append(UInt8(ascii: "0") + UInt8(number))
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number.magnitude
      var first = digits.count
      repeat {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(digit)
        rest = quotient
      } while rest > 0
      if number < 0 { out.append(UInt8(ascii: "-")) }
      out.append(contentsOf: digits[first...])
    }
  }

  /// Appends text as it is.
  public static func append(bare text: String, to out: inout [UInt8]) {
    out.append(contentsOf: text.utf8)
  }

  /// Appends text as it is.
  public static func append(_ text: StaticString, to out: inout [UInt8]) {
    out.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
