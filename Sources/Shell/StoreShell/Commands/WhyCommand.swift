import ShellLanguage
import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let why = CommandDefinition(
    "why", needs: .read, usage: ["why PATH|#N"],
    summary:
      "prints the action that last changed a value, or action #N, and what caused it, up to the line someone typed",
    flags: FlagDefinition.format, operands: [.pathOrNumber],
    examples: [
      CommandExample(
        "dispatch tasks.add milk --quiet", "dispatch tasks.complete 1 --quiet", "why tasks.items[id=1].done",
        output: "#2 tasks.complete id=1  <- repl:2\n  tasks.items[id=1].done  false -> true\n"),
      CommandExample("dispatch counter.reset --quiet", "why #1", output: "#1 counter.reset  <- repl:1\n"),
    ],
    read: WhyRequest.read, perform: { try $0.value(in: $1).perform(in: $1) })
}

/// A value or an action whose causes a line asks for.
private struct WhyRequest {
  private let subject: Subject
  private let word: Word
  private let form: ResultForm

  private enum Subject {
    case action(ActionNumber)
    case value(GivenPath)
  }

  static func read(_ reader: CommandReader) throws -> Given<WhyRequest> {
    try reader.refuseOperands(from: 1)
    let text = try reader.required(0, "a path, or the number of an action")
    let form = try reader.form()
    return try text.map { try WhyRequest($0, form, reader) }
  }

  private init(_ text: String, _ form: ResultForm, _ reader: CommandReader) throws {
    self.form = form
    word = reader.operands[0]
    if text.hasPrefix("#") || Int(text) != nil {
      subject = .action(try reader.number(.known(text), at: word))
    } else {
      let path = try GivenPath(.known(text), at: word)
      try reader.checkPath(path)
      subject = .value(path)
    }
  }

  func perform(in session: Session) throws -> CommandResult {
    let store = session.store
    var chain = Causes(session, asJSON: try session.isInWords(form) || session.isInJSON(form))
    switch subject {
    case .action(let number):
      let number = try number.value(in: session, since: store.live.oldestEntry)
      guard let entry = try store.entry(number) else {
        throw ShellError(
          code: .outOfRange, message: "there is no action #\(number)", at: word, hint: "log lists them")
      }
      try chain.follow(entry, showing: entry.changes, in: store)
    case .value(let path):
      let path = try path.value(in: session)
      if let refusal = store.viewed?.refusal(of: "why") { throw refusal }
      try session.findCauses(of: path, at: word, &chain)
    }
    var result =
      try session.isInWords(form)
      ? session.answer(chain.text, for: chain.listing.reading.value) : session.answer(chain.listing.reading, as: form)
    // Of what had another type before, the last that is known is told.
    if chain.endsUnknown, store.live.oldestEntry >= store.live.oldest {
      result.notes.append(store.live.hintAtBeginning)
    }
    return result
  }
}

extension Session {
  /// Follows the last change of a value, through restores to what they brought back.
  fileprivate func findCauses(of path: Path, at word: Word, _ chain: inout Causes) throws {
    let wanted = named(path)
    var end = store.viewed?.number ?? store.live.head
    let concerned = concern(wanted)
    let hasPlace = !hasNoPlace(for: wanted)
    // The actions that were taken back alone: the value is another's without them.
    var gone: Set<Int> = []
    func concerns(_ entry: LoggedEntry) throws -> Bool {
      if gone.contains(entry.number) { return false }
      if try !concerned(entry).isEmpty { return true }
      guard hasPlace, case .field(let module)? = wanted.steps.first else { return false }
      return try store.bringsOrTakes(module, entry)
    }
    while let entry = try store.lastEntry(upTo: end, changing: wanted, where: concerns) {
      if entry.number <= store.live.oldest, end >= store.live.oldest,
        case .changed(let changes) = try store.migration(of: wanted)
      {
        chain.addMigration(after: store.live.oldest, changes)
      }
      try chain.follow(entry, showing: concerned(entry), in: store)
      if let target = entry.restoreTarget {
        chain.addReturn(to: target)
        end = target
      } else if let numbers = entry.takenBack {
        gone.formUnion(numbers)
        chain.addLeavingOut(numbers)
        end = entry.number - 1
      } else {
        return
      }
    }
    if end >= store.live.oldest {
      switch try store.migration(of: wanted) {
      case .changed(let changes): return chain.addMigration(after: store.live.oldest, changes)
      case .unknown: return chain.addBeginning(store.live.oldest, of: chain.isEmpty ? path : nil)
      case .none: break
      }
    }
    guard chain.isEmpty else { return chain.addBeginning(store.live.oldestEntry) }
    // Nobody ever changed it; but a path that leads nowhere is a mistake.
    _ = try word.marking { try type(at: path) }
    try refuseProjection(path, at: word)
    chain.addBeginning(store.live.oldestEntry, of: path)
  }

