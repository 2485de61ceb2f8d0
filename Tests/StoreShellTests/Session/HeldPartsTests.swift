import Testing

@testable import StoreShell

/// A part of the state in a variable has the fields of its type, as the state itself has.
@Suite struct HeldPartsTests {
  private static let start = "dispatch tasks.add milk\nlet t = state.tasks\n"

  /// Lines that read a field that is not there, and what was meant.
  @Test(arguments: [
    ("echo $(t.itmes)", "t has no field 'itmes'", "items"), ("echo \"of $(#t.itmes)\"", "t has no field", "items"),
    ("= t.items[1].titel", "t.items[…] has no field 'titel'", "title"), ("assert t.nextid == 2", "t has", "nextId"),
    ("let rows = t.items\n= rows[#rows].titel", "rows[…] has no field 'titel'", "title"),
    ("let rows = state.tasks.items\nshow $(rows[1].titel)", "rows[…] has", "title"),
    ("let item = t.items[1]\ndispatch tasks.add title=$(item.titel)", "item has no field 'titel'", "title"),
    ("lua print(t.itmes)", "t has no field 'itmes'", "items"), ("step x assert #t.itmes == 0", "t has", "items"),
    ("show $(t.items)\nlet n = #t.items\necho $(t.itmes)", "t has no field 'itmes'", "items"),
    ("lua print('t.itmes', t.nextId)\necho > $(t.itmes)", "t has no field 'itmes'", "items"),
  ])
  func aMisspeltFieldIsFoundFirst(lines: String, message: String, meant: String) throws {
    for isChecking in [false, true] {
      let shell = try Shell()
      if isChecking { shell.session.checkOnly() }
      let outcome = try shell.run(script: Self.start + lines + "\n")
      #expect(outcome.output == "" && outcome.status == 2, "\(outcome)")
      #expect(
        outcome.errors.contains("error[unknown-variable]: \(message)") && outcome.errors.contains("'\(meant)'?"),
        "\(outcome)")
    }
    let shell = try Shell()
    _ = shell.run("dispatch tasks.add milk", "let t = state.tasks")
    let typed = lines.split(separator: "\n").map { shell.run(String($0)) }
    #expect(typed.last?.errors.contains(message) == true, "\(typed)")
  }

  /// What Lua may have changed has the fields that Lua gave it.
  @Test(arguments: [
    "lua t.more = 1\necho $(t.more)", "let t = { more = 2 }\necho $(t.more)",
    "lua for _, item in ipairs(t.items) do item.more = 1 end\necho $(t.items[1].more)",
    "lua function f() t.more = 1 return 2 end\n= f()\necho $(t.more)",
    "lua function g() t.more = 1 return 2 end\nlet t = state.tasks\n= g()\necho $(t.more)",
    "= (function() t.more = 1 return 2 end)()\necho $(t.more)", "lua rawset(t, 'more', 1)\necho $(t.more)",
    "lua command('let t = { more = 1 }')\necho $(t.more)", "lua table.insert(t.items, { more = 1 })\n= t.items[2].more",
    "lua function h(x) x.more = 1 return 2 end\n= h(t)\necho $(t.more)",
    "lua function k(x) x.more = 1 return 2 end\n= k(t.items[1])\necho $(t.items[1].more)",
    "echo $(t['more'] or 1)", "lua local t = { more = 1 } print(t.more)", "echo $(pcall(print) and t.more or 1)",
    "undo\nlet t = { more = 1 }\necho $(t.more)", "let t = state.tasks.nextId\necho $t",
    "let t = #state.tasks.items\necho $t", "= ({ t = 1 }).t", "echo 't.more' \"t.more\"", "= 't.more' .. t.nextId",
  ])
  func noValidScriptIsRefused(lines: String) throws {
    let outcome = try Shell().run(script: Self.start + lines + "\n")
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    let shell = try Shell()
    shell.session.checkOnly()
    let checked = try shell.run(script: Self.start + lines + "\n")
    #expect(checked.status == 0 && checked.errors == "", "\(checked)")
  }
}
