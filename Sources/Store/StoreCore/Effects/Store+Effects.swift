extension Store {
  /// The effects that run or wait, interceptors' first, then by unit in composition order, each unit's in the order in which they started.
  public var effects: [RunningEffect] {
    visit {
      unitEffects.flatMap { unit in
        let running = unit.running
        var types: [String: Set<EffectToken>] = [:]
        for case let token? in running.map({ $0.key?.token }) { types[token.description, default: []].insert(token) }
        return running.map { entry in
          let alike = entry.key.map { types[$0.token.description]?.count ?? 0 } ?? 0
          return RunningEffect(entry, unit: unit, isAmbiguous: alike > 1)
        }
      }
    }
  }

  /// Cancels effects by hand.
  ///
  /// - Parameters:
  ///   - name: a unit's name; nil: those of all units.
  ///   - token: the text of a token or id, with its type or without; nil: all of the unit's.
  /// - Returns: true if there was any.
  @discardableResult
  public func cancelEffects(unit name: String? = nil, token: String? = nil) -> Bool {
    visit { each(unit: name, token) { $0.cancel(where: $1) } }
  }

  /// The same for good: a long-lived effect counts as ended for as long as its unit goes on stating it, also in a store that is
  /// opened again.
  @discardableResult
  package func endEffects(unit name: String? = nil, token: String? = nil) -> Bool {
    visit { each(unit: name, token) { $0.end(where: $1) } }
  }

  private func each(
    unit name: String?, _ token: String?, _ stop: (UnitEffects, (EffectEntry) -> Bool) -> Bool
  ) -> Bool {
    var found = false
    for unit in unitEffects where name.map({ $0 == unit.unit }) ?? true {
      let any = stop(unit) { entry in
        guard let token else { return true }
        guard let own = entry.key?.token else { return token == "-" }
        return token == own.description || token == own.textWithType
      }
      found = found || any
    }
    return found
  }

  /// Cancels what actions after a point started, such as where they are taken back: what they caused goes with them.
  /// Effects that units state follow the state (R33). Long-lived effects may well have no part in it: they stay.
  ///
  /// - Parameter number: the last action whose effects stay.
  public func cancelEffects(startedAfter number: Int) {
    visit {
      for unit in unitEffects {
        unit.cancel { $0.start.number > number && !$0.isSupervised && !($0.key?.isChannel ?? false) }
      }
    }
  }

  /// Cancels what some actions started, but for effects that follow the state.
  package func cancelEffects(startedBy numbers: Set<Int>) {
    visit {
      for unit in unitEffects {
        unit.cancel { numbers.contains($0.start.number) && !$0.isSupervised && !($0.key?.isChannel ?? false) }
      }
    }
  }

  /// Cancels what the actions of a root started: it is stopped (R30).
  ///
  /// - Parameter all: true to cancel long-lived effects too, which may well have no part in it.
  func cancelEffects(root: Int, all: Bool) {
    for unit in unitEffects {
      unit.cancel { $0.start.root == root && (all || !($0.key?.isChannel ?? false)) }
    }
  }

  /// The effects of all units and interceptors.
  private var unitEffects: [UnitEffects] { chain.attached.map(\.effects) + parts.attached.map(\.effects) }

  /// Has every unit's long-lived effects follow the state (R33).
  @inlinable
  func reconcile(_ action: ActionContext) {
    let output = output(of: action.number, root: action.root)
    for attached in parts.attached where attached.supervises {
      attached.supervision.reconcile(attached.effects, action, output)
    }
  }

  /// Has supervised effects follow the state, as at the end of an action (R33), where something was done without it:
  /// ``replay(_:from:after:reconciling:)``, ``replaceMiddleware(_:reconciling:)``.
  public func reconcileEffects() { exclusively { reconcileUnits() } }

  /// The same where it is no action that calls for it, but a change of the units.
  @usableFromInline
  func reconcileUnits() {
    guard parts.supervises else { return }
    let source = ActionSource(file: "-", function: "supervise", line: 0, kind: .effect)
    reconcile(ActionContext(number: processing, source: source, time: clock?.now ?? .zero, root: processingRoot))
  }
}
