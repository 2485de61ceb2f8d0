import PluginSupport
import StorePlugins
import Testing

@Suite("Manifests")
struct ManifestTests {
  private func parse(_ text: String) -> PluginError? {
    fault { _ = try PluginManifest(parsing: Array(text.utf8), file: "p/plugin.json") }
  }

  private func refuse(_ entries: String, base: String = #""name": "p", "version": "1", "api": 1"#) -> String? {
    parse("{ \(base)\(entries.isEmpty ? "" : ", ")\(entries) }")?.message
  }

  @Test func aWholeManifest() throws {
    let manifest = try PluginManifest(
      parsing: Array(
        #"""
        { "name": "pomodoro", "version": "0.1.0", "api": 1, "summary": "Work timer",
          "permissions": ["read:tasks", "dispatch:tasks.complete", "dispatch:counter.*", "reduce:counter", "intercept",
            "timers", "read:tasks"],
          "limits": { "instructions": 300000, "memory": "8MiB", "tasks": 2 } }
        """#.utf8), file: "p/plugin.json")
    #expect(manifest.name == "pomodoro")
    #expect(manifest.version == "0.1.0")
    #expect(manifest.summary == "Work timer")
    #expect(
      manifest.permissions.map(\.description) == [
        "read:tasks", "dispatch:tasks.complete", "dispatch:counter.*", "reduce:counter", "intercept", "timers",
      ])
    #expect(manifest.limits.instructions == 300_000)
    #expect(manifest.limits.memory == 8 << 20)
    #expect(manifest.limits.tasks == 2)
  }

  @Test func defaults() throws {
    let manifest = try PluginManifest(
      parsing: Array(#"{ "name": "p", "version": "1", "api": 1 }"#.utf8), file: "p/plugin.json")
    #expect(manifest.permissions.isEmpty)
    #expect(manifest.summary == "")
    #expect(manifest.limits.instructions == 200_000)
    #expect(manifest.limits.memory == 4 << 20)
    #expect(manifest.limits.tasks == 4)
  }

  @Test func notJSON() {
    #expect(parse("{\n  \"name\": nope\n}")?.message.hasPrefix("p/plugin.json:2:11: not JSON: ") == true)
    #expect(parse("")?.message.hasPrefix("p/plugin.json:1:1: not JSON: ") == true)
    #expect(parse("{ \"é\": 1,, }")?.message.hasPrefix("p/plugin.json:1:10: not JSON: ") == true)
    #expect(parse("[1]")?.message == "p/plugin.json: expected a JSON object, got a list")
    #expect(parse("7")?.code == .load)
  }

  @Test func morePermissionsThanAnybodyReads() {
    let permissions = (0..<501).map { "\"read:m\($0)\"" }.joined(separator: ", ")
    #expect(
      refuse("\"permissions\": [\(permissions)]") == "p/plugin.json: 'permissions' must be at most 500 texts, got 501")
  }

  @Test func missingEntries() {
    for (key, base) in [
      ("name", #""version": "1", "api": 1"#), ("version", #""name": "p", "api": 1"#),
      ("api", #""name": "p", "version": "1""#),
    ] {
      let text = refuse("", base: base)
      #expect(text?.hasPrefix("p/plugin.json: ") == true)
      #expect(text?.contains("\"\(key)\"") == true, "\(key): \(text ?? "accepted")")
    }
  }

  @Test func wrongTypes() {
    for (entry, key) in [
      (#""summary": 7"#, "summary"), (#""permissions": "timers""#, "permissions"),
      (#""permissions": [1]"#, "permissions"),
      (#""limits": 3"#, "limits"), (#""limits": { "instructions": "9" }"#, "limits.instructions"),
      (#""limits": { "memory": 4 }"#, "limits.memory"), (#""limits": { "tasks": 1.5 }"#, "limits.tasks"),
    ] {
      let text = refuse(entry)
      #expect(text?.hasPrefix("p/plugin.json: \"\(key)\" must be ") == true, "\(entry): \(text ?? "accepted")")
    }
    #expect(refuse("", base: #""name": 1, "version": "1", "api": 1"#)?.contains("\"name\" must be") == true)
    #expect(refuse("", base: #""name": "p", "version": "1", "api": "1""#)?.contains("\"api\" must be") == true)
  }

  @Test(arguments: ["", "Pomodoro", "1p", "_p", "a-b", "a.b", "ä", "../p", "p q"])
  func badNames(_ name: String) {
    #expect(
      refuse("", base: "\"name\": \"\(name)\", \"version\": \"1\", \"api\": 1")
        == "p/plugin.json: \"name\" must be a lower-case letter, then letters, digits and _; got \"\(name)\"")
  }

  @Test func namesThatLuaOrAListingCouldNotTake() {
    func refusal(_ name: String) -> String? {
      refuse("", base: "\"name\": \"\(name)\", \"version\": \"1\", \"api\": 1")
    }
    #expect(
      refusal("end") == "p/plugin.json: \"name\" is a keyword of Lua: no code could write state.end")
    #expect(
      refusal(String(repeating: "a", count: 65)) == "p/plugin.json: \"name\" has more than 64 letters")
    #expect(refusal(String(repeating: "a", count: 64)) == nil)
  }

  @Test func unknownKeys() {
    let error = parse(#"{ "name": "p", "version": "1", "api": 1, "permisions": [] }"#)
    #expect(error?.message == "p/plugin.json: unknown key \"permisions\"")
    #expect(error?.hint == "did you mean \"permissions\"?")
    #expect(refuse(#""limits": { "memry": "1MiB" }"#) == "p/plugin.json: unknown key \"limits.memry\"")
  }

  @Test(arguments: [
    "reads:tasks", "read:", "read", "dispatch:tasks", "dispatch:tasks.", "dispatch:.x", "dispatch:a.b.c", "timer",
    "timers:x", "dispatch:*.*", "read:tasks.items", "",
  ])
  func unknownPermissions(_ permission: String) {
    #expect(refuse("\"permissions\": [\"\(permission)\"]") == "p/plugin.json: unknown permission \"\(permission)\"")
  }

  @Test func newerAPI() {
    let error = parse(#"{ "name": "future", "version": "0.1.0", "api": 3 }"#)
    #expect(error?.code == .api)
    #expect(error?.message == "future needs plugin API 3; this shell supports 1")
  }

  @Test(arguments: [
    #""instructions": 0"#, #""instructions": -1"#, #""instructions": 20000001"#, #""memory": "257MiB""#,
    #""memory": "0KiB""#, #""memory": "4""#, #""memory": "4GiB""#, #""memory": "-1MiB""#, #""memory": "MiB""#,
    #""memory": "262145KiB""#, #""tasks": 1000001"#, #""tasks": 0"#,
  ])
  func limitsBeyondTheCeiling(_ limit: String) {
    let error = parse("{ \"name\": \"p\", \"version\": \"1\", \"api\": 1, \"limits\": { \(limit) } }")
    #expect(error?.code == .load)
    #expect(error?.message.contains(" must be ") == true)
  }

  @Test func aFolderThatIsNone() throws {
    let error = fault { _ = try PluginSource(folder: "./no/such/") }
    #expect(error?.code == .load)
    #expect(error?.message == "there is no plugin folder 'no/such'")
    #expect(error?.hint == "a plugin is a folder with plugin.json and init.lua")
  }

  @Test func aMissingManifest() throws {
    let folder = try PluginFolder("p", lua: "return plugin {}")
    folder.delete("plugin.json")
    let error = fault { _ = try folder.source() }
    #expect(error?.message == "bad/p/plugin.json: No such file or directory")
    #expect(error?.code == .load)
  }

  @Test func theFolderAsGiven() throws {
    let folder = try PluginFolder("p", lua: "return plugin {}")
    #expect(try PluginSource(folder: folder.path + "//").displayName == folder.path)
    #expect(try folder.source().displayName == "bad/p")
  }

  @Test func invalidUTF8() throws {
    let folder = try PluginFolder("p", lua: nil)
    try folder.write("init.lua", [0x2D, 0x2D, 0xFF])
    #expect(fault { try Bench().load(folder) }?.message == "p: bad/p/init.lua: invalid UTF-8")
    try folder.write("plugin.json", Array(#"{ "name": ""#.utf8) + [0xFF] + Array(#"" }"#.utf8))
    #expect(fault { _ = try folder.source() }?.message.hasPrefix("bad/p/plugin.json:1:") == true)
  }
}
