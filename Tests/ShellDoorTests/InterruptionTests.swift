import Glibc
import ShellLanguage
import StoreCore
import StoreHost
import StoreShell
import Testing

@testable import ShellDoor

/// Interruptions that a client sends.
@Suite struct InterruptionTests {
  /// No key was pressed, and no terminal has echoed one.
  @Test func theErrorSaysWhatTheClientSays() throws {
    let house = try House()
    let client = try house.client()
    func error(_ interrupt: String, _ members: String = "") throws -> String {
      client.send("{\"id\":1,\"run\":\"wait 1h\"\(members)}")
      usleep(200_000)
      client.send("{\"interrupt\":true\(interrupt)}")
      defer { _ = try? client.line() }
      return try client.line()
    }
    #expect(
      try error("") == #"{"id":1,"output":[{"err":"error[interrupted]: interrupted\n"}],"status":130}"#)
    #expect(
      try error(#","message":"stopped by Ctrl-C""#)
        == #"{"id":1,"output":[{"err":"error[interrupted]: stopped by Ctrl-C\n"}],"status":130}"#)
    #expect(
      try error(#","code":"timed-out","message":"too late""#, #","file":"a.stsh","line":3"#)
        == #"{"id":1,"output":[{"err":"a.stsh:3:1: error[timed-out]: too late\n  wait 1h\n"}],"status":5}"#)
    let json = #"{"ok":false,"file":"door","line":1,"error":{"code":"interrupted","message":"interrupted","column":1}}"#
    #expect(try error("", #","form":"json""#) == #"{"id":1,"results":[\#(json)],"status":130}"#)
  }

  /// A step says the same as the error.
  @Test func theReportSaysTheSame() throws {
    let house = try House()
    let client = try house.client()
    client.send(#"{"id":1,"run":"step one wait 1h","file":"a.stsh","report":true,"quiet":true}"#)
    usleep(200_000)
    client.send(#"{"interrupt":true,"code":"timed-out","message":"too late"}"#)
    let answer = try client.line()
    #expect(answer.contains(#""message":"too late","code":"timed-out","details":[]}]"#), "\(answer)")
    #expect(answer.contains("error[timed-out]: too late"))
  }

  /// The error of a request that had not begun has the place of its first statement.
  @Test func whatHasNotBegunHasAPlace() throws {
    let house = try House()
    let client = try house.client()
    client.send(
      #"{"id":1,"run":"wait 1h"}"#,
      ##"{"id":2,"run":"# one\n\ndispatch counter.increment\n","file":"a.stsh","line":7,"script":true,"report":true}"##,
      #"{"id":3,"run":"dispatch counter.increment","file":"-c","line":2,"form":"json"}"#,
      #"{"id":4,"run":"dispatch counter.increment"}"#, #"{"id":5,"interrupt":true}"#)
    #expect(try client.line().contains("\"status\":130"))
    let script = try client.line()
    #expect(
      script.hasPrefix(
        #"{"id":2,"output":[{"err":"a.stsh:9:1: error[interrupted]: interrupted\n  dispatch counter.increment\n"}],"#
          + #""status":130,"steps":[{"name":"a.stsh:9: dispatch counter.increment""#), "\(script)")
    #expect(script.contains(#""message":"interrupted","code":"interrupted""#), "\(script)")
    #expect(
      try client.line()
        == #"{"id":3,"results":[{"ok":false,"file":"-c","line":2,"error":{"code":"interrupted","message":"interrupted","#
        + #""column":1}}],"status":130}"#)
    #expect(
      try client.line() == #"{"id":4,"output":[{"err":"error[interrupted]: interrupted\n"}],"status":130}"#)
    #expect(try client.line() == #"{"id":5,"status":0}"#)
    #expect(house.host.store.withState { $0.counter.value } == 0)
    #expect(try client.ask(#"{"run":"echo on"}"#).contains("on"))
  }

  /// A statement that goes on in another request keeps its first line.
  @Test func whatGoesOnHasThePlaceOfItsStart() throws {
    let house = try House()
    let client = try house.client()
    _ = try client.ask(#"{"run":"echo a\necho \"b\n","file":"stdin","more":true}"#)
    client.send(#"{"id":2,"run":"c\"\n","file":"stdin","more":true}"#, #"{"id":3,"interrupt":true}"#)
    let answer = try client.line()
    #expect(answer.contains(#""err":"stdin:2:1: error[interrupted]: interrupted\n"#), "\(answer)")
  }

  /// What asks by itself whether it is interrupted tells the reason, too, and what it did.
  @Test func anIngestTellsTheReason() throws {
    let house = try House()
    let path = "\(house.folder)/records.jsonl"
    let file = try #require(fopen(path, "w"))
    let line = "{\"title\":\"x\"}\n"
    for _ in 0..<200 { fputs(String(repeating: line, count: 1000), file) }
    fclose(file)
    let client = try house.client()
    client.send("{\"id\":1,\"run\":\"ingest \(path) --as tasks.add\"}")
    while house.host.store.withState({ $0.tasks.items.count }) == 0 { usleep(1000) }
    client.send(#"{"interrupt":true,"code":"timed-out","message":"too late"}"#)
    let answer = try client.lines(until: "\"status\"").joined()
    #expect(answer.contains("error[timed-out]: too late\\n"), "\(answer)")
    #expect(answer.hasSuffix("\"status\":5}"), "\(answer)")
    #expect(answer.contains("undo takes them back"), "\(answer)")
  }
}
