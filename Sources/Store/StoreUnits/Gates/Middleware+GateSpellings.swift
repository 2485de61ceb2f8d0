import StoreCore

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
