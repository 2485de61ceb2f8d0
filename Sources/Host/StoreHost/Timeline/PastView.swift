/// An earlier point of the history, or one as it might have been, that is looked at instead of the present.
package final class PastView {
  /// The number of the action after which the state is shown.
  package let number: Int
  /// Which actions are left out of it.
  package let skipped: [Int]
  package var plugins: [HostedPlugin]
  package var state: HostState

  package init(_ number: Int, without skipped: [Int] = [], _ state: HostState, _ plugins: [HostedPlugin]) {
    self.number = number
    self.skipped = skipped
    self.state = state
    self.plugins = plugins
  }
}

/// Where a session stands when it does not show the present.
package struct ViewedPoint {
  /// The number of the action after which the state is shown.
  package let number: Int
  /// Which actions are left out.
  package let skipped: [Int]
  /// The number of the last action.
  package let head: Int

  /// The point in the prompt's words: `@4/70`.
  package var label: String { "@\(number)/\(head)" + shown.map { " -#\($0)" }.joined() + more }

  /// The point in a sentence: `#4 of 70`.
  package var text: String {
    let without = shown.map { "#\($0)" }.joined(separator: ", ")
    return "#\(number) of \(head)" + (skipped.isEmpty ? "" : " without \(without)\(more)")
  }

  /// The first actions that are left out, as many as a line has room for.
  private var shown: ArraySlice<Int> { skipped.prefix(skipped.count > 10 ? 5 : 10) }
  /// The count of the others.
  private var more: String { skipped.count > shown.count ? " and \(skipped.count - shown.count) more" : "" }

  /// Why a command that tells of what happened does not work here: something of that is left out.
  package func refusal(of verb: String) -> HostError? {
    guard !skipped.isEmpty else { return nil }
    return HostError(
      code: .notAtHead, message: "the store shows \(text); \(verb) does not work in a skipped view",
      hint: "`goto \(number)` shows #\(number) as it was; show and diff tell of what would be")
  }

  /// Why nothing may be changed here.
  package var refusal: HostError {
    let undo = skipped.isEmpty ? "; `undo --to \(number)` makes #\(number) the present" : ""
    return HostError(
      code: .notAtHead, message: "the store shows \(text); dispatching from the past would fork history",
      hint: "`goto head` returns to the present\(undo)")
  }
}
