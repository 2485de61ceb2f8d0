import StoreSchema

// @Schema, by scripts/expand.
/// The operations on the past and the future of an ``Undoable``. Without a step to go to, nothing happens.
///
/// The set is redux-undo's.
public enum UndoAction: Hashable, Codable, Sendable {
  /// One step back.
  case undo
  /// One step forward again.
  case redo
  /// Several steps: back where negative, forward where positive.
  case jump(by: Int)
  /// To a state of the past, the oldest being 0.
  case jumpToPast(index: Int)
  /// To a state of the future, the nearest being 0.
  case jumpToFuture(index: Int)
  /// Forgets past and future.
  case clear
}
