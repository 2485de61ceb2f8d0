import StoreCore
import StoreModules
import StorePlugins
import StoreUnits

/// The tasks of one middleware of a plugin, run as effects of its unit.
package final class UnitTasks: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, where effects run too.
  package let plugin: Plugin
  package let surroundings: PluginSurroundings
  /// The unit's name within the plugin.
  package let unit: String
  /// The unit's name in the store.
  private let name: String
  private let index: Int
  /// Whether the gates of the unit stand open.
  package var isOpen: () -> Bool = { true }
  /// What the middleware said last, as far as there was room.
  private var wanted: [PluginTaskStart] = []
  /// The keys of these; true: the task has begun.
  private var admitted: [EffectToken: Bool] = [:]
  /// The keys for which there was no room.
  private var refused: Set<EffectToken> = []
  /// The action after which it failed to say anything last; nil: it works.
  private var failedAfter: Int?

  package init(_ plugin: Plugin, unit index: Int, _ surroundings: PluginSurroundings) {
    self.plugin = plugin
    self.surroundings = surroundings
    self.index = index
    unit = plugin.units[index].name
    name = "\(plugin.module.name).\(unit)"
  }

  /// The tasks that should run in the state. What a middleware that fails said before still holds.
  package func supervised() -> [Supervised<HostAction>] {
    // Before the plugin's slice is there, and once it is gone, there is nothing to ask about; nobody asks behind a shut gate.
    guard surroundings.isLoaded(), isOpen() else {
      wanted = admit([])
      plugin.middlewares.forgetSupervised(index)
      return []
    }
    do throws(PluginError) {
      wanted = admit(try plugin.middlewares.supervise(index, view: surroundings.view))
      noteWorking()
    } catch {
      failedAfter = surroundings.lastAction()
      surroundings.note(error, unit: unit)
    }
    return wanted.map { start in Supervised(start.key, steps: { [self] in TaskRun(start, of: self, $0) }) }
  }

  /// Leaves out the tasks for which there is no room: they are admitted after a later change, when others have ended.
  private func admit(_ starts: [PluginTaskStart]) -> [PluginTaskStart] {
    guard starts.count != admitted.count || starts.contains(where: { admitted[$0.key] == nil }) else {
      refused = []
      return starts
    }
    let keys = Set(starts.map(\.key))
    let gone = Set(admitted.keys.filter { !keys.contains($0) })
    for key in gone where admitted.removeValue(forKey: key) == false { surroundings.room.promised -= 1 }
    var room = plugin.tasks.room { [unit] in $0.unit == unit && gone.contains($0.key) } - surroundings.room.promised
    var left: Set<EffectToken> = []
    let granted = starts.filter { start in
      guard admitted[start.key] == nil else { return true }
      if surroundings.isLeftEnded(EndedEffect(unit: name, id: start.key)) {
        admitted[start.key] = true
        return true
      }
      guard room > 0 else {
        left.insert(start.key)
        return false
      }
      room -= 1
      surroundings.room.promised += 1
      admitted[start.key] = false
      return true
    }
    let isNew = !left.isSubset(of: refused)
    refused = left
    if isNew { surroundings.note(plugin.tasks.tooManyTasks, unit: unit, startedBy: surroundings.lastAction()) }
    return granted
  }

  /// Takes note that a task has taken the place that it was given.
  package func noteBegun(_ start: PluginTaskStart) {
    guard admitted[start.key] == false else { return }
    admitted[start.key] = true
    surroundings.room.promised -= 1
  }

  /// A middleware that says again what it wants ends the row of its failures, whatever the action was: an `undo` mends a state
  /// that it could not read. It ends no other: as it is asked after every action, none would ever come to its end.
  private func noteWorking() {
    guard let number = failedAfter else { return }
    failedAfter = nil
    if surroundings.strikes.lastFailed == number { surroundings.strikes.ran(in: surroundings.lastAction()) }
  }

  /// A task that an action starts; one of that key is replaced.
  package func effect(_ start: PluginTaskStart) -> Effect<Void, HostAction> {
    .steps { [self] in TaskRun(start, of: self, $0) }.token(start.key)
  }
}

/// The places for tasks that a plugin's units share.
package final class TaskRoom {
  /// How many are given to tasks that have not begun.
  package var promised = 0
}

/// What the units of a plugin share.
package struct PluginSurroundings: @unchecked Sendable {
  // Safe: used by the thread that holds the turn, by units that run there.

  /// The live state.
  package let view: any StateView
  /// Makes the root action of a call that the plugin dispatches.
  package let typed: (ActionCall) -> HostAction
  package let faults: FaultBox
  package let strikes: PluginStrikes
  package let waiters: ActionWaiters
  package let room = TaskRoom()
  /// Whether the plugin's slice is in the state.
  package let isLoaded: () -> Bool
  /// Whether a task had ended when the store was left, and has not been asked for since.
  package let isLeftEnded: (EndedEffect) -> Bool
  /// Has the plugins stopped that have failed too often in a row.
  package let stopFaulty: () -> Void
  /// The action that was logged last, and the one of a number in words.
  package let lastAction: () -> Int
  package let describe: (Int) -> String?

  /// Takes note of what a middleware did wrong.
  package func note(_ error: PluginError, in number: Int, unit: String) {
    faults.note(error)
    guard error.code != .interrupted else { return }
    strikes.failed(in: number, unit: unit)
    stopFaulty()
  }

  /// Takes note of what was wrong about the tasks that a middleware wants.
  package func note(_ error: PluginError, unit: String) { note(error, in: lastAction(), unit: unit) }

  /// Takes note of what a task did wrong; once, where the tasks that one action starts fail alike one after the other.
  ///
  /// - Parameter action: the action that started it in words, where the log does not have it yet.
  package func note(_ error: PluginError, unit: String, startedBy number: Int, _ action: String? = nil) {
    faults.note(TaskFailure(error: error, startedBy: action ?? describe(number)), startedBy: number)
    guard error.code != .interrupted else { return }
    strikes.failed(in: max(lastAction(), number), unit: unit)
    stopFaulty()
  }
}
