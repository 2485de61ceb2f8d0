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
  package init(_ state: HostState) {
    self.init()
    for slice in state.slices { start(slice.name, slice.value) }
  }

  /// Takes in what one action did.
  ///
  /// - Returns: the slices that were changed or that arrived, each with its new hash, and those that went. The hash of a substate
  ///   that arrived is that of its value alone.
  package mutating func follow(
    _ changes: [Change], from before: HostState, to after: HostState
  ) -> [(module: String, hash: UInt64)] {
    let gone = before.slicesGone(in: after)
    for name in gone { remove(name) }
    let arrived = after.arrivedSlices(since: before)
    var result = add(changes).filter { changed in !arrived.contains { $0.name == changed.module } }
    for slice in arrived {
      start(slice.name, slice.value)
      if let hash = self[slice.name] { result.append((slice.name, hash)) }
    }
    for slice in after.addedSubstates(since: before) { result.append((slice.name, SliceHash(of: slice.value).value)) }
    return result + gone.map { ($0, SliceHashes.gone) }
  }
}

/// The shell's own slice as journals hold it.
extension ShellState {
  private static let layout = RecordLayout(
    name: "Shell",
    fields: [
      "gates", "emission", "runaway", "plugins", "purity", "watchesPlugins", "limits", "ceiling", "substates",
      "origins",
    ])
  private static let layoutWithSequences = RecordLayout(name: "Shell", fields: layout.fields + ["sequences"])
  private static let gateLayout = RecordLayout(name: "Gate", fields: ["name", "open", "plugin"])
  private static let ruledGateLayout = RecordLayout(
    name: "Gate", fields: ["name", "open", "plugin", "rule", "openByAction", "ruleGiven"])
  private static let pluginLayout = RecordLayout(
    name: "Plugin", fields: ["name", "version", "digest", "condition", "type"])
  private static let ceilingLayout = RecordLayout(name: "Ceiling", fields: ceilingParts.map(\.name))
  private static let ceilingParts: [(name: String, path: WritableKeyPath<PluginManifest.Limits, Int> & Sendable)] = [
    ("instructions", \.instructions), ("memory", \.memory), ("tasks", \.tasks), ("logLines", \.logLines),
    ("actions", \.actions),
  ]

  /// The slice as a value.
  ///
  /// - Parameters:
  ///   - substates: the names of the substates that are there.
  ///   - types: what tells the types of the plugins' slices apart, by the plugins' names.
  package func value(substates: [String], types: [String: String]) -> Value {
    let gates = gates.map { gate in
      let position: [Value] = [.string(gate.name), .bool(gate.isOpen), .text(gate.plugin)]
      guard gate.rule != nil || gate.isRuleGiven else { return Value.record(Record(Self.gateLayout, position)) }
      let rule: [Value] = [gate.rule?.value ?? .none, .bool(gate.isOpenByAction), .bool(gate.isRuleGiven)]
      return .record(Record(Self.ruledGateLayout, position + rule))
    }
    let plugins = plugins.map { plugin in
      Value.record(
        Record(
          Self.pluginLayout,
          [
            .string(plugin.name), .string(plugin.version), .string(plugin.digest), .string(plugin.condition.rawValue),
            .string(types[plugin.name] ?? ""),
          ]))
    }
    let sequences = PersistentMap(goneSequences.map { (MapKey.string($0), Value.int($1)) })
    return .record(
      Record(
        goneSequences.isEmpty ? Self.layout : Self.layoutWithSequences,
        [
          .list(PersistentList(gates)), .string(emission), .int(runaway), .list(PersistentList(plugins)),
          purity.map { .string($0.rawValue) } ?? .none, .bool(watchesPlugins), .string(limits.text),
          .record(Record(Self.ceilingLayout, Self.ceilingParts.map { .int(ceiling[keyPath: $0.path]) })),
          .texts(substates),
          .map(PersistentMap(settingOrigins.map { (MapKey.string($0), .string($1)) })),
        ] + (goneSequences.isEmpty ? [] : [.map(sequences)])))
  }

  /// The slice that a value read from JSON stands for; what is missing is as in a new session.
  package init(json: Value) {
    self.init()
    let members = Members(json)
    gates = members.list("gates").compactMap { gate in
      let gate = Members(gate)
      guard let name = gate.text("name"), let isOpen = gate.flag("open") else { return nil }
      var read = Gate(
        name: name, isOpen: isOpen, plugin: gate.text("plugin"), rule: gate["rule"].flatMap(GateRule.init))
      read.isOpenByAction = gate.flag("openByAction") ?? read.isOpenByAction
      read.isRuleGiven = gate.flag("ruleGiven") ?? false
      return read
    }
    plugins = members.list("plugins").compactMap { plugin in
      let plugin = Members(plugin)
      guard let name = plugin.text("name"), let version = plugin.text("version") else { return nil }
      return LoadedPlugin(
        name: name, version: version, digest: plugin.text("digest") ?? "",
        condition: plugin.text("condition").flatMap(Condition.init) ?? .on)
    }
    emission = members.text("emission") ?? emission
    runaway = members.number("runaway") ?? runaway
    if let most = members["ceiling"].map(Members.init) {
      for (name, path) in Self.ceilingParts { ceiling[keyPath: path] = most.number(name) ?? ceiling[keyPath: path] }
    }
    purity = members.text("purity").flatMap(Purity.init)
    watchesPlugins = members.flag("watchesPlugins") ?? watchesPlugins
    for (name, origin) in members.texts("origins") { settingOrigins[name] = origin }
    if case .map(let sequences)? = members["sequences"] {
      for case (.string(let path), .int(let number)) in sequences { goneSequences[path] = number }
    }
    limits = members.text("limits").flatMap { limits.changed(by: $0) } ?? limits
  }

  /// The names of the substates in a value read from JSON.
  package static func substates(json: Value) -> [String] {
    Members(json).list("substates").compactMap(\.text)
  }

  /// What tells the types of the plugins' slices apart, by the plugins' names, in a value read from JSON; empty: it has none.
  package static func types(json: Value) -> [String: String] {
    var types: [String: String] = [:]
    for plugin in Members(json).list("plugins") {
      let plugin = Members(plugin)
      if let name = plugin.text("name"), let type = plugin.text("type") { types[name] = type }
    }
    return types
  }

  private struct Members {
    private let map: PersistentMap<MapKey, Value>

    init(_ value: Value) {
      if case .map(let map) = value { self.map = map } else { map = [:] }
    }

    subscript(name: String) -> Value? { map[.string(name)] }

    func text(_ name: String) -> String? { self[name]?.text }

    func texts(_ name: String) -> [(String, String)] {
      guard case .map(let map)? = self[name] else { return [] }
      return map.compactMap { key, value in
        if case (.string(let key), .string(let value)) = (key, value) { (key, value) } else { nil }
      }
    }

    func number(_ name: String) -> Int? {
      if case .int(let number)? = self[name] { return number }
      return nil
    }

    func flag(_ name: String) -> Bool? {
      if case .bool(let flag)? = self[name] { return flag }
      return nil
    }

    func list(_ name: String) -> [Value] {
      if case .list(let list)? = self[name] { return Array(list) }
      return []
    }
  }
}
