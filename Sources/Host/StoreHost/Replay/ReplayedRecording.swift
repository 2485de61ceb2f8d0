import StoreHistory
import StorePlugins
import StoreSchema

/// A recording that was run again, ready to be taken over.
package struct ReplayedRecording {
  /// The state that it led to.
  package let state: HostState
  /// The plugins that are loaded in it, with schema and reducers only.
  package let plugins: [HostedPlugin]
  /// Which plugins were loaded when.
  package let timeline: PluginTimeline
  /// What happened.
  package let history: History<HostState>
  /// The action before the first of them.
  package let start: Int
  /// How many actions were run.
  package let count: Int
  /// Which plugins are not what they were when it was recorded; nil: all are.
  package let editedPlugins: String?
}

/// How a recording is to be run.
package struct ReplayOptions {
  /// Whether the first difference from the recording is an error.
  package var verifies = false
  /// The number of the last action to run; nil: all.
  package var last: Int?
  /// What to load instead of the recorded plugin of its name.
  package var replacement: PluginSource?
  /// Where what is run is written, in place of what is there; nil: nowhere.
  package var journal: HostJournal?

  package init(verifies: Bool = false, last: Int? = nil, replacement: PluginSource? = nil, journal: HostJournal? = nil)
  {
    self.verifies = verifies
    self.last = last
    self.replacement = replacement
    self.journal = journal
  }
}

extension LiveStore {
  /// Runs a recording beside the store: nothing of it is changed. Where it is written and does not run to its end, the journal
  /// gets back what happened so far.
  ///
  /// - Parameters:
  ///   - interruption: ends it early.
  ///   - progress: is told how many of how many actions were run; throws to stop.
  package func replay(
    _ path: String, _ options: ReplayOptions, endedBy interruption: Interruption, locate: @escaping Replayer.Locate,
    progress: (Int, Int) throws -> Void
  ) throws -> ReplayedRecording {
    do {
      let targets = try RecordingFile(path).restoreTargets(until: interruption)
      return try run(path, options, targets, locate: locate, progress: progress)
    } catch {
      if let journal = options.journal { try rewrite(journal) }
      throw error
    }
  }

  private func run(
    _ path: String, _ options: ReplayOptions, _ targets: Set<Int>, locate: @escaping Replayer.Locate,
    progress: (Int, Int) throws -> Void
  ) throws -> ReplayedRecording {
    let file = try RecordingFile(path)
    let replayer: Replayer
    do {
      replayer = try Replayer(self, file.header, targets: targets, locate: locate)
    } catch let error as SchemaError {
      throw file.fault("state: \(error.message)", hint: file.header.schema == schemaHash ? nil : Self.otherTypes)
    }
    let start = replayer.state
    var history = History(of: start, after: file.header.start, endedBy: attendance.interruption)
    options.journal?.restart(start, after: file.header.start, plugins: replayer.plugins.map(\.plugin.source))
    if let last = options.last, last < file.header.start {
      throw HistoryError.notKept(last, oldest: file.header.start)
    }
    var count = 0
    var number = file.header.start
    var reader = replayer.reader
    while options.last.map({ number < $0 }) ?? true {
      guard let recorded = try next(file, after: number, by: reader, of: replayer) else {
        if let last = options.last { throw HistoryError.beyondHead(last, head: number) }
        break
      }
      if let last = options.last, recorded.entry.number > last { break }
      number = recorded.entry.number
      let before = replayer.state
      let outcome: Replayer.Outcome
      do {
        outcome = try replayer.run(recorded)
      } catch let error as HostError where error.code == .badRecording {
        throw file.fault(error.message, hint: replayer.editedPlugins ?? error.hint)
      } catch let error as SchemaError {
        throw file.fault("\(recorded.entry.action): \(error.message)")
      } catch let error as ChangeError {
        throw file.fault("\(recorded.entry.action): \(error.path): \(error.message)", hint: replayer.editedPlugins)
      }
      if options.verifies, let divergence = Divergence(recorded, outcome, entry: { history.log[number: $0] }) {
        var error = divergence.error(path, differsFrom: "the recording")
        error.hint = replayer.editedPlugins
        throw error
      }
      // Another plugin of the same name has other types.
      if outcome.entry.isWhole { reader = replayer.reader }
      history.append(outcome.entry, before: before)
      options.journal?.record(
        outcome.entry, from: before, to: replayer.state, plugins: replayer.plugins.map(\.plugin.source))
      count += 1
      try progress(count, file.header.count)
    }
    guard options.last != nil || count == file.header.count else {
      throw file.fault("the file ends after \(count) of \(file.header.count) actions")
    }
    return ReplayedRecording(
      state: replayer.state, plugins: replayer.plugins, timeline: replayer.timeline, history: history,
      start: file.header.start, count: count, editedPlugins: replayer.editedPlugins)
  }

  /// Writes what happened so far, in place of a recording that was not written to its end.
  private func rewrite(_ journal: HostJournal) throws {
    var state = try recordedState(at: history.oldest)
    journal.restart(state, after: history.oldest, plugins: timeline.sources(at: history.oldest))
    for entry in history.log.entries {
      let before = state
      try history.advance(&state, by: entry, from: store.state)
      journal.record(
        entry, from: before, to: state, plugins: timeline.sources(at: entry.number))
    }
    journal.settle()
  }

  private func next(
    _ file: RecordingFile, after number: Int, by reader: EntryReader, of replayer: Replayer
  ) throws -> RecordedEntry? {
    do {
      return try file.next(after: number, by: reader)
    } catch var error as HostError where error.hint == nil {
      error.hint = file.header.schema == schemaHash ? replayer.editedPlugins : Self.otherTypes
      throw error
    }
  }

  private static let otherTypes = "the recording was made by a program whose modules have other types"
}

extension Replayer {
  /// What a difference may come from; nil where all plugins are what they were.
  fileprivate var editedPlugins: String? {
    guard !edited.isEmpty else { return nil }
    return edited.sorted { $0.key < $1.key }.map { name, source in
      "\(name) has changed since the recording (\(source.displayName))"
    }.joined(separator: "; ")
  }
}
