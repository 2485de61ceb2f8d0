import Platform
import ShellLanguage
import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let log = CommandDefinition(
    "log", needs: .read,
    usage: [
      "log [N] [--action GLOB] [--changed PATH] [--cause N] [--who GLOB] [--since TIME] [--until TIME] [--all|--follow]"
    ],
    summary: "prints the journal, newest last: the last 20 lines, or N; runs of quiet actions are folded",
    flags: FlagDefinition.format + [
      FlagDefinition("action", value: "GLOB", need: .read, "only actions of that name; * stands for anything"),
      FlagDefinition("changed", value: "PATH", need: .read, "only actions that changed something there"),
      FlagDefinition("cause", value: "N", need: .read, "all actions that action #N caused, directly or by others"),
      FlagDefinition(
        "who", value: "GLOB", need: .read, "only actions that were dispatched under that name, such as ann@*"),
      FlagDefinition(
        "since", value: "TIME", need: .read, "all actions from a time on: 10:00, 2026-11-28, or 2d for two days ago"),
      FlagDefinition("until", value: "TIME", need: .read, "only actions up to a time"),
      FlagDefinition("all", need: .read, "all lines that are kept, unfolded"),
      FlagDefinition("follow", need: .read, "goes on with new actions, until a key or Ctrl-C"),
    ],
    examples: [
      CommandExample(
        "dispatch counter.increment --quiet", "log",
        output: """
          n   at    source  action             changed
          #1  0.0s  repl:1  counter.increment  counter.value

          """),
      CommandExample(
        "dispatch tasks.add milk --quiet", "dispatch counter.reset --quiet", "log --changed tasks.items",
        output: """
          n   at    source  action                  changed
          #1  0.0s  repl:1  tasks.add title="milk"  tasks.nextId, tasks.items[id=1]

          """),
    ],
    read: LogRequest.init, perform: { try $0.perform(in: $1) })
}

private struct LogRequest {
  /// The number of lines; nil: as many as fit a glance.
  private let limit: Given<Int>?
  private let action: Given<String>?
  private let changed: GivenPath?
  private let cause: ActionNumber?
  private let who: Given<String>?
  private let since: GivenTime?
  private let until: GivenTime?
  private let isUnfolded: Bool
  private let follows: Bool
  private let form: ResultForm

  init(_ reader: CommandReader) throws {
    try reader.refuseOperands(from: 1)
    limit = try reader.operand(0)?.map { text in
      if let number = Int(text), number > 0 { return number }
      var error = reader.fault(.typeMismatch, "log needs a number of lines, got '\(text)'", at: reader.operands[0])
      // `log -5`, `log -n5` as others have it.
      let digits = text.drop { "-n".contains($0) }
      if let number = Int(digits), number > 0 { error.hint = "write: log \(number)" }
      throw error
    }
    action = try reader.text(of: "action")
    if let text = try reader.text(of: "changed"), let word = reader.word(of: "changed") {
      let path = try GivenPath(text, at: word, marksWord: true)
      try reader.checkPath(path)
      changed = path
    } else {
      changed = nil
    }
    cause = try reader.text(of: "cause").map { try reader.number($0, at: reader.word(of: "cause")) }
    who = try reader.text(of: "who")
    since = try GivenTime(of: "since", reader)
    until = try GivenTime(of: "until", reader)
    isUnfolded = reader.has("all")
    follows = reader.has("follow")
    if follows, reader.has("until") {
      throw reader.fault(.unexpectedArgument, "--follow goes on and takes no --until", of: "until")
    }
    form = try reader.form()
  }

