import StoreCore
import StoreSchema

/// A slice of a state together with what it was and what it could be again.
///
/// Past and future are persistent lists, so that a copy of the whole is O(1). If the slice holds persistent
/// collections, its states share the unchanged parts.
public struct Undoable<Slice> {
  /// The states before the steps that can be taken back, oldest first.
  public private(set) var past: PersistentList<Slice> = []
  /// The slice now. Changes outside of an undoable reducer make no step.
  public var present: Slice
  /// The states that were taken back, the nearest first.
  public private(set) var future: PersistentList<Slice> = []
  /// The group of the latest step, while more actions may join it.
  public private(set) var latest: UndoGroup?

  /// A slice without a past.
  public init(_ present: Slice) { self.present = present }

  init(past: PersistentList<Slice>, present: Slice, future: PersistentList<Slice>, latest: UndoGroup?) {
    self.past = past
    self.present = present
    self.future = future
    self.latest = latest
  }

  /// True if there is a step to take back.
  public var canUndo: Bool { !past.isEmpty }

  /// True if there is a step to do again.
  public var canRedo: Bool { !future.isEmpty }

  /// Goes back, forward, or forgets; see ``UndoAction``.
  public mutating func apply(_ action: UndoAction) {
    switch action {
    case .undo: move(by: -1)
    case .redo: move(by: 1)
    case .jump(let steps): move(by: steps)
    case .jumpToPast(let index): if past.indices.contains(index) { move(by: index - past.count) }
    case .jumpToFuture(let index): if future.indices.contains(index) { move(by: index + 1) }
    case .clear:
      past = []
      future = []
      latest = nil
    }
  }

  /// Notes that the present came from another state. The future is forgotten.
  ///
  /// - Parameters:
  ///   - before: the state before the action.
  ///   - group: the marks shared with other actions; a part of the latest step makes no step of its own.
  ///   - limit: the number of steps kept; the oldest go first.
  ///   - areEqual: tells whether a step came to nothing, which then is none.
  mutating func record(
    _ before: Slice, _ group: UndoGroup, limit: Int, areEqual: (Slice, Slice) -> Bool
  ) {
    future = []
    if let step = latest, step.takes(group) {
      latest = UndoGroup(root: group.root ?? step.root, key: step.key ?? group.key)
      guard let start = past.last, areEqual(start, present) else { return }
      past.remove(at: past.count - 1)
      latest = nil
    } else {
      past.append(before)
      latest = group
      while past.count > max(limit, 0) { past.remove(at: 0) }
    }
  }

  private mutating func move(by steps: Int) {
    guard steps != 0, steps >= -past.count, steps <= future.count else { return }
    latest = nil
    for _ in stride(from: steps, to: 0, by: 1) {
      future.insert(present, at: 0)
      present = past.remove(at: past.count - 1)
    }
    for _ in stride(from: 0, to: steps, by: 1) {
      past.append(present)
      present = future.remove(at: 0)
    }
  }
}

extension Undoable: Sendable where Slice: Sendable {}
extension Undoable: Equatable where Slice: Equatable {}
extension Undoable: Hashable where Slice: Hashable {}

extension Undoable: CustomStringConvertible {
  /// Past, present and future: `[0, 1] 2 [3]`.
  public var description: String { "\(past) \(present) \(future)" }
}

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

extension Reducer {
  /// This reducer over a slice that remembers its past: actions that change it make steps, which can be taken back.
  ///
  /// Reducers that share a history are composed first. Lift the result to where the slice is. The idea and the set of
  /// actions are redux-undo's; that all that one outside dispatch caused is one step is ours.
  ///
  /// - Parameters:
  ///   - undo: the operation of an action on the history, or nil. An action that does something is kept from this
  ///     reducer.
  ///   - name: the name in traces of the part that undoes.
  ///   - limit: the number of steps kept.
  ///   - grouping: the rule by which actions make one step together.
  ///   - isStep: which changes, of an action and the states before and after, make a step. Others are kept in the present
  ///     and leave past and future alone: loading a document, or moving a cursor.
  public func undoable(
    undo: @escaping @Sendable (Action) -> UndoAction?, name: String = "undo", limit: Int = 100,
    grouping: UndoGrouping<Action> = .cause,
    where isStep: @escaping @Sendable (Action, State, State) -> Bool = { _, _, _ in true }
  ) -> Reducer<Action, Undoable<State>> where State: Equatable & SendableMetatype {
    lift(state: \Undoable<State>.present)
      .undoable(at: \.self, undo: undo, name: name, limit: limit, grouping: grouping, where: isStep)
  }

  /// This reducer with the slice at a key path remembering its past, whichever of the reducer's parts change it; see
  /// ``undoable(undo:name:limit:grouping:where:)``.
  ///
  /// - Parameter path: the slice. The rest of the state is not taken back.
  public func undoable<Slice: Equatable & SendableMetatype>(
    at path: WritableKeyPath<State, Undoable<Slice>> & Sendable,
    undo: @escaping @Sendable (Action) -> UndoAction?, name: String = "undo", limit: Int = 100,
    grouping: UndoGrouping<Action> = .cause,
    where isStep: @escaping @Sendable (Action, Slice, Slice) -> Bool = { _, _, _ in true }
  ) -> Reducer {
    let recording = wrapped { action, state, context, reduce in
      guard undo(action) == nil else { return }
      let before = state[keyPath: path].present
      try reduce(&state)
      let after = state[keyPath: path].present
      guard before != after, isStep(action, before, after) else { return }
      let group = grouping.group(of: action, context)
      state[keyPath: path].record(before, group, limit: limit) { $0 == $1 }
    }
    let undoing = Reducer<UndoAction, Undoable<Slice>>(name) { action, history in history.apply(action) }
    return recording.appending(undoing.lift(action: undo, state: path))
  }
}

private enum CodingKeys: String, CodingKey {
  case past, present, future, latest
}

extension Undoable: Encodable where Slice: Encodable {
  /// Writes past and future as lists.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(Array(past), forKey: .past)
    try fields.encode(present, forKey: .present)
    try fields.encode(Array(future), forKey: .future)
    try fields.encodeIfPresent(latest, forKey: .latest)
  }
}

extension Undoable: Decodable where Slice: Decodable {
  /// Reads past and future from lists.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      past: PersistentList(try fields.decode([Slice].self, forKey: .past)),
      present: try fields.decode(Slice.self, forKey: .present),
      future: PersistentList(try fields.decode([Slice].self, forKey: .future)),
      latest: try fields.decodeIfPresent(UndoGroup.self, forKey: .latest))
  }
}

extension Undoable: Schematic, SchematicRecord where Slice: Schematic {
  /// A record of `past`, `present`, `future` and `latest`.
  public static var schema: Schema {
    .record(
      Self.self, name: "Undoable",
      fields: [
        StoredField("past", \Self.past, default: [], documentation: "The states to go back to, oldest first."),
        StoredField("present", \Self.present, documentation: "The state now."),
        StoredField("future", \Self.future, default: [], documentation: "The states taken back, the nearest first."),
        StoredField("latest", \Self.latest, documentation: "What may join the latest step."),
      ])
  }

  /// Reads the four fields.
  public init(schemaFields fields: inout FieldReader) throws(SchemaError) {
    self.init(
      past: try fields.next(), present: try fields.next(), future: try fields.next(), latest: try fields.next())
  }
}
