import StoreCore
import StoreSchema

/// Reads entries that ``EntryWriter`` wrote, each value by its declared type (R32).
public struct EntryReader {
  /// The types by which values are read: the same for as long as the reader is used.
  public let types: EntryTypes
  /// True if a value that does not fit its type is read without a type, as it may have had another when it was written.
  let isLenient: Bool
  /// True if arguments are read as written, whatever the action takes by now.
  let keepsArguments: Bool
  let targets = KnownTargets()

  /// A reader by some types.
  ///
  /// - Parameters:
  ///   - isLenient: true if a value that does not fit its type is read without a type, instead of being an error.
  ///   - keepsArguments: true if arguments are read as they were written. An argument that the action did not take then
  ///     is not filled in; a value that does not fit the present action is read without a type.
  public init(_ types: EntryTypes, isLenient: Bool = false, keepsArguments: Bool = false) {
    self.types = types
    self.isLenient = isLenient
    self.keepsArguments = keepsArguments || isLenient
  }

  /// Reads one entry.
  ///
  /// - Throws: ``EntryError`` with the first place that does not fit.
  public func entry(of bytes: UnsafeBufferPointer<UInt8>) throws(EntryError) -> LoggedEntry {
    if let written = WrittenEntry(self).recorded(bytes) { return written.entry }
    return try entry(of: RawEntry(bytes))
  }

  /// Reads an entry and the hashes that its line has beside it, by module.
  func recorded(of bytes: UnsafeBufferPointer<UInt8>) throws(EntryError) -> (
    entry: LoggedEntry, hashes: [(String, UInt64)]
  ) {
    if let written = WrittenEntry(self).recorded(bytes) { return written }
    let raw = try RawEntry(bytes)
    return (try entry(of: raw), try EntryReader.hashes(raw.members["hash"]))
  }

  private func entry(of raw: RawEntry) throws(EntryError) -> LoggedEntry {
    let members = raw.members
    let action = try members.text("action")
    return LoggedEntry(
      number: try members.number("id", from: 1), time: try EntryReader.time(raw.time ?? ""),
      source: try EntryReader.source(members["source"]), action: action,
      arguments: try arguments(members["args"], of: action), isQuiet: try members.flag("quiet"),
      changes: try reader(ofChangesBy: action).changes(members["changes"]),
      failure: try members.optionalText("failure"), reason: try members.optionalText("reason"),
      digest: try members.optionalText("digest"),
      original: members["original"] == nil ? nil : try original(members["original"]),
      droppedBy: try members.optionalText("droppedBy"), wallTime: try members.optionalInteger("when"))
  }

  // MARK: Single columns

  /// Reads the arguments of an action from their own text.
  ///
  /// - Throws: ``EntryError`` at the first argument that does not fit.
  public func arguments(of text: String, action: String) throws(EntryError) -> Record {
    try arguments(EntryReader.json(text), of: action)
  }

  /// Reads changes from their own text.
  ///
  /// - Throws: ``EntryError`` at the first change that does not fit.
  public func changes(of text: String) throws(EntryError) -> [Change] {
    var text = text
    let read: Result<[Change], EntryError> = text.withUTF8 { bytes in
      Result { () throws(EntryError) in try changes(of: bytes) }
    }
    return try read.get()
  }

  /// The reader of the changes that an action made. Actions of the shell that exchange a plugin for another version
  /// also change the type of its state, so not all changes fit one type.
  func reader(ofChangesBy action: String) -> EntryReader {
    guard !isLenient, UndoLine.exchanges.contains(action) else { return self }
    return EntryReader(types, isLenient: true, keepsArguments: keepsArguments)
  }

  /// Reads changes from the bytes of their own text.
  func changes(of bytes: UnsafeBufferPointer<UInt8>) throws(EntryError) -> [Change] {
    if let changes = WrittenChanges(self).changes(bytes) { return changes }
    return try changes(EntryReader.json(String(decoding: bytes, as: UTF8.self)))
  }

