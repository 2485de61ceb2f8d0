import PluginSupport
import StorePlugins
import Testing

@Suite("Names in definitions")
struct DefinitionNameTests {
  /// The message with which a definition is refused.
  private func message(_ lua: String) throws -> String? {
    let folder = try PluginFolder("p", lua: lua)
    return fault { try Bench().load(folder) }?.message
  }

  @Test func badNames() throws {
    #expect(try message("return plugin { state = { field('a b', int()) } }") == "p: state: \"a b\" is not a name")
    #expect(
      try message("return plugin { state = { field(1, int()) } }")
        == "p: bad/p/init.lua:1: field(…) needs a name and a type; write field(\"count\", int())")
    #expect(
      try message("return plugin { state = { int() } }")
        == "p: state must be a list of field(name, type), got a table as number 1")
    #expect(
      try message("return plugin { state = { x = int() } }")
        == "p: state must be a list of field(name, type), got a table by the name 'x'")
    #expect(
      try message("return plugin { actions = { { name = 'go', args = { n = int() } } } }")
        == "p: p.go: args must be a list of field(name, type), got a table by the name 'n'")
    #expect(
      try message("return plugin { commands = { { name = 'c', run = error, args = 7 } } }")
        == "p: command 'c': args must be a list of field(name, type), got number 7")
    #expect(try message("return plugin { actions = { {} } }") == "p: actions: every entry needs a name, got nil")
    #expect(
      try message("return plugin { actions = { { name = 'a.b' } } }")
        == "p: actions: a name is made of letters, digits and _, got string \"a.b\"")
  }

  /// What `describe` and `help` show does nothing to a terminal.
  @Test func controlCharacters() throws {
    let shown = { (place: String) in "p: \(place) must be text without control characters, got string \"\\u001b[2J\"" }
    #expect(
      try message("return plugin { actions = { { name = 'go', doc = '\\27[2J' } } }") == shown("action 'go': doc"))
    #expect(
      try message("return plugin { commands = { { name = 'c', run = error, summary = '\\27[2J' } } }")
        == shown("command 'c': summary"))
    #expect(
      try message("return plugin { commands = { { name = 'c', run = error, examples = { '\\27[2J' } } } }")
        == shown("command 'c': an example"))
    #expect(
      try message("return plugin { state = { field('n', int(), '\\27[2J') } }") == shown("state.n: doc"))
    #expect(
      try message("return plugin { state = { field('r', record('\\27[2J', {})) } }")
        == shown("state.r: the name of a record"))
  }

  @Test func duplicates() throws {
    #expect(
      try message("return plugin { state = { field('a', int()), field('a', int()) } }") == "p: state declares 'a' twice"
    )
    #expect(
      try message("return plugin { actions = { { name = 'a' }, { name = 'a' } } }") == "p: action 'a' is declared twice"
    )
    #expect(
      try message("return plugin { middleware = { { name = 'a', after = error }, { name = 'a' } } }")
        == "p: middleware 'a' is declared twice")
    let projection = "{ name = 'a', fn = function() end }"
    #expect(
      try message("return plugin { projections = { \(projection), \(projection) } }")
        == "p: projection 'a' is declared twice")
    let command = "{ name = 'a', run = function() end }"
    #expect(
      try message("return plugin { commands = { \(command), \(command) } }") == "p: command 'a' is declared twice")
    #expect(
      try message("return plugin { actions = { { name = 'a', args = { field('x', int()), field('x', int()) } } } }")
        == "p: p.a declares 'x' twice")
  }

  @Test func anActionReducedTwice() throws {
    #expect(
      try message(
        "return plugin { actions = { { name = 'a' } }, reducers = { a = function() end, ['p.a'] = function() end } }")
        == "p: reducer for 'p.a' is declared twice")
  }

  @Test func aProjectionNamedAsAField() throws {
    #expect(
      try message(
        "return plugin { state = { field('a', int()) }, projections = { { name = 'a', fn = function() end } } }")
        == "p: projection 'a' has the name of a field")
  }
}
