import Dispatch
import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema

/// Who uses a live store, and what is kept for them. An object of constants: no part of it is counted when it is asked.
package final class Attendance: @unchecked Sendable {
  // Safe: what changes is read and changed only by the thread that holds the store's turn; exclusive access as in ``LiveStore``.
  /// The clients, in the order in which they came.
  @exclusivity(unchecked) var clients: [AttachedClient] = []
  /// The last action before persons went who have names. Some hundreds: names are claims.
  @exclusivity(unchecked) var seen: [ActionAuthor: Int] = [:] {
    didSet { if seen.count > 512 { seen = [:] } }
  }
  /// The client on whose behalf the turn is held; nil: the owner's code, or none in particular.
  /// Safe: a client runs its turns itself, and so is there as long as they last.
  @exclusivity(unchecked) var holder: Unmanaged<StoreClient>?
  /// The same client.
  var acting: StoreClient? { holder?.takeUnretainedValue() }
  /// What goes wrong beside an action.
  package let faults = FaultBox()
  /// Commands that wait for actions.
  package let waiters = ActionWaiters()
  /// The actions that had units state their tasks.
  let setters = TaskSetters()
  /// Whether long work is to stop.
  package let interruption = Interruption()
  /// Gets what the logger middleware says.
  let logSink = LogSink()
  /// Gets every phase of every action.
  @exclusivity(unchecked) var traceSink: ((TraceEvent) -> Void)?
  /// When the clock of spans began; nil: no client wants them.
  @exclusivity(unchecked) var spansBegan: ContinuousClock.Instant?
  /// Gets every action that goes through the reducers, with the states around it.
  @exclusivity(unchecked) var observer: ((PurityProof.Recorded) -> Void)?
  /// Hears of faults that no client has caused.
  @exclusivity(unchecked) var onFault: ((any Error) -> Void)?
  /// What the first client is to hear of the application.
  @exclusivity(unchecked) var advice: [String] = []
  /// Told when there may be other plugins to watch.
  @exclusivity(unchecked) var onPluginChange: (@Sendable () -> Void)?
  /// What ends with the store; see ``LiveStore/whenClosed(begin:end:)``. It is told without the turn, which an action may hold for long.
  let endings = Lock<[(begin: @Sendable () -> Void, end: @Sendable () -> Void)]>([])
  /// Set while the store takes its last actions: clients are told of the last value of what they watch alone.
  let isEnding = SharedFlag()
  /// Set once the store was closed.
  let isClosed = SharedFlag()
  /// Why the file lacks something at the end; nil: it has all, or the end is not there.
  let endFailure = Lock<HostError?>(nil)
  /// Entered while the store is being closed.
  let closing = DispatchGroup()
  /// Set where a plugin's lines were dropped and nobody was told yet.
  let hasDroppedLogLines = SharedFlag()
  /// When the clients were last asked to say so.
  @exclusivity(unchecked) var saidDroppedLogLines: ContinuousClock.Instant?
}

/// A client, for as long as it is there.
struct AttachedClient {
  private let lease: Lease<StoreClient>
  let id: ObjectIdentifier

  /// The client; nil: it is about to go.
  var client: StoreClient? { lease.object }

  init(_ client: StoreClient) {
    lease = client.lease
    id = ObjectIdentifier(client)
  }
}

/// How the plugins of a live store are kept.
package struct PluginUpkeep {
  /// What takes a plugin's place when the action that says so is committed.
  var replacement: PluginReplacement?
  /// The plugins whose load or unload the log of a shared store may yet take though its caller waits no longer, by their names; nil for
  /// one that is unloaded.
  var unsettled: [String: HostedPlugin?] = [:]
  /// Whether actions move the gate of a unit; what the state says, asked after every action.
  package var hasControlGates = false
  /// Where actions have moved gates, by the names of their units, while the actions that keep it still wait: the last position,
  /// and how many wait.
  var movedGates: [String: (isOpen: Bool, waiting: Int)] = [:]
  /// When reloading a plugin failed, for those whose earlier version is still there because of it.
  var failedReloads: [String: Duration] = [:]
  /// The plugins that run other code than the log says, by their names: the files were edited while the store was closed. What runs,
  /// and the last action before.
  var editedCode: [String: (digest: String, since: Int)] = [:]
  /// How often plugins are looked at for state of their own, where nobody set it.
  package var defaultPurity = Purity.sampled
}

