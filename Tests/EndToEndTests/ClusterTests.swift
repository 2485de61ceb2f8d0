import Glibc
import TerminalSupport
import Testing

/// A store that several runs of the program share, on servers of NATS.
@Suite(
  "A shared store",
  .enabled(if: NATSServers.areThere, "nats-server or libnats is not installed; scripts/test-shared installs both"),
  .serialized)
struct ClusterTests {
  private let servers: NATSServers
  private let shell: Shell

  init() throws {
    servers = try NATSServers()
    shell = try Shell()
  }

  private var address: String { "nats://\(servers.hosts)/shop" }

  /// Runs lines as a node of its own.
  private func run(_ name: String, _ lines: String...) throws -> Shell.Outcome {
    try shell.run(arguments(name, lines))
  }

  private func arguments(_ name: String, _ lines: [String]) -> [String] {
    ["--store", address, "--name", name] + lines.flatMap { ["-c", $0] }
  }

  /// Starts lines as a node of its own; what it says goes nowhere.
  private func start(_ name: String, _ lines: String...) throws -> RunningProgram {
    let quiet = open("/dev/null", O_RDWR)
    defer { close(quiet) }
    return try shell.start(arguments(name, lines), descriptors: [(0, quiet), (1, quiet), (2, quiet)])
  }

  @Test func `What one run did, the next one has, and takes back`() throws {
    let first = try run("berlin-1", "dispatch tasks.add milk", "dispatch tasks.add bread", "log")
    #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
    #expect(first.output.hasPrefix("#1 tasks.add title=\"milk\"\n"), "\(first)")
    #expect(first.output.contains("#2 tasks.add title=\"bread\""))
    let second = try run("lisbon-2", "show tasks.items[1].title", "dispatch tasks.complete 1 --quiet", "undo", "log 1")
    #expect(second.output.hasPrefix("\"milk\"\n#4 shell.restore"), "\(second)")
    #expect(second.status == 0)
    let third = try run("oslo-3", "= state.tasks.items[1].done", "= #state.tasks.items", "undo --to 1", "redo")
    #expect(third.output.hasPrefix("false\n2\n#5 shell.restore to=1"), "\(third)")
    #expect(third.output.contains("#6 shell.restore"), "\(third)")
    #expect(try run("rome-4", "= #state.tasks.items").output == "2\n")
  }

  @Test func `A run that waits sees at once what another one does`() throws {
    let waiting = try start("berlin-1", "wait until state.counter.value == 3 --timeout 60s", "dispatch tasks.add seen")
    let acting = try run("lisbon-2", "lua for i = 1, 3 do dispatch('counter.increment') end")
    #expect(acting.status == 0, "\(acting)")
    #expect(try waiting.waitForEnd() == 0)
    #expect(try run("oslo-3", "show tasks.items[1].title").output == "\"seen\"\n")
  }

