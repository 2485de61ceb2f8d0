import Platform
import ShellLanguage
import StoreHistory
import StoreHost
import StorePlugins
import StoreSchema

/// The history as a script: requests as commands, the time between as waits, and their results as asserts. The actions
/// of tasks and middlewares come by themselves when the script runs.
struct ScriptExport: RecordingExport {
  private let output: ReplacingFile
  private let program: String
  private let locator: PluginLocator
  /// True if anything happened by itself as time went by.
  private let isTimed: Bool
  /// True if it returns further back than is kept in memory.
  private let needsStore: Bool
  /// The type of the substates of a name.
  private let substateSchema: (String) -> Schema
  private var directories: [RecordingHeader.Plugin] = []
  private var time = Duration.zero
  /// The changes since the last command.
  private var changes: [Change] = []
  /// The last command, which is written once it is known what came of it.
  private var asked: ScriptedCommand?
  private var lastTime = Duration.zero
  /// True if the store was opened again on the way.
  private var hasBegunAnew = false
  /// True if tasks have dispatched something.
  private var hasTasks = false
  /// True if the script can count the entries of a map.
  private var isCounting = false
  /// The state before the next entry.
  private var state: HostState?
  private var sequences = SequenceMarks()

  init(
    _ output: ReplacingFile, program: String, locator: PluginLocator, isTimed: Bool, needsStore: Bool,
    substateSchema: @escaping (String) -> Schema
  ) {
    self.program = program
    self.output = output
    self.substateSchema = substateSchema
    self.locator = locator
    self.isTimed = isTimed
    self.needsStore = needsStore
  }

  mutating func begin(_ header: RecordingHeader, _ state: HostState) throws {
    guard header.start == 0 else {
      throw ShellError(
        code: .notKept,
        message: "a script starts from the beginning, but the history goes back to #\(header.start) only",
        hint: "export journal FILE writes the actions that are kept")
    }
    directories = header.plugins
    var names: [String] = []
    for plugin in header.plugins where !names.contains(plugin.name) { names.append(plugin.name) }
    let grants = names.map { " --grant \($0)" }.joined()
    self.state = state
    sequences.note(state, after: 0)
    let options = (isTimed ? " --clock virtual" : "") + (needsStore ? " --store NEWFILE" : "")
    write("# run with: \(program)\(options)\(grants) FILE")
    // A server need not take the options of a shell.
    if program != "stsh" { write("# or, where \(program) takes no such options, at a new store of it: source FILE") }
  }

  mutating func add(_ entry: LoggedEntry, _ walk: inout RecordingWalk) throws {
    let state = try walk.state(after: entry)
    if entry.time < lastTime {
      // The store was opened again, and its clock begins anew.
      settle(at: lastTime)
      (time, lastTime, hasBegunAnew) = (.zero, .zero, true)
    }
    hasTasks = hasTasks || entry.source.kind == .effect
    if let command = try command(entry, state) {
      settle(at: entry.time)
      asked = ScriptedCommand(command, for: entry)
    } else {
      asked?.follow(entry)
    }
    lastTime = entry.time
    changes += entry.changes + arrivals(in: state)
    sequences.note(entry, state)
    self.state = state
  }

  mutating func end() { settle(at: lastTime) }

  var notes: [String] {
    hasBegunAnew && hasTasks
      ? ["the store was opened again on the way: tasks began anew then, which go on in the script"] : []
  }

  /// Lets time go by, and asserts what came of the last command.
  private mutating func settle(at now: Duration) {
    for line in asked?.lines ?? [] { write(line) }
    if isTimed, now > time {
      write("wait \(ScriptExport.text(of: now - time))")
      time = now
    }
    if let state {
      let assertions = StateAssertions(state)
      // Without changes, the places that might have changed are as they were.
      let lines = changes.isEmpty ? asked?.module.map { assertions.lines(of: $0) } ?? [] : assertions.lines(changes)
      if !isCounting, lines.contains(where: { $0.hasPrefix("count(") }) {
        write("lua \(StateAssertions.countFunction)")
        isCounting = true
      }
      for line in lines { write("assert \(line)") }
    }
    (changes, asked) = ([], nil)
  }

  /// A duration as the command language reads it, rounded up to a nanosecond.
  static func text(of duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    var nanoseconds = (attoseconds + 999_999_999) / 1_000_000_000
    let whole = seconds + nanoseconds / 1_000_000_000
    nanoseconds %= 1_000_000_000
    guard nanoseconds > 0 else { return "\(whole)s" }
    var digits = "\(nanoseconds)"
    digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(whole).\(digits)s"
  }

  private func write(_ line: String) {
    JSON.append(bare: line, to: &output.bytes)
    output.bytes.append(0x0A)
  }

  // MARK: Commands

