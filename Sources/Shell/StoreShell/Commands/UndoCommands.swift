import ShellLanguage
import StoreCore
import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let undo = CommandDefinition(
    "undo", needs: .dispatch, usage: ["undo [COUNT|#N] [--any] [--to N [--keep-ids M]] [--quiet]"],
    summary:
      "takes back what your last statement dispatched and all it caused, or the last COUNT statements, or #N alone, or all after #N; it is a new action, so nothing is lost",
    flags: [
      FlagDefinition("to", value: "N", "return to the state after action #N; 0 is the start"),
      FlagDefinition(
        "keep-ids", value: "M", "with --to: ids that were given out up to action #M are not given out again"),
      FlagDefinition("any", "count what others dispatched as well, where the store is shared"),
      FlagDefinition("quiet", need: .dispatch, "print nothing"),
    ],
    operands: [.number([])],
    examples: [
      CommandExample(
        "dispatch counter.increment --quiet", "undo",
        output: "#2 shell.restore to=0  (takes back #1 counter.increment)\n  counter.value  1 -> 0\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.increment --quiet", "undo --to 1",
        output: "#3 shell.restore to=1\n  counter.value  2 -> 1\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch tasks.add milk --quiet", "undo #1",
        output:
          "#3 shell.restore without=[1]  (takes back #1 counter.increment; 1 later action stays)\n  counter.value  1 -> 0\n"
      ),
    ],
    defines: .anything,
    read: UndoRequest.init, perform: { try $0.perform(in: $1) })

  static let redo = CommandDefinition(
    "redo", needs: .dispatch, usage: ["redo [COUNT] [--quiet]"],
    summary: "takes back your last undo, or the last COUNT, unless you have dispatched something since",
    flags: [FlagDefinition("quiet", need: .dispatch, "print nothing")], operands: [.number([])],
    examples: [
      CommandExample(
        "dispatch counter.increment --quiet", "undo --quiet", "redo",
        output: "#3 shell.restore to=1  (brings back #1 counter.increment)\n  counter.value  0 -> 1\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.setStep to=5 --quiet", "undo --quiet", "undo --quiet",
        "redo 2",
        output:
          "#5 shell.restore to=2  (brings back 2 statements, #1-#2: counter.increment, counter.setStep)\n  counter.value  0 -> 1\n  counter.step  1 -> 5\n"
      ),
    ],
    defines: .anything,
    read: { reader in
      try reader.refuseOperands(from: 1)
      return (count: try reader.count(), isQuiet: reader.has("quiet"))
    },
    perform: { request, session in
      try session.store.requireChange(by: ShellAction.Types.restore)
      let count = try request.count.value(in: session)
      let source = session.source(function: UndoLine.redo)
      let (step, report) = try session.store.returning(
        find: { () -> (UndoLine.Redo, Int) in
          let (step, head) = try session.store.redoStep(count)
          return (step, head)
        }, renew: { $0.behind($1) },
        prepare: { step in
          try session.requireRights(toReturn: step.bringsBack)
          guard step.undos.isEmpty else { return false }
          try session.grantReturning(to: step.target)
          return true
        }, target: \.target, source: source)
      var (taken, void) = (step.takesBack, [LoggedEntry]())
      let returned = {
        ReturnedStatements(
          takesBack: try taken.map { try session.returned([($0.first, $0.first + $0.later, $0.later + 1)]) }
            ?? [],
          bringsBack: try session.returned(step.bringsBack.map { ($0.first, $0.last, $0.count) }), noEffect: void)
      }
      if let report {
        return try session.finish(
          report, quietly: request.isQuiet, remark: session.broughtBack(step, taking: taken), returning: returned)
      }
      let done = try session.store.bringBack(
        Set(step.undos), source: source, hint: session.hint(insteadOf: step))
      // What others' later actions caused stays.
      let others = done.numbers.filter { !step.undos.contains($0) }
      taken = others.first.map { UndoLine.Taken(first: $0, later: others.count - 1) }
      void = done.void
      return try session.finish(
        done.report, quietly: request.isQuiet, remark: session.broughtBack(step, taking: taken, done),
        returning: returned)
    })
}

/// The point that a line goes back to.
private struct UndoRequest {
  private let extent: Extent
  private let isQuiet: Bool

  private enum Extent {
    case actions(Given<Int>, any: Bool)
    case only(ActionNumber)
    case to(ActionNumber, keepingIDs: ActionNumber?)
  }

