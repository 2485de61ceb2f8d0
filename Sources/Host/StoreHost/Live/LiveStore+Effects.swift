import StoreCore
import StorePlugins

/// What runs beside actions, and what goes wrong in it.
extension LiveStore {
  /// The effects that run or wait, in the order of their units.
  package var effects: [EffectListing] {
    turn {
      let lua = Set(plugins.flatMap { $0.units.map(\.name) + $0.interceptors.map(\.name) })
      return store.effects.map { effect in
        // A plugin's units are named PLUGIN.UNIT.
        let id = lua.contains(effect.unit) ? effect.name.replacing(".", with: "/", maxReplacements: 1) : effect.name
        return EffectListing(
          id: id, unit: effect.unit, wakesIn: effect.wakesIn,
          startedBy: effect.startedBy > 0 ? effect.startedBy : nil, age: effect.age)
      }
    }
  }

  /// True if the application has units that may dispatch what they hear of outside, without an effect that shows it.
  package var mayHearOfOthers: Bool { !application.units.isEmpty || !application.interceptors.isEmpty }

  /// Cancels all effects, at the end of the store: those that units state run again when it is opened.
  package func cancelEffects() { turn { _ = store.cancelEffects() } }

  /// Cancels the effects of an id for good; nil: all. The effect that waits for the times of a plugin's tasks is needed for later
  /// ones: it does not count as ended.
  func endEffects(_ id: String?) {
    turn {
      let schedule = "due"
      guard let id else {
        for unit in plugins.flatMap(\.units) { store.cancelEffects(unit: unit.name, token: schedule) }
        return _ = store.endEffects()
      }
      for (effect, listing) in zip(store.effects, effects) where listing.id == id {
        if effect.tokenText == schedule {
          store.cancelEffects(unit: effect.unit, token: schedule)
        } else {
          store.endEffects(unit: effect.unit, token: effect.tokenText)
        }
      }
    }
  }

  private func describe(_ number: Int) -> String? {
    recent(number).map { "#\($0.number) \($0.action) (\($0.source.short))" }
  }

  /// How many effects of a unit run or wait.
  package func effectCount(of unit: String) -> Int { store.effects.count { $0.unit == unit } }

  /// What the units of a plugin share.
  package func surroundings(for plugin: String) -> PluginSurroundings {
    turn {
      PluginSurroundings(
        view: view, typed: typed, faults: attendance.faults,
        strikes: PluginStrikes(attendance.faults), waiters: attendance.waiters,
        isLoaded: { [unowned self] in store.withState { $0.shell.plugins.contains { $0.name == plugin } } },
        isLeftEnded: { [unowned self] in store.isLeftEnded($0) },
        now: { [clock] in clock.now }, reconcile: { [unowned self] in store.reconcileEffects() },
        stopFaulty: { [unowned self] in stopFaulty() }, lastAction: { [unowned self] in head },
        describe: { [unowned self] in describe($0) })
    }
  }
}