/// How the states of a live store are told apart.
package final class StateComparing: @unchecked Sendable {
  // Safe: read and changed only by the thread that holds the store's turn; exclusive access as in ``LiveStore``.
  /// The switches of the latest states that differ in them.
  @exclusivity(unchecked) var switches: [HostState.Switches] = []
  /// Tell whether what projections read has changed.
  @exclusivity(unchecked) var versions = SliceVersions()
  let watchers = ValueWatchers()
  /// The places that are watched.
  @exclusivity(unchecked) var places = WatchedPlaces()
  /// The sequences that no action may have fall.
  @exclusivity(unchecked) var sequences = HostState.Sequences([])
  /// Finds what an action changed.
  @exclusivity(unchecked) var finder = DifferenceFinder()
  /// What the action about to be recorded changed, where a message tells it; nil: it has to be found.
  @exclusivity(unchecked) var known: [Change]?
  /// Its entry, where it was made for a message already.
  @exclusivity(unchecked) var entry: LoggedEntry?
  /// The same where it was packed with others; where there is no entry beside it, it is that of a plain action.
  @exclusivity(unchecked) var packed: PackedEntry?
  /// True if the action that was recorded last changed something.
  @exclusivity(unchecked) var hasChanged = false
  /// True if the state before it is not at hand, but one of those behind it in its message.
  @exclusivity(unchecked) var lacksStateBefore = false
  /// What the action about to be recorded changed, in plain words: it is filled anew for each.
  private let edit = PlainEdit(PlaceShape())
  /// An empty list, with memory for the changes of the next action.
  @exclusivity(unchecked) private var memory: [Change] = []

  /// What an action changed, in plain words, until the next one is recorded; nil: it takes changes.
  func findEdit(from before: HostState, to after: HostState) -> Unmanaged<PlainEdit>? {
    HostState.edit(from: before, to: after, by: &finder, filling: edit)
  }

  /// The changes of an action.
  @inline(__always)
  func takeChanges(from before: HostState, to after: HostState) -> [Change] {
    if let known { return known }
    var changes: [Change] = []
    swap(&changes, &memory)
    HostState.appendChanges(from: before, to: after, by: &finder, &changes)
    return changes
  }

  /// True if the states around the action that was recorded last differ. Where it changed something, none is looked at.
  func differ(_ before: HostState, _ after: HostState) -> Bool { hasChanged || !HostState.areEqual(before, after) }

  /// Takes the memory of an action's changes, which no entry has, for those of the next one.
  @inline(__always)
  func giveBack(_ changes: consuming [Change]) {
    guard changes.count <= Self.mostGivenBack else { return }
    // One by one, and none as an optional: the runtime would look up how those are freed.
    while !changes.isEmpty { changes.removeLast() }
    memory = changes
  }

  private static let mostGivenBack = 4
}

/// The answer to whether a plugin is loaded, for its units, which ask after each action. Few actions change it.
final class PluginPresence: @unchecked Sendable {
  // Safe: the thread that holds the turn asks.
  private let name: String
  /// The version of the shell's slice that was looked at last.
  @exclusivity(unchecked) private var version = -1
  @exclusivity(unchecked) private var wasThere = false

  init(_ name: String) { self.name = name }

  /// True if the plugin is loaded.
  func isThere(_ versions: borrowing SliceVersions, in store: () -> Store<HostAction, HostState>) -> Bool {
    if version != versions.all {
      version = versions.all
      wasThere = store().withState { $0.shell.plugins.contains { $0.name == name } }
    }
    return wasThere
  }
}
