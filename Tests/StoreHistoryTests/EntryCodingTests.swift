import StoreCore
import StoreHistory
import StoreSchema
import Testing

/// Entries of the log go to JSON and come back by their types, nothing lost.
@Suite struct EntryCodingTests {
  static func text(_ entry: LoggedEntry) -> String {
    var bytes: [UInt8] = []
    EntryWriter.append(entry, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func read(_ text: String, _ types: EntryTypes = GeneratedEntries.types) throws(EntryError) -> LoggedEntry {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { (bytes) throws(EntryError) in try EntryReader(types).entry(of: bytes) }
  }

  @Test func generatedEntriesComeBack() throws {
    var generated = GeneratedEntries(seed: 7)
    for number in 1...2000 {
      let entry = generated.entry(number)
      let text = EntryCodingTests.text(entry)
      let read = try EntryCodingTests.read(text)
      #expect(read == entry, "\(text)")
      #expect(EntryCodingTests.text(read) == text)
    }
  }

  @Test func columnsComeBackOneByOne() throws {
    var generated = GeneratedEntries(seed: 8)
    let reader = EntryReader(GeneratedEntries.types)
    for number in 1...500 {
      let entry = generated.entry(number)
      func text(_ append: (inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        append(&bytes)
        return String(decoding: bytes, as: UTF8.self)
      }
      #expect(try EntryReader.time(text { EntryWriter.append(entry.time, to: &$0) }) == entry.time)
      #expect(try EntryReader.source(of: text { EntryWriter.append(entry.source, to: &$0) }) == entry.source)
      let arguments = text { JSON.append(entry.arguments, to: &$0) }
      #expect(try reader.arguments(of: arguments, action: entry.action) == entry.arguments)
      #expect(try reader.changes(of: text { EntryWriter.append(entry.changes[...], to: &$0) }) == entry.changes)
    }
  }

  @Test(arguments: [
    #"[ {"path":"shop.items[id=1].price", "op":"replace", "to":2, "from":1.5} ]"#,
    #"[{"op":"replace","from":1.5,"path":"shop.items[id=1].price","to":2}]"#,
    #"[{"op":"replace","path":"shop.items[id=1].price","from":1.5,"to":2.0,"positions":[],"inPlace":false}]"#,
  ])
  func changesInAnotherFormAreReadAllTheSame(text: String) throws {
    let price = Path([.field("shop"), .field("items"), .match(field: "id", .int(1)), .field("price")])
    #expect(
      try EntryReader(GeneratedEntries.types).changes(of: text)
        == [Change(price, .replace(from: .double(1.5), to: .double(2)))])
  }

  @Test(arguments: [
    (#"[{"op":"add","path":"shop.open","to":1}]"#, "changes[1]: 'shop.open' must be Bool, got number 1"),
    (#"[{"op":"add","path":"shop.open","to":true,"to":true}]"#, #"the key "to" appears twice (column 43)"#),
    (#"[{"op":"add","path":"shop.open","to":true}"#, "expected ',' or ']' (column 43)"),
    (#"[{"op":"add","path":"shop.open","to":true}] x"#, "expected the end of the value (column 45)"),
    (
      #"[{"op":"add","path":"shop.open","from":true,"to":true,"why":1}]"#, "'changes[1]' has no member 'string \"why\"'"
    ),
  ])
  func changesThatDoNotFitAreNamed(text: String, message: String) {
    let error = #expect(throws: EntryError.self) { try EntryReader(GeneratedEntries.types).changes(of: text) }
    #expect(error?.message == message)
  }

  @Test func anEntryIsReadableText() {
    let layout = RecordLayout(name: "tasks.add", fields: ["title"])
    let entry = LoggedEntry(
      number: 1, time: .milliseconds(1500),
      source: ActionSource(file: "repl", function: "dispatch", line: 3, kind: .repl),
      action: "tasks.add", arguments: Record(layout, [.string("Buy \"milk\"")]), isQuiet: false,
      changes: [Change(Path([.field("tasks"), .field("nextId")]), .replace(from: .int(1), to: .int(2)))], failure: nil)
    #expect(
      EntryCodingTests.text(entry) == #"""
        {"id":1,"at":1.5,"action":"tasks.add","args":{"title":"Buy \"milk\""},"source":{"kind":"repl","file":"repl",\#
        "function":"dispatch","line":3},"changes":[{"op":"replace","path":"tasks.nextId","from":1,"to":2}]}
        """#)
  }

  /// By a restore a plugin's slice may get or lose fields, or fields their type.
  @Test func changesBetweenTypesAreReadWithout() throws {
    let changes =
      #"[{"op":"remove","path":"shop.gone","from":1},{"op":"replace","path":"shop.items","from":7,"to":[]}]"#
    let line = Self.line(#""args":{},"changes":\#(changes)"#).replacing("shop.put", with: "shell.restore")
    let module = Path.Step.field("shop")
    #expect(
      try Self.read(line).changes == [
        Change(Path([module, .field("gone")]), .remove(.int(1))),
        Change(Path([module, .field("items")]), .replace(from: .int(7), to: .list([]))),
      ])
    #expect(throws: EntryError.self) { try Self.read(line.replacing("shell.restore", with: "shell.import")) }
  }

  private static func line(_ members: String) -> String {
    #"{"id":1,"at":0,"action":"shop.put","source":{"kind":"code","file":"f","function":"g","line":1},"# + members + "}"
  }

  @Test(arguments: [
    (#""args":{"amount":"two"},"changes":[]"#, #"shop.put: 'amount' must be Int, got string "two""#),
    (#""args":{"amout":2},"changes":[]"#, "shop.put: shop.put has no field 'amout' (did you mean 'amount'?)"),
    (
      #""args":{},"changes":[{"op":"replace","path":"shop.items[id=1].price","from":1.5,"to":true}]"#,
      "changes[1]: 'shop.items[id=1].price' must be Double, got bool true"
    ),
    (#""args":{},"changes":[{"op":"add","path":"shop.itmes[1]","to":1}]"#, "changes[1]: 'shop.itmes[1]' leads nowhere"),
    (#""args":{},"changes":[{"op":"add","path":"shop..x","to":1}]"#, "'changes[1].path' is no path: expected a name"),
    (
      #""args":{},"changes":[{"op":"put","path":"shop.open"}]"#,
      #"'changes[1].op' must be one of replace, add, remove, move, got "put""#
    ),
    (#""args":{},"changes":[{"op":"add","path":"shop.open"}]"#, "'changes[1].to' is missing"),
    (#""args":{},"changes":7"#, "'changes' must be a list, got number 7"),
    (#""args":{}"#, "'changes' is missing"),
    (#""args":[],"changes":[]"#, "'args' must be an object, got a list"),
    (#""args":{},"changes":[],"chnages":[]"#, "an entry has no member 'chnages'"),
    (#""args":{},"changes":[],"args":{}"#, #"the key "args" appears twice (column 119)"#),
    (#""args":{},"changes":["#, "expected a value (column 117)"),
    (#""args":{},"changes":[],"quiet":1"#, "'quiet' must be Bool, got number 1"),
    (#""args":{},"changes":[],"digest":12"#, "'digest' must be String, got number 12"),
  ])
  func theFirstPlaceThatDoesNotFitIsNamed(members: String, message: String) {
    let error = #expect(throws: EntryError.self) { try EntryCodingTests.read(EntryCodingTests.line(members)) }
    #expect(error?.message == message)
  }

  @Test(arguments: ["", "1e3", "1.", ".5", "1.0000000000000000001", "+1", "1.-1", "99999999999999999999"])
  func aTimeIsDecimalSeconds(text: String) {
    #expect(throws: EntryError.self) { try EntryReader.time(text) }
  }

  @Test func whatIsUnknownIsReadWithoutAType() throws {
    var generated = GeneratedEntries(seed: 9)
    let untyped = EntryTypes(action: { _ in nil }, slice: { _ in nil })
    for number in 1...200 {
      let text = EntryCodingTests.text(generated.entry(number))
      let read = try EntryCodingTests.read(text, untyped)
      #expect(read.number == number)
      #expect(JSON.text(of: try JSON.value(of: EntryCodingTests.text(read))) == JSON.text(of: try JSON.value(of: text)))
    }
  }
}

@Suite struct SliceHashTests {
  private func change(_ path: String, _ kind: Change.Kind, _ positions: [Int] = []) throws -> Change {
    Change(try Path(parsing: path), kind, positions: positions)
  }

  @Test func equalHistoriesHaveEqualHashesAndOthersHaveNot() throws {
    let first = try change("shop.items[id=3]", .add(.int(1)), [0])
    let moved = try change("shop.items[id=3]", .add(.int(1)), [1])
    func hash(_ start: Value, _ actions: [Change]...) -> UInt64 {
      var hash = SliceHash(of: start)
      for changes in actions { hash.add(changes[...]) }
      return hash.value
    }
    #expect(hash(.int(0), [first]) == hash(.int(0), [first]))
    #expect(hash(.int(0), [first]) != hash(.int(0), [moved]))
    #expect(hash(.int(0), [first]) != hash(.int(1), [first]))
    #expect(hash(.int(0), [first, moved]) != hash(.int(0), [moved, first]))
    #expect(hash(.int(0), [first], []) == hash(.int(0), [first]))
    #expect(hash(.int(0), [first], [moved]) != hash(.int(0), [first]))
  }

  @Test func theHashIsTheSameEverywhere() {
    // The published values of FNV-1a.
    var hash = StableHash()
    #expect(StableHash.text(of: hash.value) == "cbf29ce484222325")
    hash.add("foobar")
    #expect(StableHash.text(of: hash.value) == "85944171f73967e8")
    #expect(StableHash.value(of: "85944171f73967e8") == hash.value)
    #expect(StableHash.value(of: "0000000000000001") == 1)
    for text in ["", "1", "85944171f73967e", "85944171f73967e8f", "+5944171f73967e8", "g5944171f73967e8"] {
      #expect(StableHash.value(of: text) == nil)
    }
  }
}
