import Platform
import StandardModules
import StoreHost
import StoreShell

/// A session of the standard modules in this process, whose output is discarded.
final class BenchShell {
  let folder: String
  private let session: Session

  /// A session in which so many tasks were added, each by an action of its own, all of which are kept.
  ///
  /// - Parameter isStored: true to keep them in a file, and in memory only the latest.
  init(adding count: Int, isStored: Bool = false) throws {
    folder = try temporaryFolder()
    var options = SessionOptions()
    if isStored { options.journal = JournalPlan(path: "\(folder)/g.db") }
    session = try Self.session(options)
    if isStored, session.openJournal() != 0 { throw ProgramRun.Failure(reason: "cannot open a journal in \(folder)") }
    try Files.write(
      "set journal.limit \"\(isStored ? "2048, 64MiB" : "1000000, 4GiB")\"\n"
        + (1...count).map { "dispatch tasks.add title=\"task \($0)\" --quiet\n" }.joined(), to: "\(folder)/fill.stsh")
    try run(["source \(folder)/fill.stsh"])
  }

  /// A session over a store that is there.
  init(opening store: String) throws {
    folder = try temporaryFolder()
    var options = SessionOptions()
    options.journal = JournalPlan(path: store, opening: .readOnly())
    session = try Self.session(options)
    guard session.openJournal() == 0 else { throw ProgramRun.Failure(reason: "cannot open \(store)") }
  }

  private static func session(_ options: SessionOptions) throws -> Session {
    let null = open("/dev/null", O_WRONLY)
    return try Session(
      Application(initial: StandardState(), reducer: StandardState.reducer), options: options,
      console: Console(output: null, error: null))
  }

  /// The time that a command takes, the mean of several.
  func nanoseconds(_ command: String, times: Int) throws -> Double {
    let start = monotonicNanoseconds()
    try run(Array(repeating: command, count: times))
    return Double(monotonicNanoseconds() - start) / Double(times)
  }

  private func run(_ commands: [String]) throws {
    guard session.run(commands: commands) == 0 else {
      throw ProgramRun.Failure(reason: "\(commands.first ?? "") failed")
    }
  }
}
