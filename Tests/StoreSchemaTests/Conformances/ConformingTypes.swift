import Foundation
import StoreSchema
import StoreSchemaFoundation

@Schema
struct Widths: Equatable {
  var tiny: Int8 = -5
  var small: Int16 = 0
  var middling: Int32 = 0
  var large: Int64 = .max
  var byte: UInt8 = 255
  var word: UInt16 = 0
  var long: UInt32 = .max
  var count: UInt = 3
  var seed: UInt64 = .max
  var share: Float = 0.1
}

/// A text of a type of its own.
struct MovieID: Hashable, SchematicRawValue, SchematicKey {
  var rawValue: String
  static let schema = rawSchema
}

enum Genre: String, CaseIterable, SchematicRawValue, SchematicKey { case drama, comedy }

enum Rank: Int, SchematicRawValue { case low = 1, high }

struct Traits: OptionSet, SchematicRawValue {
  var rawValue: UInt8
  static let loud = Traits(rawValue: 1)
  static let late = Traits(rawValue: 2)
}

@Schema
struct Programme: Equatable {
  var id: MovieID
  var genre: Genre = .drama
  var rank: Rank = .low
  var traits: Traits = [.late]
  var length: Duration = .seconds(90)
  var seats: Range<Int> = 0..<10
  var ages: ClosedRange<UInt8> = 6...12
  var tags: Set<String> = ["b", "a"]
  var ranks: Set<Rank> = [.high, .low]
  var shares: Set<Float> = [0.5, -1]
  var perGenre: [Genre: Int] = [.drama: 1, .comedy: 2]
  var perByte: [UInt8: MovieID] = [3: MovieID(rawValue: "c")]
  var perSeed: [UInt64: Int] = [.max: 1, 7: 2]
  var perCount: [UInt: Int] = [.max: 3]
}

/// Maps of one content, of Swift's own kind and of ours.
@Schema
struct PlainMaps: Equatable {
  var numbers: [Int: Int] = [:]
  var names: [String: [Int]] = [:]
  var genres: [Genre: Int] = [:]
  var seeds: [UInt64: Int] = [:]
}

@Schema
struct PersistentMaps: Equatable {
  var numbers: PersistentMap<Int, Int> = [:]
  var names: PersistentMap<String, [Int]> = [:]
  var genres: PersistentMap<Genre, Int> = [:]
  var seeds: PersistentMap<UInt64, Int> = [:]
}

@Schema
struct Page<Element: Schematic & Equatable>: Equatable {
  var items: [Element] = []
  var next: Position?

  @Schema
  struct Position: Equatable { var number: Int = 0 }
}

extension Page {
  @Schema
  struct Cursor: Equatable { var row = 0 }

  @Schema
  enum Turn: Equatable { case to(Cursor), back }
}

enum Movies {
  @Schema struct State: Equatable { var seen = 0 }
}

enum Books {
  @Schema struct State: Equatable { var read = "" }
}

enum Kind<Argument> {}

extension Kind {
  @Schema struct Part: Equatable { var number = 0 }
}

extension Ticket {
  @Schema
  struct Stub: Equatable { var row = 0 }
}

@Schema
struct Ticket: Equatable {
  var id: UUID
  var bought: Date
  var link: URL?
  var price: Decimal
  var code: Data
  var days: ClosedRange<Date>?
  var seats: [UUID: Int] = [:]
}
