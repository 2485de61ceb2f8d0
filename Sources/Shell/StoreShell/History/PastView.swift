import ShellLanguage

/// An earlier point of the history, or one as it might have been, that is looked at instead of the present.
final class PastView {
  /// The number of the action after which the state is shown.
  let number: Int
  /// Which actions are left out of it.
  let skipped: [Int]
  /// The plugins of that point.
  var plugins: [HostedPlugin]
  /// Its state.
  var state: HostState

  init(_ number: Int, without skipped: [Int] = [], _ state: HostState, _ plugins: [HostedPlugin]) {
    self.number = number
    self.skipped = skipped
    self.state = state
    self.plugins = plugins
  }
}

/// Where a session stands when it does not show the present.
struct ViewedPoint {
  /// The number of the action after which the state is shown.
  let number: Int
  /// Which actions are left out.
  let skipped: [Int]
  /// The number of the last action.
  let head: Int

  /// The point in the prompt's words: `@4/70`.
  var label: String { "@\(number)/\(head)" + skipped.map { " -#\($0)" }.joined() }

  /// The point in a sentence: `#4 of 70`.
  var text: String {
    let without = skipped.map { "#\($0)" }.joined(separator: ", ")
    return "#\(number) of \(head)" + (skipped.isEmpty ? "" : " without \(without)")
  }

  /// Why a command does not answer for what is shown: it tells of what happened, and something of that is left out.
  func refusal(of verb: String) -> ShellError? {
    guard !skipped.isEmpty else { return nil }
    return ShellError(
      code: .notAtHead, message: "the store shows \(text); \(verb) tells of what happened",
      hint: "`goto \(number)` shows #\(number) as it was; show and diff tell of what would be")
  }

  /// Why nothing may be changed here.
  var refusal: ShellError {
    let undo = skipped.isEmpty ? "; `undo --to \(number)` makes #\(number) the present" : ""
    return ShellError(
      code: .notAtHead, message: "the store shows \(text); dispatching from the past would fork history",
      hint: "`goto head` returns to the present\(undo)")
  }
}
