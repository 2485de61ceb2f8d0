import StoreCore
import StoreSchema
import Testing

@testable import StoreHistory

/// Entries in memory are bytes, and come back as they were.
@Suite struct EntryChunkTests {
  private static let layouts = (0..<5).map { number in
    RecordLayout(name: "type\(number)", fields: (0..<number).map { "field\($0)" })
  }
  private static let origins = (0..<4).map { number in
    ActionSource.Origin(
      file: "file\(number).stsh", function: "dispatch", kind: number == 0 ? .plugin : .batch,
      info: number == 1 ? "remark" : nil, plugin: number == 0 ? "clock" : nil,
      author: number == 2 ? ActionAuthor(user: "ann", name: "ann@pts/3") : nil)
  }

  static func number(_ random: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: Int.min
    case 1: Int.max
    case 2: Int.random(in: Int.min...Int.max, using: &random)
    default: Int.random(in: -300...300, using: &random)
    }
  }

  static func text(_ random: inout SeededGenerator) -> String {
    let texts = ["", "a", "title of a task", "\u{E9}e\u{301}\0\n\"", String(repeating: "x", count: 254)]
    return Int.random(in: 0..<60, using: &random) == 0
      ? String(repeating: "long ", count: 400) : texts[Int.random(in: 0..<texts.count, using: &random)]
  }

  private static func value(_ random: inout SeededGenerator, _ depth: Int = 0) -> Value {
    switch Int.random(in: 0..<(depth < 3 ? 11 : 7), using: &random) {
    case 0: .none
    case 1: .bool(Bool.random(using: &random))
    case 2, 3: .int(number(&random))
    case 4: .double([0, -0.0, 1.5, .nan, .infinity, 1e300][Int.random(in: 0..<6, using: &random)])
    case 5: .decimal(DecimalNumber(units: number(&random), scale: Int.random(in: 0...18, using: &random)))
    case 6: .string(text(&random))
    case 7: .record(record(&random, depth + 1))
    case 8: .list(PersistentList((0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random, depth + 1) }))
    case 9:
      .map(
        (0..<Int.random(in: 0...4, using: &random)).reduce(into: PersistentMap<MapKey, Value>()) { map, key in
          map[key.isMultiple(of: 2) ? .int(number(&random)) : .string(text(&random))] = value(&random, depth + 1)
        })
    default: .variant(Variant(name: text(&random), payload: record(&random, depth + 1)))
    }
  }

  private static func record(_ random: inout SeededGenerator, _ depth: Int = 0) -> Record {
    let layout = layouts[Int.random(in: 0..<layouts.count, using: &random)]
    return Record(layout, layout.fields.map { _ in value(&random, depth) })
  }

  private static func change(_ random: inout SeededGenerator) -> Change {
    let elements: [Path.Step] = [
      .index(number(&random)), .match(field: "id", .int(number(&random))),
      .match(field: "name", .string(text(&random))),
      .key(.string(text(&random))), .key(.int(7)), .all, .field("other"),
    ]
    var steps: [Path.Step] = [.field(["tasks", "counter"][Int.random(in: 0..<2, using: &random)])]
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      steps.append(elements[Int.random(in: 0..<elements.count, using: &random)])
    }
    let kind: Change.Kind =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: .replace(from: value(&random), to: value(&random))
      case 1: .add(value(&random))
      case 2: .remove(value(&random))
      default: .move(to: Int.random(in: 0...400, using: &random))
      }
    return Change(
      Path(steps), kind, positions: (0..<Int.random(in: 0...2, using: &random)).map { _ in abs(number(&random) / 2) },
      isInPlace: Bool.random(using: &random))
  }

  private static func entry(_ number: Int, _ random: inout SeededGenerator) -> LoggedEntry {
    let chance = Int.random(in: 0..<40, using: &random)
    var source = ActionSource(origins[Int.random(in: 0..<origins.count, using: &random)], line: self.number(&random))
    source.link = Int.random(in: -number...number, using: &random)
    return LoggedEntry(
      number: number,
      time: .nanoseconds(Int64(self.number(&random)))
        + Duration(secondsComponent: 0, attosecondsComponent: chance == 0 ? 1 : 0),
      source: source, action: chance == 1 ? "shell.set" : "tasks.\(chance % 6)", arguments: record(&random),
      isQuiet: Bool.random(using: &random),
      changes: (0..<Int.random(in: 0...3, using: &random)).map { _ in change(&random) },
      failure: chance == 2 ? "failed" : nil, droppedBy: chance == 3 ? "gate" : nil,
      wallTime: Bool.random(using: &random) ? nil : self.number(&random))
  }

  @Test(arguments: 0..<20) func whatIsAddedIsFound(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var log = ActionLog(limit: .max)
    var entries: [LoggedEntry] = []
    var number = 0
    for _ in 0..<900 {
      number += Int.random(in: 1...3, using: &random)
      entries.append(Self.entry(number, &random))
      log.append(entries[entries.count - 1])
    }
    #expect(Array(log.entries) == entries)
    #expect(log.last == entries.last)
    for entry in entries { #expect(log[number: entry.number] == entry) }
    for entry in log.entries { #expect(log[number: entry.number]?.isWhole == entry.isWhole) }
  }

  /// A message of a shared log has a chunk with all that it takes to read it. One that is torn is refused.
  @Test(arguments: 0..<20) func aMessageIsReadElsewhere(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var entries = (1...300).map { Self.entry($0, &random) }
    var chunk = EntryChunk(entries)
    // What JSON says of values without types is tested elsewhere.
    while !chunk.objects.isEmpty {
      let objects = Set(chunk.objects.map(\.number))
      entries.removeAll { objects.contains($0.number) }
      chunk = EntryChunk(entries)
    }
    var bytes: [UInt8] = []
    chunk.append(to: &bytes)
    let reader = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    let read = try Self.read(bytes, by: reader)
    #expect(entries.count > 50)
    #expect(read.map(\.number) == entries.map(\.number))
    #expect(read.map(\.changes) == entries.map(\.changes))
    #expect(read.map(\.time) == entries.map(\.time))
    #expect(read.map(\.source) == entries.map(\.source))
    #expect(read.map(\.arguments.values) == entries.map(\.arguments.values))
    for count in stride(from: 0, to: bytes.count, by: 97) {
      #expect(throws: EntryError.self) { try Self.read(Array(bytes.prefix(count)), by: reader) }
    }
    for _ in 0..<200 {
      var damaged = bytes
      damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      _ = try? Self.read(damaged, by: reader)
    }
  }

  /// Scalars that an action wrote are bytes without being changes first, and are read as the changes that they are. There are more shapes
  /// of places than a chunk has words for.
  @Test(arguments: 0..<20) func scalarsComeBackAsChanges(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let names = UnsafeMutableBufferPointer<String>.allocate(capacity: 9)
    _ = names.initialize(from: (0..<9).map { "field\($0)" })
    defer {
      names.deinitialize()
      names.deallocate()
    }
    let edit = PlainEdit(PlaceShape(slice: "catalog"))
    var packer = EntryPacker()
    var added: [[Change]] = []
    let layout = RecordLayout(name: "add", fields: ["title"])
    let fieldCount = seed.isMultiple(of: 2) ? 2 : names.count
    for entry in 1...EntryPacker.most {
      edit.removeAll()
      var record: (shape: Unmanaged<PlaceShape>, keys: Int)?
      for _ in 0..<Int.random(in: 1...PlainEdit.most, using: &random) {
        // The fields of one record share their keys.
        let sibling = Bool.random(using: &random) ? record : nil
        let keys: Int
        var shape: Unmanaged<PlaceShape>
        (shape, keys) = sibling ?? (Unmanaged.passUnretained(edit.root), edit.nextKeys)
        for _ in 0..<(sibling == nil ? Int.random(in: 1...4, using: &random) : 0) {
          if Bool.random(using: &random) {
            shape = shape._withUnsafeGuaranteedRef { $0.entry } ?? shape
            let key: MapKey =
              Int.random(in: 0..<4, using: &random) == 0 ? .int(Self.number(&random)) : .string(Self.text(&random))
            withUnsafePointer(to: key) { edit.add(keyAt: $0) }
          } else {
            let index = Int.random(in: 0..<fieldCount, using: &random)
            shape = shape._withUnsafeGuaranteedRef { $0.field(index, names[index]) } ?? shape
          }
        }
        record = (shape, keys)
        let field = Int.random(in: 0..<fieldCount, using: &random)
        if sibling != nil { shape = shape._withUnsafeGuaranteedRef { $0.field(field, names[field]) } ?? shape }
        let isTruth = Bool.random(using: &random)
        let from = isTruth ? Int.random(in: 0...1, using: &random) : Self.number(&random)
        edit.add(shape, keys: keys, from: from, to: isTruth ? 1 - from : Self.number(&random), isTruth: isTruth)
      }
      added.append(edit.all)
      _ = packer.append(
        entry, .seconds(entry), nil, .here(), "tasks.add", layout, [.string("title")], isQuiet: false, [],
        .passUnretained(edit))
    }
    for index in added.indices {
      #expect(packer[index].changes == added[index])
      #expect(packer[index].arguments.values == [.string("title")])
    }
    let chunk = EntryChunk(packer)
    #expect(added.indices.allSatisfy { chunk[$0].changes == added[$0] })
  }

  @Schema
  struct Yard: Equatable {
    var count = 0
    var isOpen = false
    var name = ""
    var corner = Corner()
    var rows: PersistentList<Row> = []
    var tags: [String] = []
    var stock: [String: Int] = [:]
    var note: String?

    @Schema
    struct Corner: Equatable {
      var depth = 0
      var label = "a label that takes memory of its own"
    }

    @Schema
    struct Row: Equatable {
      var id: Int
      var title = ""
      var isDone = false
      var corner = Corner()
      var ratio = 0.5
      var sub: PersistentList<Corner> = []
    }

    mutating func vary(_ random: inout SeededGenerator) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: count = EntryChunkTests.number(&random)
      case 1: isOpen.toggle()
      case 2: name = EntryChunkTests.text(&random)
      case 3: corner.depth &+= 1
      case 4: corner.label += "x"
      case 5: tags.append(EntryChunkTests.text(&random))
      case 6: tags = Array(tags.dropFirst())
      case 7: stock[["a", "b", "c"][Int.random(in: 0..<3, using: &random)]] = Int.random(in: 0..<9, using: &random)
      case 8: stock["b"] = nil
      case 9: note = note == nil ? EntryChunkTests.text(&random) : nil
      case 10 where !rows.isEmpty:
        let index = Int.random(in: 0..<rows.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: rows[index].title = EntryChunkTests.text(&random)
        case 1: rows[index].isDone.toggle()
        case 2: rows[index].sub.append(Corner())
        case 3: rows[index].corner.depth += 1
        default: rows.remove(at: index)
        }
      default:
        rows.append(Row(id: (rows.last?.id ?? 0) + 1, title: EntryChunkTests.text(&random)))
      }
    }
  }

  /// What a reducer did to a Swift state is bytes without being changes first, and is read as the changes that it is.
  @Test(arguments: 0..<12) func editsOfSwiftStatesComeBackAsChanges(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (finder, other) = (DifferenceFinder(), DifferenceFinder())
    let edit = PlainEdit(PlaceShape())
    let layout = RecordLayout(name: "vary", fields: [])
    var (packer, expected, filled) = (EntryPacker(), [[Change]](), 0)
    var yard = Yard()
    for number in 1...EntryPacker.most {
      let before = yard
      for _ in 0...Int.random(in: 0...2, using: &random) { yard.vary(&random) }
      withUnsafePointer(to: before) { before in
        withUnsafePointer(to: yard) { after in
          var changes: [Change] = []
          other.append(from: UnsafeRawPointer(before), to: UnsafeRawPointer(after), of: Yard.schema, to: &changes)
          expected.append(changes)
          let isFilled = finder.fill(
            edit, from: UnsafeRawPointer(before), to: UnsafeRawPointer(after), of: Yard.schema)
          if isFilled { filled += 1 }
          _ = packer.append(
            number, .seconds(number), nil, .here(), "yard.vary", layout, [], isQuiet: false, isFilled ? [] : changes,
            isFilled ? .passUnretained(edit) : nil)
        }
      }
    }
    #expect(filled > EntryPacker.most / 2)
    for index in expected.indices { #expect(packer[index].changes == expected[index]) }
  }

  /// Bytes that no writer wrote end the reading, and take no memory for what they merely announce.
  @Test func bytesOfAnyKindAreRead() {
    // A list of one list of one list, and so on; then lists that announce all that is left.
    for (list, isDeep) in [([8, 2], true), ([8, 0x80, 0x80, 0x40], false)] as [([UInt8], Bool)] {
      Array(repeating: list, count: 100_000).flatMap(\.self).withUnsafeBytes { bytes in
        var reader = EntryBytesReader(bytes)
        _ = reader.value(EntryVocabulary())
        #expect(reader.isTorn, "\(isDeep)")
      }
    }
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes.withUnsafeBytes { bytes in
        var reader = EntryBytesReader(bytes)
        _ = reader.value(EntryVocabulary())
      }
      _ = try? Self.read(bytes, by: EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil })))
    }
  }

  private static func read(_ bytes: [UInt8], by reader: EntryReader) throws -> [LoggedEntry] {
    try bytes.withUnsafeBytes { try EntryChunk.read($0, by: reader).entries }
  }

  /// An argument that has another type here is an error that names it.
  @Test func anArgumentOfAnotherTypeIsRefused() throws {
    let layout = RecordLayout(name: "add", fields: ["title"])
    let entry = LoggedEntry(
      number: 1, time: .zero, source: .here(), action: "tasks.add", arguments: Record(layout, [.string("milk")]),
      isQuiet: false, changes: [], failure: nil)
    var bytes: [UInt8] = []
    EntryChunk([entry]).append(to: &bytes)
    func reader(_ kind: Schema.Kind) -> EntryReader {
      let shape = EntryTypes.ActionShape(fields: [Field("title", .dynamic(kind))], layout: layout)
      return EntryReader(EntryTypes(action: { _ in shape }, slice: { _ in nil }))
    }
    #expect(try Self.read(bytes, by: reader(.string)) == [entry])
    let error = #expect(throws: EntryError.self) { try Self.read(bytes, by: reader(.bool)) }
    #expect(error?.message.contains("tasks.add") == true && error?.message.contains("title") == true)
  }

  /// A million of them fit into 256 MiB.
  @Test func anEntryOfASmallActionIsSmall() {
    let layout = RecordLayout(name: "add", fields: ["title"])
    let task = RecordLayout(name: "Task", fields: ["id", "title", "done"])
    let origin = ActionSource.Origin(file: "a.stsh", function: "dispatch", kind: .batch)
    var (packer, bytes) = (EntryPacker(), 0)
    for number in 1...1000 {
      let title = Value.string("task \(number) of home")
      if packer.count == EntryPacker.most { packer.removeAll() }
      bytes += packer.append(
        LoggedEntry(
          number: number, time: .microseconds(number * 4), source: ActionSource(origin, line: number),
          action: "tasks.add", arguments: Record(layout, [title]), isQuiet: false,
          changes: [
            Change(
              Path([.field("tasks"), .field("items"), .match(field: "id", .int(number))]),
              .add(.record(Record(task, [.int(number), title, .bool(false)]))), positions: [number - 1]),
            Change(
              Path([.field("tasks"), .field("nextId")]), .replace(from: .int(number), to: .int(number + 1))),
          ], failure: nil, wallTime: 1_800_000_000_000 + number))
    }
    #expect(bytes / 1000 <= 200)
  }

  /// Whatever keys a store has, its entries are packed.
  @Test func pathsOfAnyKeysAreSmall() {
    let layout = RecordLayout(name: "add", fields: [])
    let origin = ActionSource.Origin(file: "a.stsh", function: "dispatch", kind: .batch)
    let keys: [(Int) -> [Path.Step]] = [
      { [.field("catalog"), .field("packages"), .field("package\($0)")] },
      { [.field("catalog"), .field("packages"), .key(.string("a \($0)")), .field("version")] },
      {
        [.field("inventory"), .match(field: "house", .string("h\($0 % 70)")), .match(field: "sku", .string("s\($0)"))]
      },
      { [.field("tasks"), .field("items"), .match(field: "id", .int($0)), .field(["title", "done"][$0 % 2])] },
      { [.field("list"), .index($0), .index($0 * 2), .key(.int($0))] },
    ]
    for key in keys {
      let entries = (1...256).map { number in
        LoggedEntry(
          number: number, time: .zero, source: ActionSource(origin, line: 1), action: "a.b",
          arguments: Record(layout, []),
          isQuiet: false, changes: [Change(Path(key(number)), .add(.int(number)))], failure: nil)
      }
      let chunk = EntryChunk(entries)
      #expect(chunk.objects.isEmpty)
      #expect(entries.indices.map { chunk[$0] } == entries)
    }
  }
}
