import Platform
import StandardModules
import StoreHost
import StoreShell

func journalBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "J1", work: "B2 with the journal on, durability normal", unit: "records/s", target: 200_000, better: .higher,
      prepare: {
        let (file, count) = try packages()
        let folder = try temporaryFolder()
        return {
          removeStore("\(folder)/j1.db")
          return try ProgramRun([
            "--store", "\(folder)/j1.db", "-c", "plugin load ./plugins/catalog", "-c",
            "ingest \(file) --as catalog.add",
          ]).perSecond(count)
        }
      }),
    Benchmark(
      row: "J2", work: "a dispatch at durability full, above the disk's own flush", unit: "µs", target: 50,
      limit: Benchmark.Limit(
        name: "write and fdatasync of 4 KiB",
        prepare: {
          let folder = try temporaryFolder()
          return { try flushes("\(folder)/flush", 500) }
        }),
      prepare: {
        let folder = try temporaryFolder()
        return {
          removeStore("\(folder)/j2.db")
          return try dispatches(folder, 500)
        }
      }),
    Benchmark(
      row: "J3", work: "open a store of a million actions, the whole process", unit: "ms", target: 100,
      prepare: {
        let store = try millionActions()
        return { try ProgramRun(["--store", store, "-c", ""]).milliseconds }
      }),
    Benchmark(
      row: "J4", work: "goto a point of it, the whole process", unit: "ms", target: 100,
      prepare: {
        let store = try millionActions()
        var point = 0
        return {
          point = (point + 381_966) % 1_000_000
          return try ProgramRun(["--store", store, "-c", "goto \(point + 1)"]).milliseconds
        }
      }),
    Benchmark(
      row: "J5", work: "bisect over it with a Lua predicate, the whole process", unit: "s", target: 2,
      prepare: {
        let store = try millionActions()
        return {
          try ProgramRun(["--store", store, "-c", "bisect state.counter.value >= 750000"]).milliseconds / 1000
        }
      }),
    Benchmark(
      row: "J6", work: "disk for a million small actions with their changes", unit: "MB", target: 200, isSteady: true,
      prepare: {
        let store = try millionActions()
        return { Double(try size(of: store)) / 1e6 }
      }),
  ]
}

func temporaryFolder() throws -> String {
  var template = Array("/tmp/stsh-bench-XXXXXX".utf8CString)
  guard let path = mkdtemp(&template) else { throw ProgramRun.Failure(reason: "no temporary folder") }
  return String(cString: path)
}

func removeStore(_ path: String) {
  for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
}

/// The size of a file, in bytes.
func size(of path: String) throws -> Int {
  var status = stat()
  guard stat(path, &status) == 0 else { throw ProgramRun.Failure(reason: "no \(path)") }
  return status.st_size
}

/// A store in which a million small actions have happened; made once.
func millionActions() throws -> String {
  let store = "/tmp/stsh-bench-million-\(getuid()).db"
  guard access(store, R_OK) != 0 || access("\(store)-wal", F_OK) == 0 else { return store }
  removeStore(store)
  var lines = ""
  for turn in 1...100_000 {
    // Ten actions: four of them make, finish and remove tasks, so that a few hundred are there at a time.
    for _ in 1...3 { lines += "dispatch counter.increment\n" }
    lines += "dispatch tasks.add title=\"Buy milk\"\ndispatch counter.increment by=2\n"
    lines += "dispatch tasks.add title=\"Write report\"\ndispatch counter.increment by=3\n"
    lines += turn > 100 ? "dispatch tasks.complete id=\(2 * turn - 150)\n" : "dispatch counter.increment\n"
    lines += turn > 100 ? "dispatch tasks.remove id=\(2 * turn - 200)\n" : "dispatch counter.increment\n"
    lines += turn > 100 ? "dispatch tasks.remove id=\(2 * turn - 199)\n" : "dispatch counter.increment\n"
  }
  let file = "/tmp/stsh-bench-million-\(getuid()).actions"
  try Files.write(lines, to: file)
  _ = try ProgramRun(["--quiet", "--store", store, file])
  return store
}

/// A file of whole pages: the disk has each page when `flush` returns.
private struct FlushedFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let page = [UInt8](repeating: 1, count: 4096)

  init(_ path: String) throws {
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    self.path = path
    guard descriptor >= 0 else { throw ProgramRun.Failure(reason: "cannot write \(path)") }
  }

  deinit { close(descriptor) }

  /// Writes a page, has the disk keep it, and gives the time that this takes, in nanoseconds.
  func flush() throws -> Int {
    let start = monotonicNanoseconds()
    guard write(descriptor, page, page.count) == page.count, fdatasync(descriptor) == 0 else {
      throw ProgramRun.Failure(reason: "cannot flush \(path)")
    }
    return monotonicNanoseconds() - start
  }
}

/// The time that the disk takes to keep a page, in microseconds: the median of `count`.
private func flushes(_ path: String, _ count: Int) throws -> Double {
  let file = try FlushedFile(path)
  return try median((0..<count).map { _ in try file.flush() })
}

/// The time that a dispatch takes beyond the disk's own flush, in microseconds: its answer is printed once it is on the
/// disk.
///
/// The disk's own speed drifts by more than the value that is measured. Each dispatch is therefore followed by a flush,
/// and the medians of both are compared.
private func dispatches(_ folder: String, _ count: Int) throws -> Double {
  let null = open("/dev/null", O_WRONLY)
  defer { close(null) }
  let file = try FlushedFile("\(folder)/flush")
  var options = SessionOptions()
  options.journal = JournalPlan(path: "\(folder)/j2.db", durability: .full)
  let console = Console(output: null, error: null)
  let session = try Session(
    Application(initial: StandardState(), reducer: StandardState.reducer), options: options, console: console)
  guard session.openJournal() == 0 else { throw ProgramRun.Failure(reason: "cannot open a journal in \(folder)") }
  var times: [Int] = []
  var flushes: [Int] = []
  for _ in 0..<count {
    let start = monotonicNanoseconds()
    guard session.run(commands: ["dispatch counter.increment"]) == 0 else {
      throw ProgramRun.Failure(reason: "a dispatch failed")
    }
    console.flush()
    times.append(monotonicNanoseconds() - start)
    flushes.append(try file.flush())
  }
  _ = session.endJournal()
  return median(times) - median(flushes)
}

/// The median of times in nanoseconds, in microseconds.
private func median(_ nanoseconds: [Int]) -> Double {
  Double(nanoseconds.sorted()[nanoseconds.count / 2]) / 1000
}
