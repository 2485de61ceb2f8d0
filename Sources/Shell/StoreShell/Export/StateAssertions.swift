import StoreHost
import StorePlugins
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
      if let parent = place(change.path.steps.dropLast()), let size = Self.size(parent.accessor, parent.value) {
        add(size)
      }
      guard let place = place(change.path.steps[...]) else { continue }
      append(place.accessor, place.value, add)
    }
    return lines
  }

  /// The facts about a module as a whole: its fields, and the sizes of lists and maps.
  func lines(of module: String) -> [String] {
    guard let place = place([.field(module)]) else { return [] }
    var lines: [String] = []
    func add(_ accessor: String, _ value: Value) {
      if let size = Self.size(accessor, value) { return lines.append(size) }
      if let literal = Self.literal(value) { lines.append("\(accessor) == \(literal)") }
    }
    guard case .record(let record) = place.value else {
      add(place.accessor, place.value)
      return lines
    }
    for (name, field) in zip(record.layout.fields, record.values) { add(place.accessor + Self.member(name), field) }
    return lines
  }

  /// The place that a path leads to now, as Lua says it; nil where nothing stands there.
  private func place(_ steps: ArraySlice<Path.Step>) -> (accessor: String, value: Value)? {
    guard case .field(let module)? = steps.first else { return nil }
    var slice: Value?
    _ = state.readSlice(module) { schema, pointer in slice = schema.access.read(pointer) }
    guard var value = slice else { return nil }
    var accessor = "state" + Self.member(module)
    for step in steps.dropFirst() {
      switch (value, step) {
      case (.record(let record), .field(let name)):
        guard let field = record[name] else { return nil }
        accessor += Self.member(name)
        value = field
      case (.list(let list), .index(let index)):
        guard index >= 1, index <= list.count else { return nil }
        accessor += "[\(index)]"
        value = list[index - 1]
      case (.list(let list), .match(let field, let id)):
        guard let index = list.firstIndex(where: { $0.field(field) == id }) else { return nil }
        accessor += "[\(index + 1)]"
        value = list[index]
      case (.map(let map), .key(let key)):
        accessor += Self.entry(key)
        value = map[key] ?? .none
      default: return nil
      }
    }
    return (accessor, value)
  }

  /// Says of each scalar in a value what it is.
  private func append(_ accessor: String, _ value: Value, _ add: (String) -> Void) {
    switch value {
    case .none, .bool, .int, .string, .double:
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
    case .string: InlineText.text(of: value, spelling: .lua)
    default: nil
    }
  }
}

extension Value {
  fileprivate func field(_ name: String) -> Value? {
    if case .record(let record) = self { return record[name] }
    return nil
  }
}
