import StoreCore
import StoreSchema

/// The rule by which actions make one step together.
public struct UndoGrouping<Action>: Sendable {
  let isByCause: Bool
  let key: (@Sendable (Action) -> String?)?

  /// Every action that changes something is a step.
  public static var none: UndoGrouping { UndoGrouping(isByCause: false, key: nil) }

  /// All that one outside dispatch caused is one step, as ``/StoreCore/ActionContext/root`` tells.
  public static var cause: UndoGrouping { UndoGrouping(isByCause: true, key: nil) }

  /// As ``cause``; besides, actions that follow each other with the same key are one step. Nil: no key.
  public static func key(_ key: @escaping @Sendable (Action) -> String?) -> UndoGrouping {
    UndoGrouping(isByCause: true, key: key)
  }

  func group(of action: Action, _ context: ActionContext) -> UndoGroup {
    // Outside a store no action has a root.
    UndoGroup(root: isByCause && context.root != 0 ? context.root : nil, key: key?(action))
  }
}

// @Schema, by scripts/expand.
/// The common marks of the actions of one step.
public struct UndoGroup: Hashable, Codable, Sendable {
  /// The action from outside that caused the latest of them.
  public var root: Int?
  /// Their key.
  public var key: String?

  /// True if a later action belongs to the same step.
  func takes(_ other: UndoGroup) -> Bool { root != nil && root == other.root || key != nil && key == other.key }
}
