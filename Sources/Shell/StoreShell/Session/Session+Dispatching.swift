import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreModules
import StoreSchema

extension JSONReport {
  /// The outcome of the dispatch that an entry of the log tells of.
  static func dispatch(_ entry: LoggedEntry) -> String {
    dispatch(
      id: entry.number, action: entry.action, changes: entry.changes, droppedBy: entry.droppedBy,
      dispatchedAs: entry.original.map { ActionText.text($0.action, arguments: $0.arguments) })
  }
}

extension Session {
  /// Has an action of the shell processed, by a command, and prints what it changed.
  func perform(_ action: ShellAction, by command: String) throws -> CommandResult {
    try finish(store.dispatch(action, source(function: command)))
  }

  /// Tells that a projection lets an action go no further (R26).
  func noteDropped(_ name: String, by projection: String) {
    store.live.trace(.dropped(what: name, reason: "projection \(projection)"))
    write(note: "\(name) was not dispatched: the projection \(projection) maps it to nothing")
  }

  /// Prints the answer to an action of this statement, or throws what went wrong with it.
  ///
  /// - Parameters:
  ///   - remark: the text in parentheses behind the action.
  ///   - listsChanges: true if its changes are printed.
  ///   - details: the text printed below, a line each.
  func finish(
    _ report: DispatchReport, quietly isQuiet: Bool = false, remark: String? = nil, listsChanges: Bool = true,
    details: [String] = []
  ) throws -> CommandResult {
    tellOthers()
    if let failure = report.failure {
      guard failure is StoreError, let number = report.number else { throw ShellError(describing: failure) }
      let errors = [failure] + report.faults
      guard let entry = report.entry else { throw AppliedWithFaults(errors: errors, number: number) }
      // The action was applied; what it caused was stopped.
      if !answersInJSON, !options.isQuiet, !isQuiet { write(entry) }
      throw AppliedWithFaults(errors: errors, entry)
    }
    let isSilent = options.isQuiet || isQuiet
    if let dropped = droppedText(report) {
      outcome.lastDropped = dropped
      if isSilent, !answersInJSON { store.leave(note: dropped) }
    }
    guard givesData || !isSilent || !report.faults.isEmpty, let number = report.number else { return .none }
    // What memory has no room for, a file may keep.
    guard let entry = try report.entry ?? store.entry(number) else {
      // The action was too large for the history, or its consequences were.
      guard report.faults.isEmpty else { throw AppliedWithFaults(errors: report.faults, number: number) }
      if let remark, !isSilent, !answersInJSON { console.write("#\(number)  (\(remark))\n") }
      write(note: "#\(number) was applied; the history is too small to keep what it changed (set journal.limit)")
      return .none
    }
    if !answersInJSON, !isSilent {
      let cancelled = report.cancelled
      write(
        entry, remark: remark ?? (cancelled == 0 ? nil : "\(cancelled) \(cancelled == 1 ? "task" : "tasks") cancelled"),
        listsChanges: listsChanges)
      for detail in details { console.write("  \(detail)\n") }
    }
    if !report.faults.isEmpty { throw AppliedWithFaults(errors: report.faults, entry) }
    guard givesData else { return .none }
    return CommandResult(json: JSONReport.dispatch(entry))
  }

  /// Has a note tell that an interceptor took an action of which nothing else is printed.
  func leaveNote(ofDropped report: DispatchReport) {
    guard let dropped = droppedText(report) else { return }
    outcome.lastDropped = dropped
    store.leave(note: dropped)
  }

  private func droppedText(_ report: DispatchReport) -> String? {
    guard let interceptor = report.droppedBy, let entry = report.entry, !entry.isThunk else { return nil }
    return "\(entry.action) was dropped by \(interceptor)"
  }

  /// Runs a command of which is said whether it was done: one whose action an interceptor dropped was not.
  func performed(_ command: Statement) throws -> CommandResult {
    outcome.lastDropped = nil
    let result = try commands.run(command, in: self)
    guard let dropped = outcome.lastDropped else { return result }
    var error = ShellError(code: .refused, message: dropped)
    error.data = result.json
    throw error
  }

  private func write(_ entry: LoggedEntry, remark: String? = nil, listsChanges: Bool = true) {
    var remark = remark.map { "  (\($0))" } ?? ""
    if let original = entry.original {
      remark += "  (dispatched as \(ActionText.brief(original.action, arguments: original.arguments)))"
    }
    if let interceptor = entry.droppedBy, !entry.isThunk { remark += "  (dropped by \(interceptor))" }
    // In one piece: what is told waits for the disk each time.
    console.write { out in
      out.append("#" as Unicode.Scalar)
      out.append(entry.number)
      out.append(" " as Unicode.Scalar)
      ActionText.appendBrief(entry.action, arguments: entry.arguments, to: &out)
      out.append(remark)
      out.append("\n" as Unicode.Scalar)
      guard listsChanges, !entry.changes.isEmpty else { return }
      // Nobody reads more on a screen; a file gets all.
      let shown = console.showsResults ? entry.changes.prefix(Self.shownChanges) : entry.changes[...]
      ChangeFormatter.append(linesOf: shown, marks: resultMarks, to: &out)
      let left = entry.changes.count - shown.count
      guard left > 0 else { return }
      let mark = options.isUTF8 ? "…" : "..."
      out.append("  \(mark) \(left) more changes; diff \(entry.number - 1) \(entry.number) shows all of them\n")
    }
  }

  /// The number of changes that a person is shown of an action.
  private static let shownChanges = 1000

  /// The error of a name that no action has.
  func unknownAction(_ name: String, at place: ShellError.Place) -> ShellError {
    if let command = Module.command(dispatching: name) {
      return ShellError(
        code: .unknownAction, message: "'\(name)' is an action of the shell itself: use the command \(command)",
        place: place, hint: "help \(command)")
    }
    let isModule = store.modules.contains { $0.name == name }
    return ShellError(
      code: .unknownAction, message: "unknown action '\(name)'", place: place,
      hint: isModule
        ? "describe \(name) lists its actions"
        : Suggestion.question(name, among: actionNames) ?? "describe lists the modules, describe MODULE their actions")
  }
}
