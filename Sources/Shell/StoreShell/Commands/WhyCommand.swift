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
    if let loss = chain.loss { result.notes.append(loss) }
    // Of what had another type before, the last that is known is told.
    if chain.endsUnknown, store.live.oldestEntry >= store.live.oldest {
      result.notes.append(store.live.hintAtBeginning)
    }
    return result
  }
}

extension Session {
  /// Follows the last change of a value, through restores to what they brought back, and through the places that it had.
  fileprivate func findCauses(of path: Path, at word: Word, _ chain: inout Causes) throws {
    var wanted = named(path)
    var end = store.viewed?.number ?? store.live.head
    let least = hasNoPlace(for: wanted) ? wanted.steps.count : 0
    // The actions that were taken back alone: the value is another's without them.
    var gone: Set<Int> = []
    while let station = try lastStation(of: &wanted, upTo: end, without: gone, least: least) {
      let (entry, changes, earlier) = (station.entry, station.changes, station.earlier)
      if entry.takenBack != nil, !hasPositions(wanted), let maker = try store.maker(of: wanted, behind: entry) {
        if !changes.isEmpty {
          try chain.follow(entry, showing: changes, in: store)
          chain.addLeavingOut(entry.takenBack ?? [])
        }
        switch maker {
        case .action(let entry, let changes): return try chain.follow(entry, showing: changes, in: store)
        case .point(let point): end = point
        }
        continue
      }
      if station.isIdle {
        end = entry.restoreTarget ?? entry.number - 1
        continue
      }
      // The load of a module sets what stands there behind it, and nothing else.
      if changes.isEmpty, !station.isLost, chain.isEmpty, isOfPresentModule(wanted) {
        _ = try word.marking { try type(at: path) }
      }
      if station.isLost {
        guard let target = entry.restoreTarget else { return chain.addLoss(at: entry, of: wanted) }
        // The list is as it was then.
        end = target
        continue
      }
      if entry.number <= store.live.oldest, end >= store.live.oldest,
        case .changed(let changes) = try store.migration(of: wanted)
      {
        chain.addMigration(after: store.live.oldest, changes)
      }
      try chain.follow(entry, showing: changes, in: store)
      if let target = entry.restoreTarget {
        chain.addReturn(to: target)
        end = target
      } else if let numbers = entry.takenBack {
        gone.formUnion(numbers)
        chain.addLeavingOut(numbers)
        guard let earlier else { return chain.addLoss(at: entry, of: wanted) }
        (wanted, end) = (earlier, entry.number - 1)
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

  /// The last action up to a number that changed a value, or behind which it cannot be told where the value stood.
  ///
  /// - Parameters:
  ///   - wanted: the place of the value after the action of that number; then its place after the found one.
  ///   - gone: actions that only moved the value.
  ///   - least: the number of steps that the path of a change has at least.
  private func lastStation(
    of wanted: inout Path, upTo end: Int, without gone: Set<Int>, least: Int
  ) throws -> Station? {
    var (place, found): (Path, Station?) = (wanted, nil)
    try store.visitBackwards(from: end, .changing(aroundPositions(in: wanted), withWholes: true)) { entry in
      let isGone = gone.contains(entry.number)
      switch try store.earlierPlace(of: place, behind: entry) {
      case .at(let earlier):
        let changes =
          isGone
          ? []
          : try store.changes(of: earlier, by: entry).filter { change in
            change.path.steps.count >= least && !change.onlyMoves(earlier)
          }
        guard try changes.isEmpty && (isGone || least > 0 || !bringsOrTakes(place, entry)) else {
          found = Station(entry: entry, changes: changes, earlier: earlier)
          return false
        }
        guard entry.restoreTarget == nil else {
          // What it passed over is not in effect.
          found = Station(entry: entry, isIdle: true)
          return false
        }
        place = earlier
        guard entry.takenBack == nil || hasPositions(place) else {
          found = Station(entry: entry, isIdle: true)
          return false
        }
        return true
      case .moved(let earlier):
        guard entry.restoreTarget == nil else {
          found = Station(entry: entry, isIdle: true)
          return false
        }
        place = earlier
        return true
      case .nowhere(let change): found = Station(entry: entry, changes: [change], isLost: isGone)
      case .unknown: found = Station(entry: entry, isLost: true)
      }
      return false
    }
    wanted = place
    return found
  }

  /// True if a path names an element of a list by position: others that come or go move it.
  private func hasPositions(_ path: Path) -> Bool {
    path.steps.contains { if case .index = $0 { true } else { false } }
  }

  /// True if the module that a path leads into is there.
  private func isOfPresentModule(_ path: Path) -> Bool {
    store.modules.contains { path.steps.first == .field($0.name) }
  }

  private func bringsOrTakes(_ path: Path, _ entry: LoggedEntry) throws -> Bool {
    guard case .field(let module)? = path.steps.first else { return false }
    return try store.bringsOrTakes(module, entry)
  }

  /// The path up to the first list of which it names an element by position; the whole path if there is none.
  private func aroundPositions(in path: Path) -> Path {
    for (depth, step) in path.steps.enumerated() {
      guard case .index = step else { continue }
      let list = Path(Array(path.steps[..<depth]))
      if case .map? = (try? declaredType(at: list))?.kind { continue }
      return list
    }
    return path
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

/// An action on the way back from a value to what made it.
private struct Station {
  let entry: LoggedEntry
  /// Its changes of the value.
  var changes: [Change] = []
  /// The place of the value before the action; nil: there was none.
  var earlier: Path?
  /// True if it cannot be told where the value stood before.
  var isLost = false
  /// True if it is a restore that left the value as it was.
  var isIdle = false
}

/// Actions, each the cause of the one before.
private struct Causes {
  private(set) var text = ""
  private(set) var listing: ActionListing
  /// True if there was more before the oldest action that is kept.
  private(set) var endsUnknown = false
  /// Why the action is not told that set the value; nil: it is told, or there was none.
  private(set) var loss: String?

  /// True if sources are shown with names.
  private let tellsNames: Bool
  /// Shows when an action happened; nil: the store does not tell.
  private let clock: LocalTime?

  init(_ session: Session, asJSON isJSON: Bool) {
    let live = session.store.live
    tellsNames = live.turnAnywhere { live.names.areSeveral }
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
    if let info = entry.source.info {
      text += entry.isOfCommand ? " <- \(info)" : ", \"\(DisplayText.printable(info))\""
    }
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

  mutating func addLoss(at entry: LoggedEntry, of path: Path) {
    loss = "cannot tell what set \(path) before #\(entry.number) \(entry.action): the elements of that list have no ids"
  }

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
    for given in path.steps {
      var step = given
      if case .index(let position) = step, position < 0, case .list(let elements)? = try? read(named).value {
        step = .index(elements.count + position + 1)
      }
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
