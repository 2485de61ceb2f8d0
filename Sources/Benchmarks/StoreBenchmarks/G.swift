import Platform
import StandardModules

/// How cost grows: the same work at *n* and at *4n*, and the ratio of the two.
func growthBenchmarks() -> [Benchmark] {
  [
    growth("G1", "why, log, watch and show of one item, the slowest", target: 1.5, n: looks) { n in
      let shell = try BenchShell(adding: n)
      return lookingBack(n).map { command in { try shell.nanoseconds(command, times: 20) } }
    },
    growth("G1S", "the same where most of it is in a store file alone", target: 1.5, n: looks) { n in
      let shell = try BenchShell(adding: n, isStored: true)
      return lookingBack(n).map { command in { try shell.nanoseconds(command, times: 20) } }
    },
    growth("G1T", "Tab behind the start of an id, the slowest", target: 1.5, n: looks) { n in
      let script = try batch(n, add: "tasks.add", complete: "tasks.complete", flags: " --quiet")
      let terminal = try PromptTerminal(["-i", script], environment: ["XDG_STATE_HOME=\(try temporaryFolder())"])
      try terminal.wait(for: "stsh> ")
      return ["", "7", "\(n - 3)"].map { start in
        { try terminal.milliseconds(ofTabBehind: "dispatch tasks.complete id=\(start)") }
      }
    },
    Benchmark(
      row: "G1M", work: "why at a million actions, the slowest", unit: "ms", target: 50,
      prepare: {
        let shell = try BenchShell(opening: try millionActions())
        return {
          // Of one that was never changed no action tells.
          try ["why counter.value", "why counter.step", "why tasks.items[-1].title", "why tasks.items[id=77].title"]
            .map { try shell.nanoseconds($0, times: 3) / 1e6 }.max() ?? .nan
        }
      }),
    growth("G2", "goto, undo, redo and diff of the last actions, the slowest", target: 1.5, n: looks) { n in
      let shell = try BenchShell(adding: n)
      return goingBack(n).map { commands in { try commands.reduce(0) { try $0 + shell.nanoseconds($1, times: 4) } } }
    },
    growth("G2S", "the same with a store file", target: 1.5, n: looks) { n in
      let shell = try BenchShell(adding: n, isStored: true)
      return goingBack(n).map { commands in { try commands.reduce(0) { try $0 + shell.nanoseconds($1, times: 4) } } }
    },
    growth("G3", "a batch of n adds and n/10 changes by id", target: 5, n: 50_000) { n in
      let file = try batch(n, add: "tasks.add", complete: "tasks.complete")
      return [{ try ProgramRun(["--quiet", file]).milliseconds }]
    },
    growth("G3L", "the same in Lua", target: 5, n: 50_000) { n in
      let plugin = try LuaFixture.folder(named: "rows", text: rowsPlugin)
      let file = try batch(n, add: "rows.add", complete: "rows.complete")
      return [{ try ProgramRun(["--quiet", "-p", plugin, file]).milliseconds }]
    },
    Benchmark(
      row: "G3C", work: "a change by id at a million elements", unit: "ns", target: 2_000,
      prepare: {
        var tasks = Tasks()
        for number in 1...1_000_000 {
          tasks.items.append(Tasks.Task(id: number, title: "task", done: false))
        }
        var id = 0
        return {
          nanoseconds(each: 100_000) { _ in
            id = (id + 381_966) % 1_000_000
            tasks.items[id: id + 1]?.done.toggle()
          }
        }
      }),
    growth("G4", "export in every form, bisect, skip, replay --verify, import, the slowest", target: 5, n: 4_000) { n in
      let shell = try BenchShell(adding: n)
      let recording = "\(shell.folder)/run.jsonl"
      return [
        "export journal \(recording)", "export journal \(shell.folder)/run.stsh --as stsh",
        "export journal \(shell.folder)/run.json --as redux-devtools --last 100",
        "bisect #state.tasks.items >= \(n / 3)", "skip 5", "goto head",
        "replay \(recording) --verify", "export state \(shell.folder)/state.json",
        "import state \(shell.folder)/state.json",
      ].map { command in { try shell.nanoseconds(command, times: 1) } }
    },
    Benchmark(
      row: "G4R", work: "replay --verify", unit: "actions/s", target: 300_000, better: .higher,
      prepare: {
        let shell = try BenchShell(adding: 50_000)
        let recording = "\(shell.folder)/run.jsonl"
        _ = try shell.nanoseconds("export journal \(recording)", times: 1)
        return { 50_000 * 1e9 / (try shell.nanoseconds("replay \(recording) --verify", times: 1)) }
      }),
    growth("G5", "a store file while the state grows", target: 5, n: 50_000) { n in
      let store = try stored(n)
      return [{ try store.write().milliseconds }]
    },
    Benchmark(
      row: "G5T", work: "200,000 adds with a store file, against without", unit: "x", target: 2,
      prepare: {
        let store = try stored(200_000)
        return { try store.write().milliseconds / ProgramRun(["--quiet", store.script]).milliseconds }
      }),
    Benchmark(
      row: "G5B", work: "the file of a million adds, against the actions as JSON lines", unit: "x", target: 2,
      isSteady: true,
      prepare: {
        let store = try millionTasks()
        let lines = "\(try temporaryFolder())/lines.jsonl"
        _ = try ProgramRun(["--store", store.file, "-c", "export journal \(lines)"])
        let ratio = try Double(size(of: store.file)) / Double(size(of: lines))
        unlink(lines)
        return { ratio }
      }),
    growth("G6", "opening it again", target: 5, n: 50_000) { n in
      let store = try stored(n)
      _ = try store.write()
      return [{ try ProgramRun(["--store", store.file, "-c", ""]).milliseconds }]
    },
    Benchmark(
      row: "G6T", work: "opening a store of a million records", unit: "ms", target: 1_000,
      prepare: {
        let store = try millionTasks()
        return { try ProgramRun(["--store", store.file, "-c", ""]).milliseconds }
      }),
    Benchmark(
      row: "G6M", work: "its memory, against that of the live state", unit: "x", target: 1.5, isSteady: true,
      prepare: {
        let store = try millionTasks()
        let live = try ProgramRun.peakMemory(["--quiet", store.script])
        return { try ProgramRun.peakMemory(["--store", store.file, "-c", ""]) / live }
      }),
    Benchmark(
      row: "G6L", work: "memory of an opened store after 400 texts of 1 MB, against live", unit: "x", target: 1.5,
      isSteady: true,
      prepare: {
        let plugin = try LuaFixture.folder(named: "texts", text: textsPlugin)
        let folder = try temporaryFolder()
        try Files.write(
          (1...400).map { "dispatch texts.set size=\(1_000_000 + $0)\n" }.joined(), to: "\(folder)/texts.stsh")
        let live = try ProgramRun.peakMemory(["--quiet", "-p", plugin, "\(folder)/texts.stsh"])
        _ = try ProgramRun(["--quiet", "--store", "\(folder)/texts.db", "-p", plugin, "\(folder)/texts.stsh"])
        return { try ProgramRun.peakMemory(["--store", "\(folder)/texts.db", "-c", ""]) / live }
      }),
    growth("G7", "memory at n actions beyond journal.limit", target: 1.5, n: 50_000) { n in
      let folder = try temporaryFolder()
      try Files.write(String(repeating: "dispatch counter.increment\n", count: n), to: "\(folder)/run.stsh")
      return [
        { try ProgramRun.peakMemory(["--quiet", "-c", "set journal.limit 1000", "-c", "source \(folder)/run.stsh"]) },
        {
          removeStore("\(folder)/g7.db")
          return try ProgramRun.peakMemory([
            "--quiet", "--store", "\(folder)/g7.db", "-c", "set journal.limit 1000", "-c", "source \(folder)/run.stsh",
          ])
        },
      ]
    },
  ]
}

