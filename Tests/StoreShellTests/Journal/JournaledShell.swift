import Platform
import StoreHistory
import StoreHost

@testable import StoreShell

extension Shell {
  /// Has a session keep what happens in a file from now on; what the file holds is restored.
  func openStore(_ path: String, durability: Durability = .off) -> Outcome {
    session.options.journal = JournalPlan(path: path, durability: durability)
    return outcome { session.openJournal() }
  }

  /// Makes a store file of its own in the session's folder, by sessions that each add some to-dos.
  ///
  /// - Returns: where the file is.
  func storeFile(_ name: String, sessions: Int, adding count: Int) throws -> String {
    let path = "\(folder)/\(name)"
    for _ in 0..<sessions {
      let writer = try Shell { $0.isQuiet = true }
      guard writer.openStore(path) == .init() else { throw Failure() }
      for number in 1...count where writer.run("dispatch tasks.add 'to-do number \(number) of the day'") != .init() {
        throw Failure()
      }
      guard writer.outcome({ writer.session.endJournal() }) == .init() else { throw Failure() }
    }
    return path
  }

  /// Takes the code of plugins out of a store's file that nobody has open.
  func dropCode(from path: String) throws { try alter(path, "DELETE FROM code") }

  /// Changes a store's file that nobody has open.
  func alter(_ path: String, _ sql: String) throws {
    let database = try DatabaseQueue(path: path)
    try database.write { try $0.execute(sql: sql) }
    database.close()
  }

  /// Copies a session's file as it would be found had the process been killed now.
  ///
  /// - Returns: where the copy is, in the session's folder.
  func killedCopy(of path: String, as name: String) throws -> String {
    session.store.live.journal?.settle()
    for suffix in ["", "-wal"] {
      guard let bytes = try? Files.read(path + suffix) else { continue }
      try write(name + suffix, bytes)
    }
    return "\(folder)/\(name)"
  }
}
