import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// Looking at earlier points, on snapshots that the turn is held to take. The store, its timers and everybody else go on (R27).
extension StoreClient {
  /// Has everything read the state after an action, without those that are skipped, while a closure runs.
  package func viewing<Result>(_ number: Int, _ body: () throws -> Result) throws -> Result {
    try viewing(try point(number, without: past?.skipped ?? []), body)
  }

  /// Has everything read another state while a closure runs; nil: the present one.
  package func viewing<Result>(_ view: PastView?, _ body: () throws -> Result) rethrows -> Result {
    let outer = past
    past = view
    defer { past = outer }
    return try body()
  }

  /// Has everything read the state after each of some actions, in order, while a closure runs.
  package func viewingEach(_ numbers: [Int], _ body: (Int) throws -> Void) throws {
    let moment = theMoment
    var last: (versions: [PluginVersion], plugins: [HostedPlugin])?
    for number in numbers {
      let (state, versions) = (try moment.state(at: number), moment.points.versions(at: number))
      let plugins =
        if let last, last.versions.elementsEqual(versions, by: ===) { last.plugins } else { try plugins(versions) }
      last = (versions, plugins)
      try viewing(PastView(number, state, plugins)) { try body(number) }
    }
  }

  /// Shows the state after an action from now on, read-only (R27), with some actions left out.
  package func look(at number: Int, without skipped: [Int]) throws {
    past = try point(number, without: skipped)
  }

  /// Shows the present again.
  package func lookAtPresent() { past = nil }

  /// What differs between the states after two actions, without those that are skipped; 0: the initial state.
  package func changes(from old: Int, to new: Int) throws -> [Change] {
    let skipped = past?.skipped ?? []
    let (before, after) = (try point(old, without: skipped), try point(new, without: skipped))
    return HostState.changes(from: before.state, to: after.state)
  }

  /// The point after an action, where that has moved a gate behind what keeps the gate's position.
  package func settled(_ number: Int) throws -> Int {
    var number = number
    while let next = try entry(number + 1), next.keepsGate, next.source.cause.map({ $0 <= number }) ?? false {
      number += 1
    }
    return number
  }

  /// An earlier point of the history, to become the present.
  package struct ReturnPoint {
    package let number: Int
    fileprivate let state: HostState
    /// The history that it is one of.
    fileprivate let joins: Int
  }

  /// The point after an action, read on a snapshot.
  package func returnPoint(_ number: Int) throws -> ReturnPoint {
    let (moment, joins) = turnAnywhere { (theMoment, self.joins) }
    return ReturnPoint(number: number, state: try moment.state(at: number), joins: joins)
  }

  /// Makes an earlier point the present, by a recorded action, and shows it.
  ///
  /// - Parameter known: the point, where it was read before the turn.
  /// - Throws: where what is shown is nothing that happened.
  package func restore(to number: Int, known: ReturnPoint? = nil, source: ActionSource) throws -> DispatchReport {
    try turn {
      if let viewed, !viewed.skipped.isEmpty { throw viewed.refusal }
      let recorded = known.flatMap { $0.number == number && $0.joins == joins ? $0.state : nil }
      let state = try live.stateToGoOnFrom(number, recorded)
      past = nil
      return live.dispatch(.restore(to: number, state: state), source)
    }
  }
}
