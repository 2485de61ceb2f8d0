import StoreCore
import StoreSchema
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

  /// Counts actions that were held back; less than 0: takes some back.
  package func note(held count: Int) { heldInputs.wrappingAdd(count, ordering: .relaxed) }

  /// Counts an output that was dropped.
  public func noteDropped() { droppedOutputs.wrappingAdd(1, ordering: .relaxed) }

  /// Moves the gate.
  ///
  /// - Returns: true if it stood otherwise before.
  @discardableResult
  public func set(isOpen: Bool) -> Bool { open.exchange(isOpen, ordering: .relaxed) != isOpen }
}

/// The position of a gate, as states and files hold it.
public enum GateState: String, Codable, Hashable, Sendable, CaseIterable, SchematicRawValue {
  /// Plain actions and output pass.
  case on
  /// Only control actions pass.
  case off

  /// The state of a gate that is open or not.
  public init(isOpen: Bool) { self = isOpen ? .on : .off }

  /// True if plain actions and output pass.
  public var isOpen: Bool { self == .on }
}

/// The decision that several units under one gate share. The control map is evaluated once an action, when the first of
/// them is asked.
final class LatestControl: Sendable {
  private let number = Atomic<Int>(0)
  private let wasControl = Atomic<Bool>(false)

  /// True if an action is a control action.
  func isControl(_ number: Int, _ evaluate: () -> Bool) -> Bool {
    if self.number.load(ordering: .relaxed) == number { return wasControl.load(ordering: .relaxed) }
    let isControl = evaluate()
    wasControl.store(isControl, ordering: .relaxed)
    self.number.store(number, ordering: .relaxed)
    return isControl
  }
}

/// A ``LatestControl`` for each store that the units are attached to: every store counts its actions from 1.
final class LatestControls: Sendable {
  private struct Entry {
    weak var trace: TracePoint?
    let latest: LatestControl
  }

  private let entries = Lock<[Entry]>([])

  /// The one of the store that a trace point belongs to.
  func latest(of trace: TracePoint) -> LatestControl {
    entries.withLock { entries in
      entries.removeAll { $0.trace == nil }
      if let entry = entries.first(where: { $0.trace === trace }) { return entry.latest }
      let entry = Entry(trace: trace, latest: LatestControl())
      entries.append(entry)
      return entry.latest
    }
  }
}

extension Middleware {
  /// Gates these middlewares by actions of the application (R21). A control action moves the gate when it arrives and
  /// is always forwarded, a plain one only while the gate is open. The long-lived effects that the units say should be
  /// running (R33) run only while it is open.
  ///
  /// - Parameters:
  ///   - gate: the gate; all units here share it. Gate each first to control them apart.
  ///   - control: a control action's value; nil: a plain action.
  ///   - on: the value that opens the gate.
  ///   - off: the value that shuts it. Any other value leaves it as it is.
  public func gated<Control: Equatable & Sendable>(
    by gate: Gate = Gate(), control: @escaping @Sendable (Input) -> Control?, on: Control, off: Control
  ) -> Middleware {
    let controls = LatestControls()
    return gated(by: gate, isOpen: { _ in { gate.isOpen } }) { unit, attachment in
      let trace = attachment.trace
      let latest = controls.latest(of: trace)
      return { input, context in
        let isControl = latest.isControl(context.number) {
          guard let value = control(input) else { return false }
          if value == on, gate.set(isOpen: true) { trace.report(.gate(unit: unit, isOpen: true)) }
          if value == off, gate.set(isOpen: false) { trace.report(.gate(unit: unit, isOpen: false)) }
          return true
        }
        return isControl ? .always : .whileOpen
      }
    }
  }

  /// Gates these middlewares by the state: actions by the state before reducing, output by the state at that moment (R21).
  ///
  /// - Parameters:
  ///   - gate: counts what was held back and dropped.
  ///   - isOpen: true if the gate stands open in a state.
  public func gated(
    by gate: Gate = Gate(), whileState isOpen: @escaping @Sendable (State) -> Bool
  ) -> Middleware {
    gated(
      by: gate,
      isOpen: { attachment in
        let state = attachment.state
        return { isOpen(state()) }
      }, passage: { _, _ in { _, _ in .whileOpen } })
  }

  /// Gates these middlewares by a gate that somebody else moves, such as the shell at the commit of its own toggle (R21).
  ///
  /// - Parameters:
  ///   - gate: the gate.
  ///   - accepts: the actions that these middlewares would answer; others are neither forwarded nor counted as held back.
  public func gated(by gate: Gate, accepting accepts: @escaping @Sendable (Input) -> Bool) -> Middleware {
    gated(by: gate, isOpen: { _ in { gate.isOpen } }) { _, _ in
      { input, _ in accepts(input) ? .whileOpen : .never }
    }
  }

