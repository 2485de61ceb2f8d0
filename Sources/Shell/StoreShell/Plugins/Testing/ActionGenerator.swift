import StoreCore
import StoreModules
import StoreSchema

/// Makes actions up from their types: well-typed, near the bounds, and from few words, so that they meet each other's
/// traces in the state.
struct ActionGenerator {
  private var random: SeededGenerator
  private let types: [ActionType]

  init(_ types: [ActionType], seed: UInt64) {
    self.types = types
    random = SeededGenerator(seed: seed)
  }

  /// A further action; nil where there are no types, or where the made-up action breaks a rule that types do not say.
  mutating func next() -> ActionCall? {
    guard let type = types.randomElement(using: &random) else { return nil }
    let named = type.fields.map { (name: $0.name, value: value(of: $0)) }
    return try? type.call(named)
  }

  /// A number from 0 up to a bound.
  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private static let words = ["", "a", "b", "c", "Büro", "x y", "\"", "a rather long text that a table may cut"]

  private mutating func value(of field: Field) -> Value {
    if let usual = field.defaultValue, number(below: 4) == 0 { return usual }
    return value(of: field.schema, depth: 0)
  }

  private mutating func value(of schema: Schema, depth: Int) -> Value {
    switch schema.kind {
    case .bool: return .bool(.random(using: &random))
    case .int(let minimum, let maximum): return .int(integer(minimum ?? -3, maximum ?? .max))
    case .double:
      return .double([0, 1, -1, 0.5, 1e9, Double(number(below: 1000)) / 8].randomElement(using: &random) ?? 0)
    case .decimal(let scale): return .decimal(DecimalNumber(units: integer(.min, .max), scale: scale))
    case .string: return .string(word())
    case .choice(_, let cases): return .string(cases.randomElement(using: &random) ?? "")
    case .optional(let inner): return number(below: 3) == 0 ? .none : value(of: inner, depth: depth)
    case .list(let element):
      return .list(PersistentList((0..<count(depth)).map { _ in value(of: element, depth: depth + 1) }))
    case .map(let key, let element):
      var map = PersistentMap<MapKey, Value>()
      for _ in 0..<count(depth) {
        map[key == .int ? .int(number(below: 4)) : .string(word())] = value(of: element, depth: depth + 1)
      }
      return .map(map)
    case .record(let record):
      return .record(Record(record.layout, record.fields.map { value(of: $0.schema, depth: depth + 1) }))
    case .union(let union):
      guard let branch = union.cases.randomElement(using: &random) else { return .none }
      guard !branch.fields.isEmpty else { return .string(branch.name) }
      let values = branch.fields.map { value(of: $0.schema, depth: depth + 1) }
      return .variant(Variant(name: branch.name, payload: Record(branch.layout, values)))
    case .any: return number(below: 2) == 0 ? .int(number(below: 4)) : .string(word())
    }
  }

  private mutating func count(_ depth: Int) -> Int { depth > 3 ? 0 : number(below: 4) }

  private mutating func word() -> String { Self.words.randomElement(using: &random) ?? "" }

  private mutating func integer(_ minimum: Int, _ maximum: Int) -> Int {
    let near = [minimum, 0, 1, 2, number(below: 10), number(below: 1000), maximum == .max ? 4 : maximum]
    return min(max(near.randomElement(using: &random) ?? 0, minimum), maximum)
  }
}
