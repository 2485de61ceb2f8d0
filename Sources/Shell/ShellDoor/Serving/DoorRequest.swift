import ShellLanguage
import StoreHistory
import StoreSchema
import StoreShell

/// A line that a door was sent, read.
struct DoorRequest {
  /// The id that its answers carry; nil: none was given.
  let id: Value?
  let kind: Kind

  enum Kind {
    case token(String)
    /// The name of the client, and whether a person chose it.
    case name(String, isChosen: Bool)
    case run(GivenText)
    case complete(line: String, cursor: Int, openLines: [String])
    case decorate(line: String, cursor: Int, openLines: [String])
    case help(String)
    case read(path: String, point: Int?, page: Page)
    case parts(path: String, point: Int?, ValueParts.Choice)
    case log(LogRange)
    case follow(from: Int?, action: String?, count: Int)
    case followNoMore
    case watch(String, isJSON: Bool)
    /// Stops what runs, with an error.
    case interrupt(ShellError)
    case time

    /// True if it runs as a statement does: it may take long, and takes a place. All else looks.
    var isStatement: Bool {
      switch self {
      case .run, .help, .watch: true
      default: false
      }
    }

    /// True if its answer may be long, although it only looks.
    var isLook: Bool {
      switch self {
      case .complete, .decorate, .read, .parts, .log: true
      default: false
      }
    }
  }

  /// The part of a list, a map or a text that is asked for.
  struct Page {
    /// The position of the first element, entry or character, from 1.
    var from = 1
    /// The most of them; nil: as many as are usual.
    var count: Int?
    /// The number of them where none is given.
    static let usual = 1000
  }

  /// Why a line is no request.
  struct Fault: Error {
    var id: Value?
    let message: String
  }

  init(_ line: ArraySlice<UInt8>) throws(Fault) {
    let members: [(name: String, value: Value)]
    do throws(JSONError) {
      members = try JSON.fields(of: line.span)
    } catch {
      throw Fault(message: "a request is one JSON object a line: \(error.message)")
    }
    var fields = DoorRequestFields(members)
    id = try fields.id()
    do throws(Fault) {
      let found = try Self.kind(&fields)
      try fields.end()
      kind = found
    } catch {
      throw Fault(id: id, message: error.message)
    }
  }

  private static let verbs = [
    "run", "complete", "decorate", "help", "read", "parts", "log", "follow", "watch", "interrupt", "time", "token",
    "who",
  ]

  private static func kind(_ fields: inout DoorRequestFields) throws(Fault) -> Kind {
    let (found, count) = fields.first(among: verbs)
    guard count == 1, let verb = found else {
      throw Fault(
        message: "a request has one of \(verbs.joined(separator: ", ")), got \(count == 0 ? "none" : "\(count)")")
    }
    switch verb {
    case "run": return .run(try text(&fields))
    case "complete":
      let (line, cursor, openLines) = try typed(verb, &fields)
      return .complete(line: line, cursor: cursor, openLines: openLines)
    case "decorate":
      let (line, cursor, openLines) = try typed(verb, &fields)
      return .decorate(line: line, cursor: cursor, openLines: openLines)
    case "help": return .help(try fields.text("help") ?? "")
    case "read":
      var page = Page()
      page.from = try fields.number("from") ?? 1
      page.count = try fields.number("count")
      guard page.from > 0, page.count ?? 0 >= 0 else { throw Fault(message: "'from' is above 0, 'count' not below") }
      return .read(path: try fields.text("read") ?? "", point: try fields.number("at"), page: page)
    case "parts":
      var choice = ValueParts.Choice()
      choice.from = try fields.number("from") ?? 1
      choice.count = min(try fields.number("count") ?? choice.count, Page.usual)
      choice.text = try fields.text("find")
      guard choice.from > 0, choice.count >= 0 else { throw Fault(message: "'from' is above 0, 'count' not below") }
      return .parts(path: try fields.text("parts") ?? "", point: try fields.number("at"), choice)
    case "log":
      var range = LogRange(first: try fields.number("log") ?? 1)
      range.last = try fields.number("to")
      range.count = min(max(try fields.number("count") ?? LogRange.most, 0), LogRange.most)
      range.action = try fields.text("action")
      range.changed = try fields.text("changed")
      range.source = try fields.text("source")
      range.text = try fields.text("find")?.lowercased()
      range.who = try fields.text("by")
      range.isOfFailures = try fields.flag("failed")
      range.isNewestFirst = try fields.flag("newest")
      return .log(range)
    case "follow":
      if fields.isFalse("follow") { return .followNoMore }
      let isFromNow = fields.isTrue("follow")
      let first = isFromNow ? nil : try fields.number("follow", in: 0...LoggedEntry.greatestNumber) ?? 1
      let count = min(max(try fields.number("count") ?? FollowedLog.most, 1), FollowedLog.most)
      return .follow(from: first.map { max($0, 1) }, action: try fields.text("action"), count: count)
    case "watch":
      return .watch(try fields.text("watch") ?? "", isJSON: try fields.text("form") ?? "json" == "json")
    case "who": return .name(try fields.text("who") ?? "", isChosen: try fields.flag("chosen"))
    case "token": return .token(try fields.text("token") ?? "")
    case "interrupt":
      fields.pass("interrupt")
      let message = try fields.text("message") ?? "interrupted"
      let code = try fields.text("code").map(ErrorCode.init(rawValue:)) ?? .interrupted
      guard let code, code == .interrupted || code == .timedOut else {
        throw Fault(message: "'code' is interrupted or timed-out")
      }
      return .interrupt(ShellError(code: code, message: message, status: code == .timedOut ? 5 : 130))
    default:
      fields.pass("time")
      return .time
    }
  }

