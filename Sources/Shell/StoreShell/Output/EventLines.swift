import ShellLanguage
import StoreCore
import StoreHost
import StorePlugins
import StoreSchema

/// Writes what the logger middleware and plugins say, to standard error, or with `--json` as events.
final class LogLineWriter: @unchecked Sendable {
  // Safe: called on the thread of its session.
  fileprivate let console: Console
  var isJSON: Bool
  /// True if sources are shown with the names of those that dispatched.
  var tellsNames: () -> Bool = { false }
  /// The clock by which the times of actions are shown; nil: they are not.
  var clock: () -> LocalTime? = { nil }

  init(console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  func write(_ line: LoggedLine) {
    guard !isJSON else {
      return console.writeEvent(
        JSONReport.log(
          id: line.number, when: line.wallTime, action: line.call.type.fullName, source: line.source.short,
          user: line.source.user,
          who: line.source.who, changes: line.changes))
    }
    let action = ActionText.text(line.call.type.fullName, arguments: line.call.record)
    let time = line.wallTime.flatMap { time in clock().map { "\($0.clock(of: time)) " } } ?? ""
    var text = "[logger] \(time)#\(line.number) \(action)  <- \(line.source.shown(withName: tellsNames()))\n"
    if line.changes.isEmpty { text += "[logger]  no change\n" }
    for change in line.changes { text += "[logger]  \(ChangeFormatter.text(of: change))\n" }
    console.writeError(text)
  }
}

extension LogLineWriter {
  func print(_ text: String, asEvent isEvent: Bool) {
    if isEvent { console.writeEvent(JSONReport.printed(text)) } else { console.write(text + "\n") }
  }

  /// Writes a phase of an action.
  func write(traced line: String) {
    if isJSON { console.writeEvent(JSONReport.traced(line)) } else { console.writeError(line + "\n") }
  }

  /// Writes how long an action took: in JSON in seconds, each phase with its time since the action was taken up.
  func write(_ times: ActionTimes) {
    let action = times.action
    guard !isJSON else {
      func seconds(_ time: Duration) -> JSON.Content { .value(.double(time / .seconds(1))) }
      var phases: [UInt8] = []
      JSON.append(list: times.phases, to: &phases) { phase in
        [
          "phase": .text(phase.phase.rawValue), "unit": phase.unit.map { JSON.Content.text($0) },
          "begin": seconds(phase.begin - action.begin), "seconds": seconds(phase.duration),
        ]
      }
      return console.writeEvent(
        JSON.object([
          "event": .text("times"), "action": .number(action.number), "seconds": seconds(action.duration),
          "phases": .json(String(decoding: phases, as: UTF8.self)),
        ]))
    }
    let phases = times.phases.map { phase in
      let name = [phase.phase.rawValue, phase.unit].compactMap(\.self).joined(separator: " ")
      return "\(DisplayText.printable(name)) \(TraceText.microseconds(phase.duration))"
    }
    let end = phases.isEmpty ? "" : ": \(phases.joined(separator: ", "))"
    console.writeError("#\(action.number)  \(TraceText.microseconds(action.duration))\(end)\n")
  }

  func write(_ line: PluginLogLine) {
    guard !isJSON else {
      return console.writeEvent(JSONReport.said(plugin: line.plugin, level: line.level.rawValue, text: line.text))
    }
    console.writeError("[\(line.plugin)] \(line.level == .warn ? "warning: " : "")\(line.text)\n")
  }
}

/// Writes what a watch sees, to standard error, or with `--json` as events.
final class WatchLineWriter: @unchecked Sendable {
  // Safe: called on the thread of its session.
  private let console: Console
  private let isJSON: Bool
  private let id: Int
  /// What is watched, in words.
  private let path: String
  /// The path that is watched; nil: an expression is.
  private let place: Path?
  /// True if it prints each change of an element, however many there are.
  private let tellsAll: Bool
  /// Shows the whole value, where that is asked for.
  private let form: Formatter?
  var schema = Schema.dynamic(.any)

  private let now: () -> Duration
  /// Schedules ``tellSum()`` for a time.
  private let remind: (WatchLineWriter, Duration) -> Void
  /// The number of changes of elements that it printed within a second, and the start of that second.
  private var told = (count: 0, since: Duration.zero)
  /// Changes that wait to be told as one.
  private var waiting: WatchedChange?

  init(
    console: Console, isJSON: Bool, id: Int, path: String, place: Path?, tellsAll: Bool, form: Formatter?,
    now: @escaping () -> Duration, remind: @escaping (WatchLineWriter, Duration) -> Void
  ) {
    self.console = console
    self.isJSON = isJSON
    self.id = id
    self.path = path
    self.place = place
    self.tellsAll = tellsAll
    self.form = form
    (self.now, self.remind) = (now, remind)
  }