  /// The command that asks for an action; nil for one that comes by itself.
  ///
  /// - Parameter state: the state after it.
  private mutating func command(_ entry: LoggedEntry, _ state: HostState) throws -> String? {
    guard entry.source.cause == nil, entry.source.kind != .effect, entry.source.kind != .bridge else { return nil }
    let isOfShell = entry.action.hasPrefix("shell.")
    // An action that a plugin wants to be dispatched once it is loaded comes by itself too.
    if !isOfShell, entry.source.function == "plugin" { return nil }
    guard isOfShell else {
      let action = entry.original?.action ?? entry.action
      let arguments = entry.original?.arguments ?? entry.arguments
      if entry.isThunk {
        return "thunk \(ActionText.text(String(action.dropFirst(LoggedEntry.thunkPrefix.count)), arguments: arguments))"
      }
      // The place where somebody gave a plugin's command is nothing that they said of the action.
      let info = entry.isOfCommand ? nil : entry.source.info.map { " --info \(ActionText.literal(of: .string($0)))" }
      let excuse = isThere(moduleOf: action) ? "" : ScriptedCommand.excuse
      return "\(excuse)dispatch \(ActionText.text(action, arguments: arguments))\(info ?? "")"
    }
    switch (entry.action, entry.arguments.values.first, entry.arguments.values.last) {
    case (ShellAction.Types.setGate.fullName, .string(let name)?, .bool(let isOpen)?):
      return "middleware \(isOpen ? "on" : "off") \(name)"
    case (ShellAction.Types.setRule.fullName, .string(let name)?, let rule?):
      return "middleware gate \(name) \(GateRule(rule)?.flags ?? "--none")"
    case (ShellAction.Types.loadPlugin.fullName, .string(let name)?, _):
      return "plugin load \(word(name, entry.digest))"
    case (ShellAction.Types.unloadPlugin.fullName, .string(let name)?, _): return "plugin unload \(name)"
    case (ShellAction.Types.reloadPlugin.fullName, .string(let name)?, _): return "plugin reload \(name)"
    case (ShellAction.Types.enablePlugin.fullName, .string(let name)?, _): return "plugin enable \(name)"
    case (ShellAction.Types.disablePlugin.fullName, .string(let name)?, _): return "plugin disable \(name)"
    case (ShellAction.Types.set.fullName, .string(let name)?, .string(let value)?):
      return "set \(name) \(ActionText.literal(of: .string(value)))"
    case (ShellAction.Types.cancelEffects.fullName, let id?, _):
      return "effects cancel \(id.text.map { ActionText.literal(of: .string($0)) } ?? "all")"
    case (ShellAction.Types.restore.fullName, .int(let target)?, _):
      let kept = sequences.kept(by: entry, returningTo: target, state)
      return "undo --to \(target)" + (kept.map { " --keep-ids \($0)" } ?? "")
    case (ShellAction.Types.importState.fullName, .string(let file)?, _):
      return "import state \(ActionText.literal(of: .string(file))) --value \(try importedState(entry, state))"
    case (ShellAction.Types.restore.fullName, _, _):
      // A script has nobody beside it whose actions would stay.
      return "import state \(entry.source.function) --value \(try importedState(entry, state))"
    case (SubstateChange.addType.fullName, .string(let name)?, let isReplacing):
      let value = substateLiteral(entry.arguments["value"] ?? .none, name)
      let flag = isReplacing == .bool(true) ? " --replace" : ""
      return "substate add \(name) --value \(value)\(flag)"
    case (SubstateChange.resetType.fullName, .list(let names)?, _):
      let names = names.compactMap(\.text)
      let excuse = names.allSatisfy(isSubstate) ? "" : ScriptedCommand.excuse
      return excuse + (["substate reset"] + names).joined(separator: " ")
    default:
      throw ShellError(
        code: .notAllowed, message: "#\(entry.number) \(entry.action) has no command that a script could say")
    }
  }

  /// The word after `plugin load`: the plugin's name where that finds the same folder whatever the options, else the folder.
  private func word(_ name: String, _ digest: String?) -> String {
    guard let recorded = directories.first(where: { $0.name == name && $0.digest == digest }) else { return name }
    if let found = try? locator.source(name), Files.absolute(found.folder) == recorded.directory { return name }
    return ActionText.literal(of: .string(recorded.directory))
  }

