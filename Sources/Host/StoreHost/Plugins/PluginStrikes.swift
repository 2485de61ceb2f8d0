import StorePlugins

/// Counts in how many actions in a row a plugin failed (R29). An action counts once, whichever of the plugin's reducers and
/// middlewares fail in it; one in which they ran and none failed ends the row.
package final class PluginStrikes: @unchecked Sendable {
  // Safe: used by the thread that holds the turn.
  package static let limit = 3

  /// Whether the shell's slice says that the plugin's reducers stand still.
  @exclusivity(unchecked) package private(set) var isStopped = false
  /// The action of the last failure, 0 for none.
  package private(set) var lastFailed = 0
  /// The unit of the last failure.
  package private(set) var failedUnit = ""
  private let faults: FaultBox
  private var inARow = 0
  private var lastRun = 0
  private var runBefore = 0
  /// How many drains had lost their queue when the action that stops the plugin was dispatched.
  private var lossesBefore: Int?

  /// Whether the plugin has failed too often: what stops it waits in the queue, and its middlewares are silent until then.
  package var isOut: Bool { inARow >= Self.limit || lossesBefore != nil }

  /// - Parameter faults: is told when the plugin must be stopped.
  package init(_ faults: FaultBox) { self.faults = faults }

  /// Takes note that a part of the plugin ran without a fault.
  package func ran(in number: Int) {
    guard number != lastRun else { return }
    if faults.isHoldingBack { return faults.atCommit { [self] in ran(in: number) } }
    runBefore = lastRun
    lastRun = number
  }

  /// Takes note that a part of the plugin failed.
  package func failed(in number: Int, unit: String) {
    if faults.isHoldingBack { return faults.atCommit { [self] in failed(in: number, unit: unit) } }
    failedUnit = unit
    guard number != lastFailed else { return }
    let lastClean = lastRun == number ? runBefore : lastRun
    if lastClean > lastFailed { inARow = 0 }
    inARow += 1
    lastFailed = number
    if inARow >= Self.limit, lossesBefore == nil { _ = faults.hasPluginToStop.set(true) }
  }

  /// Whether the plugin is to be stopped now; true once, and again where the action that does it was lost with its queue
  /// (R30).
  package func takeOut() -> Bool {
    guard isOut, !isStopped, lossesBefore != faults.losses else { return false }
    lossesBefore = faults.losses
    return true
  }

  /// Brings the plugin where the shell's slice says it stands; one that is switched on begins a row anew.
  package func set(isStopped stopped: Bool) {
    guard stopped != isStopped else { return }
    isStopped = stopped
    if !stopped { forget() }
  }

  /// Begins a row anew.
  package func forget() {
    inARow = 0
    lossesBefore = nil
  }

  /// Runs a part of the plugin and takes note of how it went.
  package func counting(_ number: Int, _ unit: String, _ body: () throws -> Void) throws {
    do {
      try body()
      ran(in: number)
    } catch let error as PluginError where error.code == .refused {
      // It works, and says no.
      ran(in: number)
      throw error
    } catch let error as PluginError where error.code == .interrupted {
      throw error
    } catch {
      failed(in: number, unit: unit)
      throw error
    }
  }
}