  /// Reads a source from its own text.
  ///
  /// - Throws: ``EntryError`` at the first field that does not fit.
  public static func source(of text: String) throws(EntryError) -> ActionSource { try source(json(text)) }

  /// Reads a time in decimal seconds.
  ///
  /// - Throws: ``EntryError`` where the text is no time, or one of more nanoseconds than an Int holds.
  public static func time(_ text: String) throws(EntryError) -> Duration {
    let limit = Duration.nanoseconds(Int64.max)
    guard let time = Duration(decimalSeconds: text), (.zero - limit...limit).contains(time) else {
      throw EntryError("'at' must be seconds, got '\(text)'")
    }
    return time
  }

  // MARK: Members

  func arguments(_ value: Value?, of action: String) throws(EntryError) -> Record {
    guard let value else { throw EntryError("'args' is missing") }
    guard case .map(let members) = value else { throw EntryError("'args' must be an object, got \(value.described)") }
    func untyped() -> Record {
      Record(RecordLayout(name: action, fields: members.map(\.key.name)), members.map(\.value))
    }
    guard var shape = types.action(action) else { return untyped() }
    // A thunk's arguments never run again.
    let keepsArguments = keepsArguments || action.hasPrefix(LoggedEntry.thunkPrefix)
    if keepsArguments { shape = shape.limited(to: members) }
    do throws(SchemaError) {
      let misfit = SchemaError(expected: "a record", found: value)
      return Record(
        shape.layout, try Schema.check(value, against: shape.fields, layout: shape.layout, isJSON: true, or: misfit))
    } catch {
      if keepsArguments { return untyped() }
      throw EntryError("\(action): \(error.message)")
    }
  }

  private func original(_ value: Value?) throws(EntryError) -> LoggedEntry.Original {
    let members = try ObjectMembers(value, "original", names: ["action", "args"])
    let action = try members.text("action")
    return LoggedEntry.Original(action: action, arguments: try arguments(members["args"], of: action))
  }

  package static func source(_ value: Value?) throws(EntryError) -> ActionSource {
    let members = try ObjectMembers(value, "source", names: membersOfSource)
    let name = try members.text("kind")
    guard let kind = ActionSource.Kind(rawValue: name) else {
      throw EntryError("'source.kind' must be a kind of source, got \(ScalarText.quoted(name))")
    }
    var source = ActionSource(
      file: try members.text("file"), function: try members.text("function"), line: try members.integer("line"),
      info: try members.optionalText("info"), kind: kind, plugin: try members.optionalText("plugin"),
      unit: try members.optionalText("unit"), cause: try members.optionalInteger("cause"))
    if let first = try members.optionalInteger("statement") { source.statement = first }
    if let name = try members.optionalText("who") {
      source.author = ActionAuthor(user: try members.optionalText("user"), name: name)
    }
    return source
  }

  static func hashes(_ value: Value?) throws(EntryError) -> [(String, UInt64)] {
    guard let value else { return [] }
    guard case .map(let members) = value else { throw EntryError("'hash' must be an object, got \(value.described)") }
    var hashes: [(String, UInt64)] = []
    for (module, digits) in members {
      guard case .string(let digits) = digits, let hash = StableHash.value(of: digits) else {
        throw EntryError("'hash.\(module.name)' must be 16 hexadecimal digits")
      }
      hashes.append((module.name, hash))
    }
    return hashes
  }

  private static func json(_ text: String) throws(EntryError) -> Value {
    do throws(JSONError) {
      return try JSON.value(of: text)
    } catch {
      throw EntryError(error)
    }
  }
}

extension MapKey {
  /// The key as text.
  var name: String {
    switch self {
    case .int(let key): "\(key)"
    case .string(let key): key
    }
  }
}