  init(_ reader: CommandReader) throws {
    try reader.refuseOperands(from: 1)
    isQuiet = reader.has("quiet")
    if let text = try reader.text(of: "to") {
      try reader.refuseOperands(from: 0)
      let kept = try reader.text(of: "keep-ids").map { try reader.number($0, at: reader.word(of: "keep-ids")) }
      extent = .to(try reader.number(text, at: reader.word(of: "to")), keepingIDs: kept)
    } else if reader.has("keep-ids") {
      throw reader.fault(.unexpectedArgument, "--keep-ids needs --to", of: "keep-ids")
    } else if let text = try reader.operand(0), reader.operands[0].text.hasPrefix("#") {
      if reader.has("any") { throw reader.fault(.unexpectedArgument, "--any and #N cannot be combined", of: "any") }
      extent = .only(try reader.number(text, at: reader.operands[0]))
    } else {
      extent = .actions(try reader.count(), any: reader.has("any"))
    }
  }

  func perform(in session: Session) throws -> CommandResult {
    let (store, source) = (session.store, session.source(function: UndoLine.undo))
    try store.requireNoRun(for: UndoLine.restoreAction)
    switch extent {
    case .to(let number, let kept):
      // Held while the store goes on, what it reads would be copied.
      let target = try store.settled(store.undoLine().origin(of: number.value(in: session)))
      let first = store.live.firstPoint
      guard target >= first else { throw HistoryError.notKept(target, oldest: first) }
      let report = try session.restore(to: target, keepingIDs: kept?.value(in: session), source: source)
      session.tellOthers(ofReturn: report, to: target)
      return try session.finish(report, quietly: isQuiet) {
        let last = (report.number ?? 0) - 1
        guard last > target else { return ReturnedStatements() }
        return ReturnedStatements(takesBack: try session.returned([(target + 1, last, last - target)]))
      }
    case .only(let number):
      try store.requirePresent()
      let number = try number.value(in: session)
      // Rights first: to find out what can be undone takes a look at many actions.
      if let entry = try store.entry(number) {
        if !store.ownOfPerson(entry) { try session.require(nil, for: "undo #\(number), which another dispatched") }
        try session.requireRight(toReturn: entry.action)
      }
      try session.requireUndoable(number)
      let done = try store.takeBack(number, source: source)
      session.tellOthers(ofTakingBack: done)
      return try session.finish(done.report, quietly: isQuiet, remark: session.takenBack(number, done)) {
        ReturnedStatements(takesBack: try session.returned([(number, number, 1)]), noEffect: done.void)
      }
    case .actions(let count, let any):
      try store.requirePresent()
      let count = try count.value(in: session)
      let (own, report) = try store.returning(
        find: { () -> (OwnStep, Int) in
          let own = try session.undoStep(count, any: any)
          return (own, own.head)
        }, renew: { $0.behind($1) },
        prepare: { own in
          try session.requireRights(toReturn: own.step.statements)
          guard try store.returnsToPoint(own) else { return false }
          try session.grantReturning(to: own.step.target)
          return true
        }, target: \.step.target, source: source)
      var void: [LoggedEntry] = []
      let returned = {
        ReturnedStatements(
          takesBack: try session.returned(own.step.statements.map { ($0.first, $0.last, $0.count) }), noEffect: void)
      }
      let earlier = try own.isEarlier ? session.place(ofEarlier: own.step) : ""
      guard let report else {
        let done = try store.takeBack(own, source: source)
        session.tellOthers(ofTakingBack: done)
        void = done.void
        let remark = try session.takenBack(own.step) + earlier + session.rest(of: done, isOwn: true)
        return try session.finish(done.report, quietly: isQuiet, remark: remark, returning: returned)
      }
      session.tellOthers(ofReturn: report, to: own.step.target)
      return try session.finish(
        report, quietly: isQuiet, remark: try session.takenBack(own.step) + earlier, returning: returned)
    }
  }
}

