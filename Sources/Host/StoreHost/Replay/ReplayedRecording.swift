import Platform
import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// A recording that was run again, ready to be taken over.
package struct ReplayedRecording {
  package let state: HostState
  /// The plugins that are loaded in it, with schema and reducers only.
  package let plugins: [HostedPlugin]
  /// Which plugins were loaded when.
  package let timeline: PluginTimeline
  package let history: History<HostState>
  let names: ActedNames
  /// The action before the first of them.
  package let start: Int
  /// How many actions were run.
  package let count: Int
  /// Which plugins are not what they were when it was recorded; nil: all are.
  package let editedPlugins: String?
}

package struct ReplayOptions {
  /// Whether the first difference from the recording is an error.
  package var verifies = false
  /// The number of the last action to run; nil: all.
  package var last: Int?
  /// What to load instead of the recorded plugin of its name.
  package var replacement: PluginSource?
  /// Where what is run is written, in place of what is there; nil: nowhere.
  package var journal: HostJournal?

  package init(verifies: Bool = false, last: Int? = nil, replacement: PluginSource? = nil, journal: HostJournal? = nil)
  {
    self.verifies = verifies
    self.last = last
    self.replacement = replacement
    self.journal = journal
  }
}

extension LiveStore {
  /// Runs a recording beside the store: nothing of it is changed. Where it is written and does not run to its end, the journal
  /// gets back what happened so far.
  ///
  /// - Parameters:
  ///   - interruption: ends it early.
  ///   - step: the number of actions after which `progress` is called.
  ///   - progress: is told how many of how many actions were run; throws to stop.
  package func replay(
    _ source: RecordingSource, _ options: ReplayOptions, endedBy interruption: Interruption,
    locate: @escaping RecordingAttachments.Locate, every step: Int = 1,
    progress: (Int, Int) throws -> Void
  ) throws -> ReplayedRecording {
    do {
      let targets = try source.open().restoreTargets(until: interruption)
      return try run(source, options, targets, locate: locate, every: step, progress: progress)
    } catch {
      if let journal = options.journal { try rewrite(journal) }
      throw error
    }
  }

  private func run(
    _ source: RecordingSource, _ options: ReplayOptions, _ targets: Set<Int>,
    locate: @escaping RecordingAttachments.Locate, every step: Int,
    progress: (Int, Int) throws -> Void
  ) throws -> ReplayedRecording {
    let file = try source.open()
    let attachments = RecordingAttachments(self, file.header, targets: targets, locate: locate)
    if options.last == nil { try attachments.requireCode() }
    var replay = try Replay(file, attachments, of: self, options)
    var count = 0
    while options.last.map({ replay.number < $0 }) ?? true {
      guard let line = try file.next() else {
        if let last = options.last { throw HistoryError.beyondHead(last, head: replay.number) }
        break
      }
      guard try line.withUnsafeBufferPointer({ try replay.run($0) }) else { break }
      count += 1
      if count.isMultiple(of: step) { try progress(count, file.header.count) }
    }
    guard options.last != nil || count == file.header.count else {
      throw file.fault("the file ends after \(count) of \(file.header.count) actions")
    }
    return replay.recording(of: count)
  }

  /// Writes what happened so far, in place of a recording that was not written to its end.
  private func rewrite(_ journal: HostJournal) throws {
    var state = try recordedState(at: history.oldest)
    journal.restart(state, after: history.oldest, plugins: timeline.sources(at: history.oldest))
    for entry in history.log.entries {
      let before = state
      try history.advance(&state, by: entry, from: store.state)
      journal.record(
        entry, from: before, to: state, plugins: timeline.sources(at: entry.number))
    }
    journal.settle()
  }
}

/// A recording on its way through the reducers.
private struct Replay {
  /// The number of the last action.
  private(set) var number: Int
  private let file: RecordingFile
  private let options: ReplayOptions
  private let attachments: RecordingAttachments
  private let application: HostedApplication
  /// Why its lines may not be what this program reads; nil: no reason is known.
  private let otherTypes: String?
  private let timeline = PluginTimeline()
  private var rerun: Rerun
  private var history: History<HostState>
  private var hashes: SliceHashes
  private var lines: PlainLines
  private var reader: EntryReader
  private let end = LineEnd()
  /// What the last action changed, in plain words: it is filled anew for each.
  private let words = PlainEdit(PlaceShape())
  private var names = ActedNames()

