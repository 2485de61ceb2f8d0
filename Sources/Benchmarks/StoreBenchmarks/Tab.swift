import Platform

/// Completion at a prompt with very much to choose from: five plugins of 2,000 actions each, a list of 100,000 records.
func completionBenchmarks() -> [Benchmark] {
  [
    Benchmark(
      row: "T1", work: "Tab with 10,000 actions and 100,000 records", unit: "ms", target: 10,
      prepare: {
        let terminal = try crowdedPrompt()
        return {
          // Of all positions the slowest counts.
          try [
            "dispatch crow", "dispatch crowded1.", "dispatch crowded1.action199", "dispatch crowded1.remove id=",
            "dispatch crowded1.remove ", "show crowded1.", "= state.crow",
          ].map { try terminal.milliseconds(ofTabBehind: $0) }.max() ?? .nan
        }
      }),
    Benchmark(
      row: "T2", work: "a key with hints and colours there, and 10,000 past lines: the 99th of 100", unit: "ms",
      target: 2,
      prepare: {
        let terminal = try crowdedPrompt(pastLines: 10_000)
        return {
          let times = try [
            "dispatch crowded1.action1999 by=12 --quiet", "show crowded1.items where id > 99000 and title:find('it')",
            "dispatch crowded5.nothing \"an open quote\"", "try time dispatch crowded1.remove id=91234 --quiet",
            "describe crowded3.action17 and words that nobody has typed before",
            "= (state.crowded1.items[17].id + 1) * 2",
          ].flatMap { try terminal.milliseconds(perKeyOf: $0) }.sorted()
          return times[times.count * 99 / 100]
        }
      }),
  ]
}

extension PromptTerminal {
  /// The time that a Tab at the end of a line takes until all that it shows is there, in milliseconds.
  func milliseconds(ofTabBehind line: String) throws -> Double {
    type(line)
    _ = try settle(within: 50)
    let time = try milliseconds(ofKey: "\t")
    try clear()
    return time
  }

  /// The times that the keys of a line take until they are drawn, with colours, hint and suggestion, in milliseconds.
  fileprivate func milliseconds(perKeyOf line: String) throws -> [Double] {
    let times = try line.map { try milliseconds(ofKey: String($0)) }
    try clear()
    return times
  }

  private func milliseconds(ofKey key: String) throws -> Double {
    let start = monotonicNanoseconds()
    type(key)
    return Double(try settle(within: 5) - start) / 1e6
  }

  private func clear() throws {
    type("\u{3}")
    _ = try settle(within: 20)
  }
}

private func crowdedPrompt(pastLines: Int = 0) throws -> PromptTerminal {
  let folders = try (1...5).map { number in
    try LuaFixture.folder(
      named: "crowded\(number)", text: crowdedPlugin, limits: #""memory":"64MiB","instructions":20000000"#)
  }
  let script = folders[0] + "/fill.stsh"
  if pastLines > 0 {
    let lines = (1...pastLines).map { "#1700000000\ndispatch crowded2.action\($0 % 1998 + 1) by=\($0)\n" }
    try Files.makeFolder("\(folders[0])/state/stsh")
    try Files.write(lines.joined(), to: "\(folders[0])/state/stsh/history")
  }
  try Files.write(String(repeating: "dispatch crowded1.fill --quiet\n", count: 100), to: script)
  let terminal = try PromptTerminal(
    folders.flatMap { ["-p", $0] } + ["-i", script], environment: ["XDG_STATE_HOME=\(folders[0])/state"])
  try terminal.wait(for: "stsh> ")
  return terminal
}

private let crowdedPlugin = """
  local actions = { { name = "fill" }, { name = "remove", args = { field("id", int()) } } }
  local reducers = {
    fill = function(s) for i = 1, 1000 do s.items[#s.items + 1] = { id = #s.items + 1, title = "item" } end end,
    remove = function() end,
  }
  for i = 1, 1998 do
    actions[#actions + 1] = { name = "action" .. i, args = { field("by", int()) } }
    reducers["action" .. i] = function(s, a) s.n = a.by end
  end
  return plugin {
    state = { field("n", int()), field("items", list(record("Item", { field("id", int()), field("title", text()) }))) },
    actions = actions, reducers = reducers,
  }
  """
