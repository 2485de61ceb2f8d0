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
    let log = /\{"event":"log","id":2,"when":\d+,"action":"counter.increment","source":"stdin:3",/
    #expect(lines.contains { $0.prefixMatch(of: log) != nil && $0.contains(#"/-","changes":["#) })
    #expect(outcome.errors == "")
  }

  @Test func nilIsNullAndNeverAbsent() throws {
    let outcome = try Shell().run(
      "--json", "--quiet", "--grant", "pomodoro", input: "plugin load pomodoro\nshow pomodoro\n")
    #expect(
      outcome.output.hasSuffix(
        #"{"ok":true,"line":2,"data":{"phase":"idle","left":0,"task":null,"rounds":[],"length":0}}"# + "\n"))
  }

  @Test func whatLuaPrintsIsAnEvent() throws {
    let shell = try Shell()
    let outcome = try shell.run("--json", "-c", "lua print(1, 'x')", "-c", "echo $(print('y') or 2) > file")
    #expect(
      outcome.output == #"""
        {"event":"print","text":"1\tx"}
        {"ok":true,"line":1,"data":null}
        {"ok":true,"line":2,"data":null}

        """#)
    #expect(outcome.errors == "")
    // As without --json.
    #expect(contents(ofFile: shell.folder.path + "/file") == "y\n2\n")
  }

  @Test func aWatchIsToldOfWhereverTheResultGoes() throws {
    let outcome = try Shell().run(
      "--json", "-c", "watch counter.value", "-c", "dispatch counter.increment > file", "-c", "quit")
    #expect(outcome.output.contains(#"{"event":"watch","id":1,"path":"counter.value","from":0,"to":1,"action":1}"#))
  }

  @Test func whatAShellCommandPrintsIsTheResult() throws {
    let outcome = try Shell().run(
      "--json", "-c", "echo a | cat; echo 2", "-c", "echo a | true", "-c",
      "echo a | cat; false")
    #expect(
      outcome.output == #"""
        {"ok":true,"line":1,"data":"a\n2"}
        {"ok":true,"line":2,"data":null}
        {"ok":false,"file":"-c","line":3,"error":{"code":"failed","message":"cat; false: ended with status 1","column":8},"data":"a"}

        """#)
    #expect(outcome.errors == "")
  }

  @Test func aSourceThatFailsAnswersToo() throws {
    let shell = try Shell()
    try shell.folder.write("inner.stsh", "dispatch counter.incremnt\n")
    try shell.folder.write("outer.stsh", "source inner.stsh\nsource none.stsh\n")
    let outcome = try shell.run("--json", "--keep-going", "-c", "try source outer.stsh", "-c", "echo $(err.code)")
    #expect(
      outcome.output == #"""
        {"ok":false,"file":"inner.stsh","line":1,"error":{"code":"unknown-action","message":"unknown action 'counter.incremnt'","column":10,"hint":"did you mean 'counter.increment'?"}}
        {"ok":false,"file":"outer.stsh","line":1,"error":{"code":"failed","message":"a command of inner.stsh failed"}}
        {"ok":false,"file":"outer.stsh","line":2,"error":{"code":"no-such-file","message":"none.stsh: No such file or directory","column":8}}
        {"ok":false,"file":"-c","line":1,"error":{"code":"failed","message":"a command of outer.stsh failed"}}
        {"ok":true,"line":2,"data":"no-such-file"}

        """#)
    #expect(outcome.errors == "")
  }

  @Test func whatKeepsARunFromStartingIsAnObjectToo() throws {
    let shell = try Shell()
    let missing = #""error":{"code":"no-such-file","message":"none.stsh: No such file or directory"}"#
    #expect(
      try shell.run("--json", "none.stsh")
        == .init(output: "{\"ok\":false,\"file\":\"none.stsh\",\(missing)}\n", status: 2))
    let store = try shell.run("--json", "--store", "no/such.db", "-c", "echo x")
    #expect(store.output.hasPrefix(#"{"ok":false,"error":{"code":"no-such-file","message":"cannot open no/such.db: "#))
    #expect(store.errors == "")
    let plugin = try shell.run("--json", "-p", "no/plugin", "-c", "echo x")
    #expect(plugin.output.hasPrefix(#"{"ok":false,"error":{"code":"plugin-load","#))
    #expect(plugin.errors == "")
  }

  @Test func phasesAreEvents() throws {
    let outcome = try Shell().run(
      "--json", "-c", "trace on --stable", "-c", "dispatch counter.reset", "-c", "trace off")
    #expect(
      outcome.output == #"""
        {"ok":true,"line":1,"data":null}
        {"event":"trace","text":"Q 1 counter.reset"}
        {"event":"trace","text":"R 1 counter {\"value\":0,\"step\":1}→{\"value\":0,\"step\":1}"}
        {"event":"trace","text":"U 1"}
        {"event":"trace","text":"D 1"}
        {"ok":true,"line":2,"data":{"id":1,"action":"counter.reset","changes":[]}}
        {"ok":true,"line":3,"data":null}

        """#)
    #expect(outcome.errors == "")
  }

  @Test func badRecordsAreEvents() throws {
    let shell = try Shell()
    try shell.folder.write("list", "{\"title\":\"a\"}\n{\"titl\":\"b\"}\n")
    let outcome = try shell.run("--json", "-c", "ingest list --as tasks.add --keep-going")
    #expect(
      outcome.output == #"""
        {"event":"bad-record","file":"list","line":2,"message":"tasks.add has no argument 'titl'","hint":"did you mean 'title'?"}
        {"ok":false,"file":"-c","line":1,"error":{"code":"bad-record","message":"1 bad record of list left out, the first at list:2","column":1},"data":{"action":"tasks.add","records":1,"first":1,"last":1,"bad":1,"dropped":0,"blank":0,"replaced":0}}

        """#)
    #expect(outcome.errors == "")
  }
}
