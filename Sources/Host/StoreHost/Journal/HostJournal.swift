import Platform
import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

package final class HostJournal {
  // Used by the thread that holds the store's turn. What changes with every action is changed by nothing that such a change calls.
  /// What is open; nil: the first action opens it.
  @exclusivity(unchecked) package private(set) var journal: Journal?
  package let plan: JournalPlan
  private let header: JournalHeader
  private let hintedProgram: String?
  /// Where the file is, if it is the session's own.
  private let files: SessionFiles?
  /// What is to be told, once.
  @exclusivity(unchecked) private var notes: [String] = [] { didSet { if !notes.isEmpty { trouble.set(true) } } }
  /// Set while there may be something to tell.
  private let trouble: SharedFlag
  /// Whether the file cannot be opened.
  private var isClosed = false
  @exclusivity(unchecked) private var isFailing = false
  /// The oldest number whose state the file can give.
  package private(set) var start = 0
  /// The last action that was recorded; 0: none was.
  @exclusivity(unchecked) private var last = 0
  /// Whether plugins run other code than what the file says: it is told of it with the first action that they met.
  @exclusivity(unchecked) private var hasOtherCode = false
  /// Code of plugins that the first action brings into the file.
  @exclusivity(unchecked) private var unkept: [JournaledCode] = []
  /// What became of long-lived effects before the file was open.
  private var effects = JournaledEffects()
  /// The first action of a run that has begun before the file was open; nil: none has.
  private var run: Int?
  /// The clock on the wall, which an open file follows; nil: it makes no difference to a virtual clock.
  private let wall: WallClock?

  /// A journal that the first action opens.
  ///
  /// - Parameters:
  ///   - program: what the program is called that hints tell to run; nil: no hint tells to run it.
  ///   - trouble: is set while there may be something to tell.
  package init(
    _ plan: JournalPlan, clock: any StoreClock, header: JournalHeader, hinting program: String?,
    in files: SessionFiles?, _ trouble: SharedFlag
  ) {
    self.trouble = trouble
    hintedProgram = program
    self.files = files
    self.plan = plan
    self.header = header
    wall = WallClock(plan, clock)
  }

  /// A journal that is open.
  ///
  /// - Parameters:
  ///   - program: as above.
  ///   - number: the last action before what it keeps.
  ///   - recovered: what was taken up from it; nil: it is new.
  ///   - trouble: as the journal has it.
  package init(
    _ journal: Journal, _ plan: JournalPlan, clock: any StoreClock, header: JournalHeader, hinting program: String?,
    after number: Int, taking recovered: RecoveredStore?, _ trouble: SharedFlag
  ) {
    self.trouble = trouble
    hintedProgram = program
    files = nil
    start = recovered == nil ? number : 0
    hasOtherCode = recovered?.hasOtherCode ?? false
    unkept = recovered?.unkept ?? []
    self.journal = journal
    self.plan = plan
    self.header = header
    wall = WallClock(plan, clock)
    if let wall { journal.follow(wall) }
  }

  /// Hears, on any thread, that there may be a note of the clock on the wall.
  var onLeap: (@Sendable () -> Void)? { didSet { journal?.hearOfLeaps(onLeap) } }

  /// True if an action that was applied as it came, is not quiet and none of the shell needs no entry.
  var takesPlain: Bool { journal != nil && !hasOtherCode && unkept.isEmpty }

  /// Takes note of such an action.
  ///
  /// - Parameter edit: what it changed.
  /// - Returns: false: it needs an entry all the same.
  func record(
    plain call: ActionCall, _ number: Int, _ time: Duration, _ wallTime: Int?, _ source: ActionSource,
    _ edit: PlainEdit, to after: HostState
  ) -> Bool {
    guard takesPlain, let journal = journal.map(Unmanaged.passUnretained) else { return false }
    // Not counted: it stays as long as the turn.
    return journal._withUnsafeGuaranteedRef { journal in
      guard
        journal.append(
          plain: number, time: time, wallTime: wallTime, source: source, call.type, action: call.type.fullName,
          call.type.layout, call.arguments, edit)
      else { return false }
      last = number
      if journal.takeWantsSnapshot() { journal.append(stateAfter: number, after.slices(isWhole: false)) }
      return true
    }
  }

  /// Takes note of an action.
  ///
  /// - Parameters:
  ///   - plugins: what is loaded after it.
  package func record(
    _ entry: LoggedEntry, from before: HostState, to after: HostState, plugins: @autoclosure () -> [PluginSource]
  ) {
    guard let journal = journal ?? open(before, at: entry.number - 1) else { return }
    last = entry.number
    if hasOtherCode { journal.append(stateAfter: journal.last, before.slices(isWhole: true)) }
    hasOtherCode = false
    let isTold = entry.isRestore && after.tellsAllByChanges(since: before)
    guard entry.isWhole && !isTold || !unkept.isEmpty || journal.takeWantsSnapshot() else {
      return isTold ? journal.append(told: entry) : journal.append(entry)
    }
    let loaded = entry.loadedPlugin.flatMap { name in plugins().first { $0.manifest.name == name } }
    journal.append(
      entry, plugin: loaded?.journaled(loadedBy: entry.number),
      code: unkept + (loaded.map { [$0.journaledCode] } ?? []),
      state: after.slices(isWhole: entry.isWhole || !unkept.isEmpty))
    unkept = []
  }

  /// Takes note of what became of a long-lived effect.
  package func note(_ effect: EndedEffect, _ note: EffectNote) {
    if let journal { return journal.note(effect, note) }
    effects.note(effect, note)
  }

  /// Takes note that a run of statements begins with the action that is recorded next, or has ended.
  package func note(run first: Int, isOpen: Bool) {
    if let journal { return journal.note(run: first, isOpen: isOpen) }
    run = isOpen ? first : nil
  }

  /// Takes another history instead of what was recorded so far.
  ///
  /// - Parameters:
  ///   - state: the state that it starts with.
  ///   - number: the action after which that is.
  ///   - plugins: the plugins that are loaded in it.
  package func restart(_ state: HostState, after number: Int, plugins: [PluginSource]) {
    guard let journal = journal ?? open(state, at: number) else { return }
    (start, last) = (number, 0)
    hasOtherCode = false
    journal.restart(
      after: number, state.slices(isWhole: true), plugins: plugins.map { $0.journaled(loadedBy: number) },
      code: plugins.map(\.journaledCode))
  }

  private func open(_ state: HostState, at number: Int) -> Journal? {
    guard !isClosed else { return nil }
    do throws(FileError) {
      try files?.makeFolder()
    } catch {
      isClosed = true
      notes.append("\(error.path) cannot be made: \(error.reason); what happens is kept in memory only")
      return nil
    }
    do throws(JournalError) {
      let opened = try Journal(plan.path, durability: plan.durability, header: header, trouble)
      if opened.found == nil { opened.append(stateAfter: number, state.slices(isWhole: true)) }
      for (effect, note) in effects.notes { opened.note(effect, note) }
      effects = JournaledEffects()
      if let run { opened.note(run: run, isOpen: true) }
      run = nil
      start = number
      journal = opened
      if let wall { opened.follow(wall) }
      opened.hearOfLeaps(onLeap)
      return opened
    } catch {
      isClosed = true
      notes.append("\(error); what happens is kept in memory only")
      return nil
    }
  }

  /// Waits until what was recorded is as durable as was asked.
  package func settle() { journal?.settle() }

  /// What has gone wrong since it was last asked.
  package func takeNotes() -> [String] {
    trouble.set(false)
    if let journal {
      noteLeap(journal)
      if let failure = journal.takeFailure() {
        isFailing = true
        notes.append("\(failure); from now on everything is kept in memory only")
      } else if isFailing, journal.failure == nil {
        isFailing = false
        notes.append("\(journal.path) is written again, and nothing is missing")
      }
    }
    guard !notes.isEmpty else { return [] }
    defer { notes = [] }
    return notes
  }

  /// Tells where the clock on the wall was set by more than a day. The time of the store has not gone with it, and does not catch up
  /// while the store is closed.
  private func noteLeap(_ journal: Journal) {
    let leap = journal.takeLeap()
    guard leap > .seconds(86_400) || leap < .seconds(-86_400) else { return }
    notes.append(
      "the clock of this machine went \(leap > .zero ? "ahead" : "back") by \(WallClock.days(leap)); "
        + "the time of \(journal.path) has not")
  }

  /// Closes the file in order.
  ///
  /// - Parameters:
  ///   - state: the state after the last action.
  ///   - clock: the clock of the store.
  package func end(_ state: HostState, clock: any StoreClock) throws(JournalError) {
    guard let journal else { return }
    isClosed = true
    self.journal = nil
    journal.followWall()
    noteLeap(journal)
    try journal.end(
      number: max(last, start, journal.last), last > 0 ? state.slices(isWhole: true) : [],
      time: clock is VirtualClock ? clock.now : nil)
    if let failure = journal.takeFailure() {
      let way = hintedProgram.map { "; to export its undamaged part: \($0) --store \(journal.path) --read-only" }
      notes.append("\(failure)\(way ?? "")")
    }
  }
}

