import Platform

/// The files of the rows B1 and B3, each made once.
enum Lines {
  static let count = 1_000_000

  /// Commands that all differ: five actions of two modules, with numbers, texts and names, as `lines` of the design's bench.
  static func differing() throws -> String {
    try file("differing.stsh") { file in
      var added = 0
      for line in 0..<count {
        let number = (line &* 7_919) % 1_000_000 + 1
        switch number % 100 {
        case 0..<35: file += "dispatch counter.increment by=\(number)\n"
        case 35..<55: file += "dispatch counter.decrement \(number)\n"
        case 55..<65: file += "dispatch counter.setStep to=\(line)\n"
        case 95... where added > 0: file += "dispatch tasks.complete \(number % added + 1)\n"
        default:
          added += 1
          file += "dispatch tasks.add title=\"task \(line) of \(["home", "work", "the garden"][number % 3])\"\n"
        }
      }
    }
  }

  /// The same command on each line.
  static func equal() throws -> String {
    try file("equal.stsh") { $0 = String(repeating: "dispatch counter.increment\n", count: count) }
  }

  /// How many lines a second others read and run: sqlite3 inserts that differ in one transaction, lua5.4 loads each line. The
  /// quicker one; nil: neither is there.
  static var others: Benchmark.Limit? {
    let (sqlite, lua) = ("/usr/bin/sqlite3", "/usr/bin/lua5.4")
    guard access(sqlite, X_OK) == 0 || access(lua, X_OK) == 0 else { return nil }
    return Benchmark.Limit(name: "sqlite3 inserts as many rows, or lua5.4 loads as many lines, whichever is quicker") {
      let rows = try file("rows.sql") { file in
        file = "create table t(id integer primary key, title text, done integer);\nbegin;\n"
        for line in 0..<count { file += "insert into t(title, done) values('task \(line)', \(line % 2));\n" }
        file += "commit;\n"
      }
      let lines = try file("lines.lua") { file in
        for line in 0..<count { file += "x = x + \(line) y[\(line % 1000)] = 'task \(line)'\n" }
      }
      return {
        try [
          access(sqlite, X_OK) == 0 ? ProgramRun([":memory:", ".read \(rows)"], program: sqlite) : nil,
          access(lua, X_OK) == 0
            ? ProgramRun(["-e", "x, y = 0, {} for l in io.lines('\(lines)') do load(l)() end"], program: lua) : nil,
        ].compactMap { $0?.perSecond(count) }.max() ?? 0
      }
    }
  }

  private static func file(_ name: String, _ write: (inout String) -> Void) throws -> String {
    let path = "/tmp/stsh-bench-\(getuid())-\(name)"
    var text = ""
    write(&text)
    try Files.write(text, to: path)
    return path
  }
}
