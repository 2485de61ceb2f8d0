import StoreHistory
import StorePlugins
import StoreSchema

extension HostState {
  /// The slices of all modules that have state, each with its type, in the order of the modules.
  package var slices: [(name: String, schema: Schema, value: Value)] {
    var slices: [(name: String, schema: Schema, value: Value)] = []
    for field in app.record.fields {
      _ = readSlice(field.name) { slices.append((field.name, $0, $0.access.read($1))) }
    }
    for slice in plugins { slices.append((slice.name, slice.schema, slice.value)) }
    return slices
  }

  /// Adds substates that are not there yet, without a value: that is still to be taken over.
  ///
  /// - Parameters:
  ///   - members: what is to be taken over by name. A substate that is not among it is left out.
  ///   - type: the type of the substates of a name.
  package mutating func addSubstates(
    _ names: [String], in members: PersistentMap<MapKey, Value>, type: (String) -> Schema
  ) {
    for name in names where members[.string(name)] != nil && !substates.contains(where: { $0.name == name }) {
      substates.append(PluginSlice(name: name, schema: type(name), value: .none))
    }
  }

  /// Takes over slices from JSON, each by its type; those of substates may be left out.
  ///
  /// - Parameter isPartial: whether modules may be left out, which then stay as they are.
  /// - Throws: `SchemaError` with the path of the first place that does not fit; the state may then be partly changed.
  package mutating func setSlices(fromJSON json: Value, isPartial: Bool = false) throws(SchemaError) {
    guard case .map(let members) = json else {
      throw SchemaError(expected: "a record of modules", found: json)
    }
    let slices = slices + substates.map { ($0.name, $0.schema, $0.value) }
    for (key, _) in members {
      guard case .string(let name) = key, slices.contains(where: { $0.name == name }) else {
        let name = if case .string(let name) = key { name } else { key.value.described }
        let suggestion = Suggestion.nearest(to: name, among: slices.map(\.name))
        throw SchemaError(Path(), .unknownField(record: "the store", name: name, suggestion: suggestion))
      }
    }
    for (name, schema, _) in slices {
      guard let json = members[.string(name)] else {
        if isPartial || substates.contains(where: { $0.name == name }) { continue }
        throw SchemaError(Path(), .missingField(name: name, type: schema.typeName))
      }
      do throws(SchemaError) {
        try setSlice(name, try schema.value(fromJSON: json))
      } catch {
        throw error.under(Path([.field(name)]))
      }
    }
  }

  /// Replaces a module's slice by a value that was checked against its type.
  package mutating func setSlice(_ name: String, _ value: Value) throws(SchemaError) {
    var failure: SchemaError?
    try? modifySlice(name) { schema, slice in
      do throws(SchemaError) {
        try schema.access.assign(value, slice)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}

extension SliceHashes {
  /// The hashes of all slices of a state.
  package init(_ state: HostState) {
    self.init()
    for slice in state.slices { start(slice.name, slice.value) }
  }

  /// Takes in what one action did.
  ///
  /// - Returns: the slices that were changed or that arrived, each with its new hash. The hash of a substate that arrived is
  ///   that of its value alone.
  package mutating func follow(
    _ changes: [Change], from before: HostState, to after: HostState
  ) -> [(module: String, hash: UInt64)] {
    for slice in before.plugins where !after.plugins.contains(where: { $0.name == slice.name }) { remove(slice.name) }
    let arrived = after.arrivedSlices(since: before)
    var result = add(changes).filter { changed in !arrived.contains { $0.name == changed.module } }
    for slice in arrived {
      start(slice.name, slice.value)
      if let hash = self[slice.name] { result.append((slice.name, hash)) }
    }
    for slice in after.addedSubstates(since: before) { result.append((slice.name, SliceHash(of: slice.value).value)) }
    return result
  }
}