  @Test func `Runs that act at the same time lose nothing, and nothing happens twice`() throws {
    let runs = try (0..<4).map { try start("node-\($0)", "lua for i = 1, 50 do dispatch('counter.increment') end") }
    for run in runs { #expect(try run.waitForEnd() == 0) }
    let after = try run("late", "= state.counter.value", "log 1 --json")
    #expect(after.output.hasPrefix("200\n"), "\(after)")
    #expect(after.output.contains("\"id\":200"), "\(after)")
  }

  @Test func `Failures, settings, gates and substates are those of all`() throws {
    let failing = try run("a", "set runaway 77", "middleware on logger", "dispatch counter.setStep 5 --quiet")
    #expect(failing.status == 0, "\(failing)")
    let overflow = try run("b", "dispatch counter.increment 9223372036854775807 --quiet", "dispatch counter.increment")
    #expect(overflow.errors.contains("error[out-of-range]"), "\(overflow)")
    let reader = try run("c", "set runaway", "middleware", "log", "why counter.step")
    #expect(reader.output.contains("77"), "\(reader)")
    #expect(reader.output.contains("out-of-range"), "\(reader)")
    #expect(reader.output.contains("counter.step"))
  }

  @Test func `An imported state comes to all`() throws {
    try shell.folder.write("state.json", #"{"counter": {"value": 41, "step": 2}}"#)
    let importing = try run("a", "import state state.json > /dev/null", "dispatch counter.increment --quiet")
    #expect(importing.status == 0, "\(importing)")
    #expect(try run("b", "= state.counter.value").output == "43\n")
    #expect(try run("c", "undo --to 1 > /dev/null", "= state.counter.value").output.hasSuffix("41\n"))
  }

  @Test func `What a shared store cannot be opened for is said`() throws {
    let port = servers.port(0)
    servers.stop(0)
    let none = try run("a", "log")
    #expect(none.status == 6 && none.errors.contains("error[no-shared-store]: no NATS server answers"), "\(none)")
    let virtual = try shell.run("--store", "nats://127.0.0.1:\(port)/shop", "--clock", "virtual", "-c", "log")
    #expect(virtual.status == 2 && virtual.errors.contains("--clock virtual cannot be combined"), "\(virtual)")
    let durable = try shell.run("--store", address, "--durability", "full", "-c", "log")
    #expect(durable.status == 2 && durable.errors.contains("--durability is for a store in a file"), "\(durable)")
    let compacting = try shell.run("-c", "compact \(address)")
    #expect(compacting.errors.contains("error[not-allowed]: a shared store is kept by its servers"), "\(compacting)")
    let bare = try shell.run("--name", "a", "-c", "log")
    #expect(bare.status == 2 && bare.errors.contains("--name is for a shared store"), "\(bare)")
    let address = try shell.run("--store", "nats://127.0.0.1:\(port)", "-c", "log")
    #expect(address.status == 2 && address.errors.contains("the store's name is missing"), "\(address)")
  }

  @Test func `A run that is killed begins at the end of its file, which fits its log alone`() throws {
    let arguments = ["--store", address, "--name", "a", "--cache", "a.cache"]
    let killed = try shell.run(
      arguments + [
        "-c", "dispatch counter.increment 7 --quiet", "-c", "dispatch counter.increment --quiet", "-c",
        "run sh -c 'kill -9 $PPID'",
      ])
    #expect(killed.status != 0, "\(killed)")
    let again = try shell.run(arguments + ["-c", "= state.counter.value", "-c", "log 1"])
    #expect(again.status == 0 && again.output.hasPrefix("8\n") && again.output.contains("#2  "), "\(again)")
    let other = try shell.run(
      "--store", "a.cache", "-c", "= state.counter.value", "-c", "dispatch counter.increment --quiet")
    #expect(other.output == "8\n", "\(other)")
    let refused = try shell.run(arguments + ["-c", "log"])
    #expect(
      refused.status == 2 && refused.errors.contains("a.cache is not the file of a node of this store"), "\(refused)")
    let alone = try shell.run("--cache", "a.cache", "-c", "log")
    #expect(alone.status == 2 && alone.errors.contains("--cache is for a shared store"), "\(alone)")
  }

  @Test func `A plugin that one run brings only follows in another until its user grants it`() throws {
    try shell.folder.write(
      "greeter/plugin.json", #"{ "name": "greeter", "version": "0.1.0", "api": 1, "permissions": ["read:counter"] }"#)
    try shell.folder.write(
      "greeter/init.lua",
      """
      return plugin {
        state = { field("seen", int()) },
        actions = { { name = "see" } },
        reducers = { see = function(s) s.seen = s.seen + 1 end },
        middleware = { { name = "m", on = { "counter.increment" }, after = function(action, ctx) ctx:dispatch("greeter.see") end } },
      }
      """)
    let loading = try shell.run(
      arguments("a", ["plugin load ./greeter", "dispatch counter.increment --quiet"]) + ["--grant", "greeter"])
    #expect(loading.status == 0, "\(loading)")
    // On the other machine the folder has other code, or none.
    try shell.folder.write("greeter/init.lua", "return plugin { state = { field('seen', int()) } }")
    let lacking = try run("b", "plugin list", "= state.greeter.seen", "dispatch counter.increment")
    #expect(lacking.status == 4 && lacking.errors.contains("greeter asks for what is not granted here"), "\(lacking)")
    #expect(lacking.output.contains("reducers only") && lacking.output.hasSuffix("1\n"), "\(lacking)")
    #expect(lacking.errors.contains("plugin grant greeter brings the rest of it"), "\(lacking)")
    let granting = try run(
      "c", "plugin grant greeter > /dev/null", "dispatch counter.increment --quiet",
      "wait until state.greeter.seen == 2")
    #expect(granting.status == 0, "\(granting)")
    #expect(try run("d", "dispatch counter.increment --quiet").status == 0)
  }

  @Test func `When the keeper is killed, its timers go on at a node that was granted them`() throws {
    try shell.folder.write(
      "later/plugin.json", #"{ "name": "later", "version": "0.1.0", "api": 1, "permissions": ["timers"] }"#)
    try shell.folder.write(
      "later/init.lua",
      """
      return plugin {
        state = { field("fired", int()), field("plans", map(record("Plan", { field("due", number()) }))) },
        actions = { { name = "plan", args = { field("ms", int()) } }, { name = "fire", args = { field("key", text()) } } },
        reducers = {
          plan = function(s, a, meta) s.plans.p = { due = meta.at + a.ms / 1000 } end,
          fire = function(s, a) s.plans[a.key] = nil s.fired = s.fired + 1 end,
        },
        middleware = { { name = "t", supervise = { over = "plans", at = "due",
          task = function(task, key) task:dispatch("later.fire", { key = key }) end } } },
      }
      """)
    let quiet = open("/dev/null", O_RDWR)
    defer { close(quiet) }
    let keeper = try shell.start(
      arguments("a", ["plugin load ./later", "wait 100s"]) + ["--grant", "later"],
      descriptors: [(0, quiet), (1, quiet), (2, quiet)])
    #expect(eventually { (try? run("probe", "plugin list").output.contains("later")) ?? false })
    let ungranted = try start("b", "wait 100s")
    defer {
      kill(ungranted.process, SIGKILL)
      waitpid(ungranted.process, nil, 0)
    }
    let granted = try shell.run(
      arguments(
        "c",
        [
          "dispatch later.plan ms=1000 --quiet", "run sh -c 'kill -9 \(keeper.process)'",
          "wait until state.later.fired == 1 --timeout 60s", "node",
        ]) + ["--grant", "later"])
    #expect(granted.status == 0, "\(granted)")
    #expect(try keeper.waitForEnd() == 128 + SIGKILL)
  }

  @Test func `A run begins with all that was acknowledged before, however long that takes to read`() throws {
    let text = String(repeating: "x", count: 3_000_000)
    for count in 1...3 {
      try shell.folder.write("add.stsh", "dispatch tasks.add \"\(text)\" --quiet\n")
      #expect(try shell.run("--store", address, "add.stsh").status == 0)
      #expect(
        try run("b", "= #state.tasks.items", "= #state.tasks.items[\(count)].title").output == "\(count)\n3000000\n")
    }
  }

  @Test func `A run that only follows dispatches nothing`() throws {
    let missing = try shell.run("--store", address, "--read-only", "-c", "log")
    #expect(missing.status == 6 && missing.errors.contains("there is no shared store shop at nats://"), "\(missing)")
    try shell.folder.write("looked-at.stsh", "dispatch counter.increment\n")
    #expect(try shell.run("--store", address, "--check", "looked-at.stsh").status == 0)
    #expect(try shell.run("--store", address, "--read-only", "-c", "log").status == 6)
    #expect(try run("a", "dispatch counter.increment --quiet").status == 0)
    let reader = try shell.run(
      "--store", address, "--read-only", "-c", "= state.counter.value", "-c", "dispatch counter.increment")
    #expect(reader.output == "1\n", "\(reader)")
    #expect(reader.errors.contains("error[not-allowed]: this node is read-only"), "\(reader)")
  }

  @Test func `Without its log a run refuses, and goes on once it is back`() throws {
    try shell.folder.write(
      "cut.stsh",
      """
      dispatch counter.increment --quiet
      run kill-server
      try dispatch counter.increment --quiet
      echo $(err.code)
      = state.counter.value
      run start-server
      retry 60 every 1s dispatch counter.increment --quiet
      = state.counter.value
      """)
    for name in ["kill-server", "start-server"] {
      // The test does it when it finds the file, and takes the file away.
      try shell.folder.write(name, "#!/bin/sh\ntouch wants-\(name)\nwhile test -e wants-\(name); do sleep 0.02; done\n")
      chmod("\(shell.folder.path)/\(name)", 0o755)
    }
    guard let output = tmpfile() else { throw ProgramFailure("no temporary file") }
    defer { fclose(output) }
    let text = try #require(contents(ofFile: "\(shell.folder.path)/cut.stsh"))
    try shell.folder.write(
      "cut.stsh", text.replacing("run kill", with: "run ./kill").replacing("run start", with: "run ./start"))
    let running = try shell.start(
      ["--store", address, "--name", "berlin-1", "cut.stsh"], descriptors: [(1, fileno(output)), (2, fileno(output))])
    let folder = shell.folder.path
    #expect(eventually { access("\(folder)/wants-kill-server", F_OK) == 0 })
    servers.stop(0)
    unlink("\(folder)/wants-kill-server")
    #expect(eventually { access("\(folder)/wants-start-server", F_OK) == 0 })
    try servers.start(0)
    unlink("\(folder)/wants-start-server")
    let status = try running.waitForEnd()
    rewind(output)
    let said = String(decoding: bytes(of: output), as: UTF8.self)
    #expect(status == 0, "\(said)")
    #expect(said.contains("cut-off\n1\n") || said.contains("outcome-unknown\n1\n"), "\(said)")
    #expect(said.hasSuffix("2\n") || said.hasSuffix("3\n"), "\(said)")
  }

  /// Longer ones: `scripts/torture --cluster`.
  @Test func `A server and nodes that are killed, stopped and cut off lose nothing that was acknowledged`() throws {
    let outcome = try shell.runInShell(
      "\(Shell.packageFolder)/scripts/torture-cluster --servers 1 --kills 9 --stops 2 --cuts 4 --stsh $(command -v stsh)"
    )
    let isRight = outcome.output.contains(" 0 lost, 0 twice, linearizable: yes, digests alike: yes")
    #expect(outcome.status == 0 && isRight, "\(outcome)")
  }
}
