import StoreCore

extension Middleware {
  /// Gates these middlewares by actions of the application: a control action moves the gate when it arrives and is always
  /// forwarded, a plain one only while the gate is open (R21). The long-lived effects that the units say should be running
  /// (R33) run only while it is open.
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
    return Middleware(
      units: units.map { unit in
        unit.mapAttachment { $0.supervising { gate.isOpen } }.mapHandler { inner, attachment in
          let trace = attachment.trace
          let latest = controls.latest(of: trace)
          return { input, context in
            let isControl = latest.isControl(context.number) {
              guard let value = control(input) else { return false }
              if value == on, gate.set(isOpen: true) { trace.report(.gate(unit: unit.name, isOpen: true)) }
              if value == off, gate.set(isOpen: false) { trace.report(.gate(unit: unit.name, isOpen: false)) }
              return true
            }
            guard isControl || gate.isOpen else {
              gate.noteHeld()
              return nil
            }
            return inner(input, context)?.passing(gate, trace) { gate.isOpen }
          }
        }
      })
  }

  /// Gates these middlewares by the state: actions by the state before reducing, output by the state at that moment (R21).
  ///
  /// - Parameters:
  ///   - gate: counts what was held back and dropped.
  ///   - isOpen: whether the gate stands open in a state.
  public func gated(
    by gate: Gate = Gate(), whileState isOpen: @escaping @Sendable (State) -> Bool
  ) -> Middleware {
    Middleware(
      units: units.map { unit in
        unit.mapAttachment { attachment in
          let state = attachment.state
          return attachment.supervising { isOpen(state()) }
        }.mapHandler { inner, attachment in
          let (state, trace) = (attachment.state, attachment.trace)
          return { input, context in
            guard isOpen(state()) else {
              gate.noteHeld()
              return nil
            }
            return inner(input, context)?.passing(gate, trace) { isOpen(state()) }
          }
        }
      })
  }

  /// Gates these middlewares by a gate that somebody else moves, such as the shell at the commit of its own toggle (R21).
  ///
  /// - Parameters:
  ///   - gate: the gate.
  ///   - accepts: the actions that these middlewares would answer; others are neither forwarded nor counted as held back.
  public func gated(by gate: Gate, accepting accepts: @escaping @Sendable (Input) -> Bool) -> Middleware {
    Middleware(
      units: units.map { unit in
        unit.mapAttachment { $0.supervising { gate.isOpen } }.mapHandler { inner, attachment in
          let trace = attachment.trace
          return { input, context in
            guard accepts(input) else { return nil }
            guard gate.isOpen else {
              gate.noteHeld()
              return nil
            }
            return inner(input, context)?.passing(gate, trace) { gate.isOpen }
          }
        }
      })
  }
}

extension IO {
  /// The same with output dropped while a gate is shut.
  fileprivate func passing(
    _ gate: Gate, _ trace: TracePoint, while isOpen: @escaping @Sendable () -> Bool
  ) -> IO {
    guard !isNone else { return self }
    return IO { output in
      run(
        ActionHandler { dispatched in
          guard isOpen() else {
            gate.noteDropped()
            // Effects emit from any thread.
            trace.reportFromAnyThread(.dropped(what: dispatched.action, reason: "gate"))
            return
          }
          output.dispatch(dispatched)
        })
    }
  }
}
