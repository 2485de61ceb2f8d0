import StorePlugins
import StoreSchema

/// The shell's own slice as journals hold it.
extension ShellState {
  private static let layout = RecordLayout(
    name: "Shell",
    fields: [
      "gates", "emission", "runaway", "plugins", "purity", "watchesPlugins", "limits", "ceiling", "substates",
      "origins",
    ])
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
    return .record(
      Record(
        Self.layout,
        [
          .list(PersistentList(gates)), .string(emission), .int(runaway), .list(PersistentList(plugins)),
          purity.map { .string($0.rawValue) } ?? .none, .bool(watchesPlugins), .string(limits.text),
          .record(Record(Self.ceilingLayout, Self.ceilingParts.map { .int(ceiling[keyPath: $0.path]) })),
          .texts(substates),
          .map(PersistentMap(settingOrigins.map { (MapKey.string($0), .string($1)) })),
        ]))
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

  /// The members of a JSON object.
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
