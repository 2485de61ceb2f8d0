import StoreCore
import StoreHistory
import StoreModules
import StoreSchema

/// Reads the actions of modules from lines that stand in a recording as ``RecordedEntry`` writes them. The changes are left to a
/// caller who runs the action: he knows them then, and compares their bytes.
///
/// What is read of a line is written over what was read of the last one, so that what both have in common is not counted.
struct PlainLines {
  /// An action, without what it changed.
  struct Action {
    let number: Int
    let time: Duration
    let wallTime: Int?
    let isQuiet: Bool
    /// Its type and its arguments, until the next line is read.
    let known: Unmanaged<Known>
    /// The number of bytes in front of the changes.
    let end: Int
  }

  /// An action that was met, with the arguments that it had the last time.
  final class Known {
    /// Its name as it stands in a line.
    fileprivate let name: [UInt8]
    let type: ActionType
    /// The names of its arguments as they stand in a line, with their types.
    fileprivate let fields: [(key: [UInt8], schema: Schema)]
    // The reader alone writes them. A copy that a caller keeps stays as it is: the next line then gets other memory.
    @exclusivity(unchecked) fileprivate(set) var arguments: [Value]

    fileprivate init(_ type: ActionType) {
      self.type = type
      var name: [UInt8] = []
      JSON.append(quoted: type.fullName, to: &name)
      self.name = name
      fields = type.fields.indices.map { (Array(type.layout.keys[$0]), type.fields[$0].schema) }
      arguments = .absent(fields.count)
    }

    var call: ActionCall { ActionCall(type, arguments) }
  }

  /// The place that the action read last came from.
  private(set) var source = ActionSource.here()
  private let types: ActionTable
  private var actions: [Known] = []
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
    guard json.pass(",\"action\":"), let known = known(&json) else { return nil }
    let isQuiet = json.pass(",\"quiet\":true")
    guard json.pass(",\"args\":"), known._withUnsafeGuaranteedRef({ $0.readArguments(&json) }),
      json.pass(",\"source\":"), readSource(&json)
    else { return nil }
    let end = json.offset
    // Before them it would stand that the action failed or was another one.
    guard json.pass(",\"changes\":") else { return nil }
    return Action(number: number, time: time, wallTime: wallTime, isQuiet: isQuiet, known: known, end: end)
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

  private mutating func known(_ json: inout JSONReader) -> Unmanaged<Known>? {
    // Where they lie: a copy would be counted.
    let known = actions.withUnsafeBufferPointer { actions -> Unmanaged<Known>? in
      for index in actions.indices {
        let known = Unmanaged.passUnretained(actions[index])
        if known._withUnsafeGuaranteedRef({ $0.name.withUnsafeBufferPointer { json.pass($0) } }) { return known }
      }
      return nil
    }
    return known ?? readName(&json)
  }

  @inline(never)
  private mutating func readName(_ json: inout JSONReader) -> Unmanaged<Known>? {
    guard let name = try? json.text(), let type = types[name] else { return nil }
    let known = Known(type)
    actions.insert(known, at: 0)
    if actions.count > Self.most { actions.removeLast() }
    return .passUnretained(known)
  }

  private mutating func readSource(_ json: inout JSONReader) -> Bool {
    for index in origins.indices {
      var (ahead, link) = (json, 0)
      let line: Int? = origins.withUnsafeBufferPointer { origins in
        guard origins[index].start.withUnsafeBufferPointer({ ahead.pass($0) }), let line = ahead.passDigits()?.number
        else { return nil }
        if ahead.pass(",\"cause\":") {
          link = ahead.passDigits()?.number ?? 0
        } else if ahead.pass(",\"statement\":") {
          link = -(ahead.passDigits()?.number ?? 0)
        }
        return origins[index].end.withUnsafeBufferPointer { ahead.pass($0) } ? line : nil
      }
      guard let line else { continue }
      if source.origin === origins[index].origin {
        source.line = line
      } else {
        source = ActionSource(origins[index].origin, line: line)
      }
      source.link = link
      json = ahead
      return true
    }
    return readOtherSource(&json)
  }

  @inline(never)
  private mutating func readOtherSource(_ json: inout JSONReader) -> Bool {
    guard let value = try? json.value(), let other = try? EntryReader.source(value) else { return false }
    source = other
    origins.insert(OriginText(other), at: 0)
    if origins.count > OriginTexts.most { origins.removeLast() }
    return true
  }
}

extension PlainLines.Known {
  /// Reads arguments that are all there, in declared order.
  fileprivate func readArguments(_ json: inout JSONReader) -> Bool {
    let count = fields.count
    guard count > 0 else { return json.pass("{}") }
    let areRead = fields.withUnsafeBufferPointer { fields in
      for index in 0..<count {
        guard fields[index].key.withUnsafeBufferPointer({ json.pass($0) }),
          let value = fields[index].schema.value(readFrom: &json)
        else { return false }
        arguments[index] = value
      }
      return true
    }
    return areRead && json.pass("}")
  }
}
