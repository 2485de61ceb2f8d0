import StoreSchema

/// The parts of a value, without what is inside them: the fields of a record, or a page of the elements of a list or the
/// entries of a map. A client shows a tree of any size by them, and asks for what is opened.
package struct ValueParts: Sendable {
  /// The number of all parts; of those that match, where some text is looked for.
  package let count: Int
  /// The type of the value, as `describe` writes it.
  package let type: String
  package let parts: [Part]
  /// The position of the next part; nil: no more follow.
  package let next: Int?

  package struct Choice: Sendable {
    /// The position of the first, from 1.
    package var from = 1
    /// The most of them.
    package var count = 100
    /// A text that the part or its name holds, capital letters or not; nil: any.
    package var text: String?

    package init() {}
  }

  package struct Part: Sendable {
    /// The name of a field, the key of an entry, or the index of an element from 1.
    package let name: String
    /// The path that leads to it, also after elements before it have come or gone, where its type has ids.
    package let path: String
    package let type: String
    /// The number of its own parts, or the characters of a long text; nil: the value is whole.
    package let count: Int?
    /// The value, or the beginning of a long text; of a list, a map or a record as many of its first parts as fit a line.
    package let value: Value
    /// True if it has parts of its own.
    package let isOpenable: Bool
  }

  /// The characters of a text in a part.
  private static let longestText = 240
  /// The parts of a part that are shown with it.
  private static let mostInside = 8

  init(of reading: Reading, at path: Path, _ choice: Choice) {
    let schema = reading.schema.wrapped
    type = reading.schema.typeName
    let text = choice.text?.lowercased()
    var (count, taken) = (0, [Part]())
    func offer(
      _ name: @autoclosure () -> String, _ step: @autoclosure () -> Path.Step, _ value: Value, _ schema: Schema
    ) {
      if let text, !name().lowercased().contains(text), !Self.holds(value, text) { return }
      count += 1
      guard count >= choice.from, taken.count < choice.count else { return }
      taken.append(Self.part(name(), path.appending(step()), value, schema))
    }
    switch reading.value {
    case .record(let record):
      let fields: [Field] = if case .record(let type) = schema.kind { type.fields } else { [] }
      for (index, name) in record.layout.fields.enumerated() {
        let type = fields.first { $0.name == name }?.schema ?? .dynamic(.any)
        offer(name, .field(name), record.values[index], type)
      }
    case .list(let list):
      let element: Schema = if case .list(let element) = schema.kind { element } else { .dynamic(.any) }
      func step(_ index: Int, _ value: Value) -> Path.Step {
        guard element.hasID, case .record(let record) = value, let id = record["id"] else { return .index(index + 1) }
        return .match(field: "id", id)
      }
      if text == nil {
        // Only the page is walked: a list may be long.
        count = choice.from - 1
        for (offset, value) in list.dropFirst(choice.from - 1).prefix(choice.count).enumerated() {
          let index = choice.from - 1 + offset
          offer("\(index + 1)", step(index, value), value, element)
        }
        count = list.count
      } else {
        for (index, value) in list.enumerated() { offer("\(index + 1)", step(index, value), value, element) }
      }
    case .map(let map):
      let element: Schema = if case .map(_, let element) = schema.kind { element } else { .dynamic(.any) }
      for (key, value) in map {
        switch key {
        case .int(let number): offer("\(number)", .index(number), value, element)
        case .string(let name): offer(name, .key(key), value, element)
        }
      }
    case .variant(let variant):
      for (name, value) in zip(variant.payload.layout.fields, variant.payload.values) {
        offer(name, .field(name), value, .dynamic(.any))
      }
    default: break
    }
    self.count = count
    parts = taken
    next = choice.from - 1 + taken.count < count ? choice.from + taken.count : nil
  }

  private static func part(_ name: String, _ path: Path, _ value: Value, _ schema: Schema) -> Part {
    let (short, count, isOpenable) = shortened(value)
    return Part(
      name: name, path: path.description, type: schema.typeName, count: count, value: short, isOpenable: isOpenable)
  }

  /// A value that fits a line: what is deeper than a level is left out, and of the level the first parts stay.
  private static func shortened(_ value: Value) -> (Value, count: Int?, isOpenable: Bool) {
    switch value {
    case .record(let record):
      let count = record.values.count
      let names = Array(record.layout.fields.prefix(mostInside))
      let shown = record.values.prefix(mostInside).map(flat)
      return (.record(Record(RecordLayout(name: record.layout.name, fields: names), shown)), count, count > 0)
    case .list(let list):
      return (.list(PersistentList(list.prefix(mostInside).map(flat))), list.count, !list.isEmpty)
    case .map(let map):
      let entries = map.prefix(mostInside).map { key, value -> (String, Value) in
        switch key {
        case .int(let number): ("\(number)", flat(value))
        case .string(let name): (name, flat(value))
        }
      }
      let layout = RecordLayout(name: "", fields: entries.map(\.0))
      return (.record(Record(layout, entries.map(\.1))), map.count, !map.isEmpty)
    case .variant(let variant):
      return (.string(variant.name), variant.payload.values.count, !variant.payload.values.isEmpty)
    case .string(let text):
      let beginning = String(text.prefix(longestText))
      return (.string(beginning), beginning.utf8.count < text.utf8.count ? text.count : nil, false)
    default: return (value, nil, false)
    }
  }

  /// A value inside of a part: its own parts are left out.
  private static func flat(_ value: Value) -> Value {
    switch value {
    case .record, .map: .string("{…}")
    case .list(let list): .string("[\(list.count)]")
    case .variant(let variant): .string(variant.name)
    case .string(let text): .string(String(text.prefix(60)))
    default: value
    }
  }

  /// True if a value holds a text, which is in lower case, or one of its parts or their names does.
  static func holds(_ value: Value, _ text: String) -> Bool {
    switch value {
    case .none: false
    case .bool(let flag): "\(flag)".contains(text)
    case .int(let number): "\(number)".contains(text)
    case .double(let number): "\(number)".contains(text)
    case .decimal: JSON.text(of: value).contains(text)
    case .string(let string): string.lowercased().contains(text)
    case .list(let list): list.contains { holds($0, text) }
    case .map(let map):
      map.contains { key, value in
        if case .string(let name) = key, name.lowercased().contains(text) { return true }
        return holds(value, text)
      }
    case .record(let record): record.values.contains { holds($0, text) }
    case .variant(let variant):
      variant.name.lowercased().contains(text) || variant.payload.values.contains { holds($0, text) }
    }
  }
}
