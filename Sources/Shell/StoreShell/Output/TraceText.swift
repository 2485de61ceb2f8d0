import ShellLanguage
import StoreCore
import StoreHost
import StoreSchema
import StoreUnits

/// Trace events as lines.
enum TraceText {
  /// An event as a line, without its end.
  static func line(of event: TraceEvent) -> String {
    switch event {
    case .enqueued(let number, let action, let cause):
      "Q \(number) \(name(of: action))" + (cause.map { " <\($0)" } ?? "")
    case .before(let number, let unit, let state): "B \(number) \(unit)\(seen(state))"
    case .after(let number, let unit, let state): "A \(number) \(unit)\(seen(state))"
    case .handle(let number, let unit, let state): "H \(number) \(unit)\(seen(state))"
    case .reduce(let number, let unit, let before, let after):
      "R \(number) \(unit) \(text(before))→\(text(after))"
    case .committed(let number, let before, let after): "C \(number) \(text(before))→\(text(after))"
    case .unchanged(let number): "U \(number)"
    case .failed(let number, let reason): "F \(number) \(ShellError(describing: reason).message)"
    case .notified(let number, let watcher, let value): "N \(number) \(watcher) \(text(value))"
    case .io(let number, let unit, let state): "I \(number) \(unit)\(seen(state))"
    case .effect(let number, let unit, let token, let step): "E \(number) \(unit)/\(token ?? "-") \(step.rawValue)"
    case .gate(let unit, let isOpen): "G \(unit) \(isOpen ? "on" : "off")"
    case .dropped(let what, let reason): "X \(name(of: what)) \(reason)"
    case .done(let number): "D \(number)"
    }
  }

  /// Milliseconds with three digits after the point, padded to ten columns.
  static func milliseconds(_ time: Duration) -> String {
    let microseconds = time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
    let fraction = String(microseconds % 1000)
    let text = "\(microseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)ms"
    return String(repeating: " ", count: max(0, 10 - text.count)) + text
  }

  /// Microseconds with one digit after the point.
  static func microseconds(_ time: Duration) -> String {
    let tenths = time / .nanoseconds(100)
    let whole = Int(tenths.rounded())
    return "\(whole / 10).\(whole % 10) µs"
  }

  /// An action as a dispatch would spell it.
  static func name(of action: Any) -> String {
    guard let action = action as? HostAction else { return ActionName.of(action) }
    return ActionText.text(action.call.type.fullName, arguments: action.call.record)
  }

  private static func seen(_ state: Any) -> String {
    state is Void ? "" : " s=\(text(state))"
  }

  /// Compact JSON; a state of one field prints that field's value.
  private static func text(_ state: Any) -> String {
    var value: Value
    switch state {
    case let state as Value: value = state
    case let state as HostState: value = state.value
    case let state as VisibleState: value = state.value
    case let state as any Schematic: value = state.schemaValue
    default: return "\(state)"
    }
    while case .record(let record) = value, record.values.count == 1 { value = record.values[0] }
    return JSON.text(of: value)
  }
}
