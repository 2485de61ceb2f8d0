import Glibc
import TerminalSupport
import Testing

/// Whatever leaves the program tells of actions that are kept, however it ends right behind that.
@Suite("Answers that last")
struct DurableAnswerTests {
  private func value(in shell: Shell) throws -> String {
    try shell.run("--store", "kept.db", "-c", "show counter.value").output
  }

  @Test(arguments: ["full", "normal"]) func anAnswerByADoorWithoutText(durability: String) throws {
    let statements: [(String, Int)] = [
      ("dispatch counter.increment --quiet", 1), ("lua for i = 1, 100 do dispatch('counter.increment') end", 100),
      ("lua command('dispatch counter.increment --quiet') command('undo --quiet')", 0),
      ("try dispatch counter.increment --quiet", 1),
    ]
    for (statement, expected) in statements {
      let shell = try Shell()
      let server = try Server(shell, "--store", "kept.db", "--durability", durability)
      let answer = try shell.run("--attach", server.path, "--quiet", "-c", statement)
      _ = try server.end(by: SIGKILL)
      #expect(answer == Shell.Outcome(), "\(statement)")
      #expect(try value(in: shell) == "\(expected)\n", "\(statement)")
    }
  }

  @Test func whatOthersReadIsKept() throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    // Its process goes on, and only others read what it did.
    let answer = try shell.runInShell(
      """
      stsh --attach \(server.path) --quiet -c 'dispatch counter.increment --quiet' -c 'wait 1h' & writer=$!
      stsh --attach \(server.path) -c 'wait until state.counter.value == 1' -c 'log'; kill $writer; wait $writer
      """)
    _ = try server.end(by: SIGKILL)
    #expect(answer.output.contains("counter.increment"))
    #expect(try value(in: shell) == "1\n")
  }

  @Test(arguments: [
    "lua run('sh', '-c', 'kill -9 $PPID')", "show counter.value | kill -9 $PPID",
    "export journal f > /dev/null | kill -9 $PPID",
  ])
  func aProgramThatIsStarted(statement: String) throws {
    let shell = try Shell()
    let outcome = try shell.run("--store", "kept.db", "--quiet", "-c", "dispatch counter.increment", "-c", statement)
    guard outcome.status == 137 else { return #expect(outcome.status == 2) }
    #expect(try value(in: shell) == "1\n")
  }

  /// Lua with all of its libraries reaches nothing before what it did is kept. Whoever sees that ends the program at once.
  @Test(
    arguments: [
      "os.execute('kill -9 $PPID')", "io.popen('kill -9 $PPID'):close()", "io.open('seen', 'w'):close()",
      "io.write('seen') io.stdout:flush()", "local file = io.open('seen', 'a') file:write('x') file:flush()",
      "os.rename('kept', 'seen')", "local made = os.rename made('kept', 'seen')", "os.exit(0)",
      "coroutine.wrap(function() os.rename('kept', 'seen') end)()",
    ], ["full", "normal"])
  func whatUnrestrictedLuaReaches(lua: String, durability: String) throws {
    let shell = try Shell()
    try shell.folder.write("kept", "")
    try shell.folder.write(
      "a.lua", "for i = 1, 3000 do dispatch('counter.increment') end \(lua) while true do end")
    let outcome = try shell.runInShell(
      """
      stsh --unsafe-lua --store kept.db --durability \(durability) --quiet -c "lua dofile('a.lua')" > seen.out & run=$!
      until [ -e seen ] || [ -s seen.out ] || ! kill -0 $run; do :; done 2> /dev/null
      kill -9 $run 2> /dev/null; wait $run; echo status $?
      """)
    #expect(outcome.output.contains("status"), "\(outcome)")
    #expect(try value(in: shell) == "3000\n", "\(outcome)")
  }

  /// No command that reaches something outside of the store does so before what was done is kept.
  @Test(arguments: ["plugin new seen", "export state seen", "source touch.stsh"])
  func aCommandThatReachesSomethingOutside(statement: String) throws {
    let shell = try Shell()
    try shell.folder.write("touch.stsh", "run touch seen\n")
    let outcome = try shell.runInShell(
      """
      stsh --store kept.db --quiet -c 'lua for i = 1, 3000 do dispatch("counter.increment") end' -c '\(statement)' \
        -c 'lua while true do end' & run=$!
      until [ -e seen ] || ! kill -0 $run; do :; done 2> /dev/null
      kill -9 $run; wait $run; echo status $?
      """)
    #expect(outcome.output.contains("status 137"), "\(outcome)")
    #expect(try value(in: shell) == "3000\n", "\(outcome)")
  }

  @Test func aFileThatIsWritten() throws {
    let shell = try Shell()
    let outcome = try shell.runInShell(
      """
      mkfifo f; stsh --store kept.db --quiet -c 'dispatch counter.increment' -c 'export journal f' -c 'wait 1h' & writer=$!
      cat f > out; kill -9 $writer; wait $writer; grep -c counter.increment out
      """)
    #expect(outcome.output.hasSuffix("1\n"), "\(outcome.output)")
    #expect(try value(in: shell) == "1\n")
  }

  // MARK: The door itself

  @Test func aDoorOpensOnceItsStoreIsReady() throws {
    let shell = try Shell()
    let made = try shell.run(
      "--quiet", "-c", "lua for i = 1, 3000 do dispatch('counter.increment') end", "-c", "export journal big.jsonl")
    #expect(made.status == 0)
    let server = try Server(shell, "--replay", "big.jsonl", "-c", "dispatch counter.increment --quiet")
    let answer = try shell.run("--attach", server.path, "-c", "= state.counter.value >= 3000")
    #expect(answer == Shell.Outcome(output: "true\n"))
  }

  /// A link is another way to the file, and to what SQLite keeps beside it.
  @Test(arguments: ["../kept.db", "kept.db", "/"]) func aKilledStoreIsWholeThroughALink(target: String) throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    let answer = try shell.run("--attach", server.path, "-c", "dispatch counter.increment --quiet")
    _ = try server.end(by: SIGKILL)
    #expect(answer.status == 0)
    let folder = shell.folder.path
    try shell.folder.write("x/other", "")
    let link = target == "kept.db" ? "link.db" : "x/link.db"
    symlink(target == "/" ? "\(folder)/kept.db" : target, "\(folder)/\(link)")
    let outcome = try shell.run(
      "--store", link, "--quiet", "-c", "dispatch counter.increment", "-c", "show counter.value")
    #expect(outcome.status == 0 && outcome.output == "2\n" && !outcome.errors.contains("lost"), "\(outcome)")
    #expect(try value(in: shell) == "2\n")
  }

  /// SQLite finds its log by the name that a file was opened by: another name of the file has none.
  @Test func aKilledStoreIsRefusedByItsOtherName() throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    _ = try shell.run("--attach", server.path, "-c", "dispatch counter.increment --quiet")
    _ = try server.end(by: SIGKILL)
    link("\(shell.folder.path)/kept.db", "\(shell.folder.path)/other.db")
    let refused = try shell.run("--store", "other.db", "-c", "dispatch counter.increment")
    let reason = "error[store-failed]: cannot open other.db: it has 2 names, and its write-ahead log is beside another"
    // Nothing of it is damaged.
    #expect(
      refused.status != 0 && refused.errors.hasPrefix(reason) && !refused.errors.contains("damaged"), "\(refused)")
    #expect(try value(in: shell) == "1\n")
  }

  /// An answer that the file cannot have says so, each one, whoever gets it.
  @Test(arguments: [[], ["--json"]]) func anAnswerThatIsInMemoryAloneSaysSo(flags: [String]) throws {
    let shell = try Shell()
    let server = try Server(shell, "--store", "kept.db")
    _ = try shell.runInShell("rm kept.db*")
    for _ in 0..<3 {
      let answer = try shell.run(["--attach", server.path] + flags + ["-c", "dispatch counter.increment"])
      #expect((answer.errors + answer.output).contains("what this answer tells of is kept in memory only"), "\(answer)")
    }
    _ = try server.end(by: SIGKILL)
  }

  @Test func aPlaceThatIsTakenLeavesNoStore() throws {
    let shell = try Shell()
    let server = try Server(shell)
    let outcome = try shell.run("serve", "--listen", server.path, "--store", "new.db")
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("another process listens at"))
    #expect(access(shell.folder.path + "/new.db", F_OK) != 0)
  }

  @Test func aPlaceThatIsNoSocketLeavesNothing() throws {
    let shell = try Shell()
    try shell.folder.write("notes.txt", "precious\n")
    let before = names(inFolder: shell.folder.path)
    for arguments in [["serve", "--listen", "./notes.txt"], ["--listen", "./notes.txt", "-c", "echo x"]] {
      let outcome = try shell.run(arguments + ["--store", "new.db"])
      #expect(outcome.status != 0)
      #expect(outcome.errors.contains("notes.txt is there and is not a socket"), "\(outcome)")
      #expect(names(inFolder: shell.folder.path) == before)
    }
    #expect(contents(ofFile: shell.folder.path + "/notes.txt") == "precious\n")
  }

  /// A link that the program did not make stays, also where its lock would be.
  @Test func aLinkInThePlaceOfALockStays() throws {
    let shell = try Shell()
    try shell.folder.write("precious", "")
    symlink("precious", shell.folder.path + "/door.lock")
    let outcome = try shell.run("--listen", "./door", "-c", "echo x")
    #expect(outcome.errors.contains("./door.lock is a link, and would be removed"), "\(outcome)")
    #expect(names(inFolder: shell.folder.path).filter { $0 != "home" }.sorted() == ["door.lock", "precious"])
  }

  /// What SQLite keeps beside a store is the store's too, before it is there.
  @Test(arguments: ["kept.db", "./kept.db-wal", "kept.db-shm", "x/../kept.db-wal"])
  func aPlaceOfTheStoreIsNoPlaceForADoor(file: String) throws {
    let shell = try Shell()
    try shell.folder.write("x/y", "")
    for isThere in [false, true] {
      let path = file.contains("/") ? file : "./\(file)"
      for arguments in [["--listen", "127.0.0.1:0", "--token-file", file], ["--listen", path]] {
        let outcome = try shell.run(arguments + ["--store", "kept.db", "-c", "dispatch counter.increment"])
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("that file is the store's own"), "\(arguments): \(outcome)")
      }
      if isThere { continue }
      #expect(access(shell.folder.path + "/kept.db", F_OK) != 0)
      #expect(try shell.run("--store", "kept.db", "-c", "dispatch counter.increment --quiet") == Shell.Outcome())
    }
    #expect(try value(in: shell) == "1\n")
  }

  /// Nor is a place of another store, which is closed.
  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func aPlaceOfAnotherStoreIsNoPlaceForADoor(ending: String) throws {
    let shell = try Shell()
    #expect(try shell.run("--store", "kept.db", "-c", "dispatch counter.increment --quiet") == Shell.Outcome())
    let before = names(inFolder: shell.folder.path)
    for arguments in [
      ["--listen", "127.0.0.1:0", "--token-file", "kept.db\(ending)"], ["--listen", "./kept.db\(ending)"],
    ] {
      for store in [[], ["--store", "new.db"]] {
        let outcome = try shell.run(arguments + store + ["-c", "dispatch counter.increment"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("store"), "\(outcome)")
        #expect(names(inFolder: shell.folder.path) == before)
      }
    }
    #expect(try value(in: shell) == "1\n")
  }

  @Test(arguments: ["precious\n", "", "0123456789abcdef0123456789abcdeg\n"])
  func aFileThatIsNoTokenStays(content: String) throws {
    let shell = try Shell()
    try shell.folder.write("notes.txt", content)
    let outcome = try shell.run("serve", "--listen", "127.0.0.1:0", "--token-file", "notes.txt", "--timeout", "10s")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("notes.txt: that file is not a token, and would be replaced"))
    #expect(try shell.runInShell("cat notes.txt").output == content)
  }

  @Test func anEarlierTokenIsReplaced() throws {
    let shell = try Shell()
    let former = "0123456789abcdef0123456789abcdef"
    try shell.folder.write("token", "\(former)\n")
    let outcome = try shell.run("--listen", "127.0.0.1:0", "--token-file", "token", "-c", "echo in")
    #expect(outcome.output == "in\n")
    let token = try shell.runInShell("cat token").output
    #expect(token.count == former.count + 1 && !token.hasPrefix(former))
  }
}
