import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

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
      return try invocation.report([PluginCheck.Finding(isFault: true, text: error.line())], of: word)
    }
    let session = invocation.session
    let name = source.manifest.name
    let check = PluginCheck(source, in: session.store.surroundings(of: name), view: session.store.view)
    var findings = check.findings
    if let clash = session.clash(ofPlugin: name) { findings[0] = PluginCheck.Finding(isFault: true, text: clash) }
    return try invocation.report(findings, of: name)
  }
}

extension Invocation {
  /// Prints what a check found; one that found faults fails the command.
  fileprivate func report(_ findings: [PluginCheck.Finding], of name: String) throws -> CommandResult {
    // What is said of a file quotes it, and anything may stand there.
    let findings = findings.map { PluginCheck.Finding(isFault: $0.isFault, text: DisplayText.printable($0.text)) }
    let lines = findings.map { "\($0.isFault ? "FAIL" : "ok  ")  \($0.text)" }
    let isInWords = try isInWords()
    let reading = findings.reading
    let faults = findings.count { $0.isFault }
    guard faults > 0 else { return try isInWords ? print(lines.map { $0 + "\n" }.joined()) : show(reading) }
    var error = ShellError(
      code: .pluginCheck, message: "\(name): \(faults) \(faults == 1 ? "fault" : "faults")",
      details: session.answersInJSON ? lines : [], status: 4)
    if isInWords {
      session.console.write(lines.map { $0 + "\n" }.joined())
    } else if session.answersInJSON {
      error.data = JSON.text(of: reading.value)
    } else {
      _ = try show(reading)
    }
    throw error
  }
}

extension [PluginCheck.Finding] {
  /// The findings as records of whether each is as it should be, and what it says.
  fileprivate var reading: Reading {
    let record = RecordSchema(name: "Finding", fields: [Field("ok", Bool.schema), Field("text", String.schema)])
    let rows = map { Value.record(Record(record.layout, [.bool(!$0.isFault), .string($0.text)])) }
    return Reading(value: .list(PersistentList(rows)), schema: .dynamic(.list(.dynamic(.record(record)))))
  }
}
