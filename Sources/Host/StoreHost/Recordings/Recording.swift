import Platform
import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema

extension LiveStore {
  /// Whether the application's reducers are told when an action happened.
  package var tellsReducersTheTime: Bool { application.tellsReducersTheTime }

  /// The hash of all types of state and actions.
  package var schemaHash: UInt64 {
    var text = ""
    for module in application.modules {
      text += "\(module.name)=\(module.schema?.signature ?? "")\n"
      for action in module.actions {
        text += "\(action.fullName)\(Schema.signature(of: action.fields))\n"
      }
    }
    var hash = StableHash()
    hash.add(text)
    return hash.value
  }
}

extension StoreClient {
  /// Hands out all that is kept and can be replayed, from the oldest on, as it is now: the store goes on meanwhile.
  ///
  /// - Parameters:
  ///   - last: the most actions to hand out, of which the latest; those may return to what is not handed out.
  ///   - first: the number of the first action to hand out; none behind it may return to a point before.
  ///   - header: gets what a replay needs to know first, and the state before the first entry.
  ///   - entry: gets each entry, and asks the walk that comes to it for its line or for the state after it.
  /// - Returns: the oldest point that was kept when it began.
  @discardableResult
  package func record(
    last: Int? = nil, from first: Int? = nil, header: (RecordingHeader, HostState) throws -> Void,
    entry: (LoggedEntry, inout RecordingWalk) throws -> Void
  ) throws -> Int {
    let moment = Moment(of: self)
    let start =
      try first.map { try recordingStart(in: moment, from: $0) } ?? last.map { max(moment.oldest, moment.head - $0) }
      ?? recordingStart(in: moment)
    let state = try moment.state(at: start)
    try header(try recordingHeader(of: moment, from: state, at: start), state)
    guard start < moment.head else { return moment.oldest }
    var walk = RecordingWalk(of: moment, from: state)
    try visit((start + 1)...moment.head, of: moment) { logged in
      try entry(logged, &walk)
      return true
    }
    return moment.oldest
  }

  /// What a replay needs to know before the first entry that is kept.
  private func recordingHeader(
    of moment: Moment, from state: HostState, at start: Int
  ) throws -> RecordingHeader {
    var count = 0
    var versions: [RecordingHeader.Plugin] = []
    var code: [RecordingHeader.Code] = []
    func note(_ plugins: [PluginVersion]) {
      for version in plugins where !versions.contains(version.code.recorded) {
        versions.append(version.code.recorded)
        guard !code.contains(where: { $0.digest == version.code.digest }), let source = version.source else { continue }
        code.append(
          RecordingHeader.Code(
            digest: version.code.digest,
            files: source.files.map { RecordingHeader.File(path: $0.path, bytes: $0.bytes) }))
      }
    }
    let loaded = moment.points.versions(at: start)
    note(loaded)
    if start < moment.head {
      count = try moment.visitWholes((start + 1)...moment.head) { note(moment.points.versions(at: $0.number)) }
    }
    return RecordingHeader(
      schema: live.schemaHash, count: count, start: start, plugins: versions,
      loaded: loaded.map {
        RecordingHeader.Loaded(
          name: $0.code.name, digest: $0.code.digest, condition: state.shell.condition(of: $0.code.name).rawValue)
      }, code: code, state: state.value, substates: state.substates.map(\.name),
      goneSequences: state.shell.goneSequences)
  }

