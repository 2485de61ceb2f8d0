import StoreHost
import StoreModules
import StoreSchema
import Testing

@testable import StoreShell

/// What an ingest says of a record that it leaves out.
@Suite struct BadRecordTests {
  private static let type = ActionType(module: "tasks", name: "add", fields: [Field("title", .dynamic(.string))])

  /// A store that cannot be reached is no fault of a record: none behind it is tried.
  @Test(arguments: [ErrorCode.cutOff, .nodeStopped, .outcomeUnknown, .pluginGrant])
  func aLogThatIsAwayEndsIt(code: ErrorCode) {
    let record = BadRecord(HostError(code: code, message: "away"), file: "a.jsonl", line: 3, type: Self.type)
    #expect(record.isOfLog && record.error(behind: 2).code == code)
  }

  @Test func aRefusalIsTheRecords() {
    let record = BadRecord(HostError(code: .refused, message: "no"), file: "a.jsonl", line: 3, type: Self.type)
    #expect(!record.isOfLog && record.error(behind: 2).code == .badRecord)
  }
}
