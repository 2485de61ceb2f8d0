import StoreCore
import StoreTesting

/// Collects what test stores report.
final class Collected {
  private var failures: [TestFailure] = []

  func note(_ failure: TestFailure) { failures.append(failure) }

  /// What was reported since the last call.
  func take() -> [TestFailure] {
    defer { failures = [] }
    return failures
  }

  /// The texts of what was reported since the last call, notes marked so, the lines of units left out.
  func texts() -> [String] { take().map(text) }

  /// The text of a failure, the lines of units left out.
  func text(_ failure: TestFailure) -> String {
    (failure.isNote ? "note: " : "") + failure.text.replacing(/\.swift:\d+/, with: ".swift")
  }
}

extension TestStore where State == Desk, Action == DeskAction {
  /// A test store of the small application, which reports to a collection.
  convenience init(
    _ collected: Collected, initial: Desk = Desk(), library: Library = Library(),
    also middleware: DeskMiddleware = .identity, interceptors: [Interceptor<DeskAction, Desk>] = [],
    exhaustivity: Exhaustivity = .on
  ) throws {
    try self.init(
      initial: initial, reducer: Desk.reducer, middleware: .compose(Desk.middleware(library), middleware),
      interceptors: interceptors, exhaustivity: exhaustivity, report: collected.note)
  }
}
