/// The action that a step expects to receive.
struct ActionPattern<Action, Part> {
  /// The pattern's text in failures.
  let text: String
  /// The part of an action that the step gives back, or nil where the action is another one.
  let match: (Action) -> Part?
}
