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
        return EffectListing(id: id, unit: effect.unit, wakesIn: effect.wakesIn)
      }
    }
  }

  /// Cancels the effects of an id; nil: all.
  ///
  /// - Returns: whether there was any.
  @discardableResult
  package func cancelEffects(_ id: String?) -> Bool {
    turn {
      guard let id else { return store.cancelEffects() }
      var found = false
      for (effect, listing) in zip(store.effects, effects) where listing.id == id {
        found = store.cancelEffects(unit: effect.unit, token: effect.tokenText) || found
      }
      return found
    }
  }

  /// Whether there is anything to be told of by `takeFaults`.
  package var hasFaults: Bool { turn { !listening.faults.isEmpty } }

  /// What went wrong since it was last asked, where no dispatch told of it: in tasks, and in what they caused.
  package func takeFaults() -> [any Error] {
    turn {
      stopFaulty()
      return listening.faults.take()
    }
  }

  /// Has `takeFaults` tell of what went wrong in a dispatch that was one of several in a statement.
  package func leaveFaults(of report: DispatchReport) {
    turn {
      for fault in report.faults { listening.faults.note(fault) }
    }
  }

  private func describe(_ number: Int) -> String? {
    log[number: number].map { "#\($0.number) \($0.action) (\($0.source.short))" }
  }

  /// How many effects of a unit run or wait.
  package func effectCount(of unit: String) -> Int { store.effects.count { $0.unit == unit } }

  /// What the units of a plugin share.
  package func surroundings(for plugin: String) -> PluginSurroundings {
    turn {
      PluginSurroundings(
        view: view, typed: typed, faults: listening.faults, strikes: PluginStrikes(listening.faults),
        waiters: listening.waiters,
        isLoaded: { [unowned self] in store.withState { $0.shell.plugins.contains { $0.name == plugin } } },
        stopFaulty: { [unowned self] in stopFaulty() }, lastAction: { [unowned self] in log.last?.number ?? 0 },
        describe: { [unowned self] in describe($0) })
    }
  }
}