  /// The imported state as JSON in quotes: the script is to run where the file is not.
  private func importedState(_ entry: LoggedEntry, _ state: HostState) throws -> String {
    let substates = ImportedSubstates.added(by: entry).map(\.name)
    let modules = Set(entry.changes.compactMap(\.module) + substates)
    let text = JSON.text(
      of: state.exported(ExportedShell(substates: substates)) { modules.contains($0) }, marksDecimals: true)
    guard text.utf8.count < StatementReader.usualMaximumLength / 2 else {
      throw ShellError(
        code: .notAllowed, message: "#\(entry.number) \(entry.action) brought more than a statement can say",
        hint: "export journal FILE writes it")
    }
    return text.utf8.contains(UInt8(ascii: "'")) ? ActionText.literal(of: .string(text)) : "'\(text)'"
  }

  // MARK: Substates

  private func isSubstate(_ name: String) -> Bool { state?.substates.contains { $0.name == name } ?? false }

  /// Returns true if the module of an action is there: an action of a substate that is not there is reported.
  private func isThere(moduleOf action: String) -> Bool {
    guard let state, let name = ScriptedCommand.module(of: action) else { return true }
    return state.app.record.index(of: name) != nil || state.shell.plugins.contains { $0.name == name }
      || isSubstate(name)
  }

  /// The slices and substates that an action brought, which are none of its changes.
  private func arrivals(in new: HostState) -> [Change] {
    guard let state else { return [] }
    let arrived = new.arrivedSlices(since: state).filter { $0.value != .none } + new.addedSubstates(since: state)
    return arrived.map { Change(Path([.field($0.name)]), .add($0.value)) }
  }

  /// A value as `substate add` reads it, to which text is JSON where it can be.
  private func substateLiteral(_ value: Value, _ name: String) -> String {
    guard case .string(let text) = value, JSON.isRead(from: text) else {
      let exact = JSON.text(of: value, marksDecimals: true)
      return ActionText.literal(of: exact == JSON.text(of: value) ? value : .string(exact))
    }
    if case .string = substateSchema(name).kind { return ActionText.literal(of: value) }
    return ActionText.literal(of: .string(JSON.text(of: value)))
  }
}

/// Where the sequences of a store stood after each action. A return to a point leaves them higher than they were there if others may
/// have seen what they gave out, and a script has nobody beside it.
private struct SequenceMarks {
  /// Of each sequence the actions that moved it, in order, with the number where it stood then; nil: it was not there.
  private var marks: [Path: [(number: Int, value: Int?)]] = [:]
  private var present: Set<Path> = []
  /// The action up to which the last return kept what was given out.
  private var lastKept: Int?

  /// Takes note of what an action led to.
  mutating func note(_ entry: LoggedEntry, _ state: HostState) {
    guard !entry.isWhole else { return note(state, after: entry.number) }
    guard !present.isEmpty else { return }
    for change in entry.changes where present.contains(change.path) {
      if case .replace(_, .int(let value)) = change.kind { marks[change.path]?.append((entry.number, value)) }
    }
  }

  /// Takes note of all sequences of a state.
  mutating func note(_ state: HostState, after number: Int) {
    let values = Self.values(of: state)
    for path in present where values[path] == nil { marks[path]?.append((number, nil)) }
    for (path, value) in values where self.value(path, after: number) != value {
      marks[path, default: []].append((number, value))
    }
    present = Set(values.keys)
  }

  /// The action up to which a return to a point kept the numbers that were given out; nil: it gives them out again.
  ///
  /// - Parameter state: the state that it led to.
  mutating func kept(by entry: LoggedEntry, returningTo target: Int, _ state: HostState) -> Int? {
    let left = Self.values(of: state)
    let head = entry.number - 1
    // Those of a module that comes back with the point go on from where it was left, in a script, too.
    let staying = left.filter { value($0.key, after: head) != nil }
    guard staying.contains(where: { $0.value != value($0.key, after: target) }) else { return nil }
    func explains(_ number: Int) -> Bool {
      for (path, left) in left {
        let given = value(path, after: number) ?? .min
        let isSo = staying[path] == nil ? given <= left : max(given, value(path, after: target) ?? .min) == left
        guard isSo else { return false }
      }
      return true
    }
    if explains(head) {
      lastKept = head
    } else if let last = lastKept, last > target, explains(last) {
      // The others are still those who went then.
    } else {
      lastKept = nil
      for path in staying.keys.sorted(by: { "\($0)" < "\($1)" }) where lastKept == nil {
        for mark in (marks[path] ?? []).reversed() where mark.number < head {
          guard mark.number > target else { break }
          guard explains(mark.number) else { continue }
          lastKept = mark.number
          break
        }
      }
    }
    return lastKept
  }

  private func value(_ path: Path, after number: Int) -> Int? {
    guard let marks = marks[path] else { return nil }
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? marks[low - 1].value : nil
  }

  private static func values(of state: HostState) -> [Path: Int] {
    var values: [Path: Int] = [:]
    for path in state.sequences.map(\.path) {
      if case .int(let value)? = state.value(at: path) { values[path] = value }
    }
    return values
  }
}