  func perform(in session: Session) throws -> CommandResult {
    let limit = try limit?.value(in: session) ?? (isUnfolded || since != nil || cause != nil ? Int.max : 20)
    let filter = LogFilter(
      action: try action?.value(in: session), changed: try changed.map { try session.changedPath($0) },
      cause: try cause.map { CausedActions(by: try $0.value(in: session)) }, who: try who?.value(in: session),
      since: try since?.milliseconds(in: session),
      until: try until?.milliseconds(in: session))
    let store = session.store
    let isData = try session.isInJSON(form)
    let head = store.viewed?.number ?? store.live.head
    let (lines, isPartial) = try store.logLines(limit, filter, upTo: head, isUnfolded: isUnfolded || isData)
    if isPartial { session.write(note: "the history goes back to #\(store.live.oldestEntry + 1)") }
    if let first = lines.first, first.first.number <= store.live.oldest {
      session.write(
        note: "up to #\(store.live.oldest) the state had another type: goto, diff and undo go back to there")
    }
    let isCut = try session.isForPerson(form)
    let mark = isCut ? DisplayText.shown("…", isUTF8: session.options.isUTF8) : nil
    let width = try session.isInWords(form) ? session.formatter(.auto).terminalWidth : nil
    var layout = LogLayout(session, dates: try session.isInWords(form) || session.format(form) == .table, mark: mark)
    let rows = layout.rows(of: lines, in: width)
    let shown = layout.reading(rows)
    let reading = isData ? LogLayout.data(of: lines.map(\.first)) : shown
    let listing = CommandListing(reading, of: "actions")
    guard follows else { return try session.answer({ _ in listing }, as: form) }
    if !isData || !lines.isEmpty { _ = try session.answer({ _ in listing }, as: form) }
    return try session.follow(from: head + 1, filter, layout, rows, asData: isData)
  }
}

/// A time of day that a flag gives: `10:00`, `2026-11-28`, or how long ago, as `2d`.
private struct GivenTime {
  private let text: Given<String>
  private let flag: String
  private let place: ShellError.Place

  /// - Returns: nil: the line does not have the flag.
  init?(of flag: String, _ reader: CommandReader) throws {
    guard let text = try reader.text(of: flag) else { return nil }
    (self.text, self.flag, place) = (text, flag, reader.place(of: flag))
    // A fault of what is written shows before anything runs.
    let place = place
    _ = try text.map { _ = try Self.milliseconds($0, LocalTime.own, flag, place) }
  }

  func milliseconds(in session: Session) throws -> Int {
    try Self.milliseconds(text.value(in: session), session.person.clock, flag, place)
  }

  private static func milliseconds(
    _ text: String, _ clock: LocalTime, _ flag: String, _ place: ShellError.Place
  ) throws -> Int {
    let now = TimeOfDay.now()
    if let ago = DurationLiteral.parse(text) { return now - Int(ago / .milliseconds(1)) }
    guard let moment = clock.moment(text, now: now) else {
      throw ShellError(
        code: .typeMismatch, message: "--\(flag) takes a time such as 10:00, 2026-11-28 or 2d, got '\(text)'",
        place: place)
    }
    return moment
  }
}

extension Session {
  /// The path whose changes are asked for. A path that leads nowhere now must have led somewhere at a change that is kept.
  fileprivate func changedPath(_ given: GivenPath) throws -> Path {
    let path = try given.value(in: self)
    do {
      _ = try type(at: path)
    } catch let error as PathError {
      let concerned = concern(path)
      var isKnown = false
      try store.visitBackwards(from: store.live.head, .changing(path)) { entry in
        isKnown = try !concerned(entry).isEmpty
        return !isKnown
      }
      guard !isKnown else { return named(path) }
      throw ShellError(code: .unknownPath, message: error.message, at: given.word, hint: error.hint)
    }
    return named(path)
  }
}

private struct LogFilter {
  let action: String?
  let changed: Path?
  let cause: CausedActions?
  let who: String?
  /// The earliest and the latest time of day, in milliseconds since 1970.
  let since: Int?
  let until: Int?

  /// True if the filter accepts all entries of a run or none.
  var isOfActions: Bool { changed == nil && who == nil && since == nil && until == nil }

  var wanted: WantedEntries {
    let wanted = changed.map { WantedEntries.changing($0) } ?? .all
    return action.map { glob in wanted.named { Glob.matches(glob, $0) } } ?? wanted
  }

  func accepts(_ entry: LoggedEntry, of store: StoreClient) throws -> Bool {
    if let action, !Glob.matches(action, entry.action) { return false }
    if let cause, try !cause.holds(entry, of: store) { return false }
    if let who, !entry.source.isBy(who) { return false }
    // A clock may have been set back: an entry that is too early says nothing of those before it.
    if let since, entry.wallTime ?? .min < since { return false }
    if let until, entry.wallTime ?? .max > until { return false }
    guard let changed else { return true }
    return try !store.changes(of: changed, by: entry).isEmpty
  }
}