  /// A line that is being typed.
  private static func typed(
    _ verb: String, _ fields: inout DoorRequestFields
  ) throws(Fault) -> (line: String, cursor: Int, openLines: [String]) {
    let line = try fields.text(verb) ?? ""
    let cursor = try fields.number("cursor") ?? line.utf8.count
    guard 0...line.utf8.count ~= cursor else { throw Fault(message: "'cursor' is outside of the line") }
    return (line, cursor, try fields.texts("open") ?? [])
  }

  private static func text(_ fields: inout DoorRequestFields) throws(Fault) -> GivenText {
    var given = GivenText(try fields.text("run") ?? "")
    // Most say nothing else.
    if !fields.isEmpty { try fill(&given, &fields) }
    return given
  }

  private static func fill(_ given: inout GivenText, _ fields: inout DoorRequestFields) throws(Fault) {
    given.file = try fields.text("file")
    given.line = try fields.number("line", in: 1...LoggedEntry.greatestNumber) ?? 1
    given.arguments = try fields.texts("arguments") ?? []
    given.goesOn = try fields.flag("more")
    given.isAnew = try fields.flag("anew")
    given.isScript = try fields.flag("script")
    given.isStart = try fields.flag("start")
    given.isAtomic = try fields.flag("atomic")
    given.isHeld = try fields.flag("held")
    given.hasRest = try fields.flag("rest")
    given.keepsGoing = try fields.flag("keepGoing")
    given.isQuiet = try fields.flag("quiet")
    given.isReported = try fields.flag("report")
    given.isUTF8 = try fields.flag("utf8")
    given.usesStyles = try fields.flag("styles")
    given.servesFiles = try fields.flag("files")
    given.pastLines = try pastLines(&fields)
    given.firstPastLine = try fields.number("first", in: 1...LoggedEntry.greatestNumber)
    given.zone = try fields.clock("zone")
    given.watchID = try fields.number("watchID", in: 1...LoggedEntry.greatestNumber)
    given.lostRun = try fields.number("lostRun", in: 1...LoggedEntry.greatestNumber)
    given.width = try fields.number("width", in: 1...100_000)
    given.rows = try fields.number("rows", in: 1...100_000)
    switch try fields.text("form") ?? "text" {
    case "json": given.isJSON = true
    case "text": given.isJSON = false
    case let form: throw Fault(message: "'form' is json or text, got '\(form)'")
    }
    if let name = try fields.text("as") {
      guard let format = Format(rawValue: name) else { throw Fault(message: "there is no format '\(name)'") }
      given.format = format
    }
  }

  private static func pastLines(_ fields: inout DoorRequestFields) throws(Fault) -> [PastLine] {
    let texts = try fields.texts("history") ?? []
    guard let times = try fields.times("times") else { return texts.map { PastLine($0) } }
    guard times.count == texts.count else { throw Fault(message: "'times' has one time for each line of 'history'") }
    return zip(texts, times).map { PastLine($0, at: $1) }
  }
}

/// The members of a request, each taken once.
struct DoorRequestFields {
  private var members: [(name: String, value: Value)]

  init(_ members: [(name: String, value: Value)]) { self.members = members }

  /// True if each was taken.
  var isEmpty: Bool { members.isEmpty }

