import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// Looking at earlier points.
extension LiveStore {
  /// Hands out the state that is shown.
  package func withShownState<Result>(_ body: (borrowing State) throws -> Result) rethrows -> Result {
    try turn {
      if let past = looking.past { return try body(past.state) }
      return try store.withState(body)
    }
  }

  /// The plugins of the state that is shown.
  package var shownPlugins: [HostedPlugin] { looking.past?.plugins ?? plugins }

  /// Plugins of the state that is shown of which nothing is left but their state.
  package var modulesWithoutCode: [Module] {
    let shown = Set(shownPlugins.map(\.plugin.module.name))
    return withShownState { state in
      state.plugins.filter { !shown.contains($0.name) }.map { slice in
        Module(name: slice.name, origin: .lua, schema: slice.schema, actions: [])
      }
    }
  }

  /// What is shown instead of the present; nil: the present.
  package var viewed: ViewedPoint? {
    turn {
      looking.past.map { ViewedPoint(number: $0.number, skipped: $0.skipped, head: history.head) }
    }
  }

  /// Throws the error for what may not be done while the past is shown.
  package func requirePresent() throws {
    try turn {
      if let viewed { throw viewed.refusal }
    }
  }

  /// Has everything read the state after an action, without those that are skipped, while a closure runs.
  package func viewing<Result>(_ number: Int, _ body: () throws -> Result) throws -> Result {
    try turn {
      try viewing(try point(number, without: looking.past?.skipped ?? []), body)
    }
  }

  package func viewing<Result>(_ view: PastView, _ body: () throws -> Result) rethrows -> Result {
    try turn {
      let outer = looking.past
      looking.past = view
      defer { looking.past = outer }
      return try body()
    }
  }

  /// Shows the state after an action from now on, read-only (R27), with some actions left out.
  package func look(at number: Int, without skipped: [Int]) throws {
    try turn {
      let view = try point(number, without: skipped)
      looking.past = view
      store.park(at: view.state)
    }
  }

  /// Shows the present again, and goes on.
  package func lookAtPresent() {
    turn {
      looking.past = nil
      store.unpark()
    }
  }
}
