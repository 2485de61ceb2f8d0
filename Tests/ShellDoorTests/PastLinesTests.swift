import Testing

@testable import ShellDoor

/// The lines that a client typed before, which it tells a door.
@Suite struct PastLinesTests {
  @Test func pastLinesAreTheClients() throws {
    let house = try House([.read])
    let client = try house.client()
    #expect(
      try client.ask("{\"run\":\"history sh\",\"history\":[\"show a\",\"echo b\",\"history sh\"]}")
        == "{\"output\":[{\"out\":\"show a\\n\"}],\"status\":0}")
    // They are kept, the line that is typed now with them, however it asks for them.
    #expect(
      try client.ask("{\"run\":\"alias h = history sh\\n\",\"more\":true}").contains("\"status\":0"))
    #expect(
      try client.ask("{\"run\":\"h # shows\\n\",\"more\":true,\"history\":[\"show c\"]}")
        == "{\"output\":[{\"out\":\"show a\\nhistory sh\\nshow c\\nh # shows\\n\"}],\"status\":0,\"prompt\":\"stsh> \",\"head\":0}"
    )
    _ = try client.ask("{\"run\":\"lua if true then\\n\",\"more\":true}")
    #expect(
      try client.ask("{\"run\":\"end\\n\",\"more\":true,\"history\":[\"h # shows\"]}").contains("\"prompt\":\"stsh> \"")
    )
    #expect(
      try client.ask("{\"run\":\"history if\",\"history\":[\"lua if true then\\nend\"]}")
        == "{\"output\":[{\"out\":\"lua if true then\\nend\\n\"}],\"status\":0}")
  }

  /// As an attached prompt gives them: with times, and those before them left out.
  @Test func pastLinesHaveTimesAndNumbers() throws {
    let house = try House([.read])
    let client = try house.client()
    func rows(_ request: String) throws -> String {
      try client.ask(request).replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/, with: "TIME")
    }
    #expect(
      try rows(
        #"{"run":"history --last 9 --json","history":["a","b"],"times":[1700000000,null],"first":3001,"form":"json"}"#
      )
      .contains(#"[{"n":3001,"time":"TIME","line":"a"},{"n":3002,"time":null,"line":"b"}]"#))
    #expect(
      try rows(#"{"run":"history --last 9 --json","history":["c"],"form":"json"}"#)
        .contains(#"{"n":3002,"time":null,"line":"b"},{"n":3003,"time":null,"line":"c"}]"#))
    #expect(
      try rows(#"{"run":"history --last 1 --json\n","more":true,"form":"json"}"#)
        .contains(#"[{"n":3004,"time":"TIME","line":"history --last 1 --json"}]"#))
    for (members, message) in [
      (#""times":[1]"#, "'times' has one time for each line of 'history'"),
      (#""history":["a"],"times":["now"]"#, "'times' is a list of seconds since 1970, null where it is unknown"),
      (#""history":["a"],"first":0"#, "'first' is a whole number from 1 to"),
    ] { #expect(try client.ask("{\"run\":\"echo\",\(members)}").contains(message)) }
  }

  @Test func pastLinesAreBounded() throws {
    let house = try House([.read])
    let client = try house.client()
    let long = String(repeating: "x", count: 1 << 16)
    _ = try client.ask(
      "{\"run\":\"echo\",\"history\":[\(Array(repeating: "\"\(long)\"", count: 100).joined(separator: ","))]}")
    client.send(#"{"run":"history x"}"#)
    #expect(1 << 19..<2 << 20 ~= (try client.lines(until: "\"status\":")).reduce(0) { $0 + $1.utf8.count })
    _ = try client.ask(
      "{\"run\":\"echo\",\"history\":[\((1...3000).map { "\"line \($0)\"" }.joined(separator: ","))]}")
    #expect(try client.ask(#"{"run":"history 'line 1000'"}"#) == #"{"output":[{"out":"(no lines)\n"}],"status":0}"#)
  }
}
