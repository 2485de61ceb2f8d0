import Platform
import StoreHistory
import StorePlugins
import StoreSchema

/// How much of the history of a store memory holds.
public typealias HistoryLimits = StoreHistory.HistoryLimits

/// The root state that the shell puts around an application's: its modules, the slices of plugins, and the shell's own
/// switches, so that all of it is changed by actions alone.
///
/// Extensions add one view of it a file: its changes, its JSON, its slices in a journal, what a reload makes of it.
package struct HostState: Sendable {
  package var app: AppState
  private var held = PluginSlices.none
  private var switches = Switches(ShellState(), [])

  package init(app: AppState) { self.app = app }

  /// The shell's own switches. Behind one reference, because they are copied with every action and changed by few.
  package var shell: ShellState {
    get { switches.state }
    set { switches = Switches(newValue, switches.substates) }
  }

  /// The substates, in the order in which they were added (R23).
  package var substates: [PluginSlice] {
    get { switches.substates }
    set { switches = Switches(switches.state, newValue) }
  }

  /// The slices of plugins, in load order.
  package var plugins: [PluginSlice] {
    get { held.all }
    _modify {
      if !isKnownUniquelyReferenced(&held) || !held.isPlain { held = PluginSlices(held.all) }
      yield &held.written
    }
  }

  /// Hands out a plugin's slice to one who writes it in place and may tell what it wrote.
  ///
  /// - Parameter body: gets the slice, what is to say what it wrote to that, and whether somebody wants to know.
  /// - Returns: false where there is no such slice.
  package mutating func writeSlice(
    _ name: String, _ body: (inout Value, inout SliceEdit?, Bool) throws -> Void
  ) throws -> Bool {
    var edit: SliceEdit?
    guard held.isLent, isKnownUniquelyReferenced(&held) else {
      guard let index = held.all.firstIndex(where: { $0.name == name }) else { return false }
      try body(&plugins[index].value, &edit, false)
      return true
    }
    return try Unmanaged.passUnretained(held)._withUnsafeGuaranteedRef { slices in
      guard let index = slices.written.firstIndex(where: { $0.name == name }) else { return false }
      let isFirst = slices.beginEdit(of: index)
      try body(&slices.written[index].value, &edit, isFirst)
      if isFirst, let made = edit.take() { slices.note(made, at: index) }
      return true
    }
  }

  /// The state as it is, whatever becomes of the slices of plugins in this one: they may be written in place, since what shows them
  /// here asks for what was written. Until the loan ends.
  ///
  /// - Parameter former: shows them as they are.
  /// - Returns: nil where they are others' as well.
  package mutating func lend(to former: PluginSlices) -> HostState? {
    guard lendSlices(to: former) else { return nil }
    var before = self
    before.held = former
    return before
  }

  private mutating func lendSlices(to former: PluginSlices) -> Bool {
    guard isKnownUniquelyReferenced(&held), held.isPlain, !held.written.isEmpty else { return false }
    held.lend(to: former)
    return true
  }

  /// Makes another state what this one is before it changes: as ``lend(to:)``, and no part that both have already is counted.
  ///
  /// - Parameters:
  ///   - before: the state that has been the one before. A loan to it ends.
  ///   - former: who has that loan, and may get the next.
  ///   - changesApp: true if the application's own slices are about to change. They are then written in place, too.
  ///   - lends: true if the slices of plugins are about to be written in place.
  package mutating func copy(
    to before: inout HostState, lendingSlicesTo former: inout PluginSlices, changesApp: Bool, lends: Bool
  ) {
    if before.switches !== switches { before.switches = switches }
    if changesApp { before.app.become(app) } else if !before.app.isSame(as: app) { before.app = app }
    if before.held === held, held.isPlain, !lends || held.written.isEmpty { return }
    // Nobody else may have the slices that are lent, or who had the loan.
    before.held = .none
    endLoan(to: &former)
    before.held = lends && lendSlices(to: former) ? former : held
  }

  /// Ends a loan.
  ///
  /// - Parameter former: who had it; another one where somebody still asks it for the slices as they were.
  package func endLoan(to former: inout PluginSlices) {
    let isKept = !isKnownUniquelyReferenced(&former)
    former.endLoan(by: held, isKept: isKept)
    if isKept { former = PluginSlices([]) }
  }

  /// True if what was written since the slices of plugins were lent to an earlier state tells that a sequence of one of them went on, or
  /// that nothing of that slice was written.
  func isAhead(_ path: Path, ofSlice name: String, at usual: Int, since before: HostState) -> Bool {
    held.isAhead(path, ofSlice: name, at: usual, since: before.held)
  }

  /// Whether a look at them tells that the slices of plugins are the same in another state.
  package func hasSlices(of other: HostState) -> Bool { held.isSame(as: other.held) }

  /// Whether no action has touched the shell's switches or a substate between two states.
  package func hasSwitches(of other: HostState) -> Bool { switches === other.switches }

  /// Takes the switches of a known state that are equal, so that those which come back, as where a plugin is loaded and
  /// unloaded again and again, are kept once.
  ///
  /// - Parameter known: the latest first; few, because whoever goes back and forth goes between few.
  package mutating func share(_ known: inout [Switches]) {
    if known.first === switches { return }
    if let index = known.firstIndex(where: { $0.isEqual(to: switches) }) { switches = known.remove(at: index) }
    known.insert(switches, at: 0)
    if known.count > 8 { known.removeLast() }
  }

  /// What few actions change.
  package final class Switches: Sendable {
    fileprivate let state: ShellState
    fileprivate let substates: [PluginSlice]

    fileprivate init(_ state: ShellState, _ substates: [PluginSlice]) {
      self.state = state
      self.substates = substates
    }

    fileprivate func isEqual(to other: Switches) -> Bool {
      self === other || (state == other.state && HostState.areEqual(substates, other.substates))
    }
  }
}