  /// Writes a change that an action made, or keeps it for a sum with others.
  func write(_ watched: WatchedChange) {
    guard form == nil, watched.isOfElements else { return writeWhole(watched) }
    guard !tellsAll else { return write(elementsOf: watched) }
    let time = now()
    if time - told.since >= Self.window {
      tellSum()
      told.since = time
    }
    if var sum = waiting {
      sum.absorb(watched)
      waiting = sum
    } else if told.count < ElementChanges.most {
      write(elementsOf: watched)
    } else {
      waiting = watched
      remind(self, told.since + Self.window)
    }
  }

  /// Within this time it prints the first changes one by one, and the sum of the others.
  private static let window = Duration.seconds(1)

  /// Writes the sum of the changes that wait, and begins to count anew.
  func tellSum() {
    told.count = 0
    guard let sum = waiting else { return }
    waiting = nil
    write(elementsOf: sum)
  }

  private func write(elementsOf watched: WatchedChange) {
    let elements = ElementChanges(
      from: watched.old, to: watched.new, of: schema, at: place ?? Path(), tellsAll: tellsAll)
    told.count += elements.changes.count
    guard !isJSON else {
      return console.writeEvent(
        JSONReport.watch(
          id: id, path: path, differences: elements, action: watched.number, changes: watched.count,
          folded: watched.folded))
    }
    let action = actionText(of: watched)
    if let sum = elements.sum { return console.writeError("[watch \(id)] \(path)  \(sum.text)  \(action)\n") }
    guard !elements.changes.isEmpty else {
      return console.writeError("[watch \(id)] \(path)  no change  \(action)\n")
    }
    let start = "[watch \(id)] \(place == nil ? path : "")"
    console.writeError(elements.changes.map { "\(start)\(ChangeFormatter.text(of: $0))  \(action)\n" }.joined())
  }

  private func actionText(of watched: WatchedChange) -> String {
    var out = TextBuffer()
    append(actionOf: watched, to: &out)
    return out.text
  }

  private func append(actionOf watched: WatchedChange, to out: inout TextBuffer) {
    out.append("(#" as StaticString)
    out.append(watched.number)
    out.append(UInt8(ascii: " "))
    out.append(watched.action)
    if watched.count > 1 { out.append(", \(watched.count) changes") }
    if watched.folded > 0 { out.append(", \(watched.folded) \(watched.folded == 1 ? "action" : "actions") folded") }
    out.append(UInt8(ascii: ")"))
  }

  private func writeWhole(_ watched: WatchedChange) {
    guard !isJSON else {
      return console.writeEvent(
        JSONReport.watch(
          id: id, path: path, from: watched.old, to: watched.new, action: watched.number, changes: watched.count,
          folded: watched.folded))
    }
    if let form, let text = try? form.text(of: watched.new, schema) {
      return console.writeError("[watch \(id)] \(path)  \(actionText(of: watched))\n\(text)")
    }
    let kind = WatchLineWriter.kind(from: watched.old, to: watched.new)
    var line = TextBuffer()
    line.append("[watch " as StaticString)
    line.append(id)
    line.append("] " as StaticString)
    if let place { Change(place, kind).append(to: &line) } else { Self.append(kind, at: path, to: &line) }
    line.append("  " as StaticString)
    append(actionOf: watched, to: &line)
    line.append(UInt8(ascii: "\n"))
    console.writeError(line.text)
  }

  /// Writes why there is no value to see.
  func write(_ error: any Error) {
    let error = ShellError(describing: error)
    guard !isJSON else {
      return console.writeEvent(JSONReport.watch(id: id, path: path, failure: error))
    }
    console.writeError("[watch \(id)] error[\(error.code)]: \(error.message)\n")
  }

  /// Appends a change of an expression.
  private static func append(_ kind: Change.Kind, at expression: String, to out: inout TextBuffer) {
    switch (kind.from.map(ActionText.literal), kind.to.map(ActionText.literal)) {
    case (let old?, let new?): out.append("\(expression)  \(old) -> \(new)")
    case (let old, nil): out.append("\(expression)  - \(old ?? "")")
    case (nil, let new?): out.append("\(expression)  + \(new)")
    }
  }

  private static func kind(from old: Value, to new: Value) -> Change.Kind {
    switch (old, new) {
    case (.none, let new) where new != .none: .add(new)
    case (let old, .none) where old != .none: .remove(old)
    default: .replace(from: old, to: new)
    }
  }
}