/// A number of actions after which a look back begins at the same place in a block of them as after four times as many.
private let looks = 10_240

private func lookingBack(_ n: Int) -> [String] {
  [
    "why tasks.items[id=77].title", "why tasks.items[-1].title", "log 1", "log --changed tasks.items[id=77]",
    "watch tasks.items[id=77].title", "show tasks.items[id=\(n / 2)]",
  ]
}

private func goingBack(_ n: Int) -> [[String]] {
  [["goto \(n - 3)", "goto head"], ["diff \(n - 3) \(n)"], ["dispatch tasks.complete 5", "undo", "redo", "undo"]]
}

/// A row whose value is the greatest of the ratios of some costs at `4n` to the same at `n`.
private func growth(
  _ row: String, _ work: String, target: Double, n: Int, _ costs: @escaping (Int) throws -> [Benchmark.Sample]
) -> Benchmark {
  Benchmark(
    row: row, work: work, unit: "x", target: target,
    prepare: {
      let (small, large) = (try costs(n), try costs(4 * n))
      return { try zip(small, large).map { small, large in try large() / small() }.max() ?? .nan }
    })
}

/// A script of adds, with a change by id behind every tenth.
private func batch(_ count: Int, add: String, complete: String, flags: String = "") throws -> String {
  let file = try temporaryFolder() + "/batch.stsh"
  let lines = (1...count).map { number in
    "dispatch \(add) title=\"task \(number)\"\(flags)\n"
      + (number.isMultiple(of: 10) ? "dispatch \(complete) id=\(number * 7 / 10)\(flags)\n" : "")
  }
  try Files.write(lines.joined(), to: file)
  return file
}

/// A store file that a script of adds fills.
private struct StoredTasks {
  let script: String
  let file: String

  func write() throws -> ProgramRun {
    removeStore(file)
    return try ProgramRun(["--quiet", "--store", file, script])
  }
}

private func stored(_ count: Int) throws -> StoredTasks {
  let script = try batch(count, add: "tasks.add", complete: "tasks.complete")
  return StoredTasks(script: script, file: try temporaryFolder() + "/g5.db")
}

/// A store file of a million tasks; made once.
private func millionTasks() throws -> StoredTasks {
  let folder = "/tmp/stsh-bench-tasks-\(getuid())"
  let store = StoredTasks(script: "\(folder)/batch.stsh", file: "\(folder)/tasks.db")
  guard access(store.file, R_OK) != 0 || access("\(store.file)-wal", F_OK) == 0 else { return store }
  mkdir(folder, 0o700)
  let script = try batch(1_000_000, add: "tasks.add", complete: "tasks.complete")
  rename(script, store.script)
  _ = try store.write()
  return store
}

private let textsPlugin = """
  return plugin {
    state = { field("text", text()) }, actions = { { name = "set", args = { field("size", int()) } } },
    reducers = { set = function(s, a) s.text = ("z"):rep(a.size) end },
  }
  """

private let rowsPlugin = """
  local Row = record("Row", { field("id", int()), field("title", text()), field("done", bool()) })
  return plugin {
    state = { field("next", int { default = 1 }), field("items", list(Row)) },
    actions = {
      { name = "add", args = { field("title", text()) } }, { name = "complete", args = { field("id", int()) } },
    },
    reducers = {
      add = function(s, a) s.items[#s.items + 1] = { id = s.next, title = a.title, done = false } s.next = s.next + 1 end,
      complete = function(s, a) local row = s.items:id(a.id) if row then row.done = true end end,
    },
  }
  """