/// The slice of one plugin.
package struct PluginSlice: Sendable {
  package let name: String
  package let schema: Schema
  package var value: Value

  /// Whether another slice is that of the same plugin with the same type.
  package func isSamePlace(as other: PluginSlice) -> Bool { schema === other.schema && name == other.name }
}

extension PluginSlice {
  /// Whether another slice has a type that takes the same values, as that of a reloaded plugin has unless its fields were
  /// changed.
  package func hasType(of other: PluginSlice) -> Bool {
    schema === other.schema || schema.shape == other.schema.shape
  }
}

extension [PluginSlice] {
  /// True if two are one array: no action in between has touched a slice.
  func isSameArray(as other: [PluginSlice]) -> Bool {
    withUnsafeBufferPointer { own in
      other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
    }
  }

  /// True if a look at their bytes tells that the slices at one position are the same.
  fileprivate func hasSameBytes(as other: [PluginSlice], at index: Int) -> Bool {
    guard index < Swift.min(count, other.count) else { return false }
    let (start, size) = (index * MemoryLayout<PluginSlice>.stride, MemoryLayout<PluginSlice>.size)
    return withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        guard let own = own.baseAddress, let other = other.baseAddress else { return false }
        return memcmp(own + start, other + start, size) == 0
      }
    }
  }

  /// Hands out the slice of a name, where there is one, by position: a copy of it would be counted.
  fileprivate func read(_ name: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    withUnsafeBufferPointer { slices in
      guard let index = slices.firstIndex(where: { $0.name == name }), let start = slices.baseAddress,
        let offset = MemoryLayout<PluginSlice>.offset(of: \.value)
      else { return false }
      body(slices[index].schema, UnsafeRawPointer(start + index) + offset)
      return true
    }
  }

  /// Where the slice stands with which another can be compared: that of the same name.
  fileprivate func place(of other: PluginSlice) -> Int? { firstIndex { $0.name == other.name } }
}

