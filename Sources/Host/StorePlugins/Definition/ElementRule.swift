import StoreCore
import StoreModules
import StoreSchema

/// The elements for which a middleware runs, one by one (R17).
struct ElementRule {
  /// The list of records with an `id`, or the map, that holds them.
  let path: Path
  /// True if they are the entries of a map, told apart by their keys.
  let isMap: Bool
  /// What names one of them; nil: only a state tells.
  let key: Schema.KeyKind?
  /// The argument of an action that names the element which it is for.
  let argument: String

  /// One of them, as it stood.
  struct Element {
    /// Its `id`, or its key.
    let id: Value
    let value: Value
  }

  /// The elements that an action is for: the one that its argument names, if there is such an element, else all in order.
  func elements(for call: ActionCall, in view: any StateView) -> [Element] {
    guard let id = call.record[argument], id != .none else { return elements(in: view) }
    return value(of: id, in: view).map { [Element(id: id, value: $0)] } ?? []
  }

  /// All elements, in order. Of a list those without an `id`, and of two with one `id` the second, are none.
  func elements(in view: any StateView) -> [Element] {
    switch path.value(in: view.readSlice) {
    case .list(let list)?:
      var seen: Set<Value> = []
      return list.compactMap { value in
        guard case .record(let record) = value, let id = record["id"], id != .none, seen.insert(id).inserted else {
          return nil
        }
        return Element(id: id, value: value)
      }
    case .map(let map)?: return map.map { Element(id: $0.value, value: $1) }
    default: return []
    }
  }

  /// The value of the element of an id at present; nil: there is none.
  func value(of id: Value, in view: any StateView) -> Value? {
    let step: Path.Step
    switch id {
    case .string(let key) where isMap: step = .key(.string(key))
    case .int(let key) where isMap: step = .index(key)
    default: step = .match(field: "id", id)
    }
    guard let value = path.appending(step).value(in: view.readSlice), value != .none else { return nil }
    return value
  }
}

extension Path {
  /// The value at the path, none where it leads to nothing; nil where its module is not there.
  ///
  /// - Parameter readSlice: hands out a module's slice and its type; false where there is no such module.
  package func value(
    in readSlice: (_ module: String, (Schema, UnsafeRawPointer) -> Void) -> Bool
  ) -> Value? {
    guard case .field(let module) = steps.first else { return nil }
    var value: Value?
    _ = readSlice(module) { schema, slice in
      value = (try? schema.read(steps.dropFirst(), in: slice, from: Path([steps[0]])).value) ?? .some(.none)
    }
    return value
  }
}
