import StoreCore
import StoreSchema

/// Chunks as the messages of a shared log have them: with all that it takes to read them elsewhere.
extension EntryChunk {
  private static let mostWordBytes = 1 << 16

  /// Appends all that is needed to read the entries: the vocabulary, the objects as JSON, and the packed entries.
  package func append(to out: inout [UInt8]) {
    let isWritten = withUnsafeTemporaryAllocation(byteCount: Self.mostWordBytes, alignment: 8) { room in
      var writer = EntryBytesWriter(room)
      for number in [first.number, first.time, first.wall, places.count, objects.count] { writer.number(number) }
      guard writer.write(vocabulary), !writer.isFull else { return false }
      out.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<writer.offset]))
      return true
    }
    // Words that are too long: all entries are objects then.
    guard isWritten else {
      return EntryChunk(places.indices.map { self[$0] }, EntryVocabulary(most: 0)).append(to: &out)
    }
    for entry in objects {
      var json: [UInt8] = []
      EntryWriter.append(entry, to: &json)
      out.append(contentsOf: withUnsafeBytes(of: UInt32(json.count).littleEndian) { Array($0) })
      out += json
    }
    out += bytes
  }

  /// Reads what ``append(to:)`` wrote.
  ///
  /// - Returns: the entries, and the chunk that has them packed.
  /// - Throws: ``EntryError`` with the first place that does not fit.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, by entryReader: EntryReader
  ) throws(EntryError) -> (entries: [LoggedEntry], chunk: EntryChunk) {
    var reader = EntryBytesReader(bytes)
    let first = (number: reader.number(), time: reader.number(), wall: reader.number())
    let (count, objectCount) = (reader.count(), reader.count())
    let vocabulary = try reader.vocabulary(entryReader.types)
    var (objects, entries, places): ([LoggedEntry], [LoggedEntry], [Int32]) = ([], [], [])
    for _ in 0..<objectCount {
      guard let json = reader.part() else { throw .torn }
      objects.append(try entryReader.entry(of: json.assumingMemoryBound(to: UInt8.self)))
    }
    let start = reader.place
    do throws(PackedFault) {
      for _ in 0..<count {
        places.append(Int32(truncatingIfNeeded: reader.place - start))
        entries.append(try reader.entry(first, vocabulary, objects))
      }
    } catch {
      switch error {
      case .torn: throw .torn
      case .misfit(let action, let error): throw EntryError("\(action): \(error.message)")
      }
    }
    let packed = Array(bytes[start..<reader.place])
    return (entries, EntryChunk(bytes: packed, places: places, objects: objects, vocabulary: vocabulary, first: first))
  }
}

extension EntryError {
  fileprivate static let torn = EntryError("the message is torn")
}

extension EntryBytesWriter {
  /// Writes all words.
  ///
  /// - Returns: false: they do not fit.
  mutating func write(_ vocabulary: EntryVocabulary) -> Bool {
    var vocabulary = vocabulary
    byte(UInt8(vocabulary.origins.all.count))
    for origin in vocabulary.origins.all {
      var json: [UInt8] = []
      EntryWriter.append(ActionSource(origin, line: 0), to: &json)
      guard text(String(decoding: json, as: UTF8.self)) else { return false }
    }
    byte(UInt8(vocabulary.actions.all.count))
    for action in vocabulary.actions.all {
      byte(action.isQuiet ? 1 : 0)
      guard write(action.name, action.layout.fields) else { return false }
    }
    byte(UInt8(vocabulary.layouts.all.count))
    for layout in vocabulary.layouts.all { guard write(layout.name, layout.fields) else { return false } }
    byte(UInt8(vocabulary.paths.all.count))
    for path in vocabulary.paths.all {
      number(path.count)
      for step in path {
        switch step {
        case .field: byte(0)
        case .index: byte(1)
        case .key: byte(2)
        case .match(let field, _):
          byte(3)
          guard text(field) else { return false }
        case .all: byte(4)
        }
        guard write(step, &vocabulary) else { return false }
      }
    }
    return true
  }

  private mutating func write(_ name: String, _ fields: [String]) -> Bool {
    guard text(name) else { return false }
    number(fields.count)
    return fields.allSatisfy { text($0) }
  }
}

extension EntryBytesReader {
  /// Reads all words; the arguments of actions have the types of this process, if it has the same.
  mutating func vocabulary(_ types: EntryTypes) throws(EntryError) -> EntryVocabulary {
    var vocabulary = EntryVocabulary(most: Int(UInt8.max))
    for _ in 0..<byte() { _ = vocabulary.origins.add(try EntryReader.source(of: text()).origin) }
    for _ in 0..<byte() {
      let (isQuiet, name) = (byte() == 1, text())
      let (fields, shape) = (names(), types.action(name))
      let isKnown = shape?.layout.fields == fields
      let layout = isKnown ? shape?.layout : nil
      _ = vocabulary.actions.add(
        EntryVocabulary.Action(
          name: name, layout: layout ?? RecordLayout(name: name, fields: fields), isQuiet: isQuiet,
          fields: isKnown ? shape?.fields : nil))
    }
    for _ in 0..<byte() { _ = vocabulary.layouts.add(RecordLayout(name: text(), fields: names())) }
    for _ in 0..<byte() {
      var steps: [Path.Step] = []
      for _ in 0..<count() {
        switch byte() {
        case 0: steps.append(.field(text()))
        case 1: steps.append(.index(number()))
        case 2: steps.append(.key(key(vocabulary)))
        case 3: steps.append(.match(field: text(), value(vocabulary)))
        default: steps.append(.all)
        }
      }
      _ = vocabulary.paths.add(steps)
    }
    if isTorn { throw .torn }
    return vocabulary
  }

  private mutating func names() -> [String] {
    var names: [String] = []
    for _ in 0..<count() { names.append(text()) }
    return names
  }
}
