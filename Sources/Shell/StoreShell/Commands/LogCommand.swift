import ShellLanguage
import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let log = CommandDefinition(
    "log", needs: .read, usage: ["log [N] [--action GLOB] [--changed PATH] [--all]"],
    summary: "prints the journal, newest last: the last 20 lines, or N; runs of quiet actions are folded",
    flags: FlagDefinition.format + [
      FlagDefinition("action", value: "GLOB", need: .read, "only actions of that name; * stands for anything"),
      FlagDefinition("changed", value: "PATH", need: .read, "only actions that changed something there"),
      FlagDefinition("all", need: .read, "all lines that are kept, unfolded"),
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

/// A choice of the log's lines.
private struct LogRequest {
  /// The number of lines; nil: as many as fit a glance.
  private let limit: Given<Int>?
  private let action: Given<String>?
  private let changed: GivenPath?
  private let isUnfolded: Bool
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
    isUnfolded = reader.has("all")
    form = try reader.form()
  }

  func perform(in session: Session) throws -> CommandResult {
    let limit = try limit?.value(in: session) ?? (isUnfolded ? Int.max : 20)
    let filter = LogFilter(
      action: try action?.value(in: session), changed: try changed.map { try session.changedPath($0) })
    let store = session.store
    let (lines, isPartial) = try store.logLines(limit, filter, isUnfolded: isUnfolded)
    if isPartial { session.write(note: "the history goes back to #\(store.live.oldestEntry + 1)") }
    if let first = lines.first, first.first.number <= store.live.oldest {
      session.write(
        note: "up to #\(store.live.oldest) the state had another type: goto, diff and undo go back to there")
    }
    let isCut = try session.isForPerson(form)
    let mark = isCut ? DisplayText.shown("…", isUTF8: session.options.isUTF8) : nil
    let width = try session.isInWords(form) ? session.formatter(.auto).terminalWidth : nil
    let listing = CommandListing(LogListing.reading(of: lines, in: width, cutBy: mark), of: "actions")
    return try session.answer({ _ in listing }, as: form)
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

/// The filter for the entries of the log.
private struct LogFilter {
  let action: String?
  let changed: Path?

  var wanted: WantedEntries {
    let wanted = changed.map { WantedEntries.changing($0) } ?? .all
    return action.map { glob in wanted.named { Glob.matches(glob, $0) } } ?? wanted
  }

  func accepts(_ entry: LoggedEntry, of store: StoreClient) throws -> Bool {
    if let action, !Glob.matches(action, entry.action) { return false }
    guard let changed else { return true }
    return try !store.changes(of: changed, by: entry).isEmpty
  }
}

extension StoreClient {
  /// The last lines of the log up to the point that is shown, however old.
  ///
  /// - Returns: the lines, and whether there may have been earlier ones that are no longer kept.
  fileprivate func logLines(
    _ limit: Int, _ filter: LogFilter, isUnfolded: Bool
  ) throws -> (lines: [FoldedEntry], isCut: Bool) {
    var entries: [LoggedEntry] = []
    var count = 0
    try visitBackwards(from: viewed?.number ?? live.head, filter.wanted) { entry in
      guard try filter.accepts(entry, of: self) else { return true }
      let isOfRun = !isUnfolded && entries.last.map { entry.folds(with: $0) } ?? false
      if !isOfRun { count += 1 }
      guard count <= limit else { return false }
      entries.append(entry)
      return true
    }
    entries.reverse()
    return (isUnfolded ? entries.map { FoldedEntry($0) } : entries.folded(), live.oldestEntry > 0 && count <= limit)
  }
}

/// The log as users read it.
private enum LogListing {
  /// - Parameters:
  ///   - width: the columns that the rows are cut to; nil: they are as wide as they are.
  ///   - mark: stands for the rest of a text that a person is told the start of.
  static func reading(of lines: some Sequence<FoldedEntry>, in width: Int?, cutBy mark: String?) -> Reading {
    let names = ["n", "at", "source", "action", "changed"]
    var rows = lines.map { line in
      [
        line.count == 1 ? "#\(line.first.number)" : "#\(line.first.number)-\(line.last.number)",
        seconds(line.last.time), line.first.source.short, action(line, isCut: mark != nil), changed(line, cutBy: mark),
      ]
    }
    if let width, let mark { cut(&rows, names, to: width, mark) }
    return Reading(rows: rows.map { $0.map(Value.string) }, "LogLine", names)
  }

  /// Cuts the columns that have the most text, as far as the rows get room by that: the paths, the sources, the actions.
  private static func cut(_ rows: inout [[String]], _ names: [String], to width: Int, _ mark: String) {
    let needed = names.indices.map { column in
      rows.reduce(names[column].count) { max($0, DisplayWidth.of($1[column])) }
    }
    var widths = needed
    var excess: Int { widths.reduce(0, +) + 2 * (widths.count - 1) - width }
    for (column, least) in [(4, 20), (2, 12), (3, 24), (4, 8), (2, 8), (3, 12)] where excess > 0 {
      widths[column] = max(min(widths[column], least), widths[column] - excess)
    }
    guard excess <= 0 else { return }
    for column in names.indices where widths[column] < needed[column] {
      for row in rows.indices {
        let text = rows[row][column]
        // The line of a source stands at its end.
        rows[row][column] =
          column == 2
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
        return "\(text), \(mark) \(line.paths.count - index) more"
      }
      text = longer
    }
    return text
  }

  /// Of more places than these that an action changed a person is told as many as take so many columns.
  private static let (few, widest) = (5, 48)

  /// Seconds with one digit behind the point.
  private static func seconds(_ time: Duration) -> String {
    let tenths = time.components.seconds * 10 + time.components.attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)s"
  }
}
