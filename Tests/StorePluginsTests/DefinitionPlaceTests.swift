import PluginSupport
import StorePlugins
import Testing

@Suite("Where definitions are wrong")
struct DefinitionPlaceTests {
  /// The error with which a definition is refused.
  private func refuse(_ lua: String) throws -> PluginError? {
    let folder = try PluginFolder("p", lua: lua)
    return fault { try Bench().load(folder) }
  }

  @Test(arguments: [
    ("return plugin {\n  actions = {\n    { name = 'a', doc = 7 } } }", 3),
    ("return plugin {\n  actions = {\n    { name = 'a', doc = 7 } }, projections = {\n { name = 'a' } } }", 2),
    ("return plugin {\n  state = {\n    field('x', int { min = '1' }) } }", 2),
    ("local state = 1\nreturn plugin {\n  state = 7 }", nil), ("return plugin {\n  onload = 'x' }", 2),
    ("-- actions = 7\nlocal parts = {}\nparts.actions = 7\nreturn plugin(parts)", 3),
  ])
  func faultsSayWhereAsFarAsTheTextTells(lua: String, line: Int?) throws {
    #expect(try refuse(lua)?.trace == (line.map { ["at bad/p/init.lua:\($0)"] } ?? []))
  }

  @Test func whatWasFoundAndWhatToTry() throws {
    let error = try refuse("return plugin {\n  actions = { 'a' },\n}")
    #expect(error?.message == "p: actions must be a list of tables { name = … }, got string \"a\" as number 1")
    #expect(error?.trace == ["at bad/p/init.lua:2"])
    #expect(error?.hint == "write: actions = { { name = … }, … }")
  }

  @Test func aMiddlewareDoesSomething() throws {
    let error = try refuse("return plugin { middleware = { { name = 'm', gate = 'off' } } }")
    #expect(error?.message == "p: middleware 'm' has none of before, after and supervise, so that it does nothing")
    #expect(error?.hint == "write: after = function(action, ctx) … end")
  }
}