/// The actions that one action caused, directly or by others.
private final class CausedActions {
  let number: Int
  /// The actions of which it is known whether they belong there.
  private var known: [Int: Bool]

  init(by number: Int) {
    self.number = number
    known = [number: true]
  }

  func holds(_ entry: LoggedEntry, of store: StoreClient) throws -> Bool {
    var chain: [Int] = []
    var next: LoggedEntry? = entry
    var isCaused = false
    while let cause = next?.source.cause, cause >= number {
      if let answer = known[cause] {
        isCaused = answer
        break
      }
      chain.append(cause)
      next = try store.entry(cause)
    }
    for number in chain { known[number] = isCaused }
    return isCaused
  }
}

extension StoreClient {
  /// The last lines of the log up to a point, however old.
  ///
  /// - Returns: the lines, and whether there may have been earlier ones that are no longer kept.
  fileprivate func logLines(
    _ limit: Int, _ filter: LogFilter, upTo head: Int, isUnfolded: Bool
  ) throws -> (lines: [FoldedEntry], isCut: Bool) {
    try atOneMoment {
      var entries: [LoggedEntry] = []
      // The long runs that were passed over, by the number of the last entry of theirs.
      var runs: [Int: FoldedEntry] = [:]
      // The number of lines, and of entries of the earliest one.
      var (count, length) = (0, 0)
      var next = head
      let floor = filter.cause?.number ?? 0
      while next > floor {
        let start = next
        next = 0
        try visitBackwards(from: start, filter.wanted) { entry in
          guard entry.number > floor else { return false }
          guard try filter.accepts(entry, of: self) else { return true }
          let later = entries.last.map { runs[$0.number]?.first ?? $0 }
          let isOfRun = !isUnfolded && later.map { entry.folds(with: $0) } ?? false
          length = isOfRun ? length + 1 : 1
          if !isOfRun { count += 1 }
          guard count <= limit else { return false }
          entries.append(entry)
          guard isOfRun, filter.isOfActions, length.isMultiple(of: Self.shortRun),
            let run = try longFold(upTo: entry)
          else { return true }
          runs[entry.number] = run
          next = run.first.number - 1
          return false
        }
      }
      var lines: [FoldedEntry] = []
      for entry in entries.reversed() {
        if let last = lines.indices.last, !isUnfolded {
          let isAbsorbed =
            if let run = runs[entry.number] { lines[last].absorb(run) } else { lines[last].absorb(entry) }
          if isAbsorbed { continue }
        }
        lines.append(runs[entry.number] ?? FoldedEntry(entry))
      }
      return (lines, live.oldestEntry > floor && count <= limit)
    }
  }

  /// The number of entries of a run that are looked at before the rest is passed over.
  private static var shortRun: Int { 64 }
}

