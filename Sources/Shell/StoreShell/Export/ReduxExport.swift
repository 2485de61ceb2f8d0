import Platform
import StoreHistory
import StoreHost
import StoreSchema

/// The history as the lifted state of Redux DevTools, which its Import button reads: actions by number, and the state
/// after each. Number 0 stands for the state before the first action. The file has a state for each action, so that of a
/// long history it has the end.
struct ReduxExport: RecordingExport {
  private let output: ReplacingFile
  // Two of the members grow side by side; the smaller one waits.
  private var actions: [UInt8] = []
  private var numbers: [UInt8] = []
  private var count = 0
  private var last = 0
  /// True if a whole number is among what is written that JavaScript rounds.
  private var hasLargeNumbers = false
  private var substates: [String] = []
  private var plugins: [String] = []

  /// True if there are more actions, which were too many for the file.
  private let isBounded: Bool

  /// The number of actions that a file has of a history that is too long for it.
  static let usualCount = 1_000

  init(_ output: ReplacingFile, isBounded: Bool = false) {
    self.output = output
    self.isBounded = isBounded
  }

  var notes: [String] {
    (isBounded
      ? ["it has the last \(count) actions, as all would take more than 10 MB; --last N takes as many as you say"] : [])
      + (hasLargeNumbers
        ? ["it has whole numbers beyond \(LoggedEntry.greatestNumber), which tools in JavaScript round"] : [])
  }

  mutating func begin(_ header: RecordingHeader, _ state: HostState) {
    substates = header.substates
    hasLargeNumbers = header.state.hasLargeNumbers
    for plugin in header.plugins where !plugins.contains(plugin.name) { plugins.append(plugin.name) }
    JSON.append(
      "{\"monitorState\":{},\"isLocked\":false,\"isPaused\":false,\"skippedActionIds\":[],\"committedState\":"
        as StaticString, to: &output.bytes)
    JSON.append(header.state, to: &output.bytes)
    JSON.append(",\"computedStates\":[{\"state\":" as StaticString, to: &output.bytes)
    JSON.append(header.state, to: &output.bytes)
    output.bytes.append(UInt8(ascii: "}"))
    JSON.append(
      "\"0\":{\"type\":\"PERFORM_ACTION\",\"action\":{\"type\":\"@@INIT\"},\"timestamp\":0}" as StaticString,
      to: &actions)
    numbers.append(UInt8(ascii: "0"))
  }

  mutating func add(_ entry: LoggedEntry, _ walk: inout RecordingWalk) throws {
    let state = try walk.state(after: entry)
    output.bytes.append(UInt8(ascii: ","))
    JSON.append(["state": .value(state.value), "error": entry.failureText.map { .text($0) }], to: &output.bytes)

    numbers.append(UInt8(ascii: ","))
    JSON.append(entry.number, to: &numbers)
    JSON.append(",\"" as StaticString, to: &actions)
    JSON.append(entry.number, to: &actions)
    JSON.append("\":{\"type\":\"PERFORM_ACTION\",\"action\":{\"type\":" as StaticString, to: &actions)
    JSON.append(quoted: entry.action, to: &actions)
    JSON.append(",\"payload\":" as StaticString, to: &actions)
    JSON.append(entry.arguments, to: &actions)
    JSON.append(",\"meta\":{\"source\":" as StaticString, to: &actions)
    EntryWriter.append(entry.source, to: &actions)
    JSON.append("}},\"timestamp\":" as StaticString, to: &actions)
    JSON.append(Int(entry.time / .milliseconds(1)), to: &actions)
    actions.append(UInt8(ascii: "}"))
    hasLargeNumbers =
      hasLargeNumbers || entry.arguments.values.contains(where: \.hasLargeNumbers)
      || entry.changes.contains(where: \.bringsLargeNumbers)
    count += 1
    last = entry.number
    for name in state.substates.map(\.name) where !substates.contains(name) { substates.append(name) }
  }

  func end() {
    JSON.append("],\"currentStateIndex\":" as StaticString, to: &output.bytes)
    JSON.append(count, to: &output.bytes)
    JSON.append(",\"nextActionId\":" as StaticString, to: &output.bytes)
    JSON.append(last + 1, to: &output.bytes)
    JSON.append(",\"stagedActionIds\":[" as StaticString, to: &output.bytes)
    output.bytes += numbers
    JSON.append("],\"actionsById\":{" as StaticString, to: &output.bytes)
    output.bytes += actions
    JSON.append("}" as StaticString, to: &output.bytes)
    // The tools pass over these.
    append(",\"substates\":", substates)
    append(",\"plugins\":", plugins)
    JSON.append("}\n" as StaticString, to: &output.bytes)
  }

  private func append(_ member: StaticString, _ names: [String]) {
    guard !names.isEmpty else { return }
    JSON.append(member, to: &output.bytes)
    JSON.append(.texts(names), to: &output.bytes)
  }
}

extension Change {
  fileprivate var bringsLargeNumbers: Bool {
    switch kind {
    case .replace(_, let value), .add(let value): value.hasLargeNumbers
    case .remove, .move: false
    }
  }
}

extension Value {
  /// True if a whole number is in it that a Double cannot tell from its neighbours.
  fileprivate var hasLargeNumbers: Bool {
    switch self {
    case .int(let number): number.magnitude > UInt(LoggedEntry.greatestNumber)
    case .list(let list): list.contains(where: \.hasLargeNumbers)
    case .map(let map): map.contains { $0.value.hasLargeNumbers }
    case .record(let record): record.values.contains(where: \.hasLargeNumbers)
    case .variant(let variant): variant.payload.values.contains(where: \.hasLargeNumbers)
    case .none, .bool, .double, .decimal, .string: false
    }
  }
}
