import StorePlugins

extension PluginSubcommand {
  static let check = PluginSubcommand("check", "NAME|FOLDER", "looks for mistakes without installing it") {
    invocation in
    let word = try invocation.required(1, "the name or folder of a plugin")
    let source: PluginSource
    do {
      source = try invocation.pluginSource()
    } catch let error as PluginError
      where error.code == .api || PluginLocator.isPath(word) && Files.exists("\(word)/plugin.json")
    {
      // Its manifest is what is wrong with it.
      return try invocation.report(["FAIL  \(error.line())"], faults: 1, of: word)
    }
    let session = invocation.session
    let name = source.manifest.name
    let check = PluginCheck(source, in: session.store.surroundings(of: name), view: session.store.view)
    var lines = check.findings.map { "\($0.isFault ? "FAIL" : "ok  ")  \($0.text)" }
    var faults = check.faultCount
    if let clash = session.clash(ofPlugin: name) {
      lines[0] = "FAIL  \(clash)"
      faults += 1
    }
    return try invocation.report(lines, faults: faults, of: name)
  }
}

extension Invocation {
  /// Prints what a check found; one that found faults fails the command.
  fileprivate func report(_ lines: [String], faults: Int, of name: String) throws -> CommandResult {
    // What is said of a file quotes it, and anything may stand there.
    let text = lines.map { DisplayText.printable($0) + "\n" }.joined()
    guard faults > 0 else { return print(text) }
    if !session.answersInJSON { session.console.write(text) }
    throw ShellError(
      code: "plugin-check", message: "\(name): \(faults) \(faults == 1 ? "fault" : "faults")",
      details: session.answersInJSON ? lines : [], status: 4)
  }
}
