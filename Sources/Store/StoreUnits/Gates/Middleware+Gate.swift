import StoreCore

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
          let (isOpen, passage, trace) = (isOpen(attachment), passage(unit.name, attachment), attachment.trace)
          let name = attachment.name
          return { input, context in
            let passage = passage(input, context)
            guard passage != .never else { return nil }
            guard passage == .always || isOpen() else {
              gate.noteHeld()
              return nil
            }
            return inner(input, context)?.passing(gate, of: name, trace, while: isOpen)
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

extension IO {
  /// The same with output dropped while the gate of a unit is shut.
  fileprivate func passing(
    _ gate: Gate, of unit: String, _ trace: TracePoint, while isOpen: @escaping @Sendable () -> Bool
  ) -> IO {
    guard !isNone else { return self }
    return IO { output in
      run(
        ActionHandler { dispatched in
          guard isOpen() else {
            gate.noteDropped()
            // Effects emit from any thread.
            trace.reportFromAnyThread(.dropped(what: dispatched.action, reason: "gate of \(unit)"))
            return
          }
          output.dispatch(dispatched)
        })
    }
  }
}