/// The slice of the module `shell`.
package struct ShellState: Hashable, Sendable {
  /// Which gates stand open, in the order of the units.
  package var gates: [Gate] = []
  /// When watchers are told: the name of an emission policy.
  package var emission = "whenDifferent"
  /// How many actions one outside dispatch may cause.
  package var runaway = 1000
  /// The loaded plugins, in load order.
  package var plugins: [LoadedPlugin] = []

  /// The most that a plugin may ask for.
  package var ceiling = PluginManifest.ceiling

  /// How often plugins are looked at for state of their own; nil: as the session is run.
  package var purity: Purity?
  /// Whether plugins are reloaded when their files are saved.
  package var watchesPlugins = false
  /// How much of the history memory holds.
  package var limits = HistoryLimits()
  /// Where settings were changed, by their names: the source of the action that did. What goes back to an earlier state or
  /// is read from a file so keeps what is true of it.
  package var settingOrigins: [String: String] = [:]
  /// The sequences of modules that are gone, with the number that each would have given out next: it gives out none again.
  package var goneSequences: [String: Int] = [:]

  package struct Gate: Hashable, Sendable {
    package let name: String
    package var isOpen: Bool
    package var plugin: String?
    /// The rule that moves it besides; nil: none does.
    package var rule: GateRule?
    /// Whether somebody gave it the rule, or took it away: else it is the one that its plugin declares.
    package var isRuleGiven = false
    /// Whether control actions have left it open, where its rule is about those.
    package var isOpenByAction = true

    package init(name: String, isOpen: Bool, plugin: String? = nil, rule: GateRule? = nil) {
      self.name = name
      self.isOpen = isOpen
      self.plugin = plugin
      setRule(rule, isGiven: false)
    }

    /// Gives the gate a rule, or takes it away.
    package mutating func setRule(_ rule: GateRule?, isGiven: Bool = true) {
      self.rule = rule
      isRuleGiven = isGiven
      isOpenByAction = if case .actions(let control)? = rule { control.startsOpen } else { true }
    }

    /// How the gate stands where its plugin's edited version declares it anew: as it stood, by the rule that somebody gave it.
    package func following(_ before: Gate) -> Gate {
      var gate = self
      gate.isOpen = before.isOpen
      if before.isRuleGiven { (gate.rule, gate.isRuleGiven) = (before.rule, true) }
      if gate.rule == before.rule { gate.isOpenByAction = before.isOpenByAction }
      return gate
    }

    /// Whether its rule lets actions through in a state.
    package func isOpenByRule(in state: HostState) -> Bool {
      guard case .state(let path, let value)? = rule else { return isOpenByAction }
      return state.read(path)?.isSame(asUntyped: value) == true
    }
  }

  package struct LoadedPlugin: Hashable, Sendable {
    package let name: String
    package var version: String
    /// Tells the code that runs from an edited one.
    package var digest = ""
    package var condition = Condition.on
  }

  /// Whether a plugin runs.
  package enum Condition: String, Sendable {
    /// It does.
    case on
    /// Somebody switched it off.
    case off
    /// It failed too often in a row (R29).
    case faulted
  }

  /// Whether a plugin runs; on where there is none of that name.
  package func condition(of plugin: String) -> Condition { plugins.first { $0.name == plugin }?.condition ?? .on }

  /// How the gate of a unit stands: shut too where its plugin does not run.
  package func gate(_ name: String) -> Condition {
    guard let gate = gates.first(where: { $0.name == name }) else { return .on }
    let condition = gate.plugin.map(condition) ?? .on
    return condition == .on && !gate.isOpen ? .off : condition
  }

  package func isOpen(_ name: String) -> Bool { gate(name) == .on }

  package mutating func changeGate(of unit: String, _ change: (inout Gate) -> Void) {
    let index = gates.firstIndex { $0.name == unit } ?? gates.endIndex
    if index == gates.endIndex { gates.append(Gate(name: unit, isOpen: true)) }
    change(&gates[index])
  }

  /// The rules of the gates that have one, by the names of the units.
  package var rules: [String: GateRule] {
    Dictionary(gates.compactMap { gate in gate.rule.map { (gate.name, $0) } }, uniquingKeysWith: { first, _ in first })
  }
}

extension HostState {
  /// Hands out a module's slice and its type; false where there is no such module.
  package func readSlice(_ name: String, _ body: (Schema, UnsafeRawPointer) -> Void) -> Bool {
    if held.all.read(name, body) { return true }
    let record = app.record
    if let index = record.index(of: name), case .record(let access) = app.schema.access.parts {
      app.read { access.read($0, index) { body(record.fields[index].schema, $0) } }
      return true
    }
    return substates.read(name, body)
  }

