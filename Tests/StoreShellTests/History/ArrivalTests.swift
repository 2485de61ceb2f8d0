import Testing

@testable import StoreShell

/// What is told of a plugin's state that went away and came back.
@Suite struct ArrivalTests {
  @Test func aSliceThatCameAndWentIsNotWhatItWas() throws {
    let shell = try Shell { $0.isQuiet = true }
    #expect(
      shell.run(
        "plugin load ledger", "dispatch ledger.open cash asset", "dispatch ledger.open food expense",
        "dispatch ledger.transfer cash food 10", "plugin unload ledger", "undo 2") == .init())
    #expect(
      shell.run("why ledger.accounts.cash.balance").output
        == """
        #6 shell.restore to=3  <- -c:6
        as it was after #3:
        #2 ledger.open account="cash" kind="asset"  <- -c:2
          ledger.accounts.cash  + { kind = "asset", balance = 0.00 }

        """)
    #expect(shell.run("plugin unload ledger", "plugin load ledger") == .init())
    #expect(
      shell.run("why ledger.accounts").output == "#8 shell.loadPlugin name=\"ledger\" version=\"0.2.0\"  <- -c:2\n")
  }
}