extension Session {
  /// Prints new actions as they come, until a key is pressed or the statement is interrupted.
  ///
  /// - Parameters:
  ///   - first: the number of the first of them.
  ///   - shown: the rows that were printed before, which say how wide the columns are.
  fileprivate func follow(
    from first: Int, _ filter: LogFilter, _ layout: LogLayout, _ shown: [[String]], asData isData: Bool
  ) throws -> CommandResult {
    guard store.viewed == nil else { throw store.viewed?.refusal ?? ShellError.interrupted }
    let isAtPrompt = running.origin.kind == .repl && !running.origin.isThroughDoor && !options.isJSON
    let keys = isAtPrompt && console.width() != nil ? TerminalKeys() : nil
    defer { keys?.end() }
    var (layout, next) = (layout, first)
    var widths = layout.widths(of: shown)
    func tell() throws {
      let (entries, head) = store.live.actions(from: next, atMost: LogRange.most)
      guard head >= next else { return }
      let leftOut = head - next + 1 - entries.count
      if leftOut > 0 {
        let oldest = store.live.turn { store.live.oldestEntry + 1 }
        let rest = next < oldest ? "the history goes back to #\(oldest)" : "log lists them"
        write(note: "\(leftOut) actions left out; \(rest)")
      }
      next = head + 1
      for entry in entries where try filter.accepts(entry, of: store) {
        if isData {
          let data = JSON.text(of: LogLayout.followed(entry))
          if options.isJSON {
            console.writeReport(JSONReport.success(line: running.statement?.line ?? 1, data: data))
          } else {
            console.write(data + "\n")
          }
        } else {
          for row in layout.rows(of: [FoldedEntry(entry)], in: nil) {
            console.write(layout.line(row, &widths, in: console.isCapturing ? nil : console.width()) + "\n")
          }
        }
      }
      console.flushDue(before: nil) { true }
    }
    // What was printed before is seen before the wait.
    console.flushDue(before: nil) { true }
    if running.origin.isTypedAtDoor, !options.isJSON { person.screen?.takeKeys() }
    return try untilInterrupted {
      while true {
        try tell()
        let end = try wait(atMost: keys == nil ? nil : .milliseconds(50)) {
          keys?.isPressed() ?? false || store.live.head >= next
        }
        // Nothing will ever happen any more.
        if keys?.isTaken == true || end == .stuck || end == .endless { return }
      }
    }
  }
}

/// The log as users read it: a row for each line, in the columns that the store has something for.
private struct LogLayout {
  private let columns: [Column]
  private let clock: LocalTime
  /// True if a row of its own tells the day where that changes.
  private let tellsDays: Bool
  /// Stands for the rest of a text that a person is told the start of.
  private let mark: String?
  private var day: String

  private enum Column: String {
    case number = "n"
    case time = "when"
    case at
    case source
    case who
    case action
    case changed
  }

  init(_ session: Session, dates tellsDays: Bool, mark: String?) {
    let live = session.store.live
    var columns: [Column] = [.number, .at, .source]
    if live.showsTimesOfDay { columns.insert(.time, at: 1) }
    if live.turn({ live.names.areSeveral }) { columns.append(.who) }
    self.columns = columns + [.action, .changed]
    clock = session.person.clock
    (self.tellsDays, self.mark) = (tellsDays, mark)
    day = clock.date(of: TimeOfDay.now())
  }

  func reading(_ rows: [[String]]) -> Reading {
    Reading(rows: rows.map { $0.map(Value.string) }, "LogLine", columns.map(\.rawValue))
  }

  /// - Parameter width: the columns that the rows are cut to; nil: they are as wide as they are.
  mutating func rows(of lines: some Sequence<FoldedEntry>, in width: Int?) -> [[String]] {
    var rows: [[String]] = []
    for line in lines {
      if tellsDays, columns.contains(.time), let time = line.last.wallTime, case let day = clock.date(of: time),
        day != self.day
      {
        self.day = day
        rows.append(columns.map { $0 == .time ? day : "" })
      }
      rows.append(columns.map { text(of: $0, line) })
    }
    if let width, let mark { cut(&rows, to: width, mark) }
    return rows
  }

  private func text(of column: Column, _ line: FoldedEntry) -> String {
    switch column {
    case .number: line.count == 1 ? "#\(line.first.number)" : "#\(line.first.number)-\(line.last.number)"
    case .time:
      line.last.wallTime.map { tellsDays ? clock.clock(of: $0) : "\(clock.date(of: $0)) \(clock.clock(of: $0))" } ?? "-"
    case .at: Self.seconds(line.last.time)
    case .source: line.first.source.short
    case .who: line.first.source.shownWho ?? "-"
    case .action: Self.action(line, isCut: mark != nil)
    case .changed: Self.changed(line, cutBy: mark)
    }
  }

  func widths(of rows: [[String]]) -> [Int] {
    columns.indices.map { column in
      rows.reduce(columns[column].rawValue.count) { max($0, DisplayWidth.of($1[column])) }
    }
  }

  /// A row below others, whose columns get wider where it needs that.
  func line(_ row: [String], _ widths: inout [Int], in width: Int?) -> String {
    var line = ""
    for column in row.indices {
      widths[column] = max(widths[column], DisplayWidth.of(row[column]))
      if column > 0 { line += "  " }
      line += row[column]
      if column < row.count - 1 {
        line += String(repeating: " ", count: widths[column] - DisplayWidth.of(row[column]))
      }
    }
    while line.last == " " { line.removeLast() }
    return width.flatMap { width in mark.map { ScreenText.cut(line[...], width, $0) } } ?? line
  }

