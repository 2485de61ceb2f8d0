extension Schema {
  /// Reads what stands at a path in a value of the type; converts nothing else.
  ///
  /// - Parameters:
  ///   - steps: the path from the value inwards.
  ///   - origin: the path that led to the value, for messages.
  /// - Throws: ``PathError`` where a step leads nowhere.
  public func read(_ steps: ArraySlice<Path.Step>, in source: UnsafeRawPointer, from origin: Path) throws(PathError)
    -> Reading
  {
    try read(steps, in: source, from: origin, after: nil)
  }

  /// Reads what stands at a path in a value of the type; converts what has changed alone.
  ///
  /// - Parameter kept: the last reading there; nil: there was none.
  /// - Throws: ``PathError`` where a step leads nowhere.
  package func read(
    _ steps: ArraySlice<Path.Step>, in source: UnsafeRawPointer, from origin: Path, after kept: KeptReading?
  ) throws(PathError) -> Reading {
    var reading: Reading?
    try reach(steps, in: source, from: origin) { schema, place in
      reading = kept?.read(schema, place) ?? Reading(value: schema.access.read(place), schema: schema)
    }
    return reading ?? Reading(value: .none, schema: .dynamic(.any))
  }

  /// The type of what stands at a path in a value of the type; converts nothing.
  ///
  /// - Parameters:
  ///   - steps: the path from the value inwards.
  ///   - origin: the path that led to the value, for messages.
  /// - Throws: ``PathError`` where a step leads nowhere.
  package func typeFound(
    at steps: ArraySlice<Path.Step>, in source: UnsafeRawPointer, from origin: Path
  ) throws(PathError) -> Schema {
    var found = self
    try reach(steps, in: source, from: origin) { schema, _ in found = schema }
    return found
  }

  /// Hands out what stands at a path, and its type.
  ///
  /// - Parameter origin: the path to where the steps begin.
  private func reach(
    _ steps: ArraySlice<Path.Step>, in source: UnsafeRawPointer, from origin: Path,
    _ body: (Schema, UnsafeRawPointer) -> Void
  ) throws(PathError) {
    try reach(steps, steps.startIndex, in: source, from: origin, body)
  }

  /// The same behind the steps before one: the path that they are is put together for an error alone.
  private func reach(
    _ steps: ArraySlice<Path.Step>, _ next: Int, in source: UnsafeRawPointer, from origin: Path,
    _ body: (Schema, UnsafeRawPointer) -> Void
  ) throws(PathError) {
    guard next < steps.endIndex else { return body(self, source) }
    var here: Path { Path(origin.steps + steps[..<next]) }
    var failure: PathError?
    func descend(_ schema: Schema, _ part: UnsafeRawPointer) {
      do throws(PathError) {
        try schema.reach(steps, next + 1, in: part, from: origin, body)
      } catch { failure = error }
    }
    switch (access.parts, kind, steps[next]) {
    case (.optional(let access), .optional(let wrapped), _):
      let isThere = access.read(source) { part in
        do throws(PathError) {
          try wrapped.reach(steps, next, in: part, from: origin, body)
        } catch { failure = error }
      }
      if !isThere { withUnsafePointer(to: Value.none) { body(.dynamic(.any), UnsafeRawPointer($0)) } }
    case (.record(let access), .record(let record), .field(let name)),
      (.record(let access), .record(let record), .key(.string(let name))):
      guard let index = record.index(of: name) else { throw unknown(name, among: record.layout.fields, here) }
      access.read(source, index) { descend(record.fields[index].schema, $0) }
    case (.list(let access), .list(let element), .index(let index)):
      let position = try position(of: index, count: access.count(source), here)
      access.read(source, position) { descend(element, $0) }
    case (.list(let access), .list(let element), .match(let field, let value)):
      let position = try self.position(of: field, value, element, access, source, here)
      access.read(source, position) { descend(element, $0) }
    case (.list(let access), .list(let element), .all):
      let all = try element.readAll(steps[(next + 1)...], from: here, count: access.count(source)) { index, body in
        access.read(source, index) { body($0, .index(index + 1)) }
      }
      withUnsafePointer(to: all.value) { body(all.schema, UnsafeRawPointer($0)) }
    case (.map(let access), .map(_, let element), .all):
      var keys = access.sortedKeys?(source) { _ in true } ?? []
      if access.sortedKeys == nil { while let key = access.nextKey(source, keys.last) { keys.append(key) } }
      let all = try element.readAll(steps[(next + 1)...], from: here, count: keys.count) { index, body in
        _ = access.read(source, keys[index]) { body($0, .key(keys[index])) }
      }
      withUnsafePointer(to: all.value) { body(all.schema, UnsafeRawPointer($0)) }
    case (.map(let access), .map(let keyKind, let element), let step):
      guard let key = step.mapKey(keyKind) else { throw wrongStep(step, here) }
      guard access.read(source, key, { descend(element, $0) }) else {
        throw PathError(message: "'\(here)' has no entry \(JSON.text(of: key.value))")
      }
    case (.none, .list, _), (.none, .map, _), (.none, .record, _):
      // A Swift type that shows its parts as a whole only, such as a set.
      try withUnsafePointer(to: access.read(source)) { (whole) throws(PathError) in
        try dynamic.reach(steps, next, in: UnsafeRawPointer(whole), from: origin, body)
      }
    case (_, .any, let step) where isDynamic:
      guard let shape = access.read(source).shape else { throw wrongStep(step, here) }
      try shape.reach(steps, next, in: source, from: origin, body)
    case (_, _, let step): throw wrongStep(step, here)
    }
    if let failure { throw failure }
  }

  /// Reads the rest of a path in each of a number of values of this type.
  private func readAll(
    _ steps: ArraySlice<Path.Step>, from origin: Path, count: Int,
    each: (Int, (UnsafeRawPointer, Path.Step) -> Void) -> Void
  ) throws(PathError) -> Reading {
    var values = PersistentList<Value>()
    var type: Schema?
    var failure: PathError?
    for index in 0..<count where failure == nil {
      each(index) { part, step in
        do throws(PathError) {
          let reading = try read(steps, in: part, from: origin.appending(step))
          values.append(reading.value)
          type = reading.schema
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    let found = if let type { type } else { try self.type(at: steps, from: origin.appending(.all)) }
    return Reading(value: .list(values), schema: .dynamic(.list(found.dynamic)))
  }

  /// The declared type of what stands at a path in values of this type, whichever items and entries they have.
  ///
  /// - Parameters:
  ///   - steps: the path from the value inwards.
  ///   - origin: the path that leads to the value, for messages.
  /// - Throws: ``PathError`` where no value of the type has anything there.
  public func type(at steps: ArraySlice<Path.Step>, from origin: Path) throws(PathError) -> Schema {
    guard let step = steps.first else { return self }
    let part: Schema
    switch (kind, step) {
    case (.any, _): return self
    case (.optional(let wrapped), _): return try wrapped.type(at: steps, from: origin)
    case (.record(let record), .field(let name)), (.record(let record), .key(.string(let name))):
      guard let index = record.index(of: name) else { throw unknown(name, among: record.layout.fields, origin) }
      part = record.fields[index].schema
    case (.list(let element), .all), (.map(_, let element), .all): part = element
    case (.list(let element), .index(let index)):
      if index == 0 { throw noItemZero(origin) }
      part = element
    case (.list(let element), .match(let field, _)):
      _ = try element.type(at: [.field(field)], from: origin)
      part = element
    case (.map(let keys, let element), _):
      if step.mapKey(keys) == nil { throw wrongStep(step, origin) }
      part = element
    default: throw wrongStep(step, origin)
    }
    return try part.type(at: steps.dropFirst(), from: origin.appending(step))
  }

  /// The declared type of what stands at a path in values of this type; nil where no value of the type has anything there.
  public func type(at steps: ArraySlice<Path.Step>) -> Schema? { try? type(at: steps, from: Path()) }

  private func position(of index: Int, count: Int, _ origin: @autoclosure () -> Path) throws(PathError) -> Int {
    if index == 0 { throw noItemZero(origin()) }
    let position = index > 0 ? index - 1 : count + index
    guard (0..<count).contains(position) else {
      throw PathError(
        message: "'\(origin().appending(.index(index)))': the list has \(count) \(count == 1 ? "item" : "items")")
    }
    return position
  }

  private func position(
    of field: String, _ wanted: Value, _ element: Schema, _ access: ListAccess, _ source: UnsafeRawPointer,
    _ origin: @autoclosure () -> Path
  ) throws(PathError) -> Int {
    let isAny = if case .any = element.kind { isDynamic || element.isDynamic } else { false }
    if isAny {
      if field == ElementIdentity.fieldName, let id = MapKey(wanted), let found = access.position(source, id) {
        return found
      }
      for position in 0..<access.count(source) {
        var found = false
        access.read(source, position) { found = element.access.read($0).part(named: field) == wanted }
        if found { return position }
      }
      throw PathError(message: "'\(origin())' has no item with \(field) = \(JSON.text(of: wanted))")
    }
    guard case .record(let record) = element.kind, case .record(let fields) = element.access.parts,
      let index = record.index(of: field)
    else {
      var names: [String] = []
      if case .record(let record) = element.kind { names = record.layout.fields }
      throw element.unknown(field, among: names, origin())
    }
    let schema = record.fields[index].schema
    let wanted = (try? schema.check(wanted)) ?? wanted.rounded
    if field == ElementIdentity.fieldName, element.hasID, let id = MapKey(wanted) {
      if let found = access.position(source, id) { return found }
      throw PathError(message: "'\(origin())' has no item with \(field) = \(JSON.text(of: wanted))")
    }
    for position in 0..<access.count(source) {
      var found = false
      access.read(source, position) { part in
        fields.read(part, index) { found = schema.access.read($0) == wanted }
      }
      if found { return position }
    }
    throw PathError(message: "'\(origin())' has no item with \(field) = \(JSON.text(of: wanted))")
  }

  private func noItemZero(_ origin: Path) -> PathError {
    PathError(
      message: "'\(origin.appending(.index(0)))': indices start at 1",
      hint: "did you mean '\(origin.appending(.index(1)))'?")
  }

  private func unknown(_ name: String, among names: [String], _ origin: Path) -> PathError {
    let suggestion = Suggestion.nearest(to: name, among: names)
    return PathError(
      message: "'\(origin)' has no field '\(name)'",
      hint: suggestion.map { "did you mean '\(origin.appending(.field($0)))'?" })
  }

  private func wrongStep(_ step: Path.Step, _ origin: Path) -> PathError {
    switch (kind, step) {
    case (.list, .field(let name)):
      PathError(
        message: "'\(origin)' is a list; it has no field '\(name)'",
        hint: "say which item: \(origin)[1].\(name), or all: \(origin)[*].\(name)")
    case (_, .field(let name)): PathError(message: "'\(origin)' is \(typeName); it has no field '\(name)'")
    case (_, .key(let key)):
      PathError(message: "'\(origin)' is \(typeName); it has no entry \(JSON.text(of: key.value))")
    default: PathError(message: "'\(origin)' is \(typeName); it has no items")
    }
  }
}

extension Value {
  /// The number that the digits of an integer stand for where no type of integers reads them.
  fileprivate var rounded: Value {
    guard case .string(let digits) = self, digits.isWideInteger, let number = Double(digits) else { return self }
    return .double(number)
  }

  /// The value of a field of a record, or of an entry of a map; nil where there is none.
  func part(named name: String) -> Value? {
    switch self {
    case .record(let record): record[name]
    case .map(let map): map[.string(name)]
    default: nil
    }
  }

  /// The type that a value without a declared one shows by itself; nil where it has no parts.
  package var shape: Schema? {
    let any = Schema.dynamic(.any)
    switch self {
    case .list: return .dynamic(.list(any))
    case .map(let map):
      if case .int = map.firstEntry(after: nil)?.key { return .dynamic(.map(key: .int, any)) }
      return .dynamic(.map(key: .string, any))
    case .record(let record):
      return .dynamic(
        .record(RecordSchema(name: record.layout.name, fields: record.layout.fields.map { Field($0, any) })))
    default: return nil
    }
  }
}

extension Schema {
  /// The type of the part at a path in values of this type, and the path as ``changes(from:to:at:)`` writes it. The
  /// entry of a map is named by its key, whatever it looks like as text.
  ///
  /// - Returns: nil where no value of the type has anything there.
  public func part(at steps: ArraySlice<Path.Step>) -> (schema: Schema, steps: [Path.Step])? {
    var current = self
    var found: [Path.Step] = []
    found.reserveCapacity(steps.count)
    for step in steps {
      while case .optional(let wrapped) = current.kind { current = wrapped }
      switch (current.kind, step) {
      case (.record(let record), .field(let name)), (.record(let record), .key(.string(let name))):
        guard let index = record.index(of: name) else { return nil }
        found.append(.field(name))
        current = record.fields[index].schema
      case (.list(let element), .index):
        found.append(step)
        current = element
      case (.list(let element), .match(let field, let value)):
        guard case .record(let record) = element.kind, let index = record.index(of: field) else { return nil }
        found.append(.match(field: field, (try? record.fields[index].schema.check(value)) ?? value))
        current = element
      case (.map(let kind, let element), _):
        guard let key = step.mapKey(kind) else { return nil }
        found.append(.key(key))
        current = element
      case (.any, _): found.append(step)
      default: return nil
      }
    }
    return (current, found)
  }
}
