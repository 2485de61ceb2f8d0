import Glibc
import StoreHost
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
      try house.waitUntilRuns("wait 1h")
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
    try house.waitUntilRuns("step one wait 1h")
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

  /// True if this process, which is the host's, has a file open.
  private func isOpen(_ path: String) -> Bool {
    guard let descriptors = opendir("/proc/self/fd") else { return false }
    defer { closedir(descriptors) }
    var bytes = [CChar](repeating: 0, count: 4096)
    while let entry = readdir(descriptors) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let count = readlink("/proc/self/fd/\(name)", &bytes, bytes.count)
      let target = String(decoding: bytes[..<max(count, 0)].map(UInt8.init(bitPattern:)), as: UTF8.self)
      if target == path { return true }
    }
    return false
  }

  private func wait(until isOpen: Bool, _ path: String) {
    let end = ContinuousClock.now + .seconds(30)
    while self.isOpen(path) != isOpen, .now < end { usleep(1000) }
    #expect(self.isOpen(path) == isOpen)
  }

  /// A statement that waits for a pipe where the host is ends as any other does: by an interruption, and when its client leaves, so
  /// that nothing takes what is written into the pipe later.
  @Test(arguments: ["ingest", "source", "import state", "replay"])
  func aWaitForAPipeOfTheHostEnds(verb: String) throws {
    let house = try House()
    let path = "\(house.folder)/other"
    try #require(mkfifo(path, 0o600) == 0)
    let request = "{\"id\":1,\"run\":\"\(verb) \(path)\(verb == "ingest" ? " --as tasks.add" : "")\"}"
    let client = try house.client()
    for _ in 1...2 {
      client.send(request)
      wait(until: true, path)
      client.send(#"{"interrupt":true,"code":"timed-out","message":"too late"}"#)
      let answer = try client.lines(until: "\"status\"").joined()
      #expect(answer.contains("error[timed-out]: too late"), "\(answer)")
      #expect(answer.hasSuffix("\"status\":5}"), "\(answer)")
      #expect(try client.line() == #"{"status":0}"#)
      wait(until: false, path)
    }
    client.send(#"{"id":2,"run":"echo on"}"#)
    #expect(try client.line() == #"{"id":2,"output":[{"out":"on\n"}],"status":0}"#)
    do {
      let leaving = try house.client()
      leaving.send(request)
      wait(until: true, path)
    }
    wait(until: false, path)
  }

  /// The same of a pipe that is to be written and that nobody reads.
  @Test(arguments: ["export state PIPE", "show counter > PIPE", "export journal PIPE"])
  func aWaitForAReaderAtTheHostEnds(statement: String) throws {
    let house = try House()
    let path = "\(house.folder)/other"
    try #require(mkfifo(path, 0o600) == 0)
    let client = try house.client()
    client.send("{\"id\":1,\"run\":\"\(statement.replacing("PIPE", with: path))\"}")
    try house.waitUntilRuns(path)
    client.send(#"{"interrupt":true}"#)
    #expect(try client.line() == #"{"id":1,"output":[{"err":"error[interrupted]: interrupted\n"}],"status":130}"#)
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
