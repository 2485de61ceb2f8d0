import ShellLanguage
import StoreCore
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

/// Runs the tests of one plugin: each with a store of its own, in the order of the files and of the tests in them.
final class PluginTester {
  struct Options {
    /// True if the reducers are shown to be pure too.
    var isPure = false
    /// Runs only the tests whose names hold the text.
    var filter: String?
    /// The seed of the generated actions; nil: chance decides.
    var seed: UInt64?
    /// True if the plugin is one of its author's, given by its folder: it runs in a store of the test alone.
    var needsNoGrant = false
  }

  private let session: Session
  private let options: Options
  private let source: PluginSource
  private let sources: [PluginSource]

  /// Finds the plugin's surroundings.
  ///
  /// - Throws: `PluginError` where it, or a plugin that it needs, has the name of a command or lacks its permissions.
  init(_ source: PluginSource, _ options: Options, in session: Session) throws {
    self.session = session
    self.options = options
    self.source = source
    sources = try PluginDependencies(session, needGrants: !options.needsNoGrant).sources(for: source)
  }

  /// Runs the tests.
  ///
  /// - Parameter tell: is told of each test when it has ended.
  /// - Throws: the error that keeps the tests from running: a plugin or a file that cannot be loaded.
  func run(_ tell: (PluginTestReport.Line) -> Void) throws -> PluginTestReport {
    // A plugin that cannot be loaded fails as a whole, not test by test.
    let bench = try loading { try PluginTestBench(sources, in: session) }
    let files = try self.files()
    var report = PluginTestReport(
      plugin: source.manifest.name, names: files.isEmpty ? nil : files.flatMap(\.names), filter: options.filter)
    var fault: PurityFault?
    for file in files {
      for (index, name) in file.names.enumerated() where options.filter.map({ name.contains($0) }) ?? true {
        try checkInterrupt()
        let (outcome, found) = try run(file, index)
        fault = fault ?? found
        report.add(PluginTestReport.Line(file: file.path, outcome), recorded: recorded, tell)
      }
    }
    if options.isPure, report.ran > 0 {
      var purity = PluginTestReport.PurityResult(
        fault: fault, recorded: report.recorded.all, recordedWorking: report.recorded.working)
      if fault == nil { try goOn(&purity, in: bench) }
      report.purity = purity
    }
    return report
  }

  private var recorded: [PurityProof.Recorded] = []

  private func run(_ file: PluginTestFile, _ index: Int) throws -> (PluginTestOutcome, PurityFault?) {
    let bench = try loading { try PluginTestBench(sources, in: session) }
    session.interrupts.relay.set(bench.session.interruptHandlers + [file.interrupt])
    defer { session.interrupts.relay.set([]) }
    recorded = []
    let proof = options.isPure ? try loading { try PurityProof(source, in: bench.session.store.live) } : nil
    if let proof { record(bench, for: proof) }
    let ended = file.run(index, host: bench)
    try checkInterrupt()
    var outcome = ended
    // A task may fail while nobody asks.
    if case .passed = ended.result, let late = bench.takeFault() {
      outcome = PluginTestOutcome(name: ended.name, result: .failed(late), lines: ended.lines)
    }
    guard let proof else { return (outcome, nil) }
    for entry in recorded {
      guard var fault = proof.difference(in: entry) else { continue }
      fault.origin = "action #\(entry.context.number) of the test '\(ended.name)'"
      return (outcome, fault)
    }
    return (outcome, nil)
  }

  /// Has what the plugin's reducers answer in a store recorded.
  private func record(_ bench: PluginTestBench, for proof: PurityProof) {
    bench.session.store.live.observe { [unowned self] entry in
      if proof.concerns(entry.call.type) { recorded.append(entry) }
    }
  }

  private func files() throws -> [PluginTestFile] {
    for name in source.idleTestNames {
      session.write(note: "\(source.displayName)/\(name) is not run: a file of tests is tests/NAME_test.lua")
    }
    return try source.testNames.map { name in
      do throws(PluginTestFailure) {
        return try PluginTestFile(name, of: source)
      } catch {
        throw ShellError(
          code: error.code ?? .luaError,
          message: error.place.map { "\($0.file):\($0.line): \(error.message)" } ?? error.message,
          details: error.details, status: 2)
      }
    }
  }

  /// Whatever a plugin did wrong while it was loaded, it could not be loaded: status 4.
  private func loading<Result>(_ load: () throws -> Result) throws -> Result {
    do {
      return try load()
    } catch {
      var error = ShellError(describing: error)
      error.status = 4
      throw error
    }
  }

  private func checkInterrupt() throws {
    if session.isInterrupted { throw ShellError.interrupted }
  }

  // MARK: Purity

  private static let generatedCount = 200

  /// Goes on with actions that are made up from their types.
  private func goOn(_ purity: inout PluginTestReport.PurityResult, in bench: PluginTestBench) throws {
    guard let plugin = bench.plugin else { return }
    let seed = options.seed ?? .random(in: 1...999_999)
    let proof = try loading { try PurityProof(source, in: bench.session.store.live) }
    record(bench, for: proof)
    session.interrupts.relay.set(bench.session.interruptHandlers)
    defer { session.interrupts.relay.set([]) }
    let types = plugin.reducedActionNames.compactMap { bench.session.store.action(named: $0) }
    var generator = ActionGenerator(types, seed: seed)
    // Each may cause a thousand others.
    let enough = ContinuousClock.now + .seconds(2)
    var state = bench.session.store.live.state
    var time = Duration.zero
    for number in 1...Self.generatedCount {
      try checkInterrupt()
      guard let call = generator.next() else { continue }
      time += .milliseconds(generator.number(below: 2000))
      let context = ActionContext(
        number: number, source: ActionSource(file: "generated", function: "test", line: number, kind: .batch),
        time: time,
        root: number)
      let verdict = proof.reduce(call, context, &state)
      purity.addGenerated(failure: verdict.failure(of: call))
      var impurity = ContinuousClock.now < enough ? difference(by: call, in: bench, proof) : nil
      if case .impure(let fault) = verdict { impurity = fault }
      guard var fault = impurity else { continue }
      fault.origin = "generated action \(number); --seed \(seed) makes the same ones"
      purity.fault = fault
      return
    }
  }

  /// Looks for a proof that other code of the plugin changes a value that a reducer depends on. An action is processed
  /// with all that answers it, and a fresh Lua state gives another result.
  private func difference(by call: ActionCall, in bench: PluginTestBench, _ proof: PurityProof) -> PurityFault? {
    let store = bench.session.store
    recorded = []
    let source = ActionSource(file: "generated", function: "test", line: 0, kind: .batch)
    _ = store.dispatch(call, source: source)
    _ = store.takeFaults()
    if store.loadedPlugins.contains(where: { $0.name == self.source.manifest.name && $0.condition != .on }) {
      _ = store.dispatch(.switchPlugin(name: self.source.manifest.name, to: .on), source)
    }
    return recorded.lazy.compactMap { proof.difference(in: $0, of: "store") }.first
  }
}

extension PurityProof.Verdict {
  /// An action that failed, and why, in words; nil: it did not.
  fileprivate func failure(of call: ActionCall) -> String? {
    guard case .failed(let error) = self else { return nil }
    return "\(ActionText.text(call.type.fullName, arguments: call.record)): \(ShellError(describing: error).message)"
  }
}
