extension Schema {
  /// Appends the compact JSON of the value of the type at an address: of a long list no second one is made.
  package func appendJSON(of place: UnsafeRawPointer, to out: inout [UInt8]) {
    switch (access.parts, kind) {
    case (.list(let access), .list(let element)):
      out.append(UInt8(ascii: "["))
      for index in 0..<access.count(place) {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        element.appendJSON(of: access.address(place, index), to: &out)
      }
      out.append(UInt8(ascii: "]"))
    case (.record(.flat(let fields)), .record(let record)) where !record.fields.isEmpty:
      for index in fields.indices {
        out.append(contentsOf: record.layout.keys[index])
        fields[index].schema.appendJSON(of: place + fields[index].offset, to: &out)
      }
      out.append(UInt8(ascii: "}"))
    default: JSON.append(access.read(place), to: &out)
    }
  }
}
