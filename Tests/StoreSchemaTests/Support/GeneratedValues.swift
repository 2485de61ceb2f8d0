import StoreCore
import StoreSchema

/// Values at random, the same ones for the same seed.
struct GeneratedValues {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  mutating func text() -> String {
    let alphabet: [Unicode.Scalar] = [
      "a", "b", "\"", "\\", "\n", "\t", "\r", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{301}", "😀", "]", "[", ".", "=", "'",
      "/", "1", " ",
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<below(6) { text.append(alphabet[below(alphabet.count)]) }
    return String(text)
  }

  mutating func number() -> Double {
    while true {
      let number = below(3) == 0 ? Double(below(100)) / 4 : Double(bitPattern: random.next())
      if number.isFinite { return number }
    }
  }

  /// A value as JSON can tell it: no records, no integer keys.
  mutating func json(depth: Int = 4) -> Value {
    switch below(depth == 0 ? 5 : 7) {
    case 0: return .none
    case 1: return .bool(below(2) == 0)
    case 2: return .int(Int(truncatingIfNeeded: random.next()) >> below(64))
    case 3: return .double(number())
    case 4: return .string(text())
    case 5: return .list(PersistentList((0..<below(4)).map { _ in json(depth: depth - 1) }))
    default:
      var map: PersistentMap<MapKey, Value> = [:]
      for _ in 0..<below(4) { map[.string(text())] = json(depth: depth - 1) }
      return .map(map)
    }
  }

  mutating func step() -> Path.Step {
    switch below(7) {
    case 0: return .field(["a", "items", "_x1"][below(3)])
    case 1: return .index([-1, 0, 1, 7, .max, .min][below(6)])
    case 2:
      let text = text()
      return text.isName ? .field(text) : .key(.string(text))
    case 3: return .match(field: "id", .int(below(9) - 4))
    case 4:
      return .match(field: "title", .string(below(4) == 0 ? ["true", "nil", "12", "1e5", "-"][below(5)] : text()))
    case 5: return .match(field: "done", [.bool(true), .none, .double(1.5), .double(3)][below(4)])
    default: return .all
    }
  }

  /// A garden of a few beds, with ids that are told apart.
  mutating func garden() -> Garden {
    var garden = Garden()
    garden.isOpen = below(2) == 0
    garden.count = below(3)
    garden.title = ["", "a"][below(2)]
    garden.season = below(2) == 0 ? .spring : .summer
    garden.note = below(2) == 0 ? nil : "n\(below(2))"
    for id in 0..<6 where below(2) == 0 { garden.beds.append(bed(id)) }
    garden.numbers = (0..<below(5)).map { _ in below(3) }
    for key in ["a", "b", "c d"] where below(2) == 0 { garden.stock[key] = below(3) }
    for key in [-1, 2, 10] where below(2) == 0 { garden.rows[key] = bed(1) }
    garden.favourite = below(2) == 0 ? nil : bed(below(2))
    garden.weather = below(2) == 0 ? .dry : .rain(mm: below(2))
    return garden
  }

  private mutating func bed(_ id: Int) -> Garden.Bed {
    Garden.Bed(id: id, plants: (0..<below(3)).map { _ in ["x", "y"][below(2)] }, depth: below(2) == 0 ? nil : below(3))
  }
}