extension Session {
  /// The step that takes back the last statements; where there are none, an error that names what another did last, or says how more
  /// is kept.
  fileprivate func undoStep(_ count: Int, any: Bool) throws -> OwnStep {
    do {
      return try store.undoStep(count, any: any)
    } catch let error as HistoryError {
      guard case .nothingToUndo(let available, let oldest) = error else { throw error }
      var hints: [String] = []
      if available == 0, !any, let last = try? store.undoStep(1, any: true).step,
        let entry = try store.entry(last.first)
      {
        let its = "#\(entry.number) \(entry.action)" + (entry.source.shownWho.map { " by \($0)" } ?? "")
        let mayTake = (try? require(nil, for: "undo --any")) != nil
        hints.append(mayTake ? "undo --any takes back \(its)" : "\(its), is not yours to take back here")
      }
      if oldest > 0 { hints.append(store.live.hintAtBeginning) }
      var described = ShellError(describing: error)
      if !hints.isEmpty { described.hint = hints.joined(separator: "; ") }
      throw described
    }
  }

  /// Statements by the numbers of their first and last actions and how many they asked for; one whose first action is no
  /// longer kept is left out.
  fileprivate func returned(
    _ statements: [(first: Int, last: Int, count: Int)]
  ) throws -> [ReturnedStatements.Statement] {
    try statements.compactMap { statement in
      try store.entry(statement.first).map { (statement.last, statement.count, $0) }
    }
  }

  /// Refuses to take back or to bring back an action that the door does not let the session dispatch.
  fileprivate func requireRight(toReturn action: String) throws {
    guard !options.rights.isAll, let refusal = Self.refusal(ofDispatching: action, options.rights) else { return }
    throw refusal
  }

  fileprivate func requireRights(toReturn statements: [UndoLine.Step.Statement]) throws {
    guard !options.rights.isAll else { return }
    let isOwn = store.ownOfPerson
    for statement in statements {
      for entry in try store.entries(statement.first...statement.last) where entry.source.cause == nil && isOwn(entry) {
        try requireRight(toReturn: entry.action)
      }
    }
  }

  /// When and under which name an ended conversation dispatched what is taken back: `, of Thursday 14:03, ann@pts/3`.
  fileprivate func place(ofEarlier step: UndoLine.Step) throws -> String {
    guard let entry = try store.entry(step.first) else { return "" }
    let time = store.live.showsTimesOfDay ? entry.wallTime.map { person.clock.day(of: $0, now: TimeOfDay.now()) } : nil
    let name = store.live.turn { store.live.names.areSeveral } ? entry.source.shownWho : nil
    let parts = [time, name].compactMap(\.self)
    return parts.isEmpty ? "" : ", of \(parts.joined(separator: ", "))"
  }

  /// Tells the persons whose actions a return took back.
  fileprivate func tellOthers(ofReturn report: DispatchReport, to target: Int) {
    guard report.failure == nil, let number = report.number else { return }
    store.tellOthers(ofTakingBack: (target + 1)..<number, by: author)
  }

  /// The same where actions were taken back alone.
  fileprivate func tellOthers(ofTakingBack done: TakenBack) {
    if done.report.failure == nil { store.tellOthers(ofTakingBack: done.numbers, by: author) }
  }

  /// The actions that a restore takes back, in words.
  fileprivate func takenBack(_ first: Int, later: Int) throws -> String {
    let action = try store.entry(first).map { "#\(first) \($0.action)" } ?? "#\(first)"
    return "takes back \(action)" + (later == 0 ? "" : " and \(later) later \(later == 1 ? "action" : "actions")")
  }

  /// The statements that an undo takes back, in words.
  fileprivate func takenBack(_ step: UndoLine.Step) throws -> String {
    guard step.statements.reduce(0, { $0 + $1.count }) > 1 else {
      return try takenBack(step.first, later: step.isAlone ? step.later : 0)
    }
    return try "takes back " + names(of: step.statements, from: step.first, to: step.last, isAlone: step.isAlone)
  }