  /// The first of some names that a member has, and how many members have one of them.
  func first(among names: [String]) -> (name: String?, count: Int) {
    var (found, count): (String?, Int) = (nil, 0)
    for index in members.indices where names.contains(members[index].name) {
      if count == 0 { found = members[index].name }
      count += 1
    }
    return (found, count)
  }

  /// The id, a whole number or a text.
  mutating func id() throws(DoorRequest.Fault) -> Value? {
    switch take("id") {
    case nil: return nil
    case .int(let number)?: return .int(number)
    case .string(let text)?: return .string(text)
    default: throw DoorRequest.Fault(message: "'id' is a whole number or a text")
    }
  }

  mutating func pass(_ name: String) { _ = take(name) }

  mutating func isTrue(_ name: String) -> Bool { pass(name, where: .bool(true)) }
  mutating func isFalse(_ name: String) -> Bool { pass(name, where: .bool(false)) }

  /// Takes a member if it has a value.
  private mutating func pass(_ name: String, where value: Value) -> Bool {
    guard let index = members.firstIndex(where: { $0.name == name }), members[index].value == value else {
      return false
    }
    members.remove(at: index)
    return true
  }

  mutating func text(_ name: String) throws(DoorRequest.Fault) -> String? {
    switch take(name) {
    case nil: nil
    case .string(let text)?: text
    default: throw DoorRequest.Fault(message: "'\(name)' is a text")
    }
  }

  /// - Parameter range: what it may be; where nothing else is said, no less and no more than the number of an action, so that
  ///   sums of some of them are numbers, too.
  mutating func number(
    _ name: String, in range: ClosedRange<Int> = -LoggedEntry.greatestNumber...LoggedEntry.greatestNumber
  ) throws(DoorRequest.Fault) -> Int? {
    switch take(name) {
    case nil: return nil
    case .int(let number)?:
      guard range.contains(number) else {
        throw DoorRequest.Fault(
          message: "'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound), got \(number)")
      }
      return number
    default: throw DoorRequest.Fault(message: "'\(name)' is a whole number")
    }
  }

  mutating func flag(_ name: String) throws(DoorRequest.Fault) -> Bool {
    switch take(name) {
    case nil: false
    case .bool(let flag)?: flag
    default: throw DoorRequest.Fault(message: "'\(name)' is true or false")
    }
  }

  mutating func texts(_ name: String) throws(DoorRequest.Fault) -> [String]? {
    guard let value = take(name) else { return nil }
    guard case .list(let list) = value else { throw DoorRequest.Fault(message: "'\(name)' is a list of texts") }
    var texts: [String] = []
    for element in list {
      guard case .string(let text) = element else { throw DoorRequest.Fault(message: "'\(name)' is a list of texts") }
      texts.append(text)
    }
    return texts
  }

  /// The offset of a clock from UTC, or pairs of a moment and the offset from then on.
  mutating func clock(_ name: String) throws(DoorRequest.Fault) -> ReaderClock? {
    let offsets = -86_400...86_400
    switch take(name) {
    case nil: return nil
    case .int(let offset)? where offsets.contains(offset): return ReaderClock(offset: offset)
    case .list(let list)? where 1...1000 ~= list.count:
      let steps = list.compactMap { step -> ReaderClock.Step? in
        guard case .list(let pair) = step, pair.count == 2, case .int(let from)? = pair.first,
          case .int(let offset)? = pair.last, offsets.contains(offset), from.magnitude < 1 << 40
        else { return nil }
        return ReaderClock.Step(from: from, offset: offset)
      }
      if steps.count == list.count { return ReaderClock(steps: steps.sorted { $0.from < $1.from }) }
    default: break
    }
    throw DoorRequest.Fault(
      message:
        "'\(name)' is a number of seconds within a day, or a list of pairs: a moment, and the seconds from then on")
  }

  /// Seconds since 1970, null where a time is not known.
  mutating func times(_ name: String) throws(DoorRequest.Fault) -> [Int?]? {
    guard let value = take(name) else { return nil }
    let fault = DoorRequest.Fault(message: "'\(name)' is a list of seconds since 1970, null where it is unknown")
    guard case .list(let list) = value else { throw fault }
    return try list.map { element throws(DoorRequest.Fault) in
      switch element {
      case .int(let seconds): seconds
      case .none: nil
      default: throw fault
      }
    }
  }

  /// Refuses what nobody has taken.
  func end() throws(DoorRequest.Fault) {
    if let other = members.first { throw DoorRequest.Fault(message: "a request has no '\(other.name)' here") }
  }

  private mutating func take(_ name: String) -> Value? {
    guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
    return members.remove(at: index).value
  }
}
