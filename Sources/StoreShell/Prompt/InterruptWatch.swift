#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Stops Lua when Ctrl-C is pressed while a command runs: the command's own thread is busy, so another one waits for it.
enum InterruptWatch {
  /// Runs a command; meanwhile a thread waits for the descriptor of interrupts to become readable.
  static func run(_ descriptor: Int32, stopping session: Session, _ command: () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard descriptor >= 0, pipe(&ends) == 0 else { return command() }
    let watch = Unmanaged.passRetained(Watch(descriptor, until: ends[0], session.interrupts))
    var thread = pthread_t()
    let started = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Watch>.fromOpaque(context).takeRetainedValue().wait() }
        return nil
      }, watch.toOpaque())
    command()
    close(ends[1])
    if started == 0 { pthread_join(thread, nil) } else { watch.release() }
    close(ends[0])
  }

  private final class Watch {
    private let descriptor: Int32
    private let end: Int32
    private let interrupts: [@Sendable () -> Void]

    init(_ descriptor: Int32, until end: Int32, _ interrupts: [@Sendable () -> Void]) {
      self.descriptor = descriptor
      self.end = end
      self.interrupts = interrupts
    }

    func wait() {
      var sources = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
      ]
      while poll(&sources, 2, -1) < 0, errno == EINTR {}
      guard sources[1].revents == 0 else { return }
      for interrupt in interrupts { interrupt() }
    }
  }
}