  /// Hands out a module's slice and its type for change in place, where there is such a module.
  package mutating func modifySlice(_ name: String, _ body: (Schema, UnsafeMutableRawPointer) throws -> Void) throws {
    let record = app.record
    if let index = record.index(of: name), case .record(let access) = app.schema.access.parts {
      try app.modify { app in try access.modify(app, index) { try body(record.fields[index].schema, $0) } }
    } else if let index = plugins.firstIndex(where: { $0.name == name }) {
      let schema = plugins[index].schema
      try withUnsafeMutablePointer(to: &plugins[index].value) { try body(schema, UnsafeMutableRawPointer($0)) }
    } else if let index = substates.firstIndex(where: { $0.name == name }) {
      let schema = substates[index].schema
      try withUnsafeMutablePointer(to: &substates[index].value) { try body(schema, UnsafeMutableRawPointer($0)) }
    }
  }

  /// What changed between two states, in the order of the modules. The shell's own changes, and the arrival or removal of
  /// a plugin's slice, are left out.
  package static func changes(from old: HostState, to new: HostState) -> [Change] {
    var finder = DifferenceFinder()
    return changes(from: old, to: new, by: &finder)
  }

  package static func changes(from old: HostState, to new: HostState, by finder: inout DifferenceFinder) -> [Change] {
    var changes: [Change] = []
    appendChanges(from: old, to: new, by: &finder, &changes)
    return changes
  }

  /// What changed between two states, in plain words; nil: it takes changes.
  ///
  /// - Parameter edit: what may be filled. What is given lives as long as that and the states.
  static func edit(
    from old: HostState, to new: HostState, by finder: inout DifferenceFinder, filling edit: PlainEdit
  ) -> Unmanaged<PlainEdit>? {
    guard old.hasSwitches(of: new) else { return nil }
    if old.held === new.held { return old.app.fill(edit, to: new.app, by: &finder) ? .passUnretained(edit) : nil }
    return old.app.isSame(as: new.app) ? new.held.onlyScalars(since: old.held) : nil
  }

  /// Appends the changes behind others.
  static func appendChanges(
    from old: HostState, to new: HostState, by finder: inout DifferenceFinder, _ changes: inout [Change]
  ) {
    old.app.appendChanges(to: new.app, by: &finder, &changes)
    if old.held !== new.held, !new.held.appendEdits(since: old.held, by: &finder, &changes) {
      appendChanges(from: old.plugins, to: new.plugins, by: &finder, &changes)
    }
    if !old.hasSwitches(of: new) { appendChanges(from: old.substates, to: new.substates, by: &finder, &changes) }
  }

  private static func appendChanges(
    from old: [PluginSlice], to new: [PluginSlice], by finder: inout DifferenceFinder, _ changes: inout [Change]
  ) {
    if old.isSameArray(as: new) { return }
    for index in new.indices {
      if old.hasSameBytes(as: new, at: index) { continue }
      let position = old.indices.contains(index) && old[index].isSamePlace(as: new[index]) ? index : nil
      guard let before = position ?? old.place(of: new[index]) else { continue }
      guard old[before].hasType(of: new[index]) else {
        changes += TypeChange(from: old[before], to: new[index]).changes
        continue
      }
      withUnsafePointer(to: old[before].value) { before in
        withUnsafePointer(to: new[index].value) { after in
          finder.append(
            from: UnsafeRawPointer(before), to: UnsafeRawPointer(after), of: new[index].schema, in: new[index].name,
            to: &changes)
        }
      }
    }
  }

  /// True if the changes of the modules are all that has become of an earlier state: the same slices are there, with the same types, and
  /// the shell's own switches are as they were.
  package func tellsAllByChanges(since before: HostState) -> Bool {
    func areSame(_ slices: [PluginSlice], _ others: [PluginSlice]) -> Bool {
      slices.count == others.count && zip(slices, others).allSatisfy { $0.isSamePlace(as: $1) }
    }
    return areSame(plugins, before.plugins) && areSame(substates, before.substates)
      && (hasSwitches(of: before) || shell == before.shell)
  }

