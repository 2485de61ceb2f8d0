import StoreSchema

// What the page of StoreSchema shows.

@Schema
struct Lamp: Sendable { var isOn = false }

@Schema
enum LampAction: Sendable { case toggle, dim(to: Int) }

struct MovieID: Hashable, SchematicRawValue { var rawValue: String }

struct Colour: Hashable, Sendable { var red, green, blue: UInt8 }

extension Colour: Schematic {
  static let schema = Schema.scalar(Colour.self, .string) { .string("\($0.red)/\($0.green)/\($0.blue)") }

  init(schemaValue value: Value) throws(SchemaError) {
    let parts = try String(schemaValue: value).split(separator: "/").compactMap { UInt8($0) }
    guard parts.count == 3 else {
      throw SchemaError(Path(), .typeMismatch(expected: "a colour", found: value.described))
    }
    self.init(red: parts[0], green: parts[1], blue: parts[2])
  }
}