  /// The entries as records of values.
  static func data(of entries: [LoggedEntry]) -> Reading {
    Reading(rows: entries.map { members(of: $0).map(\.value) }, "LoggedAction", names)
  }

  /// An entry as one value.
  static func followed(_ entry: LoggedEntry) -> Value { .members(members(of: entry)) }

  private static let names = [
    "id", "at", "when", "user", "who", "source", "info", "statement", "cause", "action", "args", "changes", "failure",
    "reason", "droppedBy",
  ]

  private static func members(of entry: LoggedEntry) -> [(name: String, value: Value)] {
    let source = entry.source
    let values: [Value] = [
      .int(entry.number), .double(entry.time.seconds), entry.wallTime.map { .int($0) } ?? .none, .text(source.user),
      .text(source.who), .string(source.short), .text(source.info), source.statement.map { .int($0) } ?? .none,
      source.cause.map { .int($0) } ?? .none, .string(entry.action), .record(entry.arguments),
      ChangeFormatter.value(of: entry.changes), .text(entry.failure), .text(entry.reason),
      .text(entry.droppedBy),
    ]
    return Array(zip(names, values)).map { (name: $0, value: $1) }
  }

  /// Cuts the columns that have the most text, as far as the rows get room by that: the paths, the sources, the actions.
  private func cut(_ rows: inout [[String]], to width: Int, _ mark: String) {
    let needed = widths(of: rows)
    var widths = needed
    var excess: Int { widths.reduce(0, +) + 2 * (widths.count - 1) - width }
    let steps: [(Column, Int)] = [
      (.changed, 20), (.source, 12), (.action, 24), (.who, 12), (.changed, 8), (.source, 8), (.action, 12),
    ]
    for (name, least) in steps where excess > 0 {
      guard let column = columns.firstIndex(of: name) else { continue }
      widths[column] = max(min(widths[column], least), widths[column] - excess)
    }
    guard excess <= 0 else { return }
    for column in columns.indices where widths[column] < needed[column] {
      for row in rows.indices {
        let text = rows[row][column]
        // The line of a source stands at its end.
        rows[row][column] =
          columns[column] == .source
          ? String(ScreenText.cut(String(text.reversed())[...], widths[column], mark).reversed())
          : ScreenText.cut(text[...], widths[column], mark)
      }
    }
  }

  private static func action(_ line: FoldedEntry, isCut: Bool) -> String {
    guard line.count > 1 else {
      let write = isCut ? ActionText.brief(_:arguments:) : ActionText.text(_:arguments:)
      let text = write(line.first.action, line.first.arguments)
      guard let original = line.first.original else { return text }
      return "\(text) (was \(write(original.action, original.arguments)))"
    }
    return "\(line.first.action) x\(line.count)"
  }

  private static func changed(_ line: FoldedEntry, cutBy mark: String?) -> String {
    if let failure = line.first.failureText { return "failed: \(failure)" }
    if let interceptor = line.first.droppedBy, !line.first.isThunk { return "dropped by \(interceptor)" }
    func place(_ path: Path) -> String { "\(path)\(line.moved.contains(path) ? " moved" : "")" }
    guard var text = line.paths.first.map(place) else { return "-" }
    for (index, path) in line.paths.enumerated().dropFirst() {
      let longer = "\(text), \(place(path))"
      if let mark, line.paths.count > few, longer.count > widest {
        return line.isCut ? "\(text), \(mark)" : "\(text), \(mark) \(line.paths.count - index) more"
      }
      text = longer
    }
    return line.isCut ? "\(text), \(mark ?? "…")" : text
  }

  /// Of more places than these that an action changed a person is told as many as take so many columns.
  private static let (few, widest) = (5, 48)

  /// Seconds with one digit behind the point.
  private static func seconds(_ time: Duration) -> String {
    let tenths = time.components.seconds * 10 + time.components.attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)s"
  }
}
