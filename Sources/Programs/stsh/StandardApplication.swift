import StandardModules
import StoreHost
import StoreShell

extension Application<StandardAction, StandardState> {
  /// What the shipped program hosts.
  static var standard: Application {
    Application(
      initial: StandardState(), reducer: StandardState.reducer,
      projections: [
        ApplicationProjection("open", of: "tasks") { $0.tasks.open },
        ApplicationProjection("summary", of: "tasks") { $0.tasks.summary },
      ])
  }
}
