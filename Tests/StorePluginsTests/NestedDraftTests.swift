import PluginSupport
import StoreSchema
import Testing

@testable import StorePlugins

/// The drafts of actions that a command of the same plugin dispatches: their objects come behind those of the command.
@Suite("Drafts within a command")
struct NestedDraftTests {
  private func bench(_ command: String, reducer: String) throws -> (Bench, Plugin) {
    let bench = try Bench()
    let plugin = try bench.load(
      try PluginFolder(
        "p",
        lua: """
          local Item = record("Item", { field("n", int()), field("tags", list(text())) })
          local kept = {}
          return plugin {
            state = { field("items", list(Item)), field("by", map(Item)), field("sum", int()) },
            actions = { { name = "fill" }, { name = "go", args = { field("n", int()) } } },
            reducers = {
              fill = function(s) for i = 1, 20 do
                s.items[i] = { n = i, tags = { "a" } } s.by["k" .. i] = { n = i, tags = { "a" } }
              end end,
              go = function(s, a) \(reducer) end,
            },
            commands = { { name = "run", run = function(args, cmd) local p = cmd.state.p \(command) end } },
          }
          """))
    plugin.purity = .off
    try bench.dispatch("p.fill")
    return (bench, plugin)
  }

  @Test func theirObjectsEndWithThem() throws {
    let (bench, plugin) = try bench(
      """
      for i = 1, 9 do local _ = p.items[i].n end
      for i = 1, 50 do cmd:dispatch("go", { n = i }) end
      cmd:print(p.sum .. " " .. p.items[3].n .. " " .. p.by.k60.n)
      """,
      reducer: """
        for key, item in pairs(s.by) do item.n = item.n + 1 end
        for i = 1, #s.items do s.items[i].n = s.items[i].n + 1 end
        s.by["k" .. a.n], s.by["k" .. a.n + 20] = nil, { n = a.n, tags = {} }
        s.sum = s.sum + 1
        """)
    var most = 0
    bench.whenPrinted = { most = plugin.machine.objects.nodes.count }
    _ = try bench.run("p", "run")
    #expect(bench.printed == ["50 53 50"])
    #expect(most < 40, "the command's own objects alone")
    #expect(plugin.machine.objects.nodes.count == 0)
  }

  /// However many objects the command has, a part of the draft has one.
  @Test(arguments: 0...20)
  func aPartHasOneObject(before: Int) throws {
    let (bench, _) = try bench(
      """
      for i = 1, \(before) do local _ = p.items[i].n end
      cmd:dispatch("go", { n = 1 })
      cmd:print(p.sum)
      """,
      reducer: """
        local first, items = s.by.k1, s.items
        for i = 1, 20 do local _, _ = items[i], s.by["k" .. i].tags end
        if first == s.by.k1 and items == s.items and items[20] == s.items[20] then s.sum = 1 end
        if first.tags ~= s.by.k1.tags then s.sum = 2 end
        """)
    _ = try bench.run("p", "run")
    #expect(bench.printed == ["1"])
  }

  @Test func aDraftThatWasKeptIsNotTakenForALaterObject() throws {
    let (bench, _) = try bench(
      """
      local own = p.items[1]
      cmd:dispatch("go", { n = 1 })
      local ok, message = pcall(function() for i = 1, 20 do local _ = p.items[i].tags end return kept[1].n end)
      cmd:print(tostring(ok) .. " " .. message:match(": (.*)"))
      cmd:print(own.n .. " " .. (own == p.items[1] and "same" or "other"))
      cmd:dispatch("go", { n = 2 })
      cmd:print(own.n)
      """, reducer: "kept[1] = kept[1] or s.items[2] s.items[1].n = 70 + a.n")
    _ = try bench.run("p", "run")
    #expect(
      bench.printed == [
        "false this part of the state was valid only during the call that gave it", "71 same", "72",
      ])
  }
}
