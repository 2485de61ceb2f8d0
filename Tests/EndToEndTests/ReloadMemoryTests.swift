import Glibc
import Testing

/// A plugin that comes, is replaced and goes again and again leaves nothing behind but its entries, each as small as any other.
/// How often is in `STSH_RELOADS`.
@Suite("Memory of plugins that come and go")
struct ReloadMemoryTests {
  private static let lua = """
    local by = require("lib.by")
    local function ticking(task) while true do task:sleep(1) task:dispatch("add") end end
    return plugin {
      state = { field("n", int()), field("names", list(text())) }, actions = { { name = "add" } },
      reducers = { add = function(s) s.n = s.n + by s.names[#s.names + 1] = "n" .. s.n end },
      middleware = {
        { name = "clock", supervise = function() return { ticks = ticking } end },
        { name = "asks", after = function(_, ctx) ctx:task("once", function(task) task:wait_for("add") end) end },
      },
      projections = { { name = "count", fn = function(state) return #state.p.names end } },
      migrate = function(old) return old end, on_load = "add", on_unload = function() end,
    }
    """

  @Test func memoryIsAsAfterTheFirstHundred() throws {
    let count = getenv("STSH_RELOADS").flatMap { Int(String(cString: $0)) } ?? 120
    let shell = try Shell()
    try shell.folder.write(
      "p/plugin.json", #"{ "name": "p", "version": "0.1.0", "api": 1, "permissions": ["timers"] }"#)
    try shell.folder.write("p/init.lua", Self.lua)
    try shell.folder.write("p/lib/by.lua", "return 1")
    let cycle = "plugin load ./p\nwait 2s\nplugin reload p\nwait 2s\nplugin reload p --verify 3\nplugin unload p\n"
    let memory = "echo | grep VmRSS /proc/$PPID/status >&2\n"
    // The log is full of small entries before the first look; until then it goes on growing.
    let fill = String(repeating: "dispatch counter.increment\n", count: 11_000)
    let outcome = try shell.run(
      "--clock", "virtual", "--grant", "p", "--quiet",
      input: fill + String(repeating: cycle, count: 100) + memory
        + String(repeating: cycle, count: count) + memory + "effects\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "(no effects)\n")
    let sizes = outcome.errors.split(separator: "\n").compactMap { line in
      line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
    try #require(sizes.count == 2, "\(outcome.errors)")
    #expect(sizes[1] - sizes[0] < 1024, "\(sizes) KiB")
  }
}
