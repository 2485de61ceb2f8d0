extension Schema {
  /// Reads a value of the type straight from JSON: what ``value(fromJSON:)`` makes of it, without the maps and lists in
  /// between.
  ///
  /// - Parameter reader: in front of the value, behind it thereafter.
  /// - Returns: nil: it takes a closer look, by ``JSONReader/value()`` and ``value(fromJSON:)`` from where the reader stood
  ///   before, to tell what is wrong or that all is right.
  public func value(readFrom reader: inout JSONReader) -> Value? {
    do throws(JSONError) {
      return try typed(&reader)
    } catch {
      return nil
    }
  }

  /// Reads a whole text into memory that holds a value of the type, a part at a time: of a long list no second one is made.
  ///
  /// - Returns: false: it takes a closer look, as by ``value(readFrom:)``; the value may then be partly changed.
  package func assign(json bytes: UnsafeBufferPointer<UInt8>, to target: UnsafeMutableRawPointer) -> Bool {
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      try fill(target, &reader)
      try reader.end()
      return true
    } catch {
      return false
    }
  }

  private func fill(_ target: UnsafeMutableRawPointer, _ reader: inout JSONReader) throws(JSONError) {
    func put(_ body: () throws(SchemaError) -> Void) throws(JSONError) {
      do throws(SchemaError) { try body() } catch { throw Schema.misfit }
    }
    switch (access.parts, kind) {
    case (.list(let access), .list(let element)):
      try put { () throws(SchemaError) in try self.access.assign(.list([]), target) }
      var count = 0
      try reader.elements { (reader) throws(JSONError) in
        let value = try element.typed(&reader)
        try put { () throws(SchemaError) in try access.insert(target, count, value) }
        count += 1
      }
    case (.record(.flat(let fields)), .record):
      var index = 0
      try reader.members { (reader, name, _) throws(JSONError) in
        guard index < fields.indices.count, fields[index].name == name else { throw Schema.misfit }
        try fields[index].schema.fill(target + fields[index].offset, &reader)
        index += 1
      }
      guard index == fields.indices.count else { throw Schema.misfit }
    case _ where normalize != nil && isScalar && !isDynamic:
      // The Swift type sees for itself whether it can read that.
      let json = readingNonFinite(try reader.value())
      try put { () throws(SchemaError) in try access.assign(json, target) }
    default:
      let value = try typed(&reader)
      try put { () throws(SchemaError) in try access.assign(value, target) }
    }
  }

  private static let misfit = JSONError(message: "", offset: 0)

  private func typed(_ reader: inout JSONReader) throws(JSONError) -> Value {
    switch kind {
    case _ where normalize != nil: return try checked(&reader)
    case .optional(let wrapped):
      if reader.isAtNull() { return try reader.value() }
      return try wrapped.typed(&reader)
    case .list(let element):
      var list = PersistentList<Value>()
      try reader.elements { (reader) throws(JSONError) in list.append(try element.typed(&reader)) }
      return .list(list)
    case .map(.string, let element):
      var map = PersistentMap<MapKey, Value>()
      try reader.members { (reader, name, _) throws(JSONError) in
        let key = MapKey.string(name)
        let value = try element.typed(&reader)
        guard map[key] == nil else { throw Schema.misfit }
        map[key] = value
      }
      return .map(map)
    case .record(let record): return .record(try Schema.typed(record, &reader))
    default: return try checked(&reader)
    }
  }

  private func checked(_ reader: inout JSONReader) throws(JSONError) -> Value {
    let json = try reader.value()
    do throws(SchemaError) {
      return try value(fromJSON: json)
    } catch {
      throw Schema.misfit
    }
  }

  /// A record whose fields all stand there, in declared order, as ``JSON`` writes them.
  private static func typed(_ record: RecordSchema, _ reader: inout JSONReader) throws(JSONError) -> Record {
    let fields = record.fields
    var values: [Value] = []
    values.reserveCapacity(fields.count)
    try reader.members { (reader, name, _) throws(JSONError) in
      guard values.count < fields.count, fields[values.count].name == name else { throw misfit }
      values.append(try fields[values.count].schema.typed(&reader))
    }
    guard values.count == fields.count else { throw misfit }
    return Record(record.layout, values)
  }
}
