import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

extension PluginSubcommand {
  static let test = PluginSubcommand(
    "test", "[NAME|FOLDER]", "runs its tests, each with a store of its own; --as junit or tap is for CI",
    flags: [
      FlagDefinition("pure", "test: also prove that its reducers are pure, in two fresh Lua states"),
      FlagDefinition("filter", value: "TEXT", "test: run only the tests whose names hold the text"),
      FlagDefinition("seed", value: "NUMBER", "test: the random seed of the actions that --pure makes up"),
    ],
    read: TestRequest.init, perform: { try $0.perform(in: $1) })
}

private struct TestRequest {
  /// The plugin; nil: the one in the folder where the program runs.
  private let plugin: GivenPlugin?
  private let isPure: Bool
  private let filter: Given<String>?
  private let seed: Given<UInt64>?
  private let form: ResultForm
  /// The form in which other programs read the results; nil: none.
  private let report: TestReportForm?
  /// The error where no plugin is named and none is there.
  private let missing: ShellError

  init(_ reader: CommandReader) throws {
    isPure = reader.has("pure")
    filter = try reader.text(of: "filter")
    seed = try reader.text(of: "seed")?.map { text in
      if let seed = UInt64(text) { return seed }
      throw reader.fault(.typeMismatch, "--seed takes a whole number from 0 on, got '\(text)'", of: "seed", status: 2)
    }
    report = try reader.text(of: "as")?.known.flatMap { TestReportForm(rawValue: $0) }
    form = try report == nil ? reader.form() : .ofSession
    plugin = reader.operands.count > 1 ? try reader.plugin(orFolder: true) : nil
    missing = reader.missing("the name or folder of a plugin")
  }

  func perform(in session: Session) throws -> CommandResult {
    let options = PluginTester.Options(
      isPure: isPure, filter: try filter?.value(in: session), seed: try seed?.value(in: session),
      needsNoGrant: try plugin.map { PluginLocator.isPath(try $0.word.value(in: session)) } ?? true)
    let showsValue = try report != nil || !session.isInWords(form)
    let tester = try PluginTester(try source(in: session), options, in: session)
    let report = try tester.run { line in
      if !showsValue { session.console.write(line.text) }
    }
    guard showsValue else {
      let result = session.answer(report.ending, for: report.value)
      if let error = report.error { throw error }
      return result
    }
    if let form = self.report {
      let result = session.answer(form.text(of: report.results, suite: report.plugin))
      if let error = report.error { throw error }
      return result
    }
    let reading = Reading(value: report.value, schema: .dynamic(.any))
    guard var error = report.error else { return try session.answer(reading, as: form) }
    if session.options.isJSON {
      error.data = JSON.text(of: report.value)
    } else {
      _ = try session.answer(reading, as: form)
    }
    throw error
  }

  private func source(in session: Session) throws -> PluginSource {
    do {
      if let plugin { return try plugin.source(in: session) }
      guard Files.exists("plugin.json") else { throw missing }
      return try PluginSource(folder: ".")
    } catch let error as PluginError {
      var error = ShellError(describing: error)
      error.status = 4
      throw error
    }
  }
}
