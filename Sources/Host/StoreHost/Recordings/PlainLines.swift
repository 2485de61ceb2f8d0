import StoreCore
import StoreHistory
import StoreModules
import StoreSchema

/// Reads the actions of modules from lines that stand in a recording as ``RecordedEntry`` writes them. The changes are left to a
/// caller who runs the action: he knows them then, and compares their bytes.
struct PlainLines {
  /// An action, without what it changed.
  struct Action {
    let number: Int
    let time: Duration
    let wallTime: Int?
    let call: ActionCall
    let isQuiet: Bool
    let source: ActionSource
    /// The number of bytes in front of the changes.
    let end: Int
  }

  /// An action that was met, and its name as it stands in a line.
  private struct KnownAction {
    let name: [UInt8]
    let type: ActionType
  }

  private let types: ActionTable
  private var actions: [KnownAction] = []
  private var origins: [OriginText] = []
  /// The number of actions that are remembered: as a rule a recording has few.
  private static let most = 8

  /// - Parameter types: the actions that there are.
  init(_ types: ActionTable) { self.types = types }

  /// Reads a line.
  ///
  /// - Returns: nil: it takes a closer look, by ``RecordedEntry/init(of:by:)``.
  mutating func action(of line: UnsafeBufferPointer<UInt8>) -> Action? {
    var json = JSONReader(line)
    guard json.pass("{\"id\":"), let number = json.passDigits()?.number,
      (1...LoggedEntry.greatestNumber).contains(number), json.pass(",\"at\":"), let time = Self.time(&json)
    else { return nil }
    var wallTime: Int?
    if json.pass(",\"when\":") {
      wallTime = json.passDigits()?.number
      guard wallTime != nil else { return nil }
    }
    guard json.pass(",\"action\":"), let type = type(&json) else { return nil }
    let isQuiet = json.pass(",\"quiet\":true")
    guard json.pass(",\"args\":"), let arguments = Self.arguments(&json, of: type), json.pass(",\"source\":"),
      let source = source(&json)
    else { return nil }
    let end = json.offset
    // Before them it would stand that the action failed or was another one.
    guard json.pass(",\"changes\":") else { return nil }
    return Action(
      number: number, time: time, wallTime: wallTime, call: ActionCall(type, arguments), isQuiet: isQuiet,
      source: source, end: end)
  }

  private static func time(_ json: inout JSONReader) -> Duration? {
    // A time of more seconds takes the closer look.
    guard let seconds = json.passDigits()?.number, seconds < 1_000_000_000 else { return nil }
    guard json.pass(".") else { return .seconds(seconds) }
    guard var (fraction, count) = json.passDigits(startsWithZero: true) else { return nil }
    while count < 18 {
      fraction *= 10
      count += 1
    }
    return Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(fraction))
  }

  private mutating func type(_ json: inout JSONReader) -> ActionType? {
    // By position: a copy would count references to what is known of it.
    for index in actions.indices where json.pass(actions[index].name) { return actions[index].type }
    guard let name = try? json.text(), let type = types[name] else { return nil }
    var written: [UInt8] = []
    JSON.append(quoted: name, to: &written)
    actions.insert(KnownAction(name: written, type: type), at: 0)
    if actions.count > Self.most { actions.removeLast() }
    return type
  }

  /// Arguments that are all there, in declared order.
  private static func arguments(_ json: inout JSONReader, of type: ActionType) -> [Value]? {
    let count = type.fields.count
    guard count > 0 else { return json.pass("{}") ? [] : nil }
    var values = [Value].absent(count)
    for index in 0..<count {
      guard json.pass(type.layout.keys[index]), let value = type.fields[index].schema.value(readFrom: &json) else {
        return nil
      }
      values[index] = value
    }
    return json.pass("}") ? values : nil
  }

  private mutating func source(_ json: inout JSONReader) -> ActionSource? {
    for index in origins.indices {
      var ahead = json
      guard ahead.pass(origins[index].start), let line = ahead.passDigits()?.number else { continue }
      var source = ActionSource(origins[index].origin, line: line)
      if ahead.pass(",\"cause\":") {
        source.cause = ahead.passDigits()?.number
      } else if ahead.pass(",\"statement\":") {
        source.statement = ahead.passDigits()?.number
      }
      guard ahead.pass(origins[index].end) else { continue }
      json = ahead
      return source
    }
    guard let value = try? json.value(), let source = try? EntryReader.source(value) else { return nil }
    origins.insert(OriginText(source), at: 0)
    if origins.count > OriginTexts.most { origins.removeLast() }
    return source
  }
}
