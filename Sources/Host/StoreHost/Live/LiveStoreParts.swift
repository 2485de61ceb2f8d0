import StoreCore
import StorePlugins
import StoreSchema

/// What the one that uses a live store hears of it, and how it stops long work.
package struct Listening {
  /// What went wrong beside an action that was applied.
  package let faults = FaultBox()
  /// Commands that wait for actions.
  package let waiters = ActionWaiters()
  /// Whether long work is to stop.
  package let interruption = Interruption()
  /// Gets what the logger middleware says.
  let logSink = LogSink()
  /// Gets what plugins say.
  package var pluginLog: ((PluginLogLine) -> Void)?
  /// Gets every phase of every action.
  var traceSink: ((TraceEvent) -> Void)?
  /// Gets every action that goes through the reducers, with the states around it.
  var observer: ((PurityProof.Recorded) -> Void)?
  /// What the store did by itself, in a sentence each.
  var notes: [String] = []
}

/// What of a live store is shown, and which of it was read.
package struct Looking {
  /// What is shown instead of the present.
  var past: PastView?
  /// The modules that were read since somebody wanted to know.
  var readModules: Set<String>?
}

/// How the plugins of a live store are kept.
package struct PluginUpkeep {
  /// What takes a plugin's place when the action that says so is committed.
  var replacement: PluginReplacement?
  /// Whether plugins that were saved are reloaded; what the state says, asked before every statement.
  package var watchesPlugins = false
  /// When reloading a plugin failed, for those whose earlier version is still there because of it.
  var failedReloads: [String: Duration] = [:]
  /// How often plugins are looked at for state of their own, where nobody set it.
  package var defaultPurity = Purity.sampled
}

/// How the states of a live store are told apart.
package struct StateComparing {
  /// The switches of the latest states that differ in them.
  var switches: [HostState.Switches] = []
  /// Tell whether what projections read has changed.
  var versions = SliceVersions()
  /// Finds what an action changed.
  var finder = DifferenceFinder()
}