  /// The end of the last line as it would be written now.
  private final class LineEnd {
    // What changes it calls nothing that does.
    @exclusivity(unchecked) var text = TextBuffer()
  }

  init(
    _ file: RecordingFile, _ attachments: RecordingAttachments, of host: LiveStore, _ options: ReplayOptions
  ) throws {
    (self.file, self.attachments, self.options, application) = (file, attachments, options, host.application)
    let start = file.header.start
    otherTypes =
      file.header.schema == host.schemaHash
      ? nil : "the recording was made by a program whose modules have other types"
    do {
      rerun = try attachments.start()
    } catch let error as SchemaError {
      throw file.fault("state: \(error.message)", hint: otherTypes)
    }
    number = start
    timeline.note(rerun.plugins, after: start, oldest: start)
    attachments.notePoint(start, rerun)
    history = History(of: rerun.state, after: start, endedBy: host.attendance.interruption)
    hashes = SliceHashes(rerun.state)
    lines = PlainLines(rerun.types)
    reader = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    options.journal?.restart(rerun.state, after: start, plugins: rerun.plugins.map(\.plugin.source))
    if let last = options.last, last < start { throw HistoryError.notKept(last, oldest: start) }
    followTypes()
  }

  /// What it led to.
  func recording(of count: Int) -> ReplayedRecording {
    ReplayedRecording(
      state: rerun.state, plugins: rerun.plugins, timeline: timeline, history: history, names: names,
      start: file.header.start, count: count, editedPlugins: attachments.editedPlugins)
  }

  /// Runs the action of a line.
  ///
  /// - Returns: false: it comes behind the last one that is to be run.
  mutating func run(_ line: UnsafeBufferPointer<UInt8>) throws -> Bool {
    guard let action = lines.action(of: line) else { return try run(try recorded(line)) }
    guard try isNext(action.number) else { return false }
    return try action.known._withUnsafeGuaranteedRef { try run(action, $0, line) }
  }

  private mutating func run(
    _ action: PlainLines.Action, _ known: PlainLines.Known, _ line: UnsafeBufferPointer<UInt8>
  ) throws -> Bool {
    let source = lines.source
    let outcome: Rerun.Outcome
    do {
      outcome = try rerun.reduce(
        known.call, action.number, source, time: action.time, isRepeat: true, isChecked: true)
    } catch {
      throw fault(error, known.type.fullName)
    }
    var failure: String?
    if case .applied = outcome {} else { failure = try self.failure(outcome, known.type.fullName) }
    let edit = rerun.edit(filling: words)
    var changes = edit == nil ? rerun.changes() : []
    end.text.removeAll()
    if let edit {
      edit._withUnsafeGuaranteedRef { hashes.add($0, appendingTo: &end.text) }
    } else {
      hashes.add(changes, appendingTo: &end.text)
    }
    var isRecorded = failure == nil
    end.text.withBytes(from: 0) { isRecorded = isRecorded && line.ends(with: $0, from: action.end) }
    if isRecorded, options.journal == nil {
      keep(action, known, source, changes, edit)
      return true
    }
    if let edit { changes = edit._withUnsafeGuaranteedRef { $0.all } }
    let entry = LoggedEntry(
      number: action.number, time: action.time, source: source, action: known.type.fullName,
      arguments: known.call.record, isQuiet: action.isQuiet, changes: changes, failure: failure,
      wallTime: action.wallTime)
    if !isRecorded {
      try compare(try recorded(line), entry, hashes.changed(by: entry.changes))
    }
    keep(entry)
    return true
  }