  private typealias Unit = MiddlewareUnit<Input, Output, State>

  /// Gates the units.
  ///
  /// - Parameters:
  ///   - isOpen: makes what says whether the gate is open, for a unit that is attached.
  ///   - passage: makes what says when an action passes, for a unit of a name that is attached.
  private func gated(
    by gate: Gate, isOpen: @escaping @Sendable (Unit.Attachment) -> @Sendable () -> Bool,
    passage: @escaping @Sendable (String, Unit.Attachment) -> @Sendable (Input, ActionContext) -> Passage
  ) -> Middleware {
    Middleware(
      units: units.map { unit in
        unit.mapAttachment { $0.supervising(while: isOpen($0)) }.mapHandler { inner, attachment in
          let passage = passage(unit.name, attachment)
          let output = GatedOutput(gate, of: attachment.name, attachment.trace, while: isOpen(attachment))
          return { input, context in
            let passage = passage(input, context)
            guard passage != .never else { return nil }
            guard passage == .always || output.isOpen() else {
              gate.noteHeld()
              return nil
            }
            guard let io = inner(input, context) else { return nil }
            return output.passing(io)
          }
        }
      })
  }
}

/// The condition under which an action passes a gate.
private enum Passage {
  case always
  case whileOpen
  /// The action is nothing to the units: it is not held back.
  case never
}

/// Lets the output of a unit pass while its gate is open. One object for all actions, so that an action refers to one thing.
private final class GatedOutput: Sendable {
  private let gate: Gate
  private let unit: String
  private let trace: TracePoint
  /// True if the gate is open.
  let isOpen: @Sendable () -> Bool

  init(_ gate: Gate, of unit: String, _ trace: TracePoint, while isOpen: @escaping @Sendable () -> Bool) {
    (self.gate, self.unit, self.trace, self.isOpen) = (gate, unit, trace, isOpen)
  }

  /// Work after a commit with its output dropped while the gate is shut.
  @inline(__always)
  func passing<Output>(_ io: IO<Output>) -> IO<Output> {
    guard !io.isNone else { return io }
    return IO { output in io.run(ActionHandler { self.pass($0, to: output) }) }
  }

  private func pass<Output>(_ dispatched: DispatchedAction<Output>, to output: ActionHandler<Output>) {
    guard isOpen() else {
      gate.noteDropped()
      // Effects emit from any thread.
      trace.reportFromAnyThread(.dropped(what: dispatched.action, reason: "gate of \(unit)"))
      return
    }
    output.dispatch(dispatched)
  }
}

extension Middleware {
  /// Gates these middlewares by actions of the application that say where the gate is to stand: `.gated(control: \.logging)`.
  ///
  /// - Parameters:
  ///   - gate: the gate; all units here share it.
  ///   - control: the position that a control action wants for the gate; nil: a plain action.
  public func gated(by gate: Gate = Gate(), control: @escaping @Sendable (Input) -> GateState?) -> Middleware {
    gated(by: gate, control: control, on: .on, off: .off)
  }

  /// Gates these middlewares by actions of the application that say whether the gate is to be open.
  ///
  /// - Parameters:
  ///   - gate: the gate; all units here share it.
  ///   - control: true if a control action wants the gate open; nil: a plain action.
  public func gated(by gate: Gate = Gate(), control: @escaping @Sendable (Input) -> Bool?) -> Middleware {
    gated(by: gate, control: control, on: true, off: false)
  }

  /// Gates these middlewares by a part of the state: `.gated(whileState: \.mode, is: .debug)`.
  ///
  /// - Parameters:
  ///   - gate: counts what was held back and dropped.
  ///   - part: the part that decides.
  ///   - value: its value while the gate stands open.
  public func gated<Control: Equatable & Sendable>(
    by gate: Gate = Gate(), whileState part: @escaping @Sendable (State) -> Control, is value: Control
  ) -> Middleware {
    gated(by: gate, whileState: { part($0) == value })
  }

  /// Gates these middlewares by a gate's state that is kept in the store's.
  ///
  /// - Parameters:
  ///   - gate: counts what was held back and dropped.
  ///   - state: the position of the gate.
  public func gated(
    by gate: Gate = Gate(), whileState state: @escaping @Sendable (State) -> GateState
  ) -> Middleware {
    gated(by: gate, whileState: { state($0).isOpen })
  }
}
