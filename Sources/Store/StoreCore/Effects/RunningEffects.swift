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

  private var unitEffects: [UnitEffects] { chain.attached.map { $0.effects } + parts.attached.map { $0.effects } }

  /// Has every unit's long-lived effects follow the state (R33).
  @inlinable
  func reconcile(_ action: ActionContext) {
    if let shared, shared.isAttempting || !shared.runsEffects { return }
    // A copy: what they open may bring other units.
    let supervising = parts.supervising
    for index in supervising.indices {
      Unmanaged.passUnretained(supervising[index])._withUnsafeGuaranteedRef { $0.reconcile(action) }
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

/// An effect that runs or waits, as listings show it.
public struct RunningEffect: Hashable, Sendable {
  /// The unit.
  public let unit: String
  /// The elements, from the outside, where the unit is lifted to collections.
  public let path: [EffectToken]
  /// The token or, where it is a long-lived effect that has one, its id; nil: none.
  public let token: EffectToken?
  /// The token's text, with its type where another of the unit's effects has the same text; `-`: none.
  public let tokenText: String
  /// True for a long-lived effect (R33).
  public let isSupervised: Bool
  /// The number of the action that started it; 0: the state did before any action.
  public let startedBy: Int
  /// The time since it started.
  public let age: Duration
  /// In how long it goes on, where it waits for the clock.
  public let wakesIn: Duration?

  init(_ entry: EffectEntry, unit: UnitEffects, isAmbiguous: Bool) {
    let now = unit.runtime.clock.now
    self.unit = unit.unit
    path = entry.path
    token = entry.key?.token
    tokenText = token.map { isAmbiguous ? $0.textWithType : $0.description } ?? "-"
    isSupervised = entry.key?.isChannel ?? false
    startedBy = entry.start.number
    age = now - entry.start.time
    wakesIn = entry.wakesAt.map { max($0 - now, .zero) }
  }

  /// `unit/token`, in a collection `unit[element]/token`.
  public var name: String { unit + path.map { "[\($0)]" }.joined() + "/" + tokenText }
}

/// A long-lived effect that has come to its end by itself while its unit goes on stating it (R33).
package struct EndedEffect: Hashable, Sendable {
  /// The unit and, in a collection, the element.
  package let place: String
  /// The effect's id and its type, as text.
  package let id: String

  package init(place: String, id: String) { (self.place, self.id) = (place, id) }

  package init(unit: String, id: some Hashable & Sendable) { self.init(place: unit, id: EffectToken(id).textWithType) }
}

/// The long-lived effects that have ended and are still stated, so that a store which is opened again leaves them ended.
@usableFromInline
final class EndedEffects: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and in the store's `deinit`, when there is none.
  /// The effects that had ended when the store was left, and that no unit has stated since.
  var left: Set<EndedEffect> = []
  /// Told of an effect that has ended, and of one that may start again.
  var tell: (EndedEffect, _ hasEnded: Bool) -> Void = { _, _ in }

  @usableFromInline
  init() {}
}

extension Store {
  /// Has long-lived effects that had ended when the store was left stay ended, until a unit no longer states them.
  package func leaveEnded(_ effects: Set<EndedEffect>) { visit { effectRuntime.ended.left = effects } }

  /// True if an effect is one of those, and its unit has not stated it yet.
  package func isLeftEnded(_ effect: EndedEffect) -> Bool {
    visit { !effectRuntime.ended.left.isEmpty && effectRuntime.ended.left.contains(effect) }
  }

  /// Lets go of those that no unit states by now: they may start again.
  package func forgetLeftEnded() {
    visit {
      let ended = effectRuntime.ended
      for effect in ended.left { ended.tell(effect, false) }
      ended.left = []
    }
  }

  /// Hears of long-lived effects that have ended while they are stated, once what they emitted was processed, and of those
  /// that may start again.
  package func setEndListener(_ tell: @escaping (EndedEffect, _ hasEnded: Bool) -> Void) {
    visit { effectRuntime.ended.tell = tell }
  }
}

extension UnitEffects {
  /// Tells that a long-lived effect has ended, or may start again.
  func tell(_ key: EffectKey, hasEnded: Bool) { runtime.ended.tell(ended(key), hasEnded) }

  /// True if a long-lived effect had ended when the store was left; true once.
  func takeLeftEnded(_ key: EffectKey) -> Bool {
    guard !runtime.ended.left.isEmpty else { return false }
    return runtime.ended.left.remove(ended(key)) != nil
  }

  private func ended(_ key: EffectKey) -> EndedEffect {
    EndedEffect(place: place(key.path), id: key.token.textWithType)
  }
}

/// Effects that wait for times that are past, as after a store was closed for a while. They go on in the order of these times,
/// once those that start with them have said for which time they wait.
@usableFromInline
final class OverdueEffects: @unchecked Sendable {
  // Safe: used only on the thread that owns the store.
  private var waiting: [(time: Duration, entry: EffectEntry, unit: UnitEffects)] = []

  @usableFromInline
  init() {}

  /// Has an effect go on behind what is queued, and behind those that wait for an earlier time.
  func add(_ entry: EffectEntry, of unit: UnitEffects, since time: Duration) {
    waiting.append((time, entry, unit))
    guard waiting.count == 1 else { return }
    let runtime = unit.runtime
    runtime.enqueue(
      Job {
        let due = runtime.overdue.take()
        for (_, entry, unit) in due where !entry.isOver { unit.advance(entry) }
      })
  }

  /// Those that wait, the earliest time first; with one time, in the order in which they came.
  private func take() -> [(time: Duration, entry: EffectEntry, unit: UnitEffects)] {
    defer { waiting = [] }
    return waiting.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }
}