extension WallClock {
  /// The clock on the wall of a plan; nil beside a virtual clock, whose time no wall moves.
  fileprivate init?(_ plan: JournalPlan, _ clock: any StoreClock) {
    if clock is VirtualClock { return nil }
    self.init(
      since: (plan.wallTime(), .now), beganInBoot: plan.bootTime.map { $0() - clock.now }, wallTime: plan.wallTime)
  }
}

extension LoggedEntry {
  /// The name of the plugin that the action loaded; nil: it loaded none.
  package var loadedPlugin: String? {
    let arrivals = [ShellAction.Types.loadPlugin.fullName, ShellAction.Types.reloadPlugin.fullName]
    guard failure == nil, droppedBy == nil, arrivals.contains(action), case .string(let name)? = arguments.values.first
    else { return nil }
    return name
  }
}

extension PluginSource {
  /// What a journal notes of the plugin's load by an action.
  package func journaled(loadedBy number: Int) -> JournaledPlugin {
    JournaledPlugin(
      number: number, name: manifest.name, version: manifest.version, directory: Files.absolute(folder), digest: digest)
  }

  /// The files as a journal keeps them.
  package var journaledCode: JournaledCode { JournaledCode(digest: digest, files: files) }
}

/// The root state as journals hold it: a slice for each module, and one for the shell.
extension HostState {
  static let shellSlice = "shell"

