import StoreCore
import StoreSchema

/// Reads an entry that stands there as ``EntryWriter`` writes most: each value goes straight to its type, because the action
/// and the paths stand before what they are the types of.
struct WrittenEntry {
  private let reader: EntryReader

  init(_ reader: EntryReader) { self.reader = reader }

  /// Reads an entry and the hashes beside it.
  ///
  /// - Returns: nil: it takes a closer look to tell what is wrong, or that all is right.
  func recorded(_ bytes: UnsafeBufferPointer<UInt8>) -> (entry: LoggedEntry, hashes: [(String, UInt64)])? {
    guard !reader.isLenient, !reader.keepsArguments else { return nil }
    do throws(JSONError) {
      return try read(bytes)
    } catch {
      return nil
    }
  }

  private static let misfit = JSONError(message: "", offset: 0)

  private func read(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(JSONError) -> (entry: LoggedEntry, hashes: [(String, UInt64)]) {
    var json = JSONReader(bytes)
    var (number, time, action): (Int?, Duration?, String?)
    var (isQuiet, arguments, source): (Bool, Record?, ActionSource?) = (false, nil, nil)
    var (failure, reason): (String?, String?)
    var wallTime: Int?
    var (changes, hashes): ([Change]?, [(String, UInt64)]) = (nil, [])
    try json.members { (json, name, _) throws(JSONError) in
      switch name {
      case "id" where number == nil: number = try self.number(&json)
      case "at" where time == nil: time = try self.time(&json)
      case "when" where wallTime == nil: wallTime = try integer(&json)
      case "action" where action == nil: action = try json.text()
      case "quiet" where !isQuiet:
        isQuiet = try json.value() == .bool(true)
        guard isQuiet else { throw Self.misfit }
      case "args" where arguments == nil: arguments = try self.arguments(&json, of: action)
      case "source" where source == nil: source = try self.source(&json)
      case "failure" where failure == nil: failure = try json.text()
      case "reason" where reason == nil: reason = try json.text()
      case "changes" where changes == nil: changes = try WrittenChanges(reader).changes(&json)
      case "hash" where hashes.isEmpty: hashes = try self.hashes(&json)
      default: throw Self.misfit
      }
    }
    try json.end()
    guard let number, let time, let action, let arguments, let source, let changes, !UndoLine.exchanges.contains(action)
    else { throw Self.misfit }
    let entry = LoggedEntry(
      number: number, time: time, source: source, action: action, arguments: arguments, isQuiet: isQuiet,
      changes: changes, failure: failure, reason: reason, wallTime: wallTime)
    return (entry, hashes)
  }

  private func number(_ json: inout JSONReader) throws(JSONError) -> Int {
    guard case .int(let number) = try json.value(), (1...LoggedEntry.greatestNumber).contains(number) else {
      throw Self.misfit
    }
    return number
  }

  private func time(_ json: inout JSONReader) throws(JSONError) -> Duration {
    let text = try json.numberText()
    do throws(EntryError) {
      return try EntryReader.time(text)
    } catch {
      throw Self.misfit
    }
  }

  /// Arguments that are all there, in declared order.
  private func arguments(_ json: inout JSONReader, of action: String?) throws(JSONError) -> Record {
    guard let action, !action.hasPrefix(LoggedEntry.thunkPrefix), let shape = reader.types.action(action) else {
      throw Self.misfit
    }
    var values: [Value] = []
    values.reserveCapacity(shape.fields.count)
    try json.members { (json, name, _) throws(JSONError) in
      guard values.count < shape.fields.count, shape.fields[values.count].name == name,
        let value = shape.fields[values.count].schema.value(readFrom: &json)
      else { throw Self.misfit }
      values.append(value)
    }
    guard values.count == shape.fields.count else { throw Self.misfit }
    return Record(shape.layout, values)
  }

  private func source(_ json: inout JSONReader) throws(JSONError) -> ActionSource {
    var (kind, file, function): (ActionSource.Kind?, String?, String?)
    var (line, cause, statement): (Int?, Int?, Int?)
    var (info, plugin, unit): (String?, String?, String?)
    var (user, who): (String?, String?)
    try json.members { (json, name, _) throws(JSONError) in
      switch name {
      case "kind" where kind == nil: kind = ActionSource.Kind(rawValue: try json.text())
      case "file" where file == nil: file = try json.text()
      case "function" where function == nil: function = try json.text()
      case "line" where line == nil: line = try integer(&json)
      case "cause" where cause == nil: cause = try integer(&json)
      case "statement" where statement == nil: statement = try integer(&json)
      case "info" where info == nil: info = try json.text()
      case "plugin" where plugin == nil: plugin = try json.text()
      case "unit" where unit == nil: unit = try json.text()
      case "user" where user == nil: user = try json.text()
      case "who" where who == nil: who = try json.text()
      default: throw Self.misfit
      }
    }
    guard let kind, let file, let function, let line else { throw Self.misfit }
    var source = ActionSource(
      file: file, function: function, line: line, info: info, kind: kind, plugin: plugin, unit: unit, cause: cause)
    if let statement { source.statement = statement }
    if let who { source.author = ActionAuthor(user: user, name: who) }
    return source
  }

  private func integer(_ json: inout JSONReader) throws(JSONError) -> Int {
    guard case .int(let number) = try json.value() else { throw Self.misfit }
    return number
  }

  private func hashes(_ json: inout JSONReader) throws(JSONError) -> [(String, UInt64)] {
    var hashes: [(String, UInt64)] = []
    try json.members { (json, name, _) throws(JSONError) in
      guard let hash = StableHash.value(of: try json.text()), !hashes.contains(where: { $0.0 == name }) else {
        throw Self.misfit
      }
      hashes.append((name, hash))
    }
    return hashes
  }
}