  /// What a redo brings back and takes back, in words; nil: nothing that anybody asked for.
  fileprivate func broughtBack(
    _ step: UndoLine.Redo, taking taken: UndoLine.Taken?, _ done: TakenBack? = nil
  ) throws -> String? {
    var parts: [String] = []
    if let first = step.bringsBack.first?.first {
      let isOne = step.bringsBack.count == 1 && step.bringsBack[0].count == 1
      let names = try names(of: step.bringsBack, from: first, to: step.last, isAlone: step.undos.isEmpty)
      parts.append("brings back \(isOne ? "#\(first) " : "")\(names)")
    }
    if let taken { parts.append(try takenBack(taken.first, later: taken.later)) }
    return parts.isEmpty ? nil : parts.joined(separator: "; ") + (done.map { rest(of: $0) } ?? "")
  }

  /// What to try where a redo is refused.
  fileprivate func hint(insteadOf step: UndoLine.Redo) throws -> String {
    guard let only = step.bringsBack.first, step.bringsBack.count == 1, only.count == 1,
      let entry = try store.entry(only.first), !entry.isOfShell,
      case let action = ActionText.text(entry.action, arguments: entry.arguments), action.utf8.count <= 100
    else { return "give again what is to come back; log lists it" }
    return "to have it again: dispatch \(action)"
  }

  /// Statements in words, with the numbers of their actions.
  private func names(
    of statements: [UndoLine.Step.Statement], from first: Int, to last: Int, isAlone: Bool
  ) throws -> String {
    let count = statements.reduce(0) { $0 + $1.count }
    let names = try statements.prefix(5).map(name)
    guard count > 1 else { return names[0] }
    let actions = isAlone ? "#\(first)-#\(last)" : "\(count) actions of #\(first)-#\(last)"
    if statements.count == 1 { return "\(names[0]): \(actions)" }
    let more = statements.count > names.count ? " and \(statements.count - names.count) more" : ""
    return "\(statements.count) statements, \(actions): \(names.joined(separator: ", "))\(more)"
  }

  /// A statement in a few words: the action where it asked for one, else the command.
  private func name(of statement: UndoLine.Step.Statement) throws -> String {
    guard let first = try store.entry(statement.first), let last = try store.entry(statement.last) else {
      return "#\(statement.first)"
    }
    guard statement.count > 1 else { return first.action }
    let (source, end) = (first.source, last.source)
    if source.function == "ingest", end.function == "ingest", source.file == end.file { return "ingest \(source.file)" }
    if let plugin = source.plugin { return "\(plugin) \(source.unit ?? "")" }
    if source.function == end.function, source.line == end.line, source.file == end.file {
      return source.function == "dispatch" ? "one statement" : source.function
    }
    let files = [source, end].filter { $0.function != "ingest" && $0.kind == .batch }.map(\.file)
    return files.first.map { "source \($0)" } ?? source.function
  }

  /// The action that is taken back while later ones stay, in words.
  fileprivate func takenBack(_ first: Int, _ done: TakenBack) throws -> String {
    try takenBack(first, later: 0) + rest(of: done)
  }

  /// The later actions that stay where an earlier one is taken back, and those that have no effect now, in words.
  ///
  /// - Parameter isOwn: true where the user's own last statement is taken back, so that what stays is mostly others'.
  fileprivate func rest(of done: TakenBack, isOwn: Bool = false) -> String {
    var text = ""
    if case let count = done.staying, count > 0 {
      let whose = isOwn && done.areOthers ? " by others" : ""
      text = "; \(count) later \(count == 1 ? "action" : "actions")\(whose) \(count == 1 ? "stays" : "stay")"
    }
    guard let first = done.void.first else { return text }
    let more = done.void.count > 1 ? " and \(done.void.count - 1) more have" : " has"
    return text + "; #\(first.number) \(first.action)\(more) no effect now"
  }

  /// Refuses an action that nothing is to be taken back of.
  fileprivate func requireUndoable(_ number: Int) throws {
    guard number > 0 else {
      throw ShellError(code: .nothingToUndo, message: "#0 is the beginning, which no action made")
    }
    guard let entry = try store.entry(number) else {
      throw HistoryError.notKept(number, oldest: store.live.firstPoint)
    }
    let action = "#\(number) \(entry.action)"
    if let restore = try store.undoLine().restore(takingBack: number) {
      throw ShellError(code: .nothingToUndo, message: "\(action) was taken back by #\(restore)")
    }
    guard entry.failure == nil, entry.droppedBy == nil else {
      throw ShellError(code: .nothingToUndo, message: "\(action) changed nothing")
    }
  }
}

extension CommandReader {
  /// The number of times, 1 unless said otherwise.
  fileprivate func count() throws -> Given<Int> {
    guard let text = try operand(0) else { return .known(1) }
    return try text.map { [self] text in
      if let count = Int(text), count > 0 { return count }
      var error = fault(.typeMismatch, "\(definition.verb) takes a count above 0, got '\(text)'", at: operands[0])
      // In quotes, or as the value of a variable.
      if definition.verb == "undo", text.hasPrefix("#"), let number = Int(text.dropFirst()) {
        error.message = "undo takes a count"
        error.hint = "to undo only #\(number) write: undo #\(number)"
      }
      throw error
    }
  }
}