  /// The point before an action, from which on nothing returns to an older one.
  private func recordingStart(in moment: Moment, from first: Int) throws -> Int {
    let start = first - 1
    guard start >= moment.oldest else { throw HistoryError.notKept(start, oldest: moment.oldest) }
    guard start < moment.head else { throw HistoryError.beyondHead(first, head: moment.head) }
    let returns = try returns(from: start, in: moment)
    guard let fault = returns.first(where: { $0.target < start }) else { return start }
    // Another return may cross where this one does not.
    var (before, behind) = (fault.target, fault.number)
    let all = try self.returns(from: moment.oldest, in: moment)
    while let next = all.first(where: { $0.number > before && $0.target < before }) { before = next.target }
    while let next = all.first(where: { $0.number > behind && $0.target < behind }) { behind = next.number }
    let starts = [before >= moment.oldest ? before : nil, behind < moment.head ? behind : nil].compactMap(\.self)
    throw HostError(
      code: .notAllowed, message: "#\(fault.number) returns to #\(fault.target), which is before the first action",
      hint: starts.isEmpty ? nil : "begin with \(starts.map { "#\($0 + 1)" }.joined(separator: " or "))")
  }

  /// The actions behind a point that returned to others, and those points.
  private func returns(from start: Int, in moment: Moment) throws -> [(number: Int, target: Int)] {
    var returns: [(number: Int, target: Int)] = []
    _ = try moment.visitWholes((start + 1)...moment.head) { entry in
      if let target = entry.restoreTarget { returns.append((entry.number, target)) }
    }
    return returns
  }

  /// The oldest point from which on nothing returns to an older one, which a replay could not know.
  private func recordingStart(in moment: Moment) throws -> Int {
    var start = moment.oldest
    guard start > 0, start < moment.head else { return start }
    let returns = try returns(from: start, in: moment)
    while let last = returns.last(where: { $0.number > start && $0.target < start }) { start = last.number }
    return start
  }
}

/// The walk along a history while it is recorded. Of each entry, in order, the recorder asks either for the line or for the state.
package struct RecordingWalk {
  private let moment: Moment
  /// The state after the last entry. For lines it has only what entries do not tell: which slices are there, and the switches.
  private var state: HostState
  private var hashes: SliceHashes
  private var origins = OriginTexts()

  fileprivate init(of moment: Moment, from state: HostState) {
    (self.moment, self.state) = (moment, state)
    hashes = SliceHashes(state)
  }

  /// The state after the next entry.
  package mutating func state(after entry: LoggedEntry) throws -> HostState {
    try moment.advance(&state, by: entry)
    return state
  }

  /// Appends the next entry as a line of a recording, without its end.
  package mutating func append(_ entry: LoggedEntry, to out: inout [UInt8]) throws {
    // No other entry brings slices or takes them away.
    guard entry.isWhole else {
      EntryWriter.appendHead(of: entry, &origins, to: &out)
      return hashes.add(entry.changes, appendingTo: &out)
    }
    let before = state
    try moment.addUntold(of: entry, to: &state)
    RecordedEntry.append(entry, hashes: hashes.follow(entry.changes, from: before, to: state), to: &out)
  }
}

extension PluginSource {
  /// The plugin as a recording's header has it.
  package var recorded: RecordingHeader.Plugin {
    RecordingHeader.Plugin(
      name: manifest.name, version: manifest.version, directory: Files.absolute(folder), digest: digest)
  }
}

extension JournaledPlugin {
  /// The plugin as a recording's header has it.
  package var recorded: RecordingHeader.Plugin {
    RecordingHeader.Plugin(name: name, version: version, directory: directory, digest: digest)
  }
}

extension LiveStore {
  /// Takes over a state, by a recorded action; all or nothing.
  ///
  /// - Parameter requireFree: throws where a substate may not have a name.
  /// - Throws: `SchemaError` with the first path that does not fit, `PluginError` where a plugin cannot migrate its slice.
  package func importState(
    _ json: Value, from file: String, source: ActionSource,
    requireFree: @escaping (String) throws -> Void
  ) throws -> DispatchReport {
    try dispatch(source) { [self] in
      guard case .map(var members) = json else {
        throw SchemaError(expected: "a record of modules", found: json)
      }
      let before = store.withState { $0 }
      var state = before
      var names = members.names
      if let imported = try reduxState(members, from: file) {
        (state, names) = imported
      } else {
        let shell = try ExportedShell(json: members[.string(ExportedShell.name)])
        members[.string(ExportedShell.name)] = nil
        for hosted in plugins {
          let name = hosted.plugin.module.name
          guard let old = members[.string(name)], let version = shell.version(of: name) else { continue }
          guard hosted.plugin.migration.migrates else {
            members[.string(name)] = hosted.plugin.migration.filling(old)
            continue
          }
          guard let migrated = try hosted.plugin.migration.state(from: old, version: version) else { continue }
          try state.setSlice(name, migrated)
          members[.string(name)] = nil
        }
        try requirePlugins(shell.plugins.map(\.name), of: members, file)
        state.addSubstates(shell.substates, in: members, type: application.substateSchema)
        try state.setSlices(fromJSON: .map(members), isPartial: true)
      }
      let added = state.addedSubstates(since: before)
      for substate in added { try requireFree(substate.name) }
      if hadCompany(behind: 0) { state.raiseSequences(to: before) }
      let modules = state.modules(namedIn: names)
      return .importState(file: file, state, modules: modules, added: added.map(\.name))
    }
  }

  /// Throws where a file holds the state of a plugin that is not loaded.
  ///
  /// - Parameter names: the plugins that the file tells of.
  package func requirePlugins(
    _ names: [String], of members: PersistentMap<MapKey, Value>, _ file: String
  ) throws(HostError) {
    for name in names where members[.string(name)] != nil && plugin(named: name) == nil {
      throw HostError(
        misfitOf: file, "it holds the state of plugin '\(name)', which is not loaded", try: "plugin load \(name)")
    }
  }
}

extension HostError {
  /// A file whose state does not fit a store.
  ///
  /// - Parameter advice: what makes it fit; nil: nothing is known to.
  package init(misfitOf file: String, _ reason: String, try advice: String? = nil) {
    let unchanged = "nothing was changed"
    self.init(
      code: .import, message: "\(file) does not fit this store: \(reason)",
      hint: advice.map { "\(unchanged); \($0)" } ?? unchanged)
  }
}

extension StoreClient {
  /// The state of all modules as one value, with what is to be known of those that come and go.
  package var exportedState: Value {
    let state = shownState
    return state.exported(ExportedShell(state))
  }
}
