import Glibc
import LineEditor
import StoreCore
import StoreHost
import StoreSchema
import StoreShell
import StoreUnits

/// The argument of the command `tonight`.
@Schema
struct Evening: Sendable { var minutes = 120 }

let gallery = Application<GalleryAction, GalleryState>(
  initial: GalleryState(),
  reducer: .compose(
    Counter.reducer.lift(action: \.counter, state: \.counter),
    Volume.reducer.lift(action: \.volume, state: \.volume),
    Movies.reducer.lift(action: \.movies, state: \.movies)),
  middleware: Movies.asking.inject(.small(keeping: 2)).lift(
    input: \.movies, output: \.movies, state: \.movies),
  projections: [ApplicationProjection("favourites", of: \.movies) { $0.favourites }],
  thunks: [
    ApplicationThunk(
      "updateCount", of: "counter", taking: Counter.Update.self, summary: "Counts in its direction, up to the limit."
    ) { Counter.updateCount($0).lift(action: \.counter, state: \.counter) }
  ],
  bindings: [
    ApplicationBinding("limit", path: "counter.limit", action: "counter.setLimit"),
    ApplicationBinding("direction", path: "counter.direction", action: "counter.setDirection"),
  ],
  commands: [
    ApplicationCommand(
      "tonight", summary: "lists the favourites that an evening is long enough for", taking: Evening.self
    ) {
      evening, shell in
      if shell.state.movies.items.isEmpty { try shell.dispatch(.movies(.load)) }
      return shell.state.movies.items.filter { $0.isFavourite && $0.minutes <= evening.minutes }
    }
  ])

let session = try Session(gallery, options: SessionOptions(program: "gallery"))
let words = CommandLine.arguments.dropFirst()
let status =
  if let script = words.first {
    session.run(file: script, arguments: Array(words.dropFirst()))
  } else if isatty(0) == 1 {
    try Prompt(
      session, on: ReadlineEditor(program: "gallery", historyFile: HistoryFile(program: "gallery")), pager: .preferred
    ).run()
  } else {
    session.run(descriptor: 0)
  }
session.console.flush()
exit(status)
