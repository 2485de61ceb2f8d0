import Platform
import ShellLanguage
import StorePlugins
import StoreSchema

extension PluginSubcommand {
  static let test = PluginSubcommand(
    "test", "[NAME|FOLDER]", "runs its tests, each with a store of its own",
    flags: [
      FlagDefinition("pure", "test: also prove that its reducers are pure, in two fresh Lua states"),
      FlagDefinition("filter", value: "TEXT", "test: run only the tests whose names hold the text"),
      FlagDefinition("seed", value: "NUMBER", "test: what the actions that --pure makes up begin from"),
    ]
  ) { invocation in
    var options = PluginTester.Options()
    options.isPure = invocation.has("pure")
    options.filter = try invocation.text(of: "filter")
    options.seed = try invocation.seed()
    let session = invocation.session
    let showsValue = try !invocation.isInWords()
    let tester = try PluginTester(try invocation.testedSource(), options, in: session)
    let report = try tester.run { line in
      if !showsValue { session.console.write(line.text) }
    }
    guard showsValue else {
      session.console.write(report.ending)
      if let error = report.error { throw error }
      return .none
    }
    let reading = Reading(value: report.value, schema: .dynamic(.any))
    guard var error = report.error else { return try invocation.show(reading) }
    if session.options.isJSON { error.data = JSON.text(of: report.value) } else { _ = try invocation.show(reading) }
    throw error
  }
}

extension Invocation {
  /// The plugin that is named, or the one in the folder where the program runs.
  fileprivate func testedSource() throws -> PluginSource {
    do {
      if operands.count > 1 { return try pluginSource() }
      guard Files.exists("plugin.json") else { throw missing("the name or folder of a plugin") }
      return try PluginSource(folder: ".")
    } catch let error as PluginError {
      var error = ShellError(describing: error)
      error.status = 4
      throw error
    }
  }

  fileprivate func seed() throws -> UInt64? {
    guard let text = try text(of: "seed") else { return nil }
    if let seed = UInt64(text) { return seed }
    throw ShellError(
      code: .typeMismatch, message: "--seed takes a whole number from 0 on, got '\(text)'",
      place: word(of: "seed").map { .span($0.span) } ?? .command, hint: "usage: \(usage)", status: 2)
  }
}
