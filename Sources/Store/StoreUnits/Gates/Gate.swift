import Synchronization

/// Lets actions through to middlewares and their output back, or not; switched while the store runs (R21). The idea is
/// SwiftRex's GatedMiddleware.
public final class Gate: Sendable {
  private let open: Atomic<Bool>
  private let heldInputs = Atomic<Int>(0)
  private let droppedOutputs = Atomic<Int>(0)

  /// A gate that stands open or shut to begin with.
  public init(isOpen: Bool = true) { open = Atomic(isOpen) }

  /// A gate that stands as a saved one did.
  public convenience init(_ state: GateState) { self.init(isOpen: state.isOpen) }

  /// True if plain actions and output pass.
  public var isOpen: Bool { open.load(ordering: .relaxed) }

  /// The position of the gate, in the form that is saved.
  public var state: GateState { GateState(isOpen: isOpen) }

  /// The number of actions held back.
  public var held: Int { heldInputs.load(ordering: .relaxed) }

  /// The number of outputs dropped.
  public var dropped: Int { droppedOutputs.load(ordering: .relaxed) }

  /// Counts an action that was held back.
  public func noteHeld() { heldInputs.wrappingAdd(1, ordering: .relaxed) }

  /// Counts an output that was dropped.
  public func noteDropped() { droppedOutputs.wrappingAdd(1, ordering: .relaxed) }

  /// Moves the gate.
  ///
  /// - Returns: true if it stood otherwise before.
  @discardableResult
  public func set(isOpen: Bool) -> Bool { open.exchange(isOpen, ordering: .relaxed) != isOpen }
}
