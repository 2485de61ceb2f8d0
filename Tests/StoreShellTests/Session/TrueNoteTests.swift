import Testing

@testable import StoreShell

/// Notes that say what is so.
@Suite struct TrueNoteTests {
  /// What an interceptor has dropped was not applied, whatever went wrong beside it.
  @Test(arguments: [false, true])
  func whatWasDroppedIsSaidToBe(json: Bool) throws {
    let shell = try Shell {
      $0.grants = ["guard"]
      $0.isJSON = json
    }
    let folder = try shell.plugin(
      "guard",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "bad" } },
        reducers = { bad = function(s) s.nothing = 1 end },
        interceptors = { function(dispatch, get, next) return function(action)
          if action.name ~= "counter.increment" then return next(action) end
          dispatch("guard.bad")
        end end },
      }
      """, permissions: #"["intercept"]"#)
    let loaded = try shell.type("plugin load \(folder)")
    #expect(loaded.status == 0, "\(loaded)")
    let outcome = try shell.type("dispatch counter.increment")
    #expect(outcome.status == 1)
    if json {
      #expect(outcome.output.contains(#""droppedBy":"guard.interceptor1""#), "\(outcome.output)")
    } else {
      #expect(
        outcome.errors.hasSuffix("note: #2 counter.increment was dropped by guard.interceptor1\n"), "\(outcome.errors)")
    }
    #expect(try shell.type("show counter.value").output.contains("0"))
  }

  /// Behind a replay plugins have their reducers alone, until they are reloaded.
  @Test func aReplayedPluginIsSaidToHaveItsReducersAlone() throws {
    let first = try Shell { $0.grants = ["pomodoro"] }
    let recording = "\(first.folder)/run.jsonl"
    _ = try first.type(
      "plugin load pomodoro", "plugin load catalog", "dispatch pomodoro.start minutes=1", "export journal \(recording)")
    let second = try Shell { $0.grants = ["pomodoro"] }
    let note = "note: a replay runs the reducers of pomodoro alone; plugin reload pomodoro brings the rest of it\n"
    #expect(try second.type("replay \(recording)") == .init(output: "replayed 3 actions\n", errors: note))
    let listed = try second.type("plugin list --as raw")
    #expect(listed.errors == note)
    #expect(listed.output.contains("reducers only"))
    // One that has nothing else is on.
    #expect(listed.output.split(separator: "\n").contains { $0.hasPrefix("catalog") && $0.contains("\ton\t") })
    #expect(try second.type("wait 3s", "show pomodoro.left").output == "60\n")
    #expect(try second.type("plugin reload pomodoro", "plugin list", "wait 3s", "show pomodoro.left").errors == "")
    #expect(try second.type("show pomodoro.left").output == "57\n")
  }

  @Test func unloadingNamesWhoUsesThePlugin() throws {
    let shell = try Shell { $0.grants = ["a", "b", "c"] }
    for (name, permissions) in [("a", "[]"), ("b", #"["read:a"]"#), ("c", #"["dispatch:a.*"]"#)] {
      let folder = try shell.plugin(
        name, "return plugin { state = { field('n', int()) }, actions = { { name = 'go' } } }", permissions: permissions
      )
      #expect(try shell.type("plugin load \(folder)").errors == "")
    }
    #expect(try shell.type("plugin unload c").errors == "")
    #expect(try shell.type("plugin unload a").errors == "note: b uses a, which is gone\n")
    #expect(try shell.type("plugin unload b").errors == "")
  }
}
