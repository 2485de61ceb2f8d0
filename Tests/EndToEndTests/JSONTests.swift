import Testing

@Suite("--json")
struct JSONTests {
  @Test func everyCommandAnswersWithOneObject() throws {
    let shell = try Shell()
    try shell.folder.write(
      "three.stsh", "dispatch counter.increment\ndispatch counter.incremnt\ndispatch counter.increment\n")
    let outcome = try shell.run("--json", "--keep-going", "three.stsh")
    #expect(
      outcome.output == #"""
        {"ok":true,"line":1,"data":{"id":1,"action":"counter.increment","changes":[{"op":"replace","path":"counter.value","from":0,"to":1}]}}
        {"ok":false,"file":"three.stsh","line":2,"error":{"code":"unknown-action","message":"unknown action 'counter.incremnt'","column":10,"hint":"did you mean 'counter.increment'?"}}
        {"ok":true,"line":3,"data":{"id":2,"action":"counter.increment","changes":[{"op":"replace","path":"counter.value","from":1,"to":2}]}}

        """#)
    #expect(outcome.errors == "")
    #expect(outcome.status == 1)
  }

  @Test func changesSayWhatCameAndWhatWent() throws {
    let outcome = try Shell().run("--json", input: "dispatch tasks.add milk\ndispatch tasks.remove 1\necho x\n")
    #expect(
      outcome.output == #"""
        {"ok":true,"line":1,"data":{"id":1,"action":"tasks.add","changes":[{"op":"replace","path":"tasks.nextId","from":1,"to":2},{"op":"add","path":"tasks.items[id=1]","to":{"id":1,"title":"milk","done":false}}]}}
        {"ok":true,"line":2,"data":{"id":2,"action":"tasks.remove","changes":[{"op":"remove","path":"tasks.items[id=1]","from":{"id":1,"title":"milk","done":false}}]}}
        {"ok":true,"line":3,"data":"x"}

        """#)
    #expect(outcome.errors == "")
  }

  @Test func watchersAndTheLoggerBecomeEvents() throws {
    let outcome = try Shell().run(
      "--json", input: "watch counter.value\nmiddleware on logger\ndispatch counter.increment\n")
    let lines = outcome.output.split(separator: "\n")
    let watch = #"{"event":"watch","id":1,"path":"counter.value","from":0,"to":1,"action":2}"#
    #expect(lines.contains(Substring(watch)))
    let log = #"{"event":"log","id":2,"action":"counter.increment","source":"stdin:3","changes":["#
    #expect(lines.contains { $0.hasPrefix(log) })
    #expect(outcome.errors == "")
  }

  @Test func nilIsNullAndNeverAbsent() throws {
    let outcome = try Shell().run(
      "--json", "--quiet", "--grant", "pomodoro", input: "plugin load pomodoro\nshow pomodoro\n")
    #expect(
      outcome.output.hasSuffix(
        #"{"ok":true,"line":2,"data":{"phase":"idle","left":0,"task":null,"rounds":[],"length":0}}"# + "\n"))
  }
}