  /// Keeps the entry of an action that was applied, where nobody asks for an object.
  // A function of its own: the parts of an argument are not counted.
  @inline(never)
  private mutating func keep(
    _ action: PlainLines.Action, _ known: PlainLines.Known, _ source: ActionSource, _ changes: [Change],
    _ edit: Unmanaged<PlainEdit>?
  ) {
    if attachments.wantsPoint(action.number) { attachments.notePoint(action.number, rerun) }
    names.note(source)
    if history.needsState(before: action.number) { history.keepState(rerun.before, before: action.number) }
    history.append(
      applied: action.number, time: action.time, wallTime: action.wallTime, source: source,
      action: known.type.fullName, known.type.layout, known.arguments, isQuiet: action.isQuiet, changes: changes, edit)
  }

  private mutating func run(_ recorded: RecordedEntry) throws -> Bool {
    let entry = recorded.entry
    guard try isNext(entry.number) else { return false }
    attachments.recorded = recorded
    let outcome: Rerun.Outcome
    do {
      outcome = try rerun.run(entry, attachments)
    } catch {
      throw fault(error, entry.action)
    }
    let failure = if case .idle = outcome { entry.failure } else { try failure(outcome, entry.action) }
    let now = entry.replayed(changes: rerun.changes(), failure: failure)
    let known = hashes.follow(recorded, now.changes, rerun)
    try compare(recorded, now, known)
    if now.isWhole {
      timeline.note(rerun.plugins, after: number, oldest: file.header.start)
      // Another plugin of the same name has other types.
      followTypes()
    }
    keep(now)
    return true
  }

  /// Goes to the next action; false: it comes behind the last one that is to be run.
  private mutating func isNext(_ next: Int) throws -> Bool {
    guard next > number else { throw unreadable("#\(next) cannot come behind #\(number)") }
    if let last = options.last, next > last { return false }
    number = next
    if attachments.wantsPoint(next - 1) { attachments.notePoint(next - 1, rerun) }
    return true
  }

  private mutating func keep(_ entry: LoggedEntry) {
    attachments.notePoint(entry.number, rerun)
    names.note(entry.source)
    let before = rerun.before
    history.append(entry, before: before)
    options.journal?.record(
      entry, from: rerun.before, to: rerun.state, plugins: rerun.plugins.map(\.plugin.source))
  }

  private func compare(
    _ recorded: RecordedEntry, _ now: LoggedEntry, _ hashes: [(module: String, hash: UInt64)]
  ) throws {
    guard options.verifies else { return }
    let arrived = now.isWhole ? rerun.state.arrivedSlices(since: rerun.before).map(\.name) : []
    if let divergence = Divergence(recorded, now, hashes, apart: arrived, entry: { history.log[number: $0] }) {
      var error = divergence.error(file.path, differsFrom: "the recording")
      error.hint = attachments.editedPlugins
      throw error
    }
  }

  // MARK: Lines

  /// Has the next lines read by the types that there are now.
  private mutating func followTypes() {
    let (types, plugins) = (rerun.types, rerun.plugins)
    let slices = rerun.state.plugins + rerun.state.substates
    let record = rerun.state.app.record
    lines = PlainLines(types)
    reader = EntryReader(
      EntryTypes(
        action: { [application] name in
          (types[name] ?? ShellAction.types[name] ?? application.thunkType(name, of: plugins)).map {
            EntryTypes.ActionShape(fields: $0.fields, layout: $0.layout)
          }
        },
        slice: { name in
          record.index(of: name).map { record.fields[$0].schema } ?? slices.first { $0.name == name }?.schema
        }))
  }

  private func recorded(_ line: UnsafeBufferPointer<UInt8>) throws -> RecordedEntry {
    do throws(EntryError) {
      return try RecordedEntry(of: line, by: reader)
    } catch {
      throw unreadable(error.message)
    }
  }

  private func unreadable(_ message: String) -> HostError {
    file.fault(message, hint: otherTypes ?? attachments.editedPlugins)
  }

  /// The error of an action that could not be run: what is wrong with its line is an error of the file.
  private func fault(_ error: any Error, _ action: String) -> any Error {
    switch error {
    case let error as HostError where error.code == .badRecording:
      file.fault(error.message, hint: attachments.editedPlugins ?? error.hint)
    case let error as SchemaError: file.fault("\(action): \(error.message)")
    case let error as ChangeError:
      file.fault("\(action): \(error.path): \(error.message)", hint: attachments.editedPlugins)
    default: error
    }
  }

