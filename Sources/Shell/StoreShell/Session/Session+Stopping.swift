import Platform

extension Session {
  /// Lets something outside end the run: a signal, or the end of its time. Nil: nothing does any more.
  public func obey(_ stop: RunStop?) {
    interrupts.stop = stop
    interrupts.descriptor = stop?.descriptor ?? -1
    console.obey(interrupts.descriptor)
    interrupts.take = { stop?.isStopped ?? false }
    publishInterrupts()
  }

  /// Says what Lua there is that a stop would have to interrupt.
  func publishInterrupts() {
    interrupts.published = store.live.pluginChanges
    interrupts.stop?.setInterrupts(interruptHandlers)
    interrupts.publish?(interruptHandlers)
  }

  /// The same, where others have changed the plugins since.
  func publishNewInterrupts() {
    if store.live.pluginChanges != interrupts.published { publishInterrupts() }
  }

  /// The status with which a run ends that was stopped; nil: it goes on. A stop between two commands is told of here.
  public func stoppedStatus() -> Int32? {
    guard let stop = interrupts.stop, stop.isStopped, let error = stop.error else { return nil }
    if !outcome.hasReportedStop, error.code == .timedOut {
      outcome.hasReportedStop = true
      writeError(error, file: running.origin.file)
    }
    return error.status
  }

  /// Prints what others cause, until something outside ends the run.
  public func serve() {
    guard let stop = interrupts.stop else { return }
    store.rest()
    defer { store.endWait() }
    while !stop.isStopped, !hasQuit {
      runDue()
      console.flush()
      inbox.rest()
      clock.rest(for: untilNext ?? .seconds(60), interrupt: stop.descriptor, wake: wakeDescriptors)
    }
  }

  /// Waits until a descriptor can be read.
  ///
  /// - Returns: false: the run is to end instead.
  func waitToRead(_ descriptor: Int32) -> Bool {
    guard let stop = interrupts.stop else { return true }
    while !stop.isStopped {
      var sources = [descriptor, stop.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if poll(&sources, 2, -1) > 0, sources[1].revents == 0 { return true }
    }
    return false
  }
}
