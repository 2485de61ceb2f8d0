import ShellLanguage
import StoreHost
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let replay = CommandDefinition(
    "replay", usage: ["replay FILE [--verify] [--to N]", "replay FILE --with PLUGIN [--to N]"],
    summary: "runs a recorded journal through the reducers; a session without actions of its own goes on from there",
    flags: [
      FlagDefinition("verify", "fail at the first action after which the state differs from the recording"),
      FlagDefinition("to", value: "N", "stop after that action"),
      FlagDefinition("with", value: "PLUGIN", "compare this version of a plugin with the recording"),
    ],
    operands: [.file(.read)],
    examples: [
      CommandExample(
        transcript: """
          stsh> dispatch counter.increment by=4 --quiet
          stsh> export journal FOLDER/run.jsonl
          wrote 1 action to FOLDER/run.jsonl
          stsh> replay FOLDER/run.jsonl --verify
          replayed 1 action, every state matches

          """),
      CommandExample(
        transcript: """
          stsh> dispatch tasks.add milk --quiet
          stsh> dispatch tasks.complete 1 --quiet
          stsh> export journal FOLDER/run.jsonl
          wrote 2 actions to FOLDER/run.jsonl
          stsh> replay FOLDER/run.jsonl --verify --to 1
          replayed 1 action, every state matches

          """),
    ],
    defines: .anything,
    read: ReplayRequest.init, perform: { try $0.perform(in: $1) })
}

private struct ReplayRequest {
  private let file: Given<String>
  private let verifies: Bool
  private let last: Given<Int>?
  private let replacement: Given<String>?

  init(_ reader: CommandReader) throws {
    file = try reader.required(0, "a file")
    try reader.refuseOperands(from: 1)
    verifies = reader.has("verify")
    last = try reader.text(of: "to")?.map { text in
      if let number = Int(action: text) { return number }
      throw reader.fault(.typeMismatch, "--to needs the number of an action, got '\(text)'", of: "to")
    }
    try reader.checkFile(file)
    replacement = try reader.text(of: "with")
  }

  func perform(in session: Session) throws -> CommandResult {
    let file = try file.value(in: session)
    var options = ReplayOptions()
    options.verifies = verifies || replacement != nil
    options.last = try last?.value(in: session)
    if !options.verifies { try session.store.live.requireOwnHistory(for: "a recording cannot become the history") }
    let isUntouched = try session.isUntouched
    guard isUntouched || options.verifies else {
      throw ShellError(
        code: .notFresh,
        message: "replay replaces the history, and this session has actions of its own",
        hint: (session.hintedProgram.map { "start from it: \($0) --replay \(file); or " } ?? "")
          + "compare only: replay \(file) --verify")
    }
    try session.store.requirePresent()
    let source = try session.recording(in: file)
    options.replacement = try replacement.map { try session.version(of: $0.value(in: session), in: source) }
    let adopts = isUntouched && options.replacement == nil && !session.store.isShared
    if adopts { try session.store.requireNoRun(for: "replay") }
    let count = try session.replay(source, options, adopts: adopts)
    let with = options.replacement.map { " with \($0.displayName)" } ?? ""
    let verified = options.verifies ? ", every state matches" : ""
    var result = session.answer("replayed \(count) \(count == 1 ? "action" : "actions")\(with)\(verified)\n")
    result.notes += session.notesOnReplayedPlugins
    return result
  }
}

extension Session {
  /// True if nothing has happened but plugins being loaded.
  var isUntouched: Bool {
    get throws { try !store.contains(after: 0) { $0.source.function != "plugin" } }
  }

  /// Runs a recording, and goes on from it if it is to be adopted.
  ///
  /// - Returns: the number of actions that were run.
  @discardableResult
  func replay(_ file: RecordingSource, _ options: ReplayOptions, adopts: Bool) throws -> Int {
    var recording = try run(file, options, "replaying")
    guard adopts else { return recording.count }
    try store.change { live in
      // Others may have acted meanwhile.
      guard try isUntouched else {
        throw ShellError(
          code: .notFresh, message: "others have acted on the store since the replay began; nothing was changed")
      }
      if let journal = live.journal {
        // Only what runs to its end is written, which takes another run: memory may not hold all of it. In the turn, for others'
        // actions would be written among it.
        var options = options
        options.journal = journal
        recording = try run(file, options, "writing")
      }
      try live.adopt(recording)
    }
    if !options.verifies, let edited = recording.editedPlugins { write(note: edited) }
    return recording.count
  }

  private func run(_ file: RecordingSource, _ options: ReplayOptions, _ activity: String) throws -> ReplayedRecording {
    let locator = PluginLocator(self.options)
    var progress = Progress(self, activity)
    defer { progress.clear() }
    var isReplaced = false
    let recording = try store.live.replay(
      file, options, endedBy: store.interruption,
      locate: { name, recorded, kept in
        try self.requirePlugins()
        if let replacement = options.replacement, replacement.manifest.name == name {
          isReplaced = true
          return replacement
        }
        let found = Result { try locator.source(name, recordedIn: recorded?.directory) }
        guard let recorded, (try? found.get())?.digest != recorded.digest else { return try found.get() }
        if let loaded = self.store.live.timeline.source(recorded.digest) { return loaded }
        // The latest version is looked for in its folder, so that edits are met; earlier ones are there no more.
        guard let kept else { return try found.get() }
        return kept.isLatest ? (try? found.get()) ?? kept.source : kept.source
      },
      every: Progress.interval,
      progress: { count, total in
        progress.total = total
        try progress.step(count)
      })
    if let replacement = options.replacement, !isReplaced {
      throw ShellError(
        code: .unknownPlugin, message: "\(file.path) loads no plugin '\(replacement.manifest.name)'",
        hint: "replay --with compares a plugin that the recording loads")
    }
    return recording
  }

  /// The version of a plugin that a recording is to be compared with. A name means the folder of the plugin that is
  /// loaded, as `plugin reload` takes it, or was loaded when it was recorded. Else it means the plugin that
  /// `plugin load` finds.
  fileprivate func version(of word: String, in file: RecordingSource) throws -> PluginSource {
    let locator = PluginLocator(options)
    guard !PluginLocator.isPath(word) else { return try locator.source(word) }
    if let loaded = store.plugin(named: word)?.source { return try loaded.readAgain() }
    let recorded = try file.open().header.plugins.last { $0.name == word }
    return try locator.source(word, recordedIn: recorded?.directory)
  }

  /// Starts the session from a recording, before the first statement; prints nothing.
  ///
  /// - Returns: 0, or the status of the error, which is reported.
  public func start(from file: String) -> Int32 {
    do {
      guard try isUntouched else {
        throw ShellError(
          code: .notFresh,
          message: "--replay starts a new store; \(options.journal?.path ?? "this one") holds actions",
          hint: "give --store a file that is not there yet, or leave it out")
      }
      try replay(
        RecordingSource(file, waiting: interrupts.fileWait), ReplayOptions(), adopts: true)
      return 0
    } catch {
      return stoppedStatus() ?? writeError(error)
    }
  }
}

extension PluginLocator {
  /// The plugin of a recording: where it was when it was recorded, else the one that its name finds now.
  fileprivate func source(_ name: String, recordedIn directory: String?) throws -> PluginSource {
    if let directory, let source = try? PluginSource(folder: directory, displayedAs: name), source.manifest.name == name
    {
      return source
    }
    return try source(name)
  }
}
