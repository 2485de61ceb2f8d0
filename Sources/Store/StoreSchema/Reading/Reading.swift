/// The target of a path: a value and its type.
public struct Reading: Sendable {
  /// The value; for a path with `[*]` the list of all that it led to.
  public let value: Value
  /// The value's type.
  public let schema: Schema

  /// Joins a value and its type.
  public init(value: Value, schema: Schema) {
    self.value = value
    self.schema = schema
  }

  /// Reads at a path inside the value. The value is held as such, whatever memory the type reaches into.
  ///
  /// - Parameters:
  ///   - steps: the path from the value inwards.
  ///   - origin: the path that led to the value, for messages.
  /// - Throws: ``PathError`` where a step leads nowhere.
  public func read(_ steps: ArraySlice<Path.Step>, from origin: Path) throws(PathError) -> Reading {
    guard !steps.isEmpty else { return self }
    return try withUnsafePointer(to: value) { (value) throws(PathError) in
      try schema.dynamic.read(steps, in: UnsafeRawPointer(value), from: origin)
    }
  }
}

extension Reading {
  package init(text: String) { self.init(value: .string(text), schema: .dynamic(.string)) }

  /// Rows with fields of those names, which may hold anything.
  package init(rows: some Sequence<[Value]>, _ name: String, _ fields: [String]) {
    let record = RecordSchema(name: name, fields: fields.map { Field($0, .dynamic(.any)) })
    self.init(
      value: .list(PersistentList(rows.map { .record(Record(record.layout, $0)) })),
      schema: .dynamic(.list(.dynamic(.record(record)))))
  }

  /// A record with fields of those names, each of the type of its own reading.
  package init(_ name: String, _ parts: [(name: String, reading: Reading)]) {
    let record = RecordSchema(name: name, fields: parts.map { Field($0.name, $0.reading.schema.dynamic) })
    self.init(
      value: .record(Record(record.layout, parts.map(\.reading.value))), schema: .dynamic(.record(record)))
  }

  /// A record with fields of those names, which may hold anything.
  package init(_ name: String, _ members: [(name: String, value: Value)]) {
    self.init(name, members.map { ($0.name, Reading(value: $0.value, schema: .dynamic(.any))) })
  }
}

extension Value {
  /// The text, if the value is one.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  package static func text(_ text: String?) -> Value { text.map { .string($0) } ?? .none }

  package static func texts(_ texts: some Sequence<String>) -> Value {
    .list(PersistentList(texts.map { .string($0) }))
  }

  /// A record of no type of its own.
  package static func members(_ members: [(String, Value)]) -> Value {
    .record(Record(RecordLayout(name: "", fields: members.map(\.0)), members.map(\.1)))
  }
}

/// The reason why a path leads nowhere.
public struct PathError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence: which name or index does not exist, and where.
  public let message: String
  /// A hint, such as `did you mean 'tasks.items'?`; nil: there is nothing to suggest.
  public let hint: String?
  /// The sentence, and what to try.
  public var description: String { message + (hint.map { " (\($0))" } ?? "") }

  /// Makes an error.
  public init(message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
