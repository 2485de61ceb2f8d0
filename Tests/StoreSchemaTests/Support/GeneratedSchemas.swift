import StoreCore
import StoreSchema

/// Types at random, values of them, and values a few changes away from others; the same ones for the same seed.
struct GeneratedSchemas {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  // MARK: Types

  /// A type; not an optional where it stands in one, because a `Value` cannot tell the two apart.
  mutating func schema(depth: Int = 4, isOptional: Bool = true) -> Schema {
    switch below(depth == 0 ? 6 : 13) {
    case 0: return .dynamic(.int(minimum: nil, maximum: nil))
    case 1: return .dynamic(.string)
    case 2: return .dynamic(.double)
    case 3: return .dynamic(.bool)
    case 4: return .dynamic(.choice(name: "Choice", cases: ["a", "b", "c"]))
    case 5: return .dynamic(.decimal(scale: 2))
    case 6 where isOptional: return .dynamic(.optional(schema(depth: depth - 1, isOptional: false)))
    case 6, 7: return .dynamic(.list(schema(depth: depth - 1)))
    case 8: return .dynamic(.list(record(depth: depth - 1, hasId: true)))
    case 9: return .dynamic(.map(key: below(2) == 0 ? .int : .string, schema(depth: depth - 1)))
    case 10: return union(depth: depth - 1)
    default: return record(depth: depth - 1, hasId: below(3) == 0)
    }
  }

  mutating func record(depth: Int, hasId: Bool) -> Schema {
    var fields = (0...below(3)).map { Field("f\($0)", schema(depth: depth)) }
    if hasId {
      let id = Schema.dynamic(below(2) == 0 ? .int(minimum: nil, maximum: nil) : .string)
      fields.insert(Field("id", id), at: below(fields.count + 1))
    }
    return .dynamic(.record(RecordSchema(name: "R", fields: fields)))
  }

  private mutating func union(depth: Int) -> Schema {
    let cases = (0...below(2)).map { index in
      UnionSchema.Case("c\(index)", fields: (0..<below(3)).map { Field("p\($0)", schema(depth: depth)) })
    }
    return .dynamic(.union(UnionSchema(name: "U", cases: cases + [UnionSchema.Case("last", fields: [])])))
  }

  // MARK: Values

  mutating func value(_ schema: Schema) -> Value {
    switch schema.kind {
    case .bool: return .bool(below(2) == 0)
    case .int: return .int(below(5))
    case .double: return .double([0, 1.5, .nan, -.infinity][below(4)])
    case .decimal(let scale): return .decimal(DecimalNumber(units: [0, -5, 1250, .max][below(4)], scale: scale))
    case .string: return .string(["", "x", "id", "\u{E9}", "a]b.c"][below(5)])
    case .choice(_, let cases): return .string(cases[below(cases.count)])
    case .optional(let wrapped): return below(2) == 0 ? .none : value(wrapped)
    case .list(let element): return .list(PersistentList((0..<below(5)).map { _ in value(element) }))
    case .map(let kind, let element):
      var map: PersistentMap<MapKey, Value> = [:]
      for _ in 0..<below(4) { map[key(kind)] = value(element) }
      return .map(map)
    case .record(let record): return .record(Record(record.layout, record.fields.map { value($0.schema) }))
    case .union(let union):
      let current = union.cases[below(union.cases.count)]
      if current.fields.isEmpty { return .string(current.name) }
      return .variant(
        Variant(name: current.name, payload: Record(current.layout, current.fields.map { value($0.schema) })))
    case .any: return .none
    }
  }

  private mutating func key(_ kind: Schema.KeyKind) -> MapKey {
    switch kind {
    case .int: .int(below(4) - 1)
    case .string: .string(["a", "b c", "", "f0"][below(4)])
    }
  }

  /// A value that differs from another here and there.
  mutating func variation(of old: Value, _ schema: Schema) -> Value {
    if below(6) == 0 { return value(schema) }
    switch (schema.kind, old) {
    case (.optional(let wrapped), let old) where old != .none: return variation(of: old, wrapped)
    case (.list(let element), .list(let list)): return .list(PersistentList(variation(of: Array(list), element)))
    case (.map(let kind, let element), .map(var map)):
      for (key, value) in map where below(3) == 0 { map[key] = variation(of: value, element) }
      if below(2) == 0 { map[key(kind)] = value(element) }
      if below(3) == 0 { map[key(kind)] = nil }
      return .map(map)
    case (.record(let record), .record(var values)):
      for index in record.fields.indices where below(2) == 0 {
        values.values[index] = variation(of: values.values[index], record.fields[index].schema)
      }
      return .record(values)
    default: return below(3) == 0 ? value(schema) : old
    }
  }

  private mutating func variation(of list: [Value], _ element: Schema) -> [Value] {
    var list = list
    for _ in 0..<below(4) {
      switch below(5) {
      case 0: list.insert(value(element), at: below(list.count + 1))
      case 1 where !list.isEmpty: list.remove(at: below(list.count))
      case 2 where !list.isEmpty: list.swapAt(below(list.count), below(list.count))
      case 3 where !list.isEmpty: list.append(list[below(list.count)])
      default:
        guard !list.isEmpty else { continue }
        let index = below(list.count)
        list[index] = variation(of: list[index], element)
      }
    }
    return list
  }
}
