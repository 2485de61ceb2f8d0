import Platform
import ShellLanguage

/// The ways in which the statements of a session are interrupted.
struct Interrupts {
  /// The end of the run from outside; nil: nothing ends it.
  var stop: RunStop?
  /// Stops the stores that a command makes for itself.
  let relay = InterruptRelay()
  /// Tells whether Ctrl-C was pressed since it was last asked; set by the prompt.
  var take: () -> Bool = { false }
  /// The error of what was interrupted.
  var reason: () -> ShellError = { .interrupted }
  /// Readable while Ctrl-C waits to be taken; -1: nobody watches for it.
  var descriptor: Int32 = -1
  /// Gives a descriptor that is readable while a statement is to stop, where nobody polls for ``descriptor``: most conversations of a
  /// door never need one.
  var watch: (() -> Int32)?
  /// The waits for the other end of a file, such as a pipe.
  var fileWait: FileWait {
    FileWait(endedBy: watch?() ?? descriptor, or: isRequested, telling: waits.map { waits in { _ = waits($0) } })
  }
  /// Tells whether the statement that runs is to stop; nil: the descriptor does.
  var isRequested: (() -> Bool)?
  /// Gets the functions that stop the Lua that may be running, whenever there are others; nil: the end of the run does.
  var publish: (([@Sendable () -> Void]) -> Void)?
  /// The changes to the store's plugins that the functions know of that were published last; nil: none were.
  var published: Int?
  /// Throws where somebody has no time for a wait any more; nil: there is time.
  var patience: (() throws -> Void)?
  /// Tells whether the client of the conversation has left, as far as its door has heard; nil: there is no door.
  var hasClientLeft: (() -> Bool)?
  /// The same by the system's word, which is asked.
  var isClientGone: (() -> Bool)?
  /// Told when a wait begins (true) and when it has ended, since others may need its thread; gives the reason where it may not begin.
  var waits: ((Bool) -> String?)?
  /// Sends the client of a door the results so far, while a statement waits.
  var shows: (() -> Void)?
}