extension EntryReader {
  private static let membersOfSource: Set<String> = [
    "kind", "file", "function", "line", "cause", "statement", "info", "plugin", "unit", "user", "who",
  ]
  private static let members: Set<String> = ["op", "path", "from", "to", "positions", "inPlace"]

  /// Reads changes, each value by the type of what its path leads to.
  func changes(_ value: Value?) throws(EntryError) -> [Change] {
    guard let value else { throw EntryError("'changes' is missing") }
    guard case .list(let list) = value else { throw EntryError("'changes' must be a list, got \(value.described)") }
    var changes: [Change] = []
    changes.reserveCapacity(list.count)
    for item in list { changes.append(try change(item, "changes[\(changes.count + 1)]")) }
    return changes
  }

  private func change(_ value: Value, _ place: String) throws(EntryError) -> Change {
    let members = try ObjectMembers(value, place, names: EntryReader.members)
    let (path, schema) = try target(try members.text("path"), place)
    func part(_ name: String) throws(EntryError) -> Value {
      guard let value = members[name] else { throw EntryError("'\(place).\(name)' is missing") }
      do throws(SchemaError) {
        return try schema?.value(fromJSON: value) ?? value
      } catch {
        if isLenient { return value }
        throw EntryError("\(place): \(error.under(path).message)")
      }
    }
    let kind: Change.Kind
    switch try members.text("op") {
    case "replace": kind = .replace(from: try part("from"), to: try part("to"))
    case "add": kind = .add(try part("to"))
    case "remove": kind = .remove(try part("from"))
    case "move":
      guard case .int(let position)? = members["to"], position >= 0 else {
        throw EntryError("'\(place).to' must be a number from 0")
      }
      kind = .move(to: position)
    case let name:
      throw EntryError("'\(place).op' must be one of replace, add, remove, move, got \(ScalarText.quoted(name))")
    }
    return Change(
      path, kind, positions: try positions(members["positions"], place), isInPlace: try members.flag("inPlace"))
  }

  /// The path of a change, and the type of its value; nil if no module of that name declares it.
  typealias Target = (path: Path, schema: Schema?)

  /// The target of a path: by the types of the modules, if they have a module of that name.
  func target(_ text: String, _ place: String) throws(EntryError) -> Target {
    if let known = targets[text] { return known }
    let target = try find(text, place)
    targets[text] = target
    return target
  }

  private func find(_ text: String, _ place: String) throws(EntryError) -> Target {
    let path: Path
    do throws(PathSyntaxError) {
      path = try Path(parsing: text)
    } catch {
      throw EntryError("'\(place).path' is no path: \(error.message)")
    }
    guard let module = path.steps.first, case .field(let name) = module, let slice = types.slice(name) else {
      return (path, nil)
    }
    guard let (schema, steps) = slice.part(at: path.steps.dropFirst()) else {
      if isLenient { return (path, nil) }
      throw EntryError("\(place): '\(text)' leads nowhere")
    }
    return (Path([module] + steps), schema)
  }

  private func positions(_ value: Value?, _ place: String) throws(EntryError) -> [Int] {
    guard let value else { return [] }
    guard case .list(let list) = value else {
      throw EntryError("'\(place).positions' must be a list, got \(value.described)")
    }
    var positions: [Int] = []
    for item in list {
      guard case .int(let position) = item, position >= 0 else {
        throw EntryError("'\(place).positions' must be numbers from 0, got \(item.described)")
      }
      positions.append(position)
    }
    return positions
  }
}

/// The targets of paths that were met before; those into lists are not kept, because each is met seldom.
final class KnownTargets {
  private static let limit = 1024
  private var targets: [String: EntryReader.Target] = [:]

  subscript(text: String) -> EntryReader.Target? {
    get { targets[text] }
    set {
      guard targets.count < Self.limit, !text.utf8.contains(UInt8(ascii: "[")) else { return }
      targets[text] = newValue
    }
  }
}
