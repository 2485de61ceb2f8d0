import Testing

@testable import StoreShell

/// `import state` of files of the Redux DevTools.
@Suite struct ReduxImportTests {
  @Test func whatWasExportedForThemIsTakenOver() throws {
    let shell = try Shell()
    let file = "\(shell.folder)/tools.json"
    _ = shell.run(
      "dispatch counter.increment by=4", "dispatch tasks.add milk", "export journal \(file) --as redux-devtools")
    let state = shell.run("show --as json").output
    let other = try Shell()
    #expect(other.run("import state \(file)").errors == "")
    #expect(other.run("show --as json").output == state)
  }

  @Test func aPluginThatIsNotLoadedIsNamed() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("bag", RecordingTests.bag)
    let file = "\(shell.folder)/tools.json"
    _ = shell.run("plugin load \(folder)", "dispatch bag.put 3", "export journal \(file) --as redux-devtools")
    let other = try Shell()
    #expect(
      other.run("import state \(file)").errors.hasSuffix(
        """
        error[import]: \(file) does not fit this store: it holds the state of plugin 'bag', which is not loaded
          import state \(file)
          hint: nothing was changed; plugin load bag

        """))
    #expect(other.run("plugin load \(folder)", "import state \(file)", "show bag.items[1].id").errors == "")
    #expect(other.run("show --as json").output == shell.run("show --as json").output)
  }

  @Test func theActionsOfTheExtensionAreRunFromItsState() throws {
    let shell = try Shell()
    let file = try shell.write(
      "extension.json",
      #"{"payload":"[{\"type\":\"@@INIT\"},{\"type\":\"counter.increment\",\"payload\":{\"by\":3}},"#
        + #"{\"type\":\"tasks.add\",\"payload\":{\"title\":\"milk\"}},{\"type\":\"counter.increment\"}]","#
        + #""preloadedState":"{\"counter\":{\"value\":10,\"step\":2}}"}"#)
    let outcome = shell.run("import state \(file)", "show counter.value", "show tasks.summary")
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("#1 shell.import "))
    #expect(outcome.output.hasSuffix("15\n\"0 of 1 done\"\n"), "\(outcome)")
  }

  @Test(arguments: [
    (#"{"computedStates":[{"state":{"counter":{"value":"x","step":1}}}]}"#, "computedStates[1].state: "),
    (#"{"computedStates":[],"currentStateIndex":0}"#, "computedStates: has no state of the number 0"),
    (#"{"payload":"[{\"type\":\"counter.incremnt\"}]"}"#, "payload[1]: unknown action 'counter.incremnt'"),
    (#"{"payload":"[{\"type\":\"counter.increment\",\"payload\":{\"by\":\"x\"}}]"}"#, "payload[1].payload: "),
    (#"{"payload":"[{\"no\":1}]"}"#, "payload[1]: must be an action with a type"),
    (#"{"payload":"[","preloadedState":null}"#, "payload: "),
  ])
  func theFirstPlaceThatDoesNotFitIsNamedAndNothingChanges(text: String, place: String) throws {
    let shell = try Shell()
    let file = try shell.write("bad.json", text)
    let outcome = shell.run("import state \(file)")
    #expect(outcome.errors.contains("error[import]: \(file) does not fit this store: \(place)"), "\(outcome)")
    #expect(shell.session.store.live.recent().isEmpty)
  }
}
