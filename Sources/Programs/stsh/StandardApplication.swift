import StandardModules
import StoreHost

extension Application<StandardAction, StandardState> {
  /// The modules of the shipped program.
  static var standard: Application {
    Application(
      initial: StandardState(), reducer: StandardState.reducer,
      projections: [
        ApplicationProjection("open", of: \.tasks) { $0.open },
        ApplicationProjection("summary", of: \.tasks) { $0.summary },
      ])
  }
}
