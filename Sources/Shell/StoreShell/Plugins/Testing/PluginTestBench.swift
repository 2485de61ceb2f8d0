import ShellLanguage
import StoreCore
import StorePlugins
import StoreSchema

/// The store of one test: the same application with the plugin and those that it needs, and a clock that only the test
/// moves.
final class PluginTestBench: PluginTestHost {
  let session: Session
  private let name: String
  private let first: Int
  private var printed = ""

  /// Makes the store and loads the plugins into it.
  ///
  /// - Parameters:
  ///   - sources: the plugin under test, behind those that it needs.
  ///   - outer: the session whose command runs the test.
  /// - Throws: the fault of a plugin while it was loaded.
  init(_ sources: [PluginSource], in outer: Session) throws {
    var options = SessionOptions()
    options.name = outer.options.name
    options.hasVirtualClock = true
    options.allowsExecution = false
    options.pluginSearchPath = outer.options.pluginSearchPath
    let console = Console(width: { nil })
    session = try outer.application.makeSibling(options, console)
    session.interrupts.descriptor = outer.interrupts.descriptor
    // Tests look at every call, so that what they show depends on nothing but the plugin.
    session.settings.isTest = true
    session.store.live.setDefaultPurity(.always)
    name = sources.last?.manifest.name ?? ""
    let deadline = ContinuousClock.now + .seconds(PluginTestBench.limit)
    session.interrupts.patience = {
      guard ContinuousClock.now < deadline else {
        throw PluginTestFailure("took longer than \(PluginTestBench.limit) s and was stopped")
      }
    }
    for source in sources {
      let (_, report) = try session.store.live.load(
        source, from: ActionSource(file: "test", function: "load", line: 0, kind: .batch))
      if let failure = report.failure ?? report.faults.first { throw failure }
    }
    first = session.store.live.head
    // The loading of the plugin is not the test's doing.
    session.store.live.firstPoint = first
    console.interceptor = { [unowned self] text, target in
      if target == .standardOutput { printed += String(decoding: text, as: UTF8.self) }
    }
  }

  /// The longest time that a test may take, in seconds of real time.
  private static let limit = 10

  var plugin: Plugin? { session.store.plugin(named: name) }

  // MARK: What tests do

  func dispatch(_ action: String, _ arguments: [(name: String, value: Value)], at place: PluginTestPlace) throws {
    let names = [action, "\(name).\(action)"]
    guard let type = names.lazy.compactMap({ self.session.store.action(named: $0) }).first else {
      let known = session.store.modules.flatMap { $0.actions.map(\.fullName) }
      let own = known.filter { $0.hasPrefix("\(name).") }.map { String($0.dropFirst(name.count + 1)) }
      throw PluginTestFailure(
        code: .unknownAction, "unknown action '\(action)'\(Suggestion.remark(action, among: own + known))")
    }
    try asking {
      let call = try type.call(arguments)
      let report = session.store.dispatch(call, source: source(place, "dispatch"))
      if let failure = report.failure ?? report.faults.first { throw failure }
      session.runDueTasks()
    }
  }

  func advance(_ duration: Duration) throws {
    try asking {
      _ = try session.wait(atMost: duration) { false }
    }
  }

  func value(at path: String) throws -> Value {
    try asking { try session.read(Path(parsing: path)).value }
  }

  func setGate(_ unit: String, isOpen: Bool, at place: PluginTestPlace) throws {
    let names = session.store.units.map(\.name)
    guard let name = [unit, "\(name).\(unit)"].first(where: { names.contains($0) }) else {
      throw PluginTestFailure(
        code: .unknownMiddleware, "there is no middleware '\(unit)'\(Suggestion.remark(unit, among: names))")
    }
    try asking {
      let report = session.store.setGate(name, isOpen: isOpen, source: source(place, "gate"))
      if let failure = report.failure ?? report.faults.first { throw failure }
      session.runDueTasks()
    }
  }

  func run(_ line: String, at place: PluginTestPlace) throws -> String {
    printed = ""
    try asking {
      session.running.origin = StatementOrigin(file: place.file, kind: .batch)
      var reader = StatementReader(Array(line.utf8), grammar: session.grammar, firstLine: place.line)
      do {
        while let statement = try reader.next() { try run(statement) }
      } catch let fault as SyntaxFault {
        throw PluginTestFailure(code: fault.code, fault.message)
      }
    }
    return printed.hasSuffix("\n") ? String(printed.dropLast()) : printed
  }

  private func run(_ statement: Statement) throws {
    let verb = statement.words[0].text
    let isAllowed = session.commands[verb] == nil || PluginTestBench.commands.contains(verb)
    guard statement.redirection == nil, isAllowed else {
      throw PluginTestFailure(code: .notAllowed, "tests may not run '\(statement.text)'")
    }
    let outer = session.running.statement
    session.running.statement = statement
    defer { session.running.statement = outer }
    _ = try session.commands.run(statement, in: session)
    session.console.flush()
  }

  /// The commands of the shell that reach nothing but the store.
  private static let commands: Set<String> = [
    "=", "assert", "bind", "bisect", "describe", "diff", "dispatch", "echo", "effects", "goto", "help", "let", "log",
    "lua", "middleware", "plot", "project", "redo", "set", "show", "skip", "substate", "thunk", "undo", "unskip", "use",
    "wait", "watch", "why",
  ]

  func actions() -> [Value] {
    session.store.live.recent(from: first + 1).map { entry in
      .record(
        Record(
          PluginTestBench.actionLayout,
          [
            .string(entry.action), .record(entry.arguments), .double(entry.time.seconds), .string(entry.source.short),
            entry.failure.map { .string($0) } ?? .none,
          ]))
    }
  }

  private static let actionLayout = RecordLayout(name: "Action", fields: ["name", "args", "at", "source", "failed"])

  func text(of value: Value) -> String { InlineText.text(of: value, spelling: .lua) }

  // MARK: Faults

  /// The fault since the last call, where no dispatch told of it.
  func takeFault() -> PluginTestFailure? { session.store.takeFaults().first.map { PluginTestBench.failure($0) } }

  /// Runs something that a test asked for, and says of every error what the shell says.
  private func asking<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      if let fault = takeFault() { throw fault }
      return result
    } catch {
      _ = session.store.takeFaults()
      throw PluginTestBench.failure(error)
    }
  }

  private static func failure(_ error: any Error) -> PluginTestFailure {
    if let own = error as? PluginTestFailure { return own }
    let shown: ShellError
    if let applied = error as? AppliedWithFaults, let first = applied.errors.first {
      shown = first
    } else {
      shown = ShellError(describing: error)
    }
    return PluginTestFailure(
      code: shown.code, shown.message, details: shown.details + (shown.hint.map { ["hint: \($0)"] } ?? []))
  }

  private func source(_ place: PluginTestPlace, _ function: String) -> ActionSource {
    ActionSource(file: place.file, function: function, line: place.line, kind: .batch)
  }
}
