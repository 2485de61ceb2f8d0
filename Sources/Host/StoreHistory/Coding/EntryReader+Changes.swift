import StoreSchema

extension EntryReader {
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
