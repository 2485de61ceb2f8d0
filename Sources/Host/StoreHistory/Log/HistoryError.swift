/// Why a point of a history cannot be reached.
public enum HistoryError: Error, Hashable, Sendable {
  /// There is no action of that number yet.
  case beyondHead(Int, head: Int)
  /// The point is older than what is kept.
  case notKept(Int, oldest: Int)
  /// The point is older than what can be read of a damaged file.
  case unreadable(Int, oldest: Int)
  /// The action changed more than was noted of it, and the state after it can no longer be read.
  case stateIsLost(Int)
  /// There are fewer actions to take back than were asked for.
  case nothingToUndo(available: Int, oldest: Int)
  /// The first actions of a statement that is to be taken back are older than what is kept.
  case statementNotKept(ClosedRange<Int>, oldest: Int)
  /// There are fewer undos to take back than were asked for.
  case nothingToRedo(available: Int)

  /// A sentence that names the points or actions that are there instead.
  public var message: String {
    switch self {
    case .beyondHead(let number, let head):
      head == 0
        ? "there is no #\(number): nothing has happened yet" : "there is no #\(number): the last action is #\(head)"
    case .notKept(let number, let oldest): "#\(number) is no longer kept: the history goes back to #\(oldest)"
    case .unreadable(let number, let oldest):
      "#\(number) cannot be read: the readable part of the damaged file goes back to #\(oldest)"
    case .stateIsLost(let number): "the state after #\(number) is damaged"
    case .nothingToUndo(0, 0): "there is nothing to undo"
    case .nothingToUndo(let available, let oldest):
      "only \(available) of your statements can be taken back"
        + (oldest == 0 ? "" : ": the history goes back to #\(oldest)")
    case .statementNotKept(let actions, let oldest):
      "one statement dispatched #\(actions.lowerBound)-#\(actions.upperBound), and the history goes back to #\(oldest) only: it cannot be taken back as a whole"
    case .nothingToRedo(0): "there is nothing to redo"
    case .nothingToRedo(let available): "only \(available) can be redone"
    }
  }
}