  /// A projection is no part of the state, so that no action is told to have changed it.
  private func refuseProjection(_ path: Path, at word: Word) throws {
    let steps = path.steps.prefix(2)
    guard case .field(let module)? = steps.first, case .field(let name)? = steps.last, steps.count == 2,
      store.modules.contains(where: { found in
        found.name == module && found.projections.contains { $0.name == name }
      })
    else { return }
    throw ShellError(
      code: .unknownPath,
      message: "\(module).\(name) is a projection: it is made from the state, which actions change",
      at: word, hint: "describe \(module) lists the fields of its state")
  }
}

/// Actions, each the cause of the one before.
private struct Causes {
  private(set) var text = ""
  private(set) var listing: ActionListing
  /// True if there was more before the oldest action that is kept.
  private(set) var endsUnknown = false

  /// True if sources are shown with names.
  private let tellsNames: Bool
  /// Shows when an action happened; nil: the store does not tell.
  private let clock: LocalTime?

  init(_ session: Session, asJSON isJSON: Bool) {
    let live = session.store.live
    tellsNames = live.turn { live.names.areSeveral }
    clock = live.showsTimesOfDay ? session.person.clock : nil
    listing = ActionListing(asJSON: isJSON)
  }

  var isEmpty: Bool { listing.isEmpty }

  /// Adds an action with some of its changes, and what caused it.
  mutating func follow(_ entry: LoggedEntry, showing changes: [Change], in store: StoreClient) throws {
    add(entry, changes, "")
    var cause = entry.source.cause
    while let number = cause, let entry = try store.entry(number) {
      add(entry, [], "  caused by ")
      // A cause comes first, whatever a damaged record says.
      cause = entry.source.cause.flatMap { $0 < number ? $0 : nil }
    }
  }

  private mutating func add(_ entry: LoggedEntry, _ changes: [Change], _ prefix: String) {
    text += "\(prefix)#\(entry.number) \(ActionText.brief(entry.action, arguments: entry.arguments))"
    text += "  <- \(entry.source.shown(withName: tellsNames))"
    // An action that a plugin's command dispatched leads to the line that gave the command.
    if entry.isOfCommand, let place = entry.source.info { text += " <- \(place)" }
    if let clock, let time = entry.wallTime { text += ", \(clock.date(of: time)) \(clock.clock(of: time))" }
    if let failure = entry.failureText { text += "  (failed: \(failure))" }
    text += "\n" + ChangeFormatter.lines(changes)
    listing.append(entry, showing: changes)
  }

  mutating func addLeavingOut(_ numbers: [Int]) {
    let more = numbers.count > 1 ? " and \(numbers.count - 1) more" : ""
    text += "as it is without #\(numbers[0])\(more):\n"
  }

  mutating func addReturn(to number: Int) { text += "as it was after #\(number):\n" }

  mutating func addMigration(after number: Int, _ changes: [Change]) {
    text += "after #\(number) the state was brought to another type\n" + ChangeFormatter.lines(changes)
    listing.appendMigration(after: number, changes)
  }

  mutating func addBeginning(_ oldest: Int, of path: Path? = nil) {
    let subject = path.map { "\($0) is" } ?? "it is"
    endsUnknown = oldest > 0
    text +=
      oldest == 0
      ? "\(subject) as it was at the start\n" : "\(subject) as it was after #\(oldest), where the history begins\n"
  }
}

extension Session {
  /// The path with elements named by id, where they have one, as changes name them. Of an id that stands twice it names the
  /// first element.
  func named(_ path: Path) -> Path {
    var named = Path()
    for step in path.steps {
      let isNamed =
        switch step {
        case .index: false
        case .match(let field, _): field == "id"
        default: true
        }
      guard !isNamed, let id = try? read(named.appending(step).appending(.field("id"))).value, MapKey(id) != nil,
        case let byID = named.appending(.match(field: "id", id)),
        let (element, first) = try? (read(named.appending(step)).value, read(byID).value), element == first
      else {
        named = named.appending(step)
        continue
      }
      named = byID
    }
    return named
  }
}

extension StoreClient {
  /// The last entry up to a number that changed something along a path, or changed more than it tells, and meets a condition.
  fileprivate func lastEntry(
    upTo end: Int, changing path: Path, where condition: (LoggedEntry) throws -> Bool
  ) throws -> LoggedEntry? {
    var found: LoggedEntry?
    try visitBackwards(from: end, .changing(path, withWholes: true)) { entry in
      if try condition(entry) { found = entry }
      return found == nil
    }
    return found
  }
}
