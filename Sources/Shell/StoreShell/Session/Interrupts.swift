/// What may interrupt the statements of a session.
struct Interrupts {
  /// What may end the run from outside.
  var stop: RunStop?
  /// Stops the stores that a command makes for itself.
  let relay = InterruptRelay()
  /// Whether Ctrl-C was pressed since this was last asked; set by the prompt.
  var take: () -> Bool = { false }
  /// Readable while Ctrl-C waits to be taken; -1: nobody watches for it.
  var descriptor: Int32 = -1
  /// Throws where somebody has no time for a wait any more; nil: there is time.
  var patience: (() throws -> Void)?
}
