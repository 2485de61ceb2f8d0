import Glibc
import Testing

/// Other programs may have a store's file open.
@Suite struct ForeignReaderTests {
  private static let hasSQLite = access("/usr/bin/sqlite3", X_OK) == 0

  /// A read-only session took away the log that the other program had open. At its end that program then took away the next session's.
  @Test(.enabled(if: hasSQLite))
  func aReadOnlySessionLeavesTheLogThatAnotherProgramHasOpen() throws {
    let outcome = try Shell().runInShell(
      """
      stsh --store kept.db --quiet -c 'dispatch counter.increment'
      (echo 'SELECT max(number) FROM log;'; until test -e go; do sleep 0.05; done; echo 'SELECT max(number) FROM log;') |
        sqlite3 kept.db &
      until test -e kept.db-shm; do sleep 0.05; done
      stsh --store kept.db --read-only -c 'show counter.value' 2>/dev/null
      stsh --store kept.db --quiet -c 'dispatch counter.increment' -c 'dispatch counter.increment'
      touch go; wait
      sqlite3 kept.db 'SELECT max(number) FROM log'
      stsh --store kept.db -c 'show counter.value'; ls kept.db*
      """)
    #expect(outcome.output == "1\n1\n3\n3\n3\nkept.db\n", "\(outcome)")
  }

  /// To close any descriptor of a file drops SQLite's locks of it. A program that then had the file open took its log away at its end.
  @Test(.enabled(if: hasSQLite), arguments: ["export state kept.db", "source kept.db", "show counter > kept.db"])
  func aLookAtTheStoresOwnFileKeepsItsLog(_ statement: String) throws {
    let outcome = try Shell().runInShell(
      """
      stsh --store kept.db --keep-going --quiet -c 'dispatch counter.increment' -c '\(statement)' \
        -c 'run sqlite3 kept.db "SELECT max(number) FROM log"' \
        -c 'dispatch counter.increment' -c 'dispatch counter.increment' 2>/dev/null
      sqlite3 kept.db 'SELECT max(number) FROM log'; ls kept.db*
      """)
    #expect(outcome.output == "1\n3\nkept.db\n", "\(outcome)")
  }

  /// Where no other program has the file open, a read-only session leaves nothing beside it.
  @Test func aReadOnlySessionLeavesNothingBesideAFile() throws {
    let outcome = try Shell().runInShell(
      """
      stsh --store kept.db --quiet -c 'dispatch counter.increment'
      stsh --store kept.db --read-only -c 'show counter.value' 2>/dev/null; ls kept.db*
      """)
    #expect(outcome.output == "1\nkept.db\n", "\(outcome)")
  }
}