  /// The slices of plugins that were loaded or reloaded since an earlier state.
  package func arrivedSlices(since before: HostState) -> [PluginSlice] {
    plugins.filter { slice in !before.plugins.contains { $0.isSamePlace(as: slice) } }
  }

  /// The substates of a name that was free in an earlier state.
  package func addedSubstates(since before: HostState) -> [PluginSlice] {
    if hasSwitches(of: before) { return [] }
    return substates.filter { slice in !before.substates.contains { $0.name == slice.name } }
  }

  /// The names of the slices of plugins and substates that are not there any more in a later state.
  package func slicesGone(in after: HostState) -> [String] {
    let gone = plugins.filter { slice in !after.plugins.contains { $0.name == slice.name } }
    return (gone + addedSubstates(since: after)).map(\.name)
  }

  /// Whether two states are equal by value.
  package static func areEqual(_ left: HostState, _ right: HostState) -> Bool {
    guard left.switches.isEqual(to: right.switches), areEqual(left.plugins, right.plugins)
    else { return false }
    return left.app == right.app
  }

  fileprivate static func areEqual(_ left: [PluginSlice], _ right: [PluginSlice]) -> Bool {
    guard left.count == right.count else { return false }
    for (left, right) in zip(left, right)
    where left.name != right.name || left.schema !== right.schema || left.value != right.value {
      return false
    }
    return true
  }

  /// The state of all modules as one value, for traces.
  package var value: Value { value { _ in true } }

  /// The state of some modules as one value, in the order of the modules.
  package func value(where isIncluded: (String) -> Bool) -> Value {
    var members: [(String, Value)] = []
    if case .record(let fields) = app.value { members += zip(fields.layout.fields, fields.values) }
    for slice in plugins where slice.value != .none { members.append((slice.name, slice.value)) }
    for slice in substates { members.append((slice.name, slice.value)) }
    return .members(members.filter { isIncluded($0.0) })
  }
}

extension HostState {
  /// Applies recorded changes of the modules in place.
  ///
  /// - Throws: `ChangeError` where one does not fit; the state may then be partly changed.
  package mutating func apply(_ changes: [Change], _ direction: Change.Direction = .forward) throws {
    let (schema, record) = (app.schema, app.record)
    var rest = changes[...]
    while let name = rest.first?.module {
      if record.index(of: name) != nil {
        let part = rest.prefix { $0.module.flatMap { record.index(of: $0) } != nil }
        try app.modify { try schema.apply(part, direction, to: $0) }
        rest = rest[part.endIndex...]
      } else {
        let part = rest.prefix { $0.module == name }
        if let index = plugins.firstIndex(where: { $0.name == name }) {
          try plugins[index].apply(part, direction)
        } else if let index = substates.firstIndex(where: { $0.name == name }) {
          try substates[index].apply(part, direction)
        } else {
          throw ChangeError(part[part.startIndex].path, "there is no module '\(name)'")
        }
        rest = rest[part.endIndex...]
      }
    }
  }
}

extension PluginSlice {
  /// Takes back what a reducer wrote.
  mutating func takeBack(_ edit: SliceEdit) {
    let changes: [Change]
    switch edit {
    case .former(let former):
      value = former
      return
    case .changes(let found): changes = found
    case .scalars(let edit): changes = edit.all
    }
    do {
      try apply(changes[...], .backward)
    } catch {
      preconditionFailure("a difference is taken back from the slice that it was found in: \(error)")
    }
  }

  mutating func apply(_ changes: ArraySlice<Change>, _ direction: Change.Direction) throws {
    let schema = schema
    if case .any = schema.kind, direction == .forward, changes.contains(where: { $0.path.steps.count > 1 }) {
      // Of a plugin whose code is gone: it had a type.
      value = try value.changed(by: changes)
      return
    }
    try withUnsafeMutablePointer(to: &value) {
      try schema.apply(changes, direction, to: UnsafeMutableRawPointer($0), depth: 1)
    }
  }
}