  /// The slices, written when their turn comes.
  ///
  /// - Parameter isWhole: whether plugins and switches may have changed otherwise than by the changes of entries.
  package func slices(isWhole: Bool) -> [StateSlice] {
    let (app, schema) = (app, app.schema)
    var slices: [StateSlice] = []
    if case .record(let access) = schema.access.parts {
      let fields = app.record.fields
      for index in fields.indices {
        slices.append(
          StateSlice(module: fields[index].name) { out in
            app.read { app in access.read(app, index) { fields[index].schema.appendJSON(of: $0, to: &out) } }
          })
      }
    }
    for slice in plugins {
      slices.append(StateSlice(module: slice.name, isWhole: isWhole) { JSON.append(slice.value, to: &$0) })
    }
    for slice in substates {
      slices.append(
        StateSlice(module: slice.name, isWhole: isWhole) { JSON.append(slice.value, to: &$0, marksDecimals: true) })
    }
    let (shell, names, schemas) = (shell, substates.map(\.name), plugins.map { ($0.name, $0.schema) })
    slices.append(
      StateSlice(module: Self.shellSlice, isWhole: isWhole) { out in
        let types = Dictionary(schemas.map { ($0, $1.shapeHash) }, uniquingKeysWith: { first, _ in first })
        JSON.append(shell.value(substates: names, types: types), to: &out, marksDecimals: true)
      })
    return slices
  }

