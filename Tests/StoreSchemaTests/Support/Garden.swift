@testable import StoreSchema
import Testing

/// A type with a part of every kind.
@Schema
struct Garden: Equatable {
  var isOpen = false
  var count = 0
  var ratio = 0.5
  var title = ""
  var season = Season.spring
  var note: String?
  var beds: PersistentList<Bed> = []
  var numbers: [Int] = []
  var stock: [String: Int] = [:]
  var rows: [Int: Bed] = [:]
  var favourite: Bed?
  var weather: Weather = .dry

  @Schema
  enum Season: Equatable { case spring, summer }

  @Schema
  struct Bed: Equatable {
    var id: Int
    var plants: [String] = []
    var depth: Int? = 3
  }

  @Schema
  enum Weather: Equatable {
    case dry
    case rain(mm: Int, note: String? = nil)
  }
}

/// A value of a type that a test names, held as a Swift value or as a ``Value``.
struct Held {
  let schema: Schema
  private let memory: Memory

  /// Holds the value as the schema's memory wants it.
  init(_ value: Value, as schema: Schema = Garden.schema.dynamic) throws {
    self.schema = schema
    let checked = try schema.check(value)
    if schema.isDynamic {
      memory = Memory(Memory.dynamic(checked))
    } else {
      memory = Memory(try Garden(schemaValue: checked))
    }
  }

  /// Holds a value of the type `Plot` as a Swift value.
  init(plot value: Value) throws {
    schema = Plot.schema
    memory = Memory(try Plot(schemaValue: value))
  }

  /// Owns the memory.
  private final class Memory {
    let pointer: UnsafeMutableRawPointer
    private let destroy: () -> Void

    init<Subject>(_ subject: Subject) {
      let typed = UnsafeMutablePointer<Subject>.allocate(capacity: 1)
      typed.initialize(to: subject)
      pointer = UnsafeMutableRawPointer(typed)
      destroy = {
        typed.deinitialize(count: 1)
        typed.deallocate()
      }
    }

    deinit { destroy() }

    static func dynamic(_ value: Value) -> Value { value }
  }

  /// The memory.
  var pointer: UnsafeMutableRawPointer { memory.pointer }

  /// The value.
  var value: Value { withExtendedLifetime(memory) { schema.access.read(pointer) } }

  /// What stands at a path.
  func read(_ path: String) throws -> Value {
    try withExtendedLifetime(memory) {
      try schema.read(Path(parsing: path).steps[...], in: pointer, from: Path([.field("garden")])).value
    }
  }

  /// The differences from this value to another of the same schema. An edit tells the same, where it can tell them.
  func changes(to other: Held) -> [Change] {
    withExtendedLifetime((memory, other.memory)) {
      let changes = schema.changes(from: pointer, to: other.pointer)
      if let edited = schema.edit(from: pointer, to: other.pointer) { #expect(edited == changes) }
      return changes
    }
  }
}

extension Schema {
  /// The differences between two values as an edit tells them; nil: it cannot.
  func edit(from old: UnsafeRawPointer, to new: UnsafeRawPointer) -> [Change]? {
    var finder = DifferenceFinder()
    let edit = PlainEdit(PlaceShape())
    // What was filled before leaves no trace.
    _ = finder.fill(edit, from: new, to: old, of: self)
    guard finder.fill(edit, from: old, to: new, of: self) else { return nil }
    let changes = edit.all
    for index in changes.indices {
      var written = TextBuffer()
      var expected: [UInt8] = []
      edit.write(edit.change(index), to: &written)
      let change = changes[index]
      let (operation, values): (String, [(name: String, value: Value)]) =
        switch change.kind {
        case .replace(let from, let to): ("replace", [("from", from), ("to", to)])
        case .add(let value): ("add", [("to", value)])
        case .remove(let value): ("remove", [("from", value)])
        case .move(let position): ("move", [("to", .int(position))])
        }
      expected += #"{"op":"\#(operation)","path":""#.utf8
      expected.append(inJSON: change.path)
      expected += "\"".utf8
      for (name, value) in values { expected += ",\"\(name)\":\(JSON.text(of: value))".utf8 }
      let positions = change.positions.indices.map { "\(change.positions[$0])" }.joined(separator: ",")
      if !positions.isEmpty { expected += ",\"positions\":[\(positions)]".utf8 }
      if change.isInPlace { expected += ",\"inPlace\":true".utf8 }
      expected += "}".utf8
      #expect(written.bytes == expected)
    }
    return changes
  }
}

extension Held {
  /// Both ways of holding a value: as a Swift struct and as a ``Value``.
  static func both(_ value: Value) throws -> [Held] {
    [try Held(value, as: Garden.schema), try Held(value, as: Garden.schema.dynamic)]
  }
}

/// A value out of JSON.
func json(_ text: String) throws -> Value { try JSON.value(of: text) }
