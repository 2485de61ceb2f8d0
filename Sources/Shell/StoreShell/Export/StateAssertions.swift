import StoreHost
import StoreSchema

/// The facts about a state, as Lua expressions that `assert` takes.
struct StateAssertions {
  private let state: HostState

  /// The function that a script defines before it asserts how many entries a map has: Lua has no word for it.
  static let countFunction = "function count(map) local n = 0 for _ in pairs(map) do n = n + 1 end return n end"

  init(_ state: HostState) { self.state = state }

  /// The facts about the places that changed, each place once.
  func lines(_ changes: [Change]) -> [String] {
    var lines: [String] = []
    var known: Set<String> = []
    func add(_ line: String) {
      if known.insert(line).inserted { lines.append(line) }
    }
    for change in changes {
      // A value that came to a list or a map or left it shows in its size.
      reach(change.path.steps.dropLast()) { Self.size($0, $1, $2).map(add) }
      reach(change.path.steps[...]) { append($0, $1.access.read($2), add) }
    }
    return lines
  }

  /// The facts about a module as a whole: its fields, and the sizes of lists and maps.
  func lines(of module: String) -> [String] {
    var lines: [String] = []
    func add(_ accessor: String, _ schema: Schema, _ place: UnsafeRawPointer) {
      if let line = Self.size(accessor, schema, place) { return lines.append(line) }
      if case .record = schema.access.parts { return }
      if let literal = Self.literal(schema.access.read(place)) { lines.append("\(accessor) == \(literal)") }
    }
    reach([.field(module)]) { accessor, schema, place in
      guard case .record(let record) = schema.kind, case .record(let access) = schema.access.parts else {
        return add(accessor, schema, place)
      }
      for (index, field) in record.fields.enumerated() {
        access.read(place, index) { add(accessor + Self.member(field.name), field.schema, $0) }
      }
    }
    return lines
  }

  private typealias Place = (_ accessor: String, _ schema: Schema, _ place: UnsafeRawPointer) -> Void

  /// Hands out the place that a path leads to now, as Lua says it; not where nothing stands there.
  private func reach(_ steps: ArraySlice<Path.Step>, _ body: Place) {
    guard case .field(let module)? = steps.first else { return }
    _ = state.readSlice(module) { schema, slice in
      descend(steps.dropFirst(), "state" + Self.member(module), schema, slice, body)
    }
  }

  private func descend(
    _ steps: ArraySlice<Path.Step>, _ accessor: String, _ schema: Schema, _ place: UnsafeRawPointer, _ body: Place
  ) {
    guard let step = steps.first else { return body(accessor, schema, place) }
    func goOn(_ accessor: String, _ schema: Schema, _ place: UnsafeRawPointer) {
      descend(steps.dropFirst(), accessor, schema, place, body)
    }
    switch (schema.access.parts, schema.kind, step) {
    case (.optional(let access), .optional(let wrapped), _):
      _ = access.read(place) { descend(steps, accessor, wrapped, $0, body) }
    case (.record(let access), .record(let record), .field(let name)):
      guard let index = record.index(of: name) else { return }
      access.read(place, index) { goOn(accessor + Self.member(name), record.fields[index].schema, $0) }
    case (.list(let access), .list(let element), .index(let index)):
      guard index >= 1, index <= access.count(place) else { return }
      access.read(place, index - 1) { goOn("\(accessor)[\(index)]", element, $0) }
    case (.list(let access), .list(let element), .match(_, let id)):
      guard let index = MapKey(id).flatMap({ access.position(place, $0) }) else { return }
      access.read(place, index) { goOn("\(accessor)[\(index + 1)]", element, $0) }
    case (.map(let access), .map(_, let element), .key(let key)):
      guard !access.read(place, key, { goOn(accessor + Self.entry(key), element, $0) }) else { return }
      withUnsafePointer(to: Value.none) { goOn(accessor + Self.entry(key), .dynamic(.any), $0) }
    case (.none, _, _):
      // Without a declared type the value says what it is; a Swift type may show its parts as a whole only.
      let value = schema.access.read(place)
      let shape = if case .any = schema.kind { value.shape } else { schema.isDynamic ? nil : schema.dynamic }
      if let shape { withUnsafePointer(to: value) { descend(steps, accessor, shape, $0, body) } }
    default: return
    }
  }

  /// Says of each scalar in a value what it is.
  private func append(_ accessor: String, _ value: Value, _ add: (String) -> Void) {
    switch value {
    case .none, .bool, .int, .string, .double, .decimal:
      if let literal = Self.literal(value) { add("\(accessor) == \(literal)") }
    case .list(let list):
      Self.size(accessor, value).map(add)
      for (index, element) in list.enumerated() { append("\(accessor)[\(index + 1)]", element, add) }
    case .map(let map):
      Self.size(accessor, value).map(add)
      for (key, element) in map { append(accessor + Self.entry(key), element, add) }
    case .record(let record):
      for (name, field) in zip(record.layout.fields, record.values) { append(accessor + Self.member(name), field, add) }
    // A case with a payload looks different in Lua, by whether Swift or a plugin declares it.
    case .variant: break
    }
  }

  /// The size of a list or a map; nil for other places.
  private static func size(_ accessor: String, _ schema: Schema, _ place: UnsafeRawPointer) -> String? {
    switch (schema.access.parts, schema.kind) {
    case (.list(let access), _): return "#\(accessor) == \(access.count(place))"
    case (.map(let access), .map(_, let element)):
      // Lua does not see an entry without a value.
      if case .optional = element.kind { return size(accessor, schema.access.read(place)) }
      if case .any = element.kind { return size(accessor, schema.access.read(place)) }
      return "count(\(accessor)) == \(access.count(place))"
    case (.optional(let access), .optional(let wrapped)):
      var line: String?
      _ = access.read(place) { line = size(accessor, wrapped, $0) }
      return line
    case (.record, _), (.union, _): return nil
    default: return size(accessor, schema.access.read(place))
    }
  }

  /// The size of a list or a map; nil for other values.
  private static func size(_ accessor: String, _ value: Value) -> String? {
    switch value {
    case .list(let list): "#\(accessor) == \(list.count)"
    case .map(let map): "count(\(accessor)) == \(map.count { $0.value != .none })"
    default: nil
    }
  }

  private static func member(_ name: String) -> String {
    name.isName && !name.isLuaKeyword
      ? ".\(name)" : "[\(InlineText.text(of: .string(name), spelling: .lua))]"
  }

  private static func entry(_ key: MapKey) -> String {
    switch key {
    case .int(let key): "[\(key)]"
    case .string(let key): member(key)
    }
  }

  private static func literal(_ value: Value) -> String? {
    switch value {
    case .none: "nil"
    case .bool(let value): "\(value)"
    // Its digits alone would be a float in Lua.
    case .int(.min): "math.mininteger"
    case .int(let value): "\(value)"
    case .double(let value) where value.isNaN: nil
    case .double(let value) where value.isInfinite: value > 0 ? "math.huge" : "-math.huge"
    case .double(let value): ScalarText.text(of: value)
    case .string, .decimal: InlineText.text(of: value, spelling: .lua)
    default: nil
    }
  }
}