/// How a plugin's edited version takes the place of the one before.
extension HostState {
  /// Puts what a plugin has in the state where it was: its slice keeps its place among the slices, its gates keep how they
  /// stand. A plugin that was stopped because it failed runs again; one that somebody switched off stays off.
  package mutating func replacePlugin(
    _ plugin: ShellState.LoadedPlugin, _ slice: PluginSlice?, _ gates: [ShellState.Gate]
  ) {
    guard let index = shell.plugins.firstIndex(where: { $0.name == plugin.name }) else { return }
    shell.plugins[index].version = plugin.version
    shell.plugins[index].digest = plugin.digest
    if shell.plugins[index].condition == .faulted { shell.plugins[index].condition = .on }
    replaceSlice(of: plugin.name, slice, earlier: Set(shell.plugins[..<index].map(\.name)))
    shell.replaceGates(of: plugin.name, gates)
  }

  /// Takes note of the code that a plugin runs. Where that is not the code of before, its gates are those that it declares.
  package mutating func note(_ source: PluginSource, gates: [ShellState.Gate]) {
    let name = source.manifest.name
    guard let index = shell.plugins.firstIndex(where: { $0.name == name }),
      shell.plugins[index].digest != source.digest
    else { return }
    shell.plugins[index].version = source.manifest.version
    shell.plugins[index].digest = source.digest
    shell.replaceGates(of: name, gates)
  }

  private mutating func replaceSlice(of name: String, _ slice: PluginSlice?, earlier: Set<String>) {
    plugins.removeAll { $0.name == name }
    guard let slice else { return }
    let index = plugins.firstIndex { !earlier.contains($0.name) } ?? plugins.endIndex
    plugins.insert(slice, at: index)
  }
}

extension ShellState {
  fileprivate mutating func replaceGates(of plugin: String, _ new: [Gate]) {
    let place = gates.firstIndex { $0.plugin == plugin } ?? gates.endIndex
    let old = Dictionary(gates.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    gates.removeAll { gate in gate.plugin == plugin || new.contains { $0.name == gate.name } }
    let kept = new.map { gate in old[gate.name].map(gate.following) ?? gate }
    gates.insert(contentsOf: kept, at: min(place, gates.endIndex))
  }
}

/// What differs between the slices that two versions of a plugin have, whose types differ: told by the type of the later one as
/// far as the earlier value can be read by it, else member by member, else as a whole.
package struct TypeChange {
  package private(set) var changes: [Change] = []

  /// Finds the differences.
  package init(from old: PluginSlice, to new: PluginSlice) {
    compare(Self.json(old.value), new.value, new.schema, at: Path([.field(new.name)]))
  }

  /// - Parameter old: the earlier value as JSON holds it, which has no types.
  private mutating func compare(_ old: Value, _ new: Value, _ schema: Schema, at path: Path) {
    let json = Self.json(new)
    guard old != json else { return }
    if case .any = schema.kind {
    } else if let read = try? schema.value(fromJSON: old), Self.json(read) == old {
      withUnsafePointer(to: read) { read in
        withUnsafePointer(to: new) { new in changes += schema.changes(from: read, to: new, at: path) }
      }
      return
    }
    guard case .map(let before) = old, case .map(let after) = json, let fields = Self.fields(of: new, schema) else {
      changes.append(Change(path, .replace(from: old, to: new)))
      return
    }
    for (name, value, type) in fields {
      let path = path.appending(.field(name))
      if let old = before[.string(name)] {
        compare(old, value, type, at: path)
      } else if value != .none {
        changes.append(Change(path, .add(value)))
      }
    }
    for case (.string(let name), let value) in before where after[.string(name)] == nil && value != .none {
      changes.append(Change(path.appending(.field(name)), .remove(value)))
    }
  }

  private static func json(_ value: Value) -> Value { (try? JSON.value(of: JSON.text(of: value))) ?? value }

  /// The members of a record, whether its type is known or gone with the code that declared it.
  private static func fields(of value: Value, _ schema: Schema) -> [(name: String, value: Value, type: Schema)]? {
    switch (schema.kind, value) {
    case (.optional(let wrapped), _): fields(of: value, wrapped)
    case (.record(let type), .record(let record)):
      zip(type.fields, record.values).map { ($0.name, $1, $0.schema) }
    case (.any, .map(let members)):
      members.compactMap { key, value in
        if case .string(let name) = key { (name, value, schema) } else { nil }
      }
    default: nil
    }
  }
}
