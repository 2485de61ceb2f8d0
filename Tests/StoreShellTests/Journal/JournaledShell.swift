import Platform
import StoreHistory
import StoreHost
import StorePlugins

@testable import StoreShell

extension Shell {
  /// Has a session keep what happens in a file from now on; what the file holds is restored.
  func openStore(_ path: String, durability: Durability = .off) -> Outcome {
    session.options.journal = JournalPlan(path: path, durability: durability)
    return outcome { session.openJournal() }
  }

  /// Copies a session's file as it would be found had the process been killed now.
  ///
  /// - Returns: where the copy is, in the session's folder.
  func killedCopy(of path: String, as name: String) throws -> String {
    session.store.journal?.settle()
    for suffix in ["", "-wal"] {
      guard let bytes = try? Files.read(path + suffix) else { continue }
      try write(name + suffix, bytes)
    }
    return "\(folder)/\(name)"
  }
}
