import ShellLanguage
import StoreHistory
import StoreSchema

extension CommandDefinition {
  static let undo = CommandDefinition(
    "undo", usage: ["undo [COUNT] [--to N] [--quiet]"],
    summary:
      "takes back your last action and all it caused, or the last COUNT, or all after #N: a new action, so nothing is lost",
    flags: [
      FlagDefinition("to", value: "N", "return to the state after action #N; 0 is the start"),
      FlagDefinition("quiet", "print nothing"),
    ],
    operands: [.number([])],
    examples: [
      CommandExample(
        "dispatch counter.increment --quiet", "undo",
        output: "#2 shell.restore to=0  (takes back #1 counter.increment)\n  counter.value  1 -> 0\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.increment --quiet", "undo --to 1",
        output: "#3 shell.restore to=1\n  counter.value  2 -> 1\n"),
    ]
  ) { invocation in
    let session = invocation.session
    try invocation.refuseOperands(from: 1)
    let source = session.source(function: UndoLine.undo)
    let line = session.store.undoLine
    if let text = try invocation.text(of: "to") {
      try invocation.refuseOperands(from: 0)
      let number = try invocation.number(text, at: invocation.word(of: "to"), or: nil)
      try session.finishCheck()
      let target = try line.origin(of: number)
      let first = session.store.firstPoint
      guard target >= first else { throw HistoryError.notKept(target, oldest: first) }
      let report = try session.restore(to: target, source: source)
      session.clock.isPaused = false
      return try session.finish(report, quietly: invocation.has("quiet"))
    }
    try session.store.requirePresent()
    let count = try invocation.count()
    try session.finishCheck()
    let step = try line.undo(count)
    let first = try session.store.entry(step.first).map { "#\($0.number) \($0.action)" } ?? "#\(step.first)"
    let report = try session.restore(to: step.target, source: source)
    let later = step.later == 0 ? "" : " and \(step.later) later \(step.later == 1 ? "action" : "actions")"
    return try session.finish(
      report, quietly: invocation.has("quiet"), remark: "takes back \(first)\(later)")
  }

  static let redo = CommandDefinition(
    "redo", usage: ["redo [COUNT] [--quiet]"],
    summary: "takes back your last undo, or the last COUNT, unless you have dispatched something since",
    flags: [FlagDefinition("quiet", "print nothing")], operands: [.number([])],
    examples: [
      CommandExample(
        "dispatch counter.increment --quiet", "undo --quiet", "redo",
        output: "#3 shell.restore to=1\n  counter.value  0 -> 1\n"),
      CommandExample(
        "dispatch counter.increment --quiet", "dispatch counter.setStep to=5 --quiet", "undo --quiet", "undo --quiet",
        "redo 2",
        output: "#5 shell.restore to=2\n  counter.value  0 -> 1\n  counter.step  1 -> 5\n"),
    ]
  ) { invocation in
    let session = invocation.session
    try session.store.requirePresent()
    try invocation.refuseOperands(from: 1)
    let count = try invocation.count()
    try session.finishCheck()
    let target = try session.store.undoLine.redo(count)
    let report = try session.restore(to: target, source: session.source(function: UndoLine.redo))
    return try session.finish(report, quietly: invocation.has("quiet"))
  }
}

extension Invocation {
  /// How many, 1 unless said otherwise.
  fileprivate func count() throws -> Int {
    guard let text = try operand(0) else { return 1 }
    guard let count = Int(text), count > 0 else {
      throw ShellError(
        code: .typeMismatch, message: "\(definition.verb) takes a number above 0, got '\(text)'", at: operands[0],
        hint: "usage: \(usage)")
    }
    return count
  }

  /// The number of an action, written as `17` or `#17`, that is not beyond the last one.
  ///
  /// - Parameters:
  ///   - word: what may stand there instead, such as `head`; nil: nothing else may.
  ///   - oldest: the oldest one that may be named; nil: that whose state can be made.
  func number(_ text: String, at place: Word?, or word: String?, since oldest: Int? = nil) throws -> Int {
    let span = place.map { ShellError.Place.span($0.span) } ?? .command
    guard let number = Int(text.hasPrefix("#") ? String(text.dropFirst()) : text), number >= 0 else {
      throw ShellError(
        code: .typeMismatch,
        message: "\(definition.verb) takes the number of an action\(word.map { " or \($0)" } ?? ""), got '\(text)'",
        place: span, hint: "usage: \(usage)")
    }
    // How many actions there will be is not known before they have happened.
    if session.isChecking { return number }
    let (head, oldest) = (session.store.head, oldest ?? session.store.oldest)
    let error: HistoryError? =
      number > head
      ? .beyondHead(number, head: head) : number < oldest ? session.store.beforeBeginning(number, oldest: oldest) : nil
    if let error {
      var described = ShellError(describing: error)
      described.place = span
      if number > session.store.oldestEntry, number < oldest {
        described.hint = session.store.hintAtBeginning
      }
      throw described
    }
    return number
  }

  /// The number that the operand at a position says.
  func requiredNumber(_ index: Int, or word: String? = nil, since oldest: Int? = nil) throws -> Int {
    let text = try required(index, "the number of an action\(word.map { ", or \($0)" } ?? "")")
    return try number(text, at: operands[index], or: word, since: oldest)
  }
}