  /// The code of the failure; nil: there was none.
  @inline(never)
  private func failure(_ outcome: Rerun.Outcome, _ action: String) throws -> String? {
    switch outcome {
    case .applied, .idle: return nil
    case .failed(let error): return ErrorCode.of(error).rawValue
    case .misfit(let error): throw file.fault("\(action): \(error.message)")
    case .unknown:
      let hint = Suggestion.question(action, among: rerun.types.names)
      throw file.fault("unknown action '\(action)'", hint: attachments.editedPlugins ?? hint)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if some bytes stand from a place to the end.
  fileprivate func ends(with bytes: Self, from start: Int) -> Bool {
    guard let baseAddress, let end = bytes.baseAddress, count - start == bytes.count else { return false }
    return memcmp(baseAddress + start, end, bytes.count) == 0
  }
}

extension SliceHashes {
  /// Takes an action's changes into the hashes.
  ///
  /// - Returns: the slices that it changed or brought, or that are as the recording says, each with its hash.
  fileprivate mutating func follow(
    _ recorded: RecordedEntry, _ changes: [Change], _ rerun: Rerun
  ) -> [(module: String, hash: UInt64)] {
    // By other actions no slice arrives.
    guard recorded.entry.isOfShell else { return add(changes) }
    var unbroken = self
    _ = unbroken.add(changes)
    var known = follow(changes, from: rerun.before, to: rerun.state)
    // Whether a slice that comes back with another plugin of its name is told of as one that arrives, with a hash of its own,
    // depends on how the plugin was there when that was written. Either hash says what the slice is.
    for slice in rerun.state.plugins {
      let index = known.firstIndex { $0.module == slice.name }
      let now = index.map { known[$0].hash }
      guard recorded.hashes[slice.name] != now else { continue }
      if let hash = recorded.hashes[slice.name] {
        var afresh = self
        afresh.start(slice.name, slice.value)
        guard let source = [unbroken, afresh].first(where: { $0[slice.name] == hash }) else { continue }
        take(slice.name, from: source)
        if let index { known[index].hash = hash } else { known.append((slice.name, hash)) }
      } else if let index, !changes.contains(where: { $0.module == slice.name }), unbroken[slice.name] != nil {
        take(slice.name, from: unbroken)
        known.remove(at: index)
      }
    }
    return known
  }
}

extension LiveStore {
  /// The state that the store began with.
  package var initialState: HostState {
    var initial = HostState(app: application.initial)
    if let emission = application.emission { initial.shell.emission = emission.name }
    let added = Set(plugins.flatMap(\.units).map(\.name))
    initial.shell.gates = hostUnits.filter { !added.contains($0.name) }.map {
      ShellState.Gate(name: $0.name, isOpen: $0.startsOpen)
    }
    return initial
  }

  /// Makes what a recording led to the present, and its actions the history. Watchers are told once (R27).
  package func adopt(_ recording: ReplayedRecording) throws {
    try turn {
      try requireOwnHistory(for: "a recording cannot become the history")
      let before = store.withState { $0 }
      for old in plugins {
        do throws(PluginError) {
          try old.plugin.unload(view: view)
        } catch {
          attendance.faults.note(error)
        }
        for unit in old.units { store.cancelEffects(unit: unit.name) }
      }
      attendance.setters.numbers = [:]
      plugins = recording.plugins
      for hosted in plugins {
        hosted.strikes.set(isStopped: recording.state.shell.condition(of: hosted.plugin.module.name) != .on)
      }
      collectActions()
      try recompose()
      rebindPlugins()
      history = recording.history
      recordedHead.number = history.head
      names.note(recording.names)
      lastCompany = history.head
      if let file = journal?.journal {
        history.older = JournalEntries(file, oldest: recording.start, of: self)
      }
      timeline = recording.timeline
      joinAnew(behind: history.head)
      // No reducer knows the action; it brings the state and the number to go on from.
      if let time = history.log.last?.time { (clock as? any ContinuingClock)?.goOn(from: max(time, clock.now)) }
      let last = ActionContext(number: recording.history.head, source: .here(), time: clock.now, root: 0)
      noteAll(recording.state)
      try store.replay(
        CollectionOfOne(ReplayedAction(HostAction(.unknown), context: last)),
        from: recording.state)
      follow(nil, from: before, to: recording.state)
      _ = attendance.faults.hasPluginToStop.set(false)
    }
  }
}

extension Divergence {
  /// How many differing places an error lists.
  private static let shownPlaces = 5

  /// Compares an action with its recording; nil where they are the same.
  ///
  /// - Parameters:
  ///   - now: the action as it went now.
  ///   - hashes: the slices that it changed or brought, or that are as the recording says, each with its hash.
  ///   - arrived: the slices of plugins that it brought: their hashes tell all of what became of them.
  ///   - entry: gives the entry of a number, for causes.
  init?(
    _ recorded: RecordedEntry, _ now: LoggedEntry, _ hashes: [(module: String, hash: UInt64)], apart arrived: [String],
    entry: (Int) -> LoggedEntry?
  ) {
    let lines = Self.lines(recorded.entry, now, apart: arrived) ?? Self.lines(recorded.hashes, hashes)
    guard let lines else { return nil }
    self.init(of: recorded.entry, lines, entry: entry)
  }

  /// Where an action went otherwise, one line for each side; nil where it did not.
  ///
  /// - Parameter modules: the modules whose changes are not compared.
  private static func lines(
    _ recorded: LoggedEntry, _ now: LoggedEntry, apart modules: [String]
  ) -> [String]? {
    if recorded.failure != now.failure {
      return [recorded, now].map(\.failure).map { $0.map { "failed: \($0)" } ?? "applied" }.pair
    }
    let (before, after) = (recorded.changes.outside(modules), now.changes.outside(modules))
    guard before != after else { return nil }
    var lines: [String] = []
    var places = 0
    func add(_ old: Change?, _ new: Change?) {
      places += 1
      guard places <= shownPlaces, let path = (old ?? new)?.path else { return }
      lines += [old, new].map { $0.map { $0.text } ?? "\(path)  unchanged" }.pair
    }
    var later = after
    for change in before {
      let index = later.firstIndex { $0.path == change.path }
      let match = index.map { later.remove(at: $0) }
      if match != change { add(change, match) }
    }
    for change in later { add(nil, change) }
    if places > shownPlaces { lines.append("and \(places - shownPlaces) more") }
    return lines
  }

  /// Where a slice arrived as another, did not arrive or did not go, or the line is not what was written; nil where none is so.
  private static func lines(_ recorded: [String: UInt64], _ now: [(module: String, hash: UInt64)]) -> [String]? {
    // A recording that was made by hand may have no hashes.
    guard !recorded.isEmpty else { return nil }
    // An earlier program did not record that a slice went.
    let told = now.filter { $0.hash != SliceHashes.gone || recorded[$0.module] != nil }
    let now = Dictionary(told, uniquingKeysWith: { first, _ in first })
    guard recorded != now else { return nil }
    let names = Set(recorded.keys).union(now.keys).filter { recorded[$0] != now[$0] }
    return names.sorted().flatMap { name in
      [recorded[name], now[name]].map { hash in
        "\(name)  \(hash.map(Self.text) ?? "is as before")"
      }.pair
    }
  }
}

extension Divergence {
  /// What a hash says of a slice.
  private static func text(_ hash: UInt64) -> String {
    hash == SliceHashes.gone ? "is gone" : "has the hash \(StableHash.text(of: hash))"
  }
}

extension [String] {
  /// What was and what is, named so.
  fileprivate var pair: [String] { zip(["recorded  ", "now       "], self).map { $0 + $1 } }
}

extension [Change] {
  /// Those of other modules.
  fileprivate func outside(_ modules: [String]) -> [Change] {
    modules.isEmpty ? self : filter { change in change.module.map { !modules.contains($0) } ?? true }
  }
}
