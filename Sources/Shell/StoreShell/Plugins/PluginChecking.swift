import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

extension PluginSubcommand {
  static let check = PluginSubcommand(
    "check", "NAME|FOLDER", "looks for mistakes without installing it", addsNames: true,
    read: { reader in (plugin: try reader.plugin(orFolder: true), form: try reader.form()) },
    perform: { request, session in
      let word = try request.plugin.word.value(in: session)
      let source: PluginSource
      do {
        source = try request.plugin.source(in: session)
      } catch let error as PluginError
        where error.code == .api || PluginLocator.isPath(word) && Files.exists("\(word)/plugin.json")
      {
        // Its manifest is what is wrong with it.
        return try session.report([PluginCheck.Finding(isFault: true, text: error.line())], of: word, as: request.form)
      }
      let name = source.manifest.name
      let check = PluginCheck(source, in: session.store.live.surroundings(of: name), view: session.store.view)
      var findings = check.findings
      if let clash = session.clash(ofPlugin: name) { findings[0] = PluginCheck.Finding(isFault: true, text: clash) }
      return try session.report(findings, of: name, as: request.form)
    })
}

extension Session {
  /// Prints what a check found; one that found faults fails the command.
  fileprivate func report(
    _ findings: [PluginCheck.Finding], of name: String, as form: ResultForm
  ) throws -> CommandResult {
    // A finding quotes its file, and anything may stand there.
    let findings = findings.map {
      PluginCheck.Finding(isFault: $0.isFault, isWarning: $0.isWarning, text: DisplayText.printable($0.text))
    }
    let lines = findings.map { "\($0.isFault ? "FAIL" : $0.isWarning ? "warn" : "ok  ")  \($0.text)" }
    let isInWords = try isInWords(form)
    let reading = findings.reading
    let faults = findings.count { $0.isFault }
    let text = lines.map { $0 + "\n" }.joined()
    guard faults > 0 else { return try isInWords ? answer(text, for: reading.value) : answer(reading, as: form) }
    var error = ShellError(
      code: .pluginCheck, message: "\(name): \(faults) \(faults == 1 ? "fault" : "faults")",
      details: answersInJSON ? lines : [], status: 4)
    if isInWords {
      console.write(text)
    } else if answersInJSON {
      error.data = JSON.text(of: reading.value)
    } else {
      _ = try answer(reading, as: form)
    }
    throw error
  }
}

extension [PluginCheck.Finding] {
  /// The findings as records of whether each is as it should be, and what it says.
  fileprivate var reading: Reading {
    Reading(rows: map { [.bool(!$0.isFault), .string($0.text)] }, "Finding", ["ok", "text"])
  }
}
