import Glibc
import TerminalSupport
import Testing

/// The server of the article "Hosting a store".
@Suite struct ShopTests {
  private func sorted(_ output: String) -> [Substring] { output.split(separator: "\n").sorted() }

  @Test func itAnswersItsThreadsAndGoesOnWhereItWas() throws {
    let shell = try Shell()
    #expect(try shell.run(program: "Shop", input: "receive apple 5\n").output == "receive apple 5: done\n")
    let outcome = try shell.run(
      program: "Shop", input: "reserve apple 2\nreserve pear 1\nnonsense\nreserve apple 3\n")
    #expect(outcome.status == 0)
    #expect(
      sorted(outcome.output) == [
        "cannot read 'nonsense'", "reserve apple 2: done", "reserve apple 3: done",
        "reserve pear 1: refused, only 0 of pear are free",
      ])
    #expect(
      try shell.run(program: "Shop", input: "reserve apple 1\n").output
        == "reserve apple 1: refused, only 0 of apple are free\n")
  }

  /// As a container runs it: without input, until SIGTERM.
  @Test func asADaemonItServesItsDoorAndEndsInOrder() throws {
    let shell = try Shell()
    let nothing = open("/dev/null", O_RDWR)
    defer { close(nothing) }
    let running = try shell.start(
      ["--daemon"], descriptors: [(0, nothing), (1, nothing), (2, nothing)], program: "Shop")
    let door = shell.folder.path + "/shop.sock"
    for _ in 0..<1000 where !Server.isListening(at: door) { usleep(10_000) }
    let attached = try shell.run("--attach", door, "-c", "dispatch stock.receive apple 5")
    #expect(attached.output.contains("stock.free.apple"), "\(attached)")
    kill(running.process, SIGTERM)
    #expect(try running.waitForEnd() == 0)
    #expect(try shell.run(program: "Shop", input: "reserve apple 5\n").output == "reserve apple 5: done\n")
  }

  /// What it answered is there after it was killed; others attach to it while it runs.
  @Test func itIsKilledAndAttachedTo() throws {
    let shell = try Shell()
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let output = try #require(tmpfile())
    defer { fclose(output) }
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    let running = try shell.start(
      [], descriptors: [(0, ends[0]), (1, fileno(output)), (2, fileno(output))], program: "Shop")
    close(ends[0])
    defer { close(ends[1]) }
    let door = shell.folder.path + "/shop.sock"
    for _ in 0..<1000 where !Server.isListening(at: door) { usleep(10_000) }
    let request = "receive apple 5\n"
    #expect(write(ends[1], request, request.utf8.count) == request.utf8.count)
    let attached = try shell.run(
      "--attach", door, "-c", "wait until state.stock.free.apple == 5 --timeout 20s",
      "-c", "dispatch stock.receive apple 2", "-c", "try dispatch stock.reserve apple 9", "-c", "show stock.free.apple",
      "-c", "log 1", "--keep-going")
    #expect(attached.output.contains("stock.free.apple  5 -> 7"), "\(attached)")
    #expect(attached.output.contains("failed: only 7 of apple are free"), "\(attached)")
    kill(running.process, SIGKILL)
    #expect(try running.waitForEnd() == 128 + SIGKILL)
    #expect(
      try shell.run(program: "Shop", input: "reserve apple 7\n").output == "reserve apple 7: done\n")
  }
}
