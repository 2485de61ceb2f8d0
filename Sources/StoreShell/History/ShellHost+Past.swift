import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema

/// Looking at earlier points.
extension ShellHost {
  /// Hands out the state that is shown.
  func withShownState<Result>(_ body: (borrowing State) throws -> Result) rethrows -> Result {
    if let past { return try body(past.state) }
    return try store.withState(body)
  }

  /// The plugins of the state that is shown.
  var shownPlugins: [HostedPlugin] { past?.plugins ?? plugins }

  var viewed: ViewedPoint? {
    past.map { ViewedPoint(number: $0.number, skipped: $0.skipped, head: history.head) }
  }

  func requirePresent() throws {
    if let viewed { throw viewed.refusal }
  }

  func viewing<Result>(_ number: Int, _ body: () throws -> Result) throws -> Result {
    try viewing(PastView(number, try history.state(at: number), try plugins(at: number)), body)
  }

  private func viewing<Result>(_ view: PastView, _ body: () throws -> Result) rethrows -> Result {
    let outer = past
    past = view
    defer { past = outer }
    return try body()
  }

  func look(at number: Int, without skipped: [Int]) throws {
    let view =
      skipped.isEmpty
      ? PastView(number, try history.state(at: number), try plugins(at: number))
      : try point(number, without: skipped.sorted())
    past = view
    store.park(at: view.state)
  }

  func lookAtPresent() {
    past = nil
    store.unpark()
  }

  func bisect(_ numbers: ClosedRange<Int>, holds: () throws -> Bool) throws -> LoggedEntry? {
    let start = numbers.lowerBound - 1
    let view = PastView(start, try history.state(at: start), try plugins(at: start))
    return try viewing(view) {
      var reads = ModuleReads()
      var outcome = reads.record(into: self, holds)
      var found: LoggedEntry?
      try history.visit(numbers) { entry in
        try history.advance(&view.state, by: entry)
        if entry.isWhole { view.plugins = try plugins(at: entry.number) }
        if entry.isWhole || reads.mayDiffer(entry.changes) {
          let before = outcome
          outcome = reads.record(into: self, holds)
          // Where it cannot be said, such as before a plugin was loaded, it does not hold.
          if case .failure = outcome, case .success = before { outcome = .success(false) }
        }
        guard case .success(true) = outcome else { return true }
        found = entry
        return false
      }
      if found == nil { _ = try outcome.get() }
      return found
    }
  }
}

/// Which modules a condition has looked at: while none of them changes, neither does what it says.
private struct ModuleReads {
  private var modules: Set<String> = []

  /// Asks the condition, taking note of the modules that it reads.
  mutating func record(into host: ShellHost, _ holds: () throws -> Bool) -> Result<Bool, any Error> {
    host.readModules = []
    defer { host.readModules = nil }
    let result = Result { try holds() }
    modules = host.readModules ?? []
    return result
  }

  func mayDiffer(_ changes: [Change]) -> Bool {
    changes.contains { change in change.module.map(modules.contains) ?? true }
  }
}