  /// The state that slices hold.
  ///
  /// - Parameters:
  ///   - app: any state of the application.
  ///   - misfits: what does not fit of slices that are left out.
  ///   - type: the type of a plugin's slice or a substate; nil: nobody knows it, the slice is kept as it is.
  /// - Throws: ``StateMisfit`` with all that does not fit.
  package init(
    _ slices: [JournalSnapshot.Slice], app: AppState, misfits: [String] = [], type: (String) -> Schema?
  ) throws {
    self.init(app: app)
    let switches = try slices.first { $0.module == Self.shellSlice }.map { try JSON.value(of: $0.state) } ?? .none
    let added = Set(ShellState.substates(json: switches))
    shell = ShellState(json: switches)
    let loaded = Set(shell.plugins.map(\.name))
    var misfits = misfits
    for slice in slices {
      if slice.module == Self.shellSlice { continue }
      if added.contains(slice.module) {
        substates.append(try PluginSlice(slice, type(slice.module), &misfits))
      } else if loaded.contains(slice.module) {
        plugins.append(try PluginSlice(slice, type(slice.module), &misfits))
      } else if let index = app.record.index(of: slice.module) {
        if try setSlice(slice.module, toTextOf: slice) { continue }
        let json = try JSON.value(of: slice.state)
        let schema = app.record.fields[index].schema
        do throws(SchemaError) {
          try setSlice(slice.module, try schema.value(fromJSON: json))
        } catch {
          misfits += schema.allMisfits(json, in: slice.module, error)
        }
      } else {
        _ = try JSON.value(of: slice.state)
        misfits.append("\(slice.module): there is no such module any more")
      }
    }
    guard misfits.isEmpty else { throw StateMisfit(problems: misfits) }
  }

  /// Takes over the shell's switches as they were written.
  ///
  /// - Returns: false, and nothing is taken over, where other slices were there then.
  mutating func takeSwitches(_ text: String) throws -> Bool {
    let switches = try JSON.value(of: text)
    let shell = ShellState(json: switches)
    guard ShellState.substates(json: switches) == substates.map(\.name),
      shell.plugins.map(\.name) == plugins.map(\.name)
    else { return false }
    self.shell = shell
    return true
  }

  /// Takes over a slice as it was written; false: it takes a closer look.
  private mutating func setSlice(_ name: String, toTextOf slice: JournalSnapshot.Slice) throws -> Bool {
    var isSet = false
    var text = slice.state
    try modifySlice(name) { schema, place in isSet = text.withUTF8 { schema.assign(json: $0, to: place) } }
    return isSet
  }
}

extension Schema {
  /// What tells the type from one that reads otherwise what was written of a state.
  package var shapeHash: String {
    var hash = StableHash()
    hash.add(shape)
    return StableHash.text(of: hash.value)
  }
}

extension PluginSlice {
  fileprivate init(_ slice: JournalSnapshot.Slice, _ type: Schema?, _ misfits: inout [String]) throws {
    let name = slice.module
    let schema = type ?? .dynamic(.any)
    var (text, value) = (slice.state, Value.none)
    let isRead = text.withUTF8 { text in withUnsafeMutablePointer(to: &value) { schema.assign(json: text, to: $0) } }
    if isRead {
      self.init(name: name, schema: schema, value: value)
      return
    }
    let json = try JSON.value(of: slice.state)
    do throws(SchemaError) {
      self.init(name: name, schema: schema, value: try schema.value(fromJSON: json))
    } catch {
      misfits += schema.allMisfits(json, in: name, error)
      self.init(name: name, schema: schema, value: json)
    }
  }
}

/// A state of another type than the one that is declared.
package struct StateMisfit: Error {
  /// How many problems are listed.
  private static let most = 50
  /// What does not fit, a line each; of very much the first.
  package let problems: [String]

  package init(problems: [String]) {
    let more = problems.count - Self.most
    self.problems = more > 0 ? problems.prefix(Self.most) + ["and \(more) more"] : problems
  }
}
